/* SPDX-License-Identifier: BSD-3-Clause */
/* op_par_loop: arguments, access modes, and variables of the program that get results. */
#include "compat.h"
#include "mem.h"

enum { MOST = 128 }; /* arguments of a loop */

/* A global for a variable of the program. */
struct result {
  void *data;
  int dim;
  op2_type type;
  size_t bytes;
  op2_gbl handle;
  bool waits; /* the variable holds the pattern below until op_lazy_get() */
  struct result *next;
};
static struct result *results;

/* The bytes of a variable without a value: a NaN, or a number that hardly occurs. */
enum { NO_VALUE = 0xff };

/* ---- arguments ------------------------------------------------------------------------------- */

op_arg op_opt_arg_dat(int opt, op_dat dat, int idx, op_map map, int dim, const char *type,
                      op_access acc) {
  op_arg arg = {.kind = OP2_COMPAT_DAT,
                .dat = dat,
                .map = map,
                .idx = idx,
                .dim = dim,
                .opt = opt != 0,
                .acc = acc,
                .type = type};
  if (!opt) return arg;
  if (!dat) op2i_compat_end("op_arg_dat: the dat is null");
  if (dim != dat->dim)
    op2i_compat_end("op_arg_dat: dat '%s' has dim %d, and the argument says %d", dat->name,
                    dat->dim, dim);
  if (op2i_compat_type(type, 0)->type != op2i_compat_type(dat->type, 0)->type)
    op2i_compat_end("op_arg_dat: dat '%s' has type \"%s\", and the argument says \"%s\"", dat->name,
                    dat->type, type);
  if (acc < OP_READ || acc > OP_MAX) op2i_compat_end("op_arg_dat: %d is no access mode", acc);
  return arg;
}

op_arg op_arg_dat(op_dat dat, int idx, op_map map, int dim, const char *type, op_access acc) {
  return op_opt_arg_dat(1, dat, idx, map, dim, type, acc);
}

op_arg op_arg_idx(int idx, op_map map) {
  return (op_arg){
      .kind = OP2_COMPAT_IDX, .map = map, .idx = idx, .dim = 1, .opt = 1, .type = "int"};
}

op_arg op2_compat_arg(enum op2_compat_kind kind, int opt, int lazy, char *data, int dim,
                      const char *type, int size, op_access acc) {
  op2i_compat_type(type, size);
  if (kind == OP2_COMPAT_GBL && (acc == OP_WRITE || acc == OP_RW))
    op2i_compat_end("op_arg_gbl: a variable is read (OP_READ), reduced into (OP_INC, OP_MIN, "
                    "OP_MAX) or scratch memory (OP_WORK); what is written by elements is a dat");
  return (op_arg){.kind = kind,
                  .dim = dim,
                  .opt = opt != 0,
                  .lazy = lazy,
                  .acc = acc,
                  .size = size,
                  .type = type,
                  .data = data};
}

bool op2i_compat_all_slots(const op_arg *arg) { return arg->map && arg->idx < 0; }

/* The library's mode of argument i. OP2 gives kernels the data through a direct OP_INC argument, so
 * that they may read it, too; and it takes OP_RW for what the kernel cannot change. */
op2_access op2i_compat_access(const struct op2_compat_site *site, int i, const op_arg *arg) {
  static const op2_access modes[] = {OP2_READ, OP2_WRITE, OP2_RW,   OP2_INC,
                                     OP2_MIN,  OP2_MAX,   OP2_WRITE};
  op2_access mode = modes[arg->acc];
  if (arg->kind != OP2_COMPAT_DAT) return mode;
  if (site->readonly[i] && mode == OP2_RW) return OP2_READ;
  return mode == OP2_INC && !arg->map ? OP2_RW : mode;
}

int op2i_compat_position(const op_arg *args, int i) {
  int position = 0;
  for (int k = 0; k < i; k++) position += args[k].opt;
  return position;
}

/* ---- results --------------------------------------------------------------------------------- */

static struct result *find(void *data, int dim, op2_type type) {
  for (struct result *r = results; r; r = r->next)
    if (r->data == data && r->dim == dim && r->type == type) return r;
  return NULL;
}

static bool empty(const struct result *r) {
  const unsigned char *bytes = r->data;
  for (size_t i = 0; i < r->bytes; i++)
    if (bytes[i] != NO_VALUE) return false;
  return true;
}

/* The global of a variable, with the value that the variable has, unless it waits for one. */
static struct result *result_of(const op_arg *arg) {
  const struct op2i_compat_type *type = op2i_compat_type(arg->type, 0);
  struct result *r = find(arg->data, arg->dim, type->type);
  if (!r) {
    r = op2i_compat_memory(sizeof *r);
    *r = (struct result){arg->data, arg->dim, type->type, (size_t)type->size * (size_t)arg->dim,
                         NULL,      false,    results};
    op2i_compat_check(
        op2_gbl_create(op2i_compat.ctx, arg->dim, type->type, arg->data, NULL, &r->handle),
        "op_arg_gbl");
    results = r;
  } else if (!r->waits || !empty(r)) {
    op2i_compat_check(op2_gbl_set(r->handle, arg->data), "op_arg_gbl");
  }
  return r;
}

/* The result that a variable waits for, if an argument reads it as OP_LAZY(); else null. */
static struct result *awaited(const op_arg *arg) {
  if (!arg->lazy || arg->acc != OP_READ) return NULL;
  struct result *r = find(arg->data, arg->dim, op2i_compat_type(arg->type, 0)->type);
  return r && r->waits && empty(r) ? r : NULL;
}

