/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a kernel of a function of the program: of its C text where that can be made and computes the
 * same, else of its address. */
#include "compat.h"
#include "cxx.h"
#include "mem.h"

/* A unit of the program that has been read. */
struct unit {
  const char *name, *text; /* those of the call that needed it first */
  struct op2i_cxx_unit cxx;
  const char *why; /* why it cannot be read, or null */
  bool prints;     /* it names functions that print, or is not known */
  struct unit *next;
};
static struct unit *units;

/* Kernels that have been made, by function and by the text that calls it by its address, which
 * shows the types of all arguments. */
struct made {
  void (*function)(void);
  char *address_text;
  struct op2i_compat_kernel kernel;
  struct made *next;
};
static struct made *kernels;

/* A call remembers the kernels that it has used, so that it is quick from the second time on. */
struct cached {
  char *marks;
  int run; /* of op2i_compat */
  const struct op2i_compat_kernel *kernel;
  struct cached *next;
};

/* True if a text has the name of something that prints. */
static bool names_output(const char *text) {
  static const char *const names[] = {"print", "puts", "putc", "cout", "cerr", "clog", "write"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strstr(text, names[i])) return true;
  return false;
}

static struct unit *unit_of(const struct op2_compat_site *site) {
  for (struct unit *u = units; u; u = u->next)
    if (u->text == site->text && !strcmp(u->name, site->unit)) return u;
  struct unit *u = op2i_compat_memory(sizeof *u);
  *u = (struct unit){.name = site->unit, .text = site->text, .next = units};
  char *source = op2i_compat_source(site, &u->why);
  u->prints = !source || names_output(source);
  if (source) u->why = op2i_cxx_read(source, &u->cxx);
  units = u;
  return u;
}

bool op2i_compat_prints(const struct op2_compat_site *site) {
  return op2_compat_any(site->unit && unit_of(site)->prints);
}

/* The function's name: without parentheses, and with _ for what no name of C has. */
static char *name_of(const struct op2_compat_site *site, bool *plain) {
  size_t length = strlen(site->kernel), begin = strspn(site->kernel, "( &");
  while (length > begin && strchr(") ", site->kernel[length - 1])) length--;
  char *name = op2i_compat_memory(length - begin + 1);
  memcpy(name, site->kernel + begin, length - begin);
  *plain = true;
  for (char *at = name; *at; at++) {
    bool word = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_' ||
                (*at >= '0' && *at <= '9');
    if (word) continue;
    *at = '_';
    *plain = false;
  }
  return name;
}

static op2_kernel_desc describe(const struct op2_compat_site *site, const char *name,
                                const char *text) {
  static const char *const integers[] = {"<stddef.h>", "<stdint.h>", NULL};
  return (op2_kernel_desc){.name = name,
                           .source = text,
                           .headers = strstr(text, "_t ") ? integers : NULL,
                           .file = site->file,
                           .line = site->line};
}

/* A call for which a kernel is wanted. */
struct wish {
  const struct op2_compat_site *site;
  op_set set;
  const char *name, *marks;
  int nargs;
  const op_arg *args;
};

/* Why this rank cannot use a text, or that another one cannot; null if all can. Collective, as all
 * ranks run the same kernel. */
static const char *agreed(const char *why) {
  bool elsewhere = op2_compat_any(why != NULL);
  return !why && elsewhere ? "another rank cannot use its text" : why;
}

static const char *compare(const struct wish *w, const op2_kernel_desc *desc) {
  op2_status status = OP2_SUCCESS;
  if (!op2i_compat.trial) status = op2i_compat_trial_context(&op2i_compat.trial);
  if (status) return op2_error_message();
  op2i_compat_trial_constants();
  struct op2i_compat_tried what = {.ctx = op2i_compat.trial,
                                   .site = w->site,
                                   .copy = w->site->copies ? w->site->copies(w->name) : NULL,
                                   .set = w->set,
                                   .nargs = w->nargs,
                                   .args = w->args};
  return op2i_compat_trial(&what, desc);
}

/* Make the kernel of text, with structures as arrays or as they are. Returns null, or why not. */
static const char *by_text(const struct wish *w, struct unit *unit, bool flat, op2_kernel *kernel) {
  struct op2i_text text = {0};
  struct op2i_cxx_request request = {w->name, w->marks, op2i_compat_is_constant, flat, NULL};
  const char *why = op2i_cxx_translate(&unit->cxx, &request, &text);
  if (!why && (text.failed || !text.chars)) why = "memory is lacking";
  why = agreed(why);
  if (!why) {
    op2_kernel_desc desc = describe(w->site, w->name, text.chars);
    why = agreed(compare(w, &desc));
    if (!why && op2_kernel_create(op2i_compat.ctx, &desc, kernel)) why = op2_error_message();
  }
  op2i_text_free(&text);
  return why;
}

