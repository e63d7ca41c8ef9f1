/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the C text of a kernel computes what the compiled function does: both are run on some
 * elements, with the values that the program has there, in a context of its own. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compat.h"
#include "cxx.h"
#include "mem.h"

enum { ELEMENTS = 8, MOST = 128, ULPS = 8 };

/* One argument in a trial. */
struct part {
  const op_arg *arg;
  const struct op2i_compat_type *type;
  op2_access access;
  int slots; /* rows for each element, one for a sum over elements; 0 for another global */
  int64_t values;
  char *mine;   /* the values that the function sees */
  char *copied; /* those that its copy sees; null: it has none */
  op2_set set;
  op2_map map;
  op2_dat dat;
  op2_gbl gbl;
};

struct trial {
  op2_context ctx;
  const struct op2_compat_site *site;
  void (*copy)(void); /* the function without contraction, or null */
  bool exact;         /* the copy has the bits of a right text */
  op_set from;
  int count; /* elements */
  op2_set set;
  int nparts;
  struct part parts[MOST];
  double largest[2]; /* of the values of double, of float */
};

static int64_t element(const struct trial *t, int e) {
  return (int64_t)e * t->from->size / t->count;
}

/* Note the largest value that a kernel gets or gives. */
static void note(struct trial *t, const struct part *p) {
  for (int64_t i = 0; p->mine && i < p->values; i++) {
    double v = p->type->type == OP2_F64   ? fabs(((const double *)p->mine)[i])
               : p->type->type == OP2_F32 ? fabs((double)((const float *)p->mine)[i])
                                          : 0;
    int kind = p->type->type == OP2_F32;
    if (isfinite(v) && v > t->largest[kind]) t->largest[kind] = v;
  }
}

/* ---- what goes in ---------------------------------------------------------------------------- */

/* The values of the program's dat for all elements and slots. Collective, as all ranks try the
 * kernel. */
static op2_status load(const struct trial *t, struct part *p) {
  const op_arg *arg = p->arg;
  const void *data;
  op2_status status = op2_dat_read_begin(arg->dat->handle, &data);
  if (status) return status;
  for (int e = 0; e < t->count; e++)
    for (int s = 0; s < p->slots; s++) {
      int64_t row = element(t, e);
      if (arg->map) row = arg->map->map[row * arg->map->dim + (arg->idx < 0 ? s : arg->idx)];
      memcpy(p->mine + ((int64_t)e * p->slots + s) * arg->dat->size,
             (const char *)data + row * arg->dat->size, (size_t)arg->dat->size);
    }
  return op2_dat_read_end(arg->dat->handle, &data);
}

/* A set of rows for the argument, each of which one element reaches. */
static op2_status make_rows(struct trial *t, struct part *p) {
  int32_t rows[ELEMENTS * MOST];
  int64_t n = (int64_t)t->count * p->slots;
  for (int64_t i = 0; i < n; i++) rows[i] = (int32_t)i;
  op2_status status = op2_set_create(t->ctx, n, NULL, &p->set);
  return status ? status : op2_map_create(t->set, p->set, p->slots, rows, NULL, &p->map);
}

static op2_status make_dat(struct trial *t, struct part *p) {
  const op_arg *arg = p->arg;
  p->values = (int64_t)t->count * p->slots * arg->dim;
  p->mine = op2i_compat_memory((size_t)(p->values * p->type->size));
  op2_status status = OP2_SUCCESS;
  if (p->access != OP2_INC && p->access != OP2_WRITE) status = load(t, p);
  if (!status && arg->map) status = make_rows(t, p);
  if (status) return status;
  return op2_dat_create(arg->map ? p->set : t->set, arg->dim, p->type->type, p->mine, NULL,
                        &p->dat);
}

