/* SPDX-License-Identifier: BSD-3-Clause */
/* op2_dat_mdot() and op2_dat_maxpy(): products and sums of one dat with n dats, compared with plain
 * sums, for n from 1 to 20, types, dims, and scalars of every form; aliased dats; in the queue,
 * fused, and with any number of threads the same bits; up to 100 dats in vector code, with the bits
 * of n operations with one dat each. Values are whole numbers or halves, so that results are exact,
 * except where the order is tested. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "vector_case.h"

enum { N = 203, MOST = 20 };

struct trial {
  op2_type type;
  int dim;
  op2_set set;
  op2_dat v, u[MOST];
  double *model, *others[MOST]; /* [N * dim] */
};

static double value_of(op2_type type, int k, int i) {
  const int value = (i * (5 + k) + k) % 7;
  return type == OP2_U8 ? value : value - 3;
}

static op2_dat make_dat(const struct trial *t, int k, double **model) {
  void *data = scratch((size_t)(N * t->dim), sizeof(double));
  *model = scratch((size_t)(N * t->dim), sizeof(double));
  for (int i = 0; i < N * t->dim; i++) {
    (*model)[i] = value_of(t->type, k, i);
    value_put(t->type, data, (size_t)i, (*model)[i]);
  }
  return new_dat(t->set, t->dim, t->type, data, "v");
}

static struct trial new_trial(op2_type type, int dim) {
  struct trial t = {.type = type, .dim = dim, .set = new_set(N, "set")};
  t.v = make_dat(&t, 11, &t.model);
  for (int k = 0; k < MOST; k++) t.u[k] = make_dat(&t, k, &t.others[k]);
  return t;
}

/* ---- products -------------------------------------------------------------------------------- */

static void expect_dots(const struct trial *t, int n, const double *got) {
  for (int k = 0; k < n; k++) {
    double want = 0;
    for (int i = 0; i < N * t->dim; i++) want += t->model[i] * t->others[k][i];
    if (got[k] != want) mismatch_at(__FILE__, __LINE__, "mdot", 100 * n + k, got[k], want);
  }
}