/* Texts get numbers as the library has them, from 0. */
static bool counts_from_base(const struct wish *w) {
  for (int i = 0; i < w->nargs; i++)
    if (w->args[i].kind == OP2_COMPAT_IDX && w->args[i].base) return true;
  return false;
}

static const char *try_text(const struct wish *w, bool plain, op2_kernel *kernel) {
  const char *mode = getenv("OP_COMPAT_KERNELS"), *why = NULL;
  struct unit *unit = NULL;
  if (!w->site->unit)
    why = "it is written in Fortran";
  else if (counts_from_base(w))
    why = "it gets numbers of elements from 1";
  else if (!plain)
    why = "it is not named as a function of C";
  else if (mode && !strcmp(mode, "address"))
    why = "OP_COMPAT_KERNELS=address";
  else
    why = (unit = unit_of(w->site))->why;
  why = agreed(why);
  if (why) return why;
  why = by_text(w, unit, true, kernel);
  if (!op2_compat_any(why && !strncmp(why, "a structure", 11))) return why;
  const char *whole = by_text(w, unit, false, kernel);
  return whole && why && !strstr(whole, "differs") ? why : whole;
}

static void by_address(const struct wish *w, const char *rest, const char *why,
                       op2_kernel *kernel) {
  struct op2i_text text = {0}, remark = {0};
  op2i_text_add(&text, "void %s(%s", w->name, rest);
  op2i_text_add(&remark, "called by its address: %s", why);
  if (text.failed || remark.failed) op2i_compat_end("memory is lacking");
  op2_kernel_desc desc = describe(w->site, w->name, text.chars);
  desc.remark = remark.chars;
  op2i_compat_check(op2_kernel_create(op2i_compat.ctx, &desc, kernel), "op_par_loop");
  op2i_text_free(&text);
  op2i_text_free(&remark);
}

static const struct op2i_compat_kernel *make(const struct wish *w, bool plain) {
  struct op2i_text rest = {0};
  op2i_compat_address_text(w->site, w->nargs, w->args, &rest);
  if (rest.failed) op2i_compat_end("memory is lacking");
  for (struct made *m = kernels; m; m = m->next)
    if (m->function == w->site->function && !strcmp(m->address_text, rest.chars)) {
      op2i_text_free(&rest);
      return &m->kernel;
    }
  struct made *m = op2i_compat_memory(sizeof *m);
  *m = (struct made){.function = w->site->function, .address_text = rest.chars, .next = kernels};
  const char *why = try_text(w, plain, &m->kernel.handle);
  if (why) {
    if (OP_diags > 0 || strstr(why, "differs"))
      op2i_compat_warn("%s:%d: kernel '%s' is called by its address, as scalar code: %s",
                       w->site->file, w->site->line, w->name, why);
    by_address(w, rest.chars, why, &m->kernel.handle);
    m->kernel.address = true;
    m->kernel.repeats = op2i_compat_repeats(w->site, w->nargs, w->args);
    op2i_compat_addresses(w->site, m->kernel.repeats, m->kernel.addresses);
  }
  kernels = m;
  return &m->kernel;
}

const struct op2i_compat_kernel *op2i_compat_kernel(struct op2_compat_site *site, op_set set,
                                                    const char *marks, int nargs,
                                                    const op_arg *args) {
  for (struct cached *c = site->cache; c; c = c->next)
    if (c->run == op2i_compat.run && !strcmp(c->marks, marks)) return c->kernel;
  bool plain;
  char *name = name_of(site, &plain);
  struct wish w = {site, set, name, marks, nargs, args};
  struct cached *c = op2i_compat_memory(sizeof *c);
  *c = (struct cached){op2i_strdup(marks), op2i_compat.run, make(&w, plain), site->cache};
  if (!c->marks) op2i_compat_end("memory is lacking");
  site->cache = c;
  op2i_free(name);
  return c->kernel;
}

void op2i_compat_forget_kernels(void) {
  while (kernels) {
    struct made *m = kernels;
    kernels = m->next;
    op2_kernel_destroy(&m->kernel.handle);
    op2i_free(m->address_text);
    op2i_free(m);
  }
  while (units) {
    struct unit *u = units;
    units = u->next;
    op2i_cxx_free(&u->cxx);
    op2i_free(u);
  }
}