static op2_status make_gbl(const struct trial *t, struct part *p) {
  const op_arg *arg = p->arg;
  p->values = arg->dim;
  p->mine = op2i_compat_memory((size_t)(p->values * p->type->size));
  if (op2i_compat_works(arg)) return OP2_SUCCESS;
  if (p->access != OP2_INC) op2i_compat_value(arg, p->mine);
  if (arg->kind == OP2_COMPAT_GBL && p->access == OP2_READ) return OP2_SUCCESS;
  return op2_gbl_create(t->ctx, arg->dim, p->type->type, p->mine, NULL, &p->gbl);
}

/* Numbers of elements are those of the trial's own sets, for both. */
static op2_status make_numbers(struct trial *t, struct part *p) {
  p->values = (int64_t)t->count * p->slots;
  p->mine = op2i_compat_memory((size_t)p->values * sizeof(int));
  for (int64_t i = 0; i < p->values; i++) ((int *)p->mine)[i] = (int)i;
  return p->arg->map ? make_rows(t, p) : OP2_SUCCESS;
}

/* False if the arrays of a trial are too small; the kernel is then called by its address. */
static bool fits(int nargs, const op_arg *args) {
  for (int i = 0; i < nargs; i++)
    if (args[i].map && args[i].map->dim > MOST) return false;
  return true;
}

/* True for a global that sums over elements. In a trial each element has its own, a row of a dat,
 * since the library adds them up in an order of its own. */
static bool sums(const op_arg *arg) { return arg->kind == OP2_COMPAT_GBL && arg->acc == OP_INC; }

static op2_status make_part(struct trial *t, int i, const op_arg *arg) {
  struct part *p = &t->parts[i];
  bool all = op2i_compat_all_slots(arg),
       rows = sums(arg) || arg->kind == OP2_COMPAT_DAT || arg->kind == OP2_COMPAT_IDX;
  *p = (struct part){.arg = arg, .slots = !rows ? 0 : all ? arg->map->dim : 1};
  t->nparts = i + 1;
  if (!arg->opt) return OP2_SUCCESS;
  p->type = op2i_compat_type(arg->type, 0);
  p->access = op2i_compat_access(t->site, i, arg);
  op2_status status = arg->kind == OP2_COMPAT_IDX ? make_numbers(t, p)
                      : rows                      ? make_dat(t, p)
                                                  : make_gbl(t, p);
  if (!status) note(t, p);
  return status;
}

/* ---- both runs ------------------------------------------------------------------------------- */

/* Apply the function, or its copy, to all elements. */
static void run_function(const struct trial *t, void (*function)(void)) {
  static char *rows[MOST][MOST];
  void *values[MOST];
  for (int e = 0; e < t->count; e++) {
    for (int i = 0; i < t->nparts; i++) {
      const struct part *p = &t->parts[i];
      char *all = function == t->copy ? p->copied : p->mine;
      int64_t bytes = all && t->count ? p->values * p->type->size / t->count : 0;
      char *first = p->slots && all ? all + e * bytes : all;
      values[i] = first;
      if (!p->slots || !all || !op2i_compat_all_slots(p->arg) || p->arg->kind != OP2_COMPAT_DAT)
        continue;
      for (int s = 0; s < p->slots; s++) rows[i][s] = first + s * (bytes / p->slots);
      values[i] = rows[i];
    }
    t->site->call(function, values);
  }
}

/* Run the copy on values of its own, and the function. */
static void run_functions(struct trial *t) {
  for (int i = 0; i < t->nparts && t->copy; i++) {
    struct part *p = &t->parts[i];
    size_t bytes = p->mine ? (size_t)(p->values * p->type->size) : 0;
    if (!bytes) continue;
    p->copied = op2i_compat_memory(bytes);
    memcpy(p->copied, p->mine, bytes);
  }
  if (t->copy) run_function(t, t->copy);
  run_function(t, t->site->function);
}