static void dots(struct trial *t, int n) {
  double got[MOST];
  for (int k = 0; k < MOST; k++) got[k] = 1e9;
  op2_gbl result = new_gbl(n, OP2_F64, got, "result"); /* its old value does not count */
  MUST(op2_dat_mdot(t->v, n, t->u, result));
  MUST(op2_gbl_get(result, got));
  expect_dots(t, n, got);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The forms of scalars, from which factor_of() computes factor k. */
enum form { VALUE, WIDE, OWN, RATIO, ZERO_DENOMINATOR, INVERSE, FORMS, WHOLE_FORMS = OWN + 1 };

static double factor_of(enum form form, int k) {
  switch (form) {
  case VALUE: return 2;
  case WIDE: return k % 3;
  case OWN: return 2 * (k % 3);
  case RATIO: return 0.5 * (k % 3);
  case INVERSE: return 0.5;
  default: return 0;
  }
}

static op2_scalar new_scalar(const struct trial *t, enum form form, int n) {
  const op2_type wide = value_real(t->type) ? OP2_F64 : t->type;
  double numerator[MOST], two[1] = {0};
  for (int k = 0; k < n; k++) value_put(form == OWN ? t->type : wide, numerator, (size_t)k, k % 3);
  op2_gbl a = new_gbl(n, form == OWN ? t->type : wide, numerator, "numerator");
  value_put(wide, two, 0, form == ZERO_DENOMINATOR ? 0 : 2);
  op2_gbl b = new_gbl(1, wide, two, "denominator");
  switch (form) {
  case VALUE: return op2_scalar_value(2);
  case WIDE: return op2_scalar_gbl(a);
  case OWN: return op2_scalar_times(2, op2_scalar_gbl(a));
  case INVERSE: return (op2_scalar){.factor = 1, .denominator = b};
  default: return op2_scalar_ratio(a, b);
  }
}

static void expect_v(const struct trial *t, int n, const char *what) {
  const void *view = NULL;
  MUST(op2_dat_read_begin(t->v, &view));
  for (int i = 0; i < N * t->dim; i++) {
    const double got = value_get(t->type, view, (size_t)i);
    if (got == t->model[i]) continue;
    mismatch_at(__FILE__, __LINE__, what, (int64_t)1000 * n + i, got, t->model[i]);
    break;
  }
  MUST(op2_dat_read_end(t->v, &view));
}

/* The vector begins with v = 1, so that values stay small. */
static void sums(struct trial *t, enum form form, int n) {
  MUST(op2_dat_fill(t->v, op2_scalar_value(1)));
  for (int i = 0; i < N * t->dim; i++) {
    t->model[i] = 1;
    for (int k = 0; k < n; k++) t->model[i] += factor_of(form, k) * t->others[k][i];
  }
  MUST(op2_dat_maxpy(t->v, new_scalar(t, form, n), n, t->u));
  if (t->type == OP2_U8)
    for (int i = 0; i < N * t->dim; i++) t->model[i] = (uint8_t)t->model[i];
  expect_v(t, n, "maxpy");
}

/* ---- all types and shapes -------------------------------------------------------------------- */

/* A device's compiler takes long for each kernel. */
static bool all(void) { return getenv("OP2_TEST_FULL") != NULL && !on_device(); }

/* Each n is tried once, with the most common type. */
static void each_n(void) {
  struct trial t = new_trial(OP2_F64, 1);
  for (int n = 1; n <= MOST; n += on_device() ? 6 : 1) {
    dots(&t, n);
    sums(&t, WIDE, n);
  }
}

/* A few other types, dims and forms, which have kernels of their own. */
static void shapes(void) {
  static const op2_type types[] = {OP2_F32, OP2_F64, OP2_I32, OP2_U8};
  for (int s = 0; s < 4; s += on_device() ? 2 : 1)
    for (int dim = all() ? 1 : 3 - s % 2; dim <= 3; dim += all() ? 1 : 3) {
      struct trial t = new_trial(types[s], dim);
      for (int n = all() ? 1 : 11; n <= MOST; n += all() ? 1 : 20) {
        if (value_real(types[s])) dots(&t, n);
        for (int f = 0; f < (value_real(types[s]) ? FORMS : WHOLE_FORMS); f++)
          if (all() || f == s + 1) sums(&t, (enum form)f, n);
      }
    }
}

static void forms(void) {
  struct trial t = new_trial(OP2_F64, 1);
  for (int f = 0; f < FORMS; f += on_device() ? 3 : 1) sums(&t, (enum form)f, 9);
}

/* Any of the n dats may occur again, and in products also the dat by which all are multiplied. */
static void same_dats(void) {
  struct trial t = new_trial(OP2_F64, 2);
  double got[MOST];
  op2_dat list[] = {t.u[3], t.v, t.u[3], t.u[1], t.v, t.u[0], t.u[0], t.u[0], t.v};
  double *models[] = {t.others[3], t.model,     t.others[3], t.others[1], t.model,
                      t.others[0], t.others[0], t.others[0], t.model};
  memcpy(t.others, models, sizeof models);
  op2_gbl result = new_gbl(9, OP2_F64, NULL, "result");
  MUST(op2_dat_mdot(t.v, 9, list, result));
  MUST(op2_gbl_get(result, got));
  expect_dots(&t, 9, got);
  for (int k = 0; k < 9; k++)
    if (list[k] == t.v) list[k] = t.u[3], t.others[k] = models[0];
  memcpy(t.u, list, sizeof list);
  sums(&t, WIDE, 9);
}

/* Products over an empty set are zero, even if the result was not. */
static void nothing(void) {
  const double was[] = {1, 2, 3};
  double got[3] = {4, 5, 6};
  op2_set set = new_set(0, "nobody");
  op2_dat x = new_dat(set, 2, OP2_F64, NULL, "x");
  const op2_dat list[] = {x, x, x};
  op2_gbl result = new_gbl(3, OP2_F64, was, "result");
  MUST(op2_dat_mdot(x, 3, list, result));
  MUST(op2_gbl_get(result, got));
  EXPECT(got[0] == 0 && got[1] == 0 && got[2] == 0);
}

/* ---- many dats ------------------------------------------------------------------------------- */

enum { HUNDRED = 100, MANY_ROWS = 1111 };

/* Values whose sums depend on the order. */
static op2_dat new_odd(op2_set set, op2_type type, int k) {
  void *data = scratch(MANY_ROWS, sizeof(double));
  for (int i = 0; i < MANY_ROWS; i++)
    value_put(type, data, (size_t)i, 1.0 / (1 + (i * 17 + k * 5) % 1009) - 0.005);
  return new_dat(set, 1, type, data, "odd");
}

static void expect_each_dot(op2_dat v, int n, const op2_dat *u) {
  double got[HUNDRED] = {0}, want = 0;
  op2_gbl all = new_gbl(n, OP2_F64, NULL, "all"), one = new_gbl(1, OP2_F64, NULL, "one");
  MUST(op2_dat_mdot(v, n, u, all));
  MUST(op2_gbl_get(all, got));
  for (int k = 0; k < n; k++) {
    MUST(op2_dat_dot(v, u[k], one));
    MUST(op2_gbl_get(one, &want));
    if (memcmp(&got[k], &want, sizeof want))
      mismatch_at(__FILE__, __LINE__, "mdot", 1000 * n + k, got[k], want);
  }
}

static void expect_each_axpy(op2_dat v, op2_dat w, int n, const op2_dat *u, size_t bytes) {
  double factors[HUNDRED], got[MANY_ROWS], want[MANY_ROWS];
  for (int k = 0; k < n; k++) factors[k] = 0.1 * (k + 1);
  op2_gbl all = new_gbl(n, OP2_F64, factors, "factors");
  MUST(op2_dat_copy(v, w));
  MUST(op2_dat_maxpy(v, op2_scalar_gbl(all), n, u));
  MUST(op2_dat_get(v, got));
  for (int k = 0; k < n; k++)
    MUST(op2_dat_axpy(w, op2_scalar_gbl(new_gbl(1, OP2_F64, &factors[k], "factor")), u[k]));
  MUST(op2_dat_get(w, want));
  EXPECT(!memcmp(got, want, MANY_ROWS * bytes));
}

/* Loops over any number of dats are vector code if loops with one dat are. */
static void large(void) {
  static const int counts[] = {1, 2, 55, 56, HUNDRED};
  static const op2_type types[] = {OP2_F64, OP2_F32};
  const bool vectors =
      !strcmp(test_config.backend, "openmp") || !strcmp(test_config.backend, "starpu");
  for (int t = 0; t < 2; t++) {
    op2_set set = new_set(MANY_ROWS, "many");
    op2_dat v = new_odd(set, types[t], HUNDRED), w = new_odd(set, types[t], 0), u[HUNDRED];
    for (int k = 0; k < HUNDRED; k++) u[k] = new_odd(set, types[t], k);
    for (int c = 0; c < 5; c += vectors ? 1 : 3)
      for (int times = 0; times < (vectors ? 2 : 1); times++) { /* the second time loops are
                                                                 * fused */
        expect_each_dot(v, counts[c], u);
        expect_each_axpy(v, w, counts[c], u, types[t] == OP2_F64 ? sizeof(double) : sizeof(float));
      }
  }
  if (vectors) EXPECT(explains("vector code") && !explains("scalar code"));
}

/* ---- operations in the queue ----------------------------------------------------------------- */

/* A step of Gram-Schmidt without the host, repeated: products with 8 + 1 dats are two loops and a
 * call that combines them, sums are two loops; the loops are fused when they are repeated, with the
 * same results. */
static void fused(void) {
  enum { N_DATS = 9 };
  struct trial t = new_trial(OP2_F64, 1);
  double got[3][N_DATS];
  op2_gbl h = new_gbl(N_DATS, OP2_F64, NULL, "h");
  for (int times = 0; times < 3; times++) {
    MUST(op2_dat_mdot(t.v, N_DATS, t.u, h));
    EXPECT(op2_queued(test_ctx) == (test_config.eager ? 0 : 3));
    MUST(op2_dat_fill(t.v, op2_scalar_value(1)));
    MUST(op2_dat_maxpy(t.v, op2_scalar_times(-1, op2_scalar_gbl(h)), N_DATS, t.u));
    EXPECT(op2_queued(test_ctx) == (test_config.eager ? 0 : 6));
    MUST(op2_gbl_get(h, got[times]));
    MUST(op2_dat_fill(t.v, op2_scalar_value(2)));
    MUST(op2_flush(test_ctx));
    if (times == 0) {
      expect_dots(&t, N_DATS, got[0]);
      for (int i = 0; i < N; i++) t.model[i] = 2;
    }
    if (times > 0) expect_dots(&t, N_DATS, got[times]);
  }
  bool passes = !strcmp(test_config.backend, "openmp") || !strcmp(test_config.backend, "starpu");
  if (passes && !test_config.eager) EXPECT(explains("mdot+mdot: one loop over 'set'"));
}

/* Sums that depend on the order have the same bits with any number of threads. */
static void threads(void) {
  enum { LONG = 20011, DATS = 11 };
  double got[2][DATS];
  double *values = scratch(LONG, sizeof *values);
  if (strcmp(test_config.backend, "openmp") != 0 && strcmp(test_config.backend, "starpu") != 0)
    return;
  for (int threads = 1; threads <= 2; threads++) {
    op2_options options = config_options(&test_config);
    op2_context ctx;
    op2_set set;
    op2_dat u[DATS];
    op2_gbl h;
    options.threads = threads;
    MUST(op2_init(&options, &ctx));
    MUST(op2_set_create(ctx, LONG, "set", &set));
    for (int k = 0; k < DATS; k++) {
      for (int i = 0; i < LONG; i++) values[i] = 1.0 / (1 + (i * 17 + k * 5) % 1009) - 0.005;
      MUST(op2_dat_create(set, 1, OP2_F64, values, "u", &u[k]));
    }
    MUST(op2_gbl_create(ctx, DATS, OP2_F64, NULL, "h", &h));
    MUST(op2_dat_mdot(u[0], DATS, u, h));
    MUST(op2_dat_maxpy(u[0], op2_scalar_value(0.1), DATS - 1, u + 1));
    MUST(op2_dat_mdot(u[0], DATS, u, h));
    MUST(op2_gbl_get(h, got[threads - 1]));
    MUST(op2_finalize(&ctx));
    for (int k = 0; k < DATS; k++) op2_dat_destroy(&u[k]);
    op2_gbl_destroy(&h);
    op2_set_destroy(&set);
  }
  EXPECT(!memcmp(got[0], got[1], sizeof got[0]));
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(void) {
  const op2_scalar one = op2_scalar_value(1);
  op2_set set = new_set(N, "nodes"), other = new_set(N, "cells");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "xdat"), y = new_dat(set, 1, OP2_F64, NULL, "ydat"),
          far = new_dat(other, 1, OP2_F64, NULL, "far"), f = new_dat(set, 1, OP2_F32, NULL, "fdat"),
          k = new_dat(set, 1, OP2_I32, NULL, "kdat");
  op2_gbl two = new_gbl(2, OP2_F64, NULL, "two"), three = new_gbl(3, OP2_F64, NULL, "three"),
          whole = new_gbl(2, OP2_I32, NULL, "whole");
  const op2_dat good[] = {y, y}, null[] = {y, NULL}, away[] = {y, far}, narrow[] = {f, y},
                self[] = {y, x}, ints[] = {k, k};
  REFUSED(OP2_ERR_ARG, op2_dat_mdot(x, 0, good, two), "t189-many.c:", "op2_dat_mdot",
          "n is not positive");
  REFUSED(OP2_ERR_ARG, op2_dat_mdot(x, 2, NULL, two), "op2_dat_mdot", "list");
  REFUSED(OP2_ERR_ARG, op2_dat_mdot(x, 2, null, two), "op2_dat_mdot, y[1]", "null");
  REFUSED(OP2_ERR_ARG, op2_dat_mdot(NULL, 2, good, two), "op2_dat_mdot, x", "null");
  REFUSED(OP2_ERR_MISMATCH, op2_dat_mdot(x, 2, away, two), "y[1]", "'far'", "'cells'");
  REFUSED(OP2_ERR_TYPE, op2_dat_mdot(x, 2, narrow, two), "y[0]", "'fdat'", "OP2_F32");
  REFUSED(OP2_ERR_MISMATCH, op2_dat_mdot(x, 2, good, three), "'three'", "dim 3", "2 dats");
  REFUSED(OP2_ERR_TYPE, op2_dat_mdot(x, 2, good, whole), "'whole'", "OP2_I32");
  REFUSED(OP2_ERR_TYPE, op2_dat_mdot(k, 2, ints, two), "'kdat'", "integers");
  REFUSED(OP2_ERR_ARG, op2_dat_maxpy(x, one, -1, good), "op2_dat_maxpy", "n is not positive");
  REFUSED(OP2_ERR_ARG, op2_dat_maxpy(x, one, 2, self), "x[1]", "'xdat' is y as well");
  REFUSED(OP2_ERR_MISMATCH, op2_dat_maxpy(x, op2_scalar_gbl(three), 2, good), "op2_dat_maxpy, a",
          "'three'", "dim 3", "2 dats");
  REFUSED(OP2_ERR_MISMATCH, op2_dat_maxpy(x, op2_scalar_ratio(two, two), 2, good), "'two'",
          "a scalar is one value");
  REFUSED(OP2_ERR_TYPE, op2_dat_maxpy(x, op2_scalar_gbl(whole), 2, good), "'whole'", "OP2_I32");
  const op2_dat other_ints[] = {new_dat(set, 1, OP2_I32, NULL, "ldat")};
  REFUSED(OP2_ERR_RANGE, op2_dat_maxpy(k, op2_scalar_value(0.5), 1, other_ints), "0.5", "OP2_I32");
}

static const struct test_case cases[] = {
    {"n from 1 to 20", each_n},
    {"types and dims", shapes},
    {"scalars", forms},
    {"dats that are the same", same_dats},
    {"no elements", nothing},
    {"many dats", large},
    {"fused", fused},
    {"threads", threads},
    {"what is refused", refused},
};

int main(void) { return RUN(cases, RUN_ON_DEVICES | RUN_ONE_BLOCK); }
