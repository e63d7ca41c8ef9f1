/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the C text of a kernel computes what the compiled function does: both are run on some
 * elements, with the values that the program has there, in a context of its own. */
#include <float.h>
#include <math.h>

#include "compat.h"
#include "mem.h"

enum { ELEMENTS = 8, MOST = 128, ULPS = 8 };

/* One argument in a trial. */
struct part {
  const op_arg *arg;
  const struct op2i_compat_type *type;
  op2_access access;
  int slots; /* rows for each element; 0 for a global */
  int64_t values;
  char *mine; /* the values that the function sees */
  op2_set set;
  op2_map map;
  op2_dat dat;
  op2_gbl gbl;
};

struct trial {
  const struct op2_compat_site *site;
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
  op2_status status = op2_set_create(op2i_compat.trial, n, NULL, &p->set);
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

static op2_status make_gbl(struct part *p) {
  const op_arg *arg = p->arg;
  p->values = arg->dim;
  p->mine = op2i_compat_memory((size_t)(p->values * p->type->size));
  if (op2i_compat_works(arg)) return OP2_SUCCESS;
  if (p->access != OP2_INC) op2i_compat_value(arg, p->mine);
  if (arg->kind == OP2_COMPAT_GBL && p->access == OP2_READ) return OP2_SUCCESS;
  return op2_gbl_create(op2i_compat.trial, arg->dim, p->type->type, p->mine, NULL, &p->gbl);
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

static op2_status make_part(struct trial *t, int i, const op_arg *arg) {
  struct part *p = &t->parts[i];
  bool all = op2i_compat_all_slots(arg),
       rows = arg->kind <= OP2_COMPAT_IDX && arg->kind != OP2_COMPAT_GBL;
  *p = (struct part){.arg = arg, .slots = !rows ? 0 : all ? arg->map->dim : 1};
  t->nparts = i + 1;
  if (!arg->opt) return OP2_SUCCESS;
  p->type = op2i_compat_type(arg->type, 0);
  p->access = op2i_compat_access(t->site, i, arg);
  op2_status status = arg->kind == OP2_COMPAT_DAT   ? make_dat(t, p)
                      : arg->kind == OP2_COMPAT_IDX ? make_numbers(t, p)
                                                    : make_gbl(p);
  if (!status) note(t, p);
  return status;
}

/* ---- both runs ------------------------------------------------------------------------------- */

static void run_function(const struct trial *t) {
  static char *rows[MOST][MOST];
  void *values[MOST];
  for (int e = 0; e < t->count; e++) {
    for (int i = 0; i < t->nparts; i++) {
      const struct part *p = &t->parts[i];
      int64_t bytes = p->mine && t->count ? p->values * p->type->size / t->count : 0;
      char *first = p->slots && p->mine ? p->mine + e * bytes : p->mine;
      values[i] = first;
      if (!p->slots || !p->mine || !op2i_compat_all_slots(p->arg) || p->arg->kind != OP2_COMPAT_DAT)
        continue;
      for (int s = 0; s < p->slots; s++) rows[i][s] = first + s * (bytes / p->slots);
      values[i] = rows[i];
    }
    t->site->call(t->site->function, values);
  }
}

static op2_arg argument(const struct part *p, int i) {
  int slot = op2i_compat_all_slots(p->arg) ? OP2_ALL : 0;
  if (p->arg->kind == OP2_COMPAT_INFO)
    return op2_arg_info(p->gbl, op2i_compat_position(p->arg - i, p->arg->idx));
  if (p->gbl) return op2_arg_gbl(p->gbl, p->access);
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
  op2_status status = op2_kernel_create(op2i_compat.trial, desc, &kernel);
  for (int i = 0; i < t->nparts; i++)
    if (t->parts[i].arg->opt) list[n++] = argument(&t->parts[i], i);
  if (!status) status = op2_par_loop_at(where, kernel, t->set, n, list);
  if (!status) status = op2_flush(op2i_compat.trial);
  op2_kernel_destroy(&kernel);
  return status;
}

/* ---- what comes out -------------------------------------------------------------------------- */

static bool near(const struct trial *t, op2_type type, const char *a, const char *b, int64_t i) {
  if (type == OP2_F64) {
    double x = ((const double *)a)[i], y = ((const double *)b)[i];
    return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= ULPS * DBL_EPSILON * t->largest[0];
  }
  double x = (double)((const float *)a)[i], y = (double)((const float *)b)[i];
  return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= ULPS * FLT_EPSILON * t->largest[1];
}

/* True if the results of an argument agree; *status is that of getting them. */
static bool agrees(const struct trial *t, const struct part *p, op2_status *status) {
  if (p->access == OP2_READ || (!p->dat && !p->gbl)) return true;
  size_t bytes = (size_t)(p->values * p->type->size);
  char *text = op2i_compat_memory(bytes);
  *status = p->dat ? op2_dat_get(p->dat, text) : op2_gbl_get(p->gbl, text);
  bool real = p->type->type == OP2_F64 || p->type->type == OP2_F32;
  bool same = *status || !memcmp(text, p->mine, bytes);
  if (!same && real) {
    same = true;
    for (int64_t i = 0; same && i < p->values; i++) same = near(t, p->type->type, text, p->mine, i);
  }
  op2i_free(text);
  return same;
}

static const char *compare(struct trial *t, op2_status *status) {
  static char why[120];
  for (int i = 0; i < t->nparts; i++) note(t, &t->parts[i]);
  for (int i = 0; i < t->nparts && !*status; i++) {
    if (!t->parts[i].arg->opt || agrees(t, &t->parts[i], status)) continue;
    snprintf(why, sizeof why, "its text differs from the compiled function in argument %d", i);
    return why;
  }
  return NULL;
}

static void end(struct trial *t) {
  for (int i = 0; i < t->nparts; i++) {
    struct part *p = &t->parts[i];
    op2_dat_destroy(&p->dat);
    op2_gbl_destroy(&p->gbl);
    op2_map_destroy(&p->map);
    op2_set_destroy(&p->set);
    op2i_free(p->mine);
  }
  op2_set_destroy(&t->set);
  op2i_free(t);
}

const char *op2i_compat_trial(const struct op2_compat_site *site, const op2_kernel_desc *desc,
                              op_set set, int nargs, const op_arg *args) {
  op2_options options = {.backend = "sequential", .threads = 1, .log_level = 1};
  op2_status status = OP2_SUCCESS;
  if (!fits(nargs, args)) return "a map has too many slots for a comparison";
  if (!op2i_compat.trial) status = op2_init(&options, &op2i_compat.trial);
  if (status) return op2_error_message();
  struct trial *t = op2i_compat_memory(sizeof *t);
  t->site = site;
  t->from = set;
  t->count = set->size < ELEMENTS ? set->size : ELEMENTS;
  op2i_compat_trial_constants();
  status = op2_set_create(op2i_compat.trial, t->count, NULL, &t->set);
  for (int i = 0; i < nargs && !status; i++) status = make_part(t, i, &args[i]);
  if (!status) status = run_text(t, desc);
  const char *why = NULL;
  if (!status) {
    run_function(t);
    why = compare(t, &status);
  }
  if (status) why = op2_error_message();
  end(t);
  return why;
}