static op2_arg argument(const struct part *p, int i) {
  int slot = op2i_compat_all_slots(p->arg) ? OP2_ALL : 0;
  if (p->arg->kind == OP2_COMPAT_INFO)
    return op2_arg_info(p->gbl, op2i_compat_position(p->arg - i, p->arg->idx));
  if (p->gbl) return op2_arg_gbl(p->gbl, p->access);
  if (sums(p->arg)) return op2_arg_direct(p->dat, OP2_INC);
  if (op2i_compat_works(p->arg)) return op2_arg_work(p->arg->dim, p->type->type);
  if (p->arg->kind == OP2_COMPAT_GBL) return op2_arg_val(p->mine, p->arg->dim, p->type->type);
  if (p->arg->kind == OP2_COMPAT_IDX) return p->map ? op2_arg_map_idx(p->map, slot) : op2_arg_idx();
  return p->map ? op2_arg_dat(p->dat, slot, p->map, p->access) : op2_arg_direct(p->dat, p->access);
}

static op2_status run_text(struct trial *t, const op2_kernel_desc *desc) {
  op2_arg list[MOST];
  int n = 0;
  op2_kernel kernel = NULL;
  op2_where where = {t->site->file, t->site->line};
  op2_status status = op2_kernel_create(t->ctx, desc, &kernel);
  for (int i = 0; i < t->nparts; i++)
    if (t->parts[i].arg->opt) list[n++] = argument(&t->parts[i], i);
  if (!status) status = op2_par_loop_at(where, kernel, t->set, n, list);
  if (!status) status = op2_flush(t->ctx);
  op2_kernel_destroy(&kernel);
  return status;
}

/* ---- what comes out -------------------------------------------------------------------------- */

/* Value i of an array as a double, for messages and comparisons of reals. */
static double value(op2_type type, const char *values, int64_t i) {
  switch (type) {
  case OP2_F64: return ((const double *)values)[i];
  case OP2_F32: return (double)((const float *)values)[i];
  case OP2_I32: return ((const int32_t *)values)[i];
  case OP2_U32: return ((const uint32_t *)values)[i];
  case OP2_I64: return (double)((const int64_t *)values)[i];
  case OP2_U64: return (double)((const uint64_t *)values)[i];
  case OP2_I16: return ((const int16_t *)values)[i];
  case OP2_I8: return ((const int8_t *)values)[i];
  default: return ((const uint8_t *)values)[i];
  }
}

/* True if value i of both arrays has the same bits, but for the sign and the payload of a NaN. */
static bool same(const struct op2i_compat_type *type, const char *a, const char *b, int64_t i) {
  size_t size = (size_t)type->size, at = size * (size_t)i;
  bool real = type->type == OP2_F64 || type->type == OP2_F32;
  return !memcmp(a + at, b + at, size) ||
         (real && isnan(value(type->type, a, i)) && isnan(value(type->type, b, i)));
}

/* The same, or as near as contraction and functions of <math.h> may make it. */
static bool near(const struct trial *t, const struct op2i_compat_type *type, const char *a,
                 const char *b, int64_t i) {
  if (same(type, a, b, i)) return true;
  if (type->type != OP2_F64 && type->type != OP2_F32) return false;
  double x = value(type->type, a, i), y = value(type->type, b, i);
  double unit = type->type == OP2_F64 ? DBL_EPSILON * t->largest[0] : FLT_EPSILON * t->largest[1];
  return x == y || fabs(x - y) <= ULPS * unit;
}

/* Says where results of argument p differ, by the element as the program numbers it. */
static const char *report(const struct trial *t, const struct part *p, const char *text,
                          const char *other, int64_t i) {
  static char why[300];
  int row = p->slots ? (int)(i / p->arg->dim) : 0, n = 0;
#define ADD(...) n += snprintf(why + n, sizeof why - (size_t)n, __VA_ARGS__)
  ADD("its text differs from the compiled function%s in argument %d",
      other == p->copied ? " without contraction" : "", (int)(p - t->parts));
  if (p->slots) ADD(", element %lld", (long long)element(t, row / p->slots));
  if (p->slots > 1) ADD(", slot %d", row % p->slots);
  ADD(", value %d: %.17g, and the function has %.17g", (int)(i % p->arg->dim),
      value(p->type->type, text, i), value(p->type->type, other, i));
#undef ADD
  return why;
}

