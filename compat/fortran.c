/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs in OP2's Fortran interface: kernels are known by their address only, and numbers begin
 * with 1. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>

#include "compat.h"
#include "mem.h"
#include "op2_compat_fortran.h"
#include "op2_compat_mpi.h"

/* They are null unless the program is linked to libop2-compat-mpi. */
#pragma weak op2_compat_mpi
#pragma weak op_mpi_init

enum { MOST = 128 }; /* parameters of a kernel */
static const bool changes[MOST];

/* Texts of kernels. They stay until the process ends. */
struct text {
  void (*kernel)(void);
  char *name, *text;
  struct text *next;
};
static struct text *texts;

/* A pattern holds what decides, for one argument, on the C function that calls the kernel. */
struct pattern {
  enum op2_compat_kind kind;
  op_access acc;
  int base, slots;  /* slots: -1 for one, 0 without a map */
  const char *type; /* the table's own string */
};

/* Loops by kernel and patterns of arguments. They stay until the process ends, as those of programs
 * in C++ do. */
struct known {
  struct op2_compat_site site;
  int nargs;
  struct pattern *patterns;
  char name[64];
  struct known *next;
};
static struct known *loops;

int op2_compat_fortran_base(const char *word, int base) {
  return op2i_compat_maps_base(word, base);
}

void op2_compat_fortran_init(int diags, int base, const int *local) {
  if (op2_compat_mpi) (void)op2_compat_mpi();
  if (!local)
    op_init(0, NULL, diags);
  else if (op_mpi_init)
    op_mpi_init(0, NULL, diags, *local, *local);
  else
    op2i_compat_end("op_mpi_init: the program is not linked to libop2-compat-mpi");
  op2i_compat.maps_base = base;
}

void op2_compat_fortran_text(void (*kernel)(void), const char *name, const char *text) {
  struct text *t = op2i_compat_memory(sizeof *t);
  *t = (struct text){kernel, op2i_strdup(name), op2i_strdup(text), texts};
  if (!t->name || !t->text) op2i_compat_end("memory is lacking");
  for (struct known *k = loops; k; k = k->next)
    if (k->site.function == kernel)
      op2i_compat_end("op2_kernel_text: kernel '%s' has run already: give its text before", name);
  texts = t;
}

void op2_compat_fortran_const(const char *name, int dim, const char *type, const void *data) {
  if (!op2i_compat_type_known(name)) op2_compat_const(name, dim, type, data);
}

int op2_compat_fortran_ranks(void) { return op2_ranks(op2i_compat.ctx); }

/* ---- arguments ------------------------------------------------------------------------------- */

/* The library's slot. Negative numbers ask for all. */
static int slot(const char *call, int idx, op_map map) {
  if (!map || idx < 0) return idx;
  if (idx == 0) op2i_compat_end("%s: map '%s' has no slot 0: slots begin with 1", call, map->name);
  if (idx > map->dim)
    op2i_compat_end("%s: map '%s' has %d slots, and slot %d is asked for", call, map->name,
                    map->dim, idx);
  return idx - 1;
}

op_arg op2_compat_fortran_dat(int opt, op_dat dat, int idx, op_map map, int dim, const char *type,
                              int access) {
  return op_opt_arg_dat(opt, dat, slot("op_arg_dat", idx, map), map, dim,
                        op2i_compat_type(type, 0)->name, access - 1);
}

op_arg op2_compat_fortran_idx(int idx, op_map map) {
  op_arg arg = op_arg_idx(slot("op_arg_idx", idx, map), map);
  arg.base = map ? op2i_compat.maps_base : 1;
  return arg;
}

op_arg op2_compat_fortran_gbl(int opt, void *data, int dim, const char *type, int size, int access,
                              int reduction) {
  enum op2_compat_kind kind = reduction ? OP2_COMPAT_INFO : OP2_COMPAT_GBL;
  op_arg arg = op2_compat_arg(kind, opt, 0, data, dim, op2i_compat_type(type, size)->name, size,
                              reduction ? OP_RW : access - 1);
  if (reduction) arg.idx = reduction - 1;
  return arg;
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Compilers make __module_MOD_name, name_ or name.0 of a subroutine's name, which this undoes.
 * Programs show their names if they are linked with -rdynamic, which is among the flags of
 * op2-compat-fortran. */
static void name_of(void (*kernel)(void), int number, char *name, size_t room) {
  Dl_info info;
  void *address;
  memcpy(&address, &kernel, sizeof address);
  if (!dladdr(address, &info) || info.dli_saddr != address || !info.dli_sname) {
    snprintf(name, room, "kernel_%d", number);
    return;
  }
  const char *in_module = strstr(info.dli_sname, "_MOD_");
  const char *begin = in_module ? in_module + strlen("_MOD_") : info.dli_sname;
  size_t length = strcspn(begin, ".");
  if (!in_module && length > 1 && begin[length - 1] == '_') length--;
  snprintf(name, room, "%.*s", (int)length, begin);
}

static struct pattern pattern_of(const op_arg *arg) {
  int slots = !arg->map ? 0 : op2i_compat_all_slots(arg) ? arg->map->dim : -1;
  return (struct pattern){arg->kind, arg->acc, arg->base, slots, arg->type};
}

static bool same_loop(const struct known *k, void (*kernel)(void), int nargs, const op_arg *args) {
  if (k->site.function != kernel || k->nargs != nargs) return false;
  for (int i = 0; i < nargs; i++) {
    struct pattern a = k->patterns[i], b = pattern_of(&args[i]);
    if (a.kind != b.kind || a.acc != b.acc || a.base != b.base || a.slots != b.slots ||
        a.type != b.type)
      return false;
  }
  return true;
}

static struct known *known(void (*kernel)(void), int nargs, const op_arg *args) {
  int count = 0;
  for (struct known *k = loops; k; k = k->next, count++)
    if (same_loop(k, kernel, nargs, args)) return k;
  struct known *k = op2i_compat_memory(sizeof *k);
  *k = (struct known){.nargs = nargs, .next = loops};
  k->patterns = op2i_compat_memory(sizeof *k->patterns * (size_t)nargs);
  for (int i = 0; i < nargs; i++) k->patterns[i] = pattern_of(&args[i]);
  k->site = (struct op2_compat_site){
      .kernel = k->name, .file = "?", .function = kernel, .readonly = changes};
  for (const struct text *t = texts; t; t = t->next)
    if (t->kernel == kernel) {
      k->site.kernel = k->site.unit = t->name;
      k->site.text = t->text;
      return loops = k;
    }
  name_of(kernel, count + 1, k->name, sizeof k->name);
  return loops = k;
}

void op2_compat_fortran_loop(void (*kernel)(void),
                             void (*call)(void (*kernel)(void), void *const *values), op_set set,
                             int nargs, const op_arg *args) {
  struct op2_compat_site *site = &known(kernel, nargs, args)->site;
  site->call = call;
  for (int i = 0; i < nargs; i++)
    if (args[i].kind == OP2_COMPAT_INFO && (args[i].idx < 0 || args[i].idx >= nargs))
      op2i_compat_end("kernel '%s': argument %d belongs to argument %d, which the loop lacks",
                      site->kernel, i + 1, args[i].idx + 1);
  op2_compat_loop(site, site->kernel, set, nargs, args);
}