void op2i_compat_value(const op_arg *arg, void *out) {
  const struct result *r = awaited(arg);
  if (r)
    op2i_compat_check(op2_gbl_get(r->handle, out), "op_arg_gbl");
  else
    memcpy(out, arg->data, (size_t)arg->dim * (size_t)op2i_compat_type(arg->type, 0)->size);
}

static void bring(struct result *r) {
  op2i_compat_check(op2_gbl_get(r->handle, r->data), "the result of a reduction");
  r->waits = false;
}

void op_lazy_get(void *data) {
  for (struct result *r = results; r; r = r->next)
    if (r->data == data && r->waits && empty(r)) bring(r);
}

void op2i_compat_forget_results(void) {
  while (results) {
    struct result *r = results;
    results = r->next;
    op2_gbl_destroy(&r->handle);
    op2i_free(r);
  }
}

/* ---- loops ----------------------------------------------------------------------------------- */

static op2_arg dat_argument(const struct op2_compat_site *site, int i, const op_arg *arg) {
  op2_access access = op2i_compat_access(site, i, arg);
  if (!arg->map) return op2_arg_direct(arg->dat->handle, access);
  if (arg->idx < -arg->map->dim)
    op2i_compat_end(
        "%s:%d: argument %d of kernel '%s': map '%s' has %d slots, and %d are asked for",
        site->file, site->line, i, site->kernel, arg->map->name, arg->map->dim, -arg->idx);
  return op2_arg_dat(arg->dat->handle, arg->idx < 0 ? OP2_ALL : arg->idx, arg->map->handle, access);
}

static op2_arg argument(const struct op2_compat_site *site, int i, const op_arg *arg,
                        struct result **result) {
  *result = NULL;
  if (arg->kind == OP2_COMPAT_DAT) return dat_argument(site, i, arg);
  if (arg->kind == OP2_COMPAT_IDX)
    return arg->map ? op2_arg_map_idx(arg->map->handle, arg->idx < 0 ? OP2_ALL : arg->idx)
                    : op2_arg_idx();
  if (arg->kind == OP2_COMPAT_GBL && arg->acc == OP_READ) {
    const struct result *r = awaited(arg);
    return r ? op2_arg_gbl(r->handle, OP2_READ)
             : op2_arg_val(arg->data, arg->dim, op2i_compat_type(arg->type, 0)->type);
  }
  if (op2i_compat_works(arg)) return op2_arg_work(arg->dim, op2i_compat_type(arg->type, 0)->type);
  *result = result_of(arg);
  if (arg->kind == OP2_COMPAT_INFO)
    return op2_arg_info((*result)->handle, op2i_compat_position(arg - i, arg->idx));
  return op2_arg_gbl((*result)->handle, op2i_compat_access(site, i, arg));
}

static void warn_of(struct op2_compat_site *site, int nargs, const op_arg *args) {
  for (int i = 0; i < nargs; i++)
    if (args[i].kind == OP2_COMPAT_DAT && args[i].opt && site->readonly[i] && args[i].acc == OP_RW)
      op2i_compat_warn(
          "%s:%d: argument %d of kernel '%s' is OP_RW, but its parameter points to const: "
          "OP_READ is taken",
          site->file, site->line, i, site->kernel);
}

/* Letters for op2i_cxx_request: null arguments, and what the library gives as const only. */
static void mark(int nargs, const op_arg *args, char *marks) {
  for (int i = 0; i < nargs; i++) {
    bool constant = args[i].kind == OP2_COMPAT_IDX ||
                    (args[i].kind == OP2_COMPAT_GBL && args[i].acc == OP_READ);
    marks[i] = !args[i].opt ? 'n' : constant ? 'c' : '-';
  }
  marks[nargs] = '\0';
}

/* Bring results to their variables, or note that they wait. */
static void results_out(int nargs, const op_arg *args, struct result *const *found) {
  bool forces = false;
  for (int i = 0; i < nargs; i++) {
    if (!found[i]) continue;
    if (args[i].lazy) {
      found[i]->waits = true;
      memset(found[i]->data, NO_VALUE, found[i]->bytes);
    } else {
      bring(found[i]);
      forces = true;
    }
  }
  op2i_compat.forced += forces;
}

void op2_compat_loop(struct op2_compat_site *site, const char *name, op_set set, int nargs,
                     const op_arg *args) {
  op2_arg list[MOST + 2];
  struct result *found[MOST];
  char marks[MOST + 1];
  int n = 0;
  (void)name;
  if (!set) op2i_compat_end("%s:%d: the set is null", site->file, site->line);
  if (nargs > MOST) op2i_compat_end("%s:%d: more than %d arguments", site->file, site->line, MOST);
  if (!set->size && op2i_compat_alone()) return;
  if (!op2i_compat.parted && !op2i_compat_alone()) op_halo_create();
  op2i_compat_close_view();
  op2i_compat_constants();
  mark(nargs, args, marks);
  if (!site->cache) warn_of(site, nargs, args);
  const struct op2i_compat_kernel *kernel = op2i_compat_kernel(site, set, marks, nargs, args);
  for (int i = 0; i < nargs; i++) {
    found[i] = NULL;
    if (args[i].opt) list[n++] = argument(site, i, &args[i], &found[i]);
  }
  if (kernel->repeats) list[n++] = op2_arg_direct(op2i_compat_owners(set), OP2_READ);
  if (kernel->address) list[n++] = op2_arg_opaque(kernel->addresses);
  op2_where where = {site->file, site->line};
  op2i_compat_check(op2_par_loop_at(where, kernel->handle, set->handle, n, list), "op_par_loop");
  results_out(nargs, args, found);
  /* Such a function may look at whatever it likes, so what it does is done when the call returns. */
  if (!kernel->address) return;
  op2i_compat.forced++;
  op2i_compat_check(op2_flush(op2i_compat.ctx), "op_par_loop");
}