/* Compare the results of an argument; *status is that of getting them. Returns null if they agree. */
static const char *differ(const struct trial *t, const struct part *p, op2_status *status) {
  if (p->access == OP2_READ || (!p->dat && !p->gbl)) return NULL;
  char *text = op2i_compat_memory((size_t)(p->values * p->type->size));
  const char *why = NULL;
  *status = p->dat ? op2_dat_get(p->dat, text) : op2_gbl_get(p->gbl, text);
  for (int64_t i = 0; !*status && !why && i < p->values; i++)
    if (!near(t, p->type, text, p->mine, i))
      why = report(t, p, text, p->mine, i);
    else if (t->exact && !same(p->type, text, p->copied, i))
      why = report(t, p, text, p->copied, i);
  op2i_free(text);
  return why;
}

static const char *compare(struct trial *t, op2_status *status) {
  const char *why = NULL;
  for (int i = 0; i < t->nparts; i++) note(t, &t->parts[i]);
  for (int i = 0; i < t->nparts && !*status && !why; i++)
    if (t->parts[i].arg->opt) why = differ(t, &t->parts[i], status);
  return why;
}

/* Why the library cannot run a text: in one line. */
static const char *failure(void) {
  static char why[300];
  static const char before[] = "error: ";
  const char *message = op2_error_message(), *error = strstr(message, before);
  const char *shown = error ? error + sizeof before - 1 : message;
  snprintf(why, sizeof why, "%s%.*s", error ? "its text does not compile: " : "",
           (int)strcspn(shown, "\n"), shown);
  return why;
}

static void end(struct trial *t) {
  for (int i = 0; i < t->nparts; i++) {
    struct part *p = &t->parts[i];
    op2_dat_destroy(&p->dat);
    op2_gbl_destroy(&p->gbl);
    op2_map_destroy(&p->map);
    op2_set_destroy(&p->set);
    op2i_free(p->mine);
    op2i_free(p->copied);
  }
  op2_set_destroy(&t->set);
  op2i_free(t);
}

/* True if the text rounds products once that are added: the copy does not. */
static bool contracts(void) {
  const char *value = getenv("OP2_CONTRACT");
  return value && *value && strcmp(value, "0") != 0;
}

static op2_status prepare(struct trial *t, const struct op2i_compat_tried *what,
                          const op2_kernel_desc *desc) {
  t->ctx = what->ctx;
  t->site = what->site;
  t->copy = what->copy;
  t->exact = t->copy && !op2i_cxx_rounds(desc->source) && !contracts();
  t->from = what->set;
  t->count = what->set->size < ELEMENTS ? what->set->size : ELEMENTS;
  op2_status status = op2_set_create(t->ctx, t->count, NULL, &t->set);
  for (int i = 0; i < what->nargs && !status; i++) status = make_part(t, i, &what->args[i]);
  return status;
}

const char *op2i_compat_trial(const struct op2i_compat_tried *what, const op2_kernel_desc *desc) {
  const char *why = NULL;
  if (!fits(what->nargs, what->args)) return "a map has too many slots for a comparison";
  struct trial *t = op2i_compat_memory(sizeof *t);
  op2_status status = prepare(t, what, desc);
  if (!status) status = run_text(t, desc);
  if (!status) {
    run_functions(t);
    why = compare(t, &status);
  }
  if (status) why = failure();
  end(t);
  return why;
}

op2_status op2i_compat_trial_context(op2_context *ctx) {
  op2_options options = {.backend = "sequential", .threads = 1, .log_level = 1};
  return op2_init(&options, ctx);
}
