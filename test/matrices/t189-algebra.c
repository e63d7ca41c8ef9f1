/* SPDX-License-Identifier: BSD-3-Clause */
/* Dats and globals as vectors: every operation is compared with plain arrays, for all types, dims,
 * aliased vectors, forms of scalars and sets with halos; lazily, fused with the loops around it,
 * and cancelled with its inputs. All values are whole numbers or halves, so that results are
 * exact. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "vector_case.h"

enum { N = 203 };

struct trial {
  struct vectors v;
  op2_type type;
  size_t n, owned;  /* number of values */
  double *model[3]; /* [n] */
};

static double value_of(op2_type type, int v, size_t i) {
  bool minus = type != OP2_U8 && type != OP2_U64;
  double value = (double)((i * (size_t)(7 + 4 * v) + (size_t)v) % 9);
  if (v == 2) return value < 3 ? 1 : value < 6 ? 2 : minus ? -4 : 4; /* divisors */
  return minus ? value - 4 : value;
}

/* The vectors are dats on a set of N elements, of which `owned` are owned; if the set is null, they
 * are globals. */
static struct trial new_trial(op2_set set, op2_type type, int dim, int64_t owned) {
  struct trial t = {.v.global = !set, .type = type};
  t.n = (size_t)(dim * (set ? N : 1));
  t.owned = set ? (size_t)(owned * dim) : t.n;
  for (int v = 0; v < 3; v++) {
    void *data = scratch(t.n + 1, sizeof(double));
    t.model[v] = scratch(t.n + 1, sizeof(double));
    for (size_t i = 0; i < t.n; i++) {
      t.model[v][i] = value_of(type, v, i);
      value_put(type, data, i, t.model[v][i]);
    }
    if (set)
      t.v.dat[v] = new_dat(set, dim, type, data, "v");
    else
      t.v.gbl[v] = new_gbl(dim, type, data, "v");
  }
  return t;
}

static void expect_vectors(const struct trial *t, const char *what) {
  void *got = scratch(t->n + 1, sizeof(double));
  for (int v = 0; v < 3; v++) {
    const void *view = NULL;
    if (t->v.global) {
      MUST(op2_gbl_get(t->v.gbl[v], got));
    } else {
      MUST(op2_dat_read_begin(t->v.dat[v], &view));
      memcpy(got, view, t->owned * value_bytes(t->type));
      MUST(op2_dat_read_end(t->v.dat[v], &view));
    }
    for (size_t i = 0; i < t->owned; i++) {
      if (value_get(t->type, got, i) == t->model[v][i]) continue;
      mismatch_at(__FILE__, __LINE__, what, (int64_t)i, value_get(t->type, got, i), t->model[v][i]);
      break;
    }
  }
}

/* ---- scalars --------------------------------------------------------------------------------- */

/* Scalars of every form with their values. Forms with quotients are not for integers. */
struct scalar {
  op2_scalar made;
  double value;
};
enum { SCALARS = 9, WHOLE_SCALARS = 3 };

static void new_scalars(op2_type type, struct scalar out[SCALARS]) {
  op2_type wide = value_real(type) ? OP2_F64 : type;
  double room[2] = {0};
  op2_gbl six, two, none, own;
  value_put(wide, room, 0, 6);
  six = new_gbl(1, wide, room, "six");
  value_put(wide, room, 0, 2);
  two = new_gbl(1, wide, room, "two");
  none = new_gbl(1, wide, NULL, "none");
  value_put(type, room, 0, 3);
  own = new_gbl(1, type, room, "own");
  const struct scalar all[SCALARS] = {
      {op2_scalar_value(2), 2},
      {op2_scalar_gbl(own), 3},
      {op2_scalar_times(3, op2_scalar_times(2, op2_scalar_gbl(two))), 12},
      {op2_scalar_ratio(six, two), 3},
      {op2_scalar_times(-0.5, op2_scalar_ratio(six, own)), -1},
      {op2_scalar_ratio(none, none), 0},
      {op2_scalar_ratio(six, none), 0},
      {{.factor = 1, .denominator = two}, 0.5},
      {op2_scalar_ratio(none, six), 0}};
  memcpy(out, all, sizeof all);
}

/* ---- operations that change a dat ------------------------------------------------------------ */

static void change(struct trial *t, enum vector_op op, int out, int x, int y, struct scalar a,
                   struct scalar b) {
  if (vector_real(op) && !value_real(t->type)) return;
  MUST(vector_call(&t->v, op, out, x, y, a.made, b.made, NULL));
  vector_change(op, t->n, t->model[out], t->model[x], t->model[y], a.value, b.value);
}

/* New vectors for each operation keep the values small. */
static void change_all(op2_set set, op2_type type, int dim, int64_t owned) {
  const struct scalar a = {op2_scalar_value(2), 2}, b = {op2_scalar_value(3), 3};
  for (int op = 0; op < CHANGES; op++) {
    struct trial t = new_trial(set, type, dim, owned);
    change(&t, (enum vector_op)op, 0, 1, 2, a, b);
    expect_vectors(&t, vector_name((enum vector_op)op));
  }
}

static const struct {
  op2_type type;
  int dim;
} shapes[] = {{OP2_F64, 1}, {OP2_F64, 2}, {OP2_F64, 3}, {OP2_F64, 5}, {OP2_F32, 1}, {OP2_F32, 3},
              {OP2_I32, 2}, {OP2_I64, 1}, {OP2_U8, 1},  {OP2_I16, 3}, {OP2_U64, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Half of the time is spent compiling, and a device's compiler takes longer still. */
static int shape_step(void) {
  if (on_device()) return quick() ? 8 : 4;
  return thorough() ? 1 : 2;
}
static int first_shape(void) { return shape_step() > 1 ? taken_half() : 0; }

static void changes(void) {
  op2_set set = new_set(N, "set");
  for (int s = first_shape(); s < SHAPES; s += shape_step())
    change_all(set, shapes[s].type, shapes[s].dim, N);
}

static void changes_of_globals(void) {
  for (int s = first_shape(); s < SHAPES; s += shape_step())
    change_all(NULL, shapes[s].type, shapes[s].dim, 1);
}

static void with_halos(void) {
  for (int kind = 0; kind < SECTION_KINDS; kind++) {
    int64_t owned = 0;
    op2_set set = new_sectioned(kind, N, &owned, "set");
    change_all(set, OP2_F64, 2, owned);
  }
}

/* The same vector is used twice, or three times. */
static void same_vectors(void) {
  static const int same[][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {0, 0, 0}};
  const struct scalar a = {op2_scalar_value(2), 2}, b = {op2_scalar_value(3), 3};
  op2_set set = new_set(N, "set");
  for (int global = 0; global < 2; global++)
    for (int k = 0; k < 4; k++)
      for (int op = COPY; op < CHANGES; op++) {
        if (k > (op >= MULT ? 3 : 0) || op == SCALE) continue;
        struct trial t = new_trial(global ? NULL : set, OP2_F64, 2, N);
        for (size_t i = 0; i < t.n; i++) t.model[0][i] = t.model[1][i] = t.model[2][i];
        MUST(vector_call(&t.v, COPY, 0, 2, 2, a.made, a.made, NULL));
        MUST(vector_call(&t.v, COPY, 1, 2, 2, a.made, a.made, NULL));
        change(&t, (enum vector_op)op, same[k][0], same[k][1], same[k][2], a, b);
        expect_vectors(&t, vector_name((enum vector_op)op));
      }
}

static void scalars(void) {
  static const op2_type types[] = {OP2_F64, OP2_F32, OP2_I32};
  op2_set set = new_set(N, "set");
  for (int type = 0; type < 3; type += on_device() && quick() ? 2 : 1) {
    struct scalar all[SCALARS];
    int count = value_real(types[type]) ? SCALARS : WHOLE_SCALARS;
    new_scalars(types[type], all);
    for (int global = 0; global < 2; global++)
      for (int s = 0; s < count; s++) {
        struct trial t = new_trial(global ? NULL : set, types[type], 1, N);
        change(&t, AXPY, 0, 1, 2, all[s], all[s]);
        if (!on_device()) change(&t, AXPBY, 0, 2, 2, all[s], all[(s + 1) % count]);
        change(&t, FILL, 1, 2, 2, all[s], all[s]);
        expect_vectors(&t, "scalars");
      }
  }
}

/* A scalar takes the values that its globals have when the operation is queued, even if it writes
 * them. */
static void scalars_later(void) {
  const double two = 2, ten = 10;
  double got;
  op2_set set = new_set(N, "set");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  op2_gbl g = new_gbl(1, OP2_F64, &two, "g");
  MUST(op2_dat_fill(x, op2_scalar_gbl(g)));
  MUST(op2_gbl_set(g, &ten));
  MUST(op2_gbl_axpy(g, op2_scalar_gbl(g), g)); /* 110 */
  MUST(op2_dat_axpy(x, op2_scalar_gbl(g), x));
  MUST(op2_dat_sum(x, g));
  MUST(op2_dat_scale(x, op2_scalar_ratio(g, g)));
  MUST(op2_gbl_get(g, &got));
  EXPECT(got == 222 * N);
  EXPECT_VALUES(double, x, N, i, 222);
}

static const op2_norm norms[] = {OP2_NORM_1, OP2_NORM_2, OP2_NORM_INF};

/* A quotient with the numerator NaN is NaN, whatever the denominator. */
static void not_a_number(void) {
  const double nan = NAN, zero = 0;
  double got;
  op2_gbl bad = new_gbl(1, OP2_F64, &nan, "bad"), none = new_gbl(1, OP2_F64, &zero, "none"),
          g = new_gbl(1, OP2_F64, &zero, "g");
  op2_set set = new_set(N, "set");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  MUST(op2_dat_fill(x, op2_scalar_ratio(bad, none)));
  for (int n = 0; n < 3; n++) {
    MUST(op2_dat_norm(x, norms[n], g));
    MUST(op2_gbl_get(g, &got));
    EXPECT(isnan(got));
    MUST(op2_gbl_norm(bad, norms[n], g));
    MUST(op2_gbl_get(g, &got));
    EXPECT(isnan(got));
  }
  MUST(op2_dat_min(x, g));
  EXPECT_GBL(double, g, INFINITY);
  MUST(op2_gbl_fill(g, op2_scalar_ratio(bad, none)));
  MUST(op2_gbl_get(g, &got));
  EXPECT(isnan(got));
}

/* Squares of such values overflow or underflow, also together with others; infinity is the largest
 * magnitude. */
static void far_values(void) {
  static const struct {
    double value, other, want[3];
  } all[] = {{3e200, -4e200, {7e200, 5e200, 4e200}},
             {3e-200, 4e-200, {7e-200, 5e-200, 4e-200}},
             {3e-320, 0, {3e-320, 3e-320, 3e-320}},
             {1e200, 1e-200, {1e200, 1e200, 1e200}},
             {1e154, 1e154, {2e154, 1.4142135623730951e154, 1e154}},
             {-INFINITY, 1, {INFINITY, INFINITY, INFINITY}},
             {INFINITY, NAN, {NAN, NAN, NAN}},
             {NAN, 1e300, {NAN, NAN, NAN}}};
  op2_set set = new_set(N, "set");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g"), pair = new_gbl(2, OP2_F64, NULL, "pair");
  double *values = scratch(N, sizeof *values), got[2];
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    values[5] = all[k].value;
    values[N - 3] = all[k].other;
    const double two[] = {all[k].value, all[k].other};
    MUST(op2_dat_set(x, values));
    MUST(op2_gbl_set(pair, two));
    for (int n = 0; n < 3; n++) {
      const double want = all[k].want[n];
      MUST(op2_dat_norm(x, norms[n], g));
      MUST(op2_gbl_get(g, &got[0]));
      MUST(op2_gbl_norm(pair, norms[n], g));
      MUST(op2_gbl_get(g, &got[1]));
      for (int i = 0; i < 2; i++)
        if (!(isnan(want) ? isnan(got[i]) != 0 : got[i] == want || fabs(got[i] / want - 1) < 1e-14))
          mismatch_at(__FILE__, __LINE__, i ? "a global's norm" : "a norm", (int64_t)k, got[i],
                      want);
    }
  }
}

/* ---- reductions ------------------------------------------------------------------------------ */

static void reduce_all(op2_set set, op2_type type, int dim, int64_t owned) {
  struct trial t = new_trial(set, type, dim, owned);
  for (int op = DOT; op < VECTOR_OPS; op++) {
    if (vector_real((enum vector_op)op) && !value_real(type)) continue;
    const op2_type wide = vector_result((enum vector_op)op, type);
    const double nothing[2] = {7, 7}, *x = t.model[0];
    double got[2] = {0};
    op2_gbl result = new_gbl(1, wide, nothing, "result");
    for (int same = 0; same < (op == DOT ? 2 : 1); same++) {
      MUST(vector_call(&t.v, (enum vector_op)op, 0, 0, same ? 0 : 1, (op2_scalar){0},
                       (op2_scalar){0}, result));
      MUST(op2_gbl_get(result, got));
      double want = vector_reduce((enum vector_op)op, t.owned, x, same ? x : t.model[1]);
      if (fabs(value_get(wide, got, 0) - want) > 1e-14 * fabs(want))
        mismatch_at(__FILE__, __LINE__, vector_name((enum vector_op)op), dim,
                    value_get(wide, got, 0), want);
    }
  }
}

static void reductions(void) {
  op2_set set = new_set(N, "set");
  for (int s = first_shape(); s < SHAPES; s += shape_step())
    reduce_all(set, shapes[s].type, shapes[s].dim, N);
}

static void reductions_of_globals(void) {
  for (int s = first_shape(); s < SHAPES; s += shape_step())
    reduce_all(NULL, shapes[s].type, shapes[s].dim, 1);
}

static void reductions_with_halos(void) {
  for (int kind = 0; kind < SECTION_KINDS; kind++) {
    int64_t owned = 0;
    op2_set set = new_sectioned(kind, N, &owned, "set");
    reduce_all(set, OP2_F64, 2, owned);
  }
}

/* Reductions over an empty set: norms are zero, a maximum is the lowest value of the type and a
 * minimum the highest. */
static void nothing_to_reduce(void) {
  op2_set set = new_set(0, "nobody");
  op2_dat x = new_dat(set, 2, OP2_F64, NULL, "x"), k = new_dat(set, 1, OP2_I16, NULL, "k");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g"), h = new_gbl(1, OP2_I16, NULL, "h");
  MUST(op2_dat_fill(x, op2_scalar_value(3)));
  for (int n = 0; n < 3; n++) {
    MUST(op2_dat_norm(x, norms[n], g));
    EXPECT_GBL(double, g, 0);
  }
  MUST(op2_dat_max(x, g));
  EXPECT_GBL(double, g, -INFINITY);
  MUST(op2_dat_min(k, h));
  EXPECT_GBL(int16_t, h, INT16_MAX);
  MUST(op2_dat_max(k, h));
  EXPECT_GBL(int16_t, h, INT16_MIN);
}

/* Many floats, whose sum would be another one if it were computed in float. */
static void sums_of_floats(void) {
  op2_set set = new_set(N, "set");
  op2_dat x = new_dat(set, 1, OP2_F32, NULL, "x");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g");
  const double value = 1.0 + 1.0 / (1 << 20);
  MUST(op2_dat_fill(x, op2_scalar_value(value)));
  MUST(op2_dat_sum(x, g));
  EXPECT_GBL(double, g, N *value);
}

/* ---- operations in the queue ----------------------------------------------------------------- */

OP2_KERNEL(before, (double *x, double *y), {
  *x += 1;
  *y = 2;
});
OP2_KERNEL(after, (const double *y, double *z), { *z = *y * 3; });

/* An operation between two loops of the program is fused with them. */
static void fused(void) {
  op2_set set = new_set(N, "set");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x"), y = new_dat(set, 1, OP2_F64, NULL, "y"),
          z = new_dat(set, 1, OP2_F64, NULL, "z");
  op2_kernel first = new_kernel(&before_kernel), last = new_kernel(&after_kernel);
  MUST(op2_par_loop(first, set, op2_arg_direct(x, OP2_RW), op2_arg_direct(y, OP2_WRITE)));
  MUST(op2_dat_axpy(y, op2_scalar_value(5), x));
  MUST(op2_par_loop(last, set, op2_arg_direct(y, OP2_READ), op2_arg_direct(z, OP2_WRITE)));
  EXPECT(op2_queued(test_ctx) == (test_config.eager ? 0 : 3));
  MUST(op2_flush(test_ctx));
  bool passes = !strcmp(test_config.backend, "openmp") || !strcmp(test_config.backend, "starpu");
  if (passes && !test_config.eager) EXPECT(explains("before+axpy+after: one loop over 'set'"));
  EXPECT_VALUES(double, z, N, i, 21);
}

/* Conjugate gradients for a diagonal matrix, without the host: after as many steps as the diagonal
 * has distinct values the method has converged, and stays there. */
static void method(void) {
  enum { DISTINCT = 4, STEPS = 30 };
  double *d = scratch(N, sizeof *d), residual;
  for (int i = 0; i < N; i++) d[i] = 1 + i % DISTINCT;
  op2_set set = new_set(N, "set");
  op2_dat a = new_dat(set, 1, OP2_F64, d, "a"), u = new_dat(set, 1, OP2_F64, NULL, "u"),
          r = new_dat(set, 1, OP2_F64, NULL, "r"), p = new_dat(set, 1, OP2_F64, NULL, "p"),
          v = new_dat(set, 1, OP2_F64, NULL, "v");
  op2_gbl rr[] = {new_gbl(1, OP2_F64, NULL, "even"), new_gbl(1, OP2_F64, NULL, "odd")},
          pv = new_gbl(1, OP2_F64, NULL, "pv"), norm = new_gbl(1, OP2_F64, NULL, "norm");
  MUST(op2_dat_fill(r, op2_scalar_value(12)));
  MUST(op2_dat_copy(r, p));
  MUST(op2_dat_dot(r, r, rr[0]));
  for (int it = 1; it <= STEPS; it++) {
    const op2_gbl was = rr[(it - 1) % 2], is = rr[it % 2];
    MUST(op2_dat_pointwise_mult(v, a, p));
    MUST(op2_dat_dot(p, v, pv));
    MUST(op2_dat_axpy(u, op2_scalar_ratio(was, pv), p));
    MUST(op2_dat_axpy(r, op2_scalar_times(-1, op2_scalar_ratio(was, pv)), v));
    MUST(op2_dat_dot(r, r, is));
    MUST(op2_dat_aypx(p, op2_scalar_ratio(is, was), r));
  }
  MUST(op2_dat_norm(r, OP2_NORM_INF, norm));
  MUST(op2_gbl_get(norm, &residual));
  EXPECT(residual <= 1e-12);
  const void *view = NULL;
  MUST(op2_dat_read_begin(u, &view));
  for (int i = 0; i < N; i++)
    if (!EXPECT(fabs(((const double *)view)[i] - 12 / d[i]) < 1e-12)) break;
  MUST(op2_dat_read_end(u, &view));
}

static int count(void *data, void *const *values) {
  (void)values;
  ++*(int *)data;
  return 0;
}

static int refuse(void *data, void *const *values) {
  (void)data;
  (void)values;
  return 3;
}

/* Reading a result runs the operations it needs, and no call that the program queued before. */
static void only_what_is_needed(void) {
  const double three[] = {3, 4};
  int calls = 0;
  op2_set set = new_set(N, "set");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  op2_gbl g = new_gbl(2, OP2_F64, three, "g"), norm = new_gbl(1, OP2_F64, NULL, "norm");
  MUST(op2_call(test_ctx, count, &calls, op2_arg_direct(x, OP2_READ)));
  MUST(op2_gbl_norm(g, OP2_NORM_2, norm));
  MUST(op2_gbl_scale(norm, op2_scalar_value(2)));
  EXPECT(op2_queued(test_ctx) == (test_config.eager ? 0 : 3));
  EXPECT_GBL(double, norm, 10);
  if (!test_config.eager) EXPECT(op2_queued(test_ctx) == 1 && calls == 0);
  MUST(op2_flush(test_ctx));
  EXPECT(calls == 1);
}

/* A failure cancels the operations that need its result, and a full overwrite cures it. */
static void cancelled(void) {
  double got;
  op2_set set = new_set(N, "set");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g"), h = new_gbl(1, OP2_F64, NULL, "h");
  op2_status status = op2_call(test_ctx, refuse, NULL, op2_arg_gbl(g, OP2_WRITE));
  EXPECT(status == (test_config.eager ? OP2_ERR_CALL : OP2_SUCCESS));
  MUST(op2_gbl_axpy(h, op2_scalar_gbl(g), h));
  MUST(op2_dat_fill(x, op2_scalar_gbl(h)));
  EXPECT(op2_gbl_get(h, &got) == OP2_ERR_CALL);
  MUST(op2_flush(test_ctx));
  const void *view = NULL;
  EXPECT(op2_dat_read_begin(x, &view) == OP2_ERR_CALL);
  MUST(op2_gbl_fill(h, op2_scalar_value(4)));
  MUST(op2_dat_fill(x, op2_scalar_gbl(h)));
  EXPECT_VALUES(double, x, N, i, 4);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused_vectors(void) {
  const op2_scalar one = op2_scalar_value(1);
  op2_set set = new_set(N, "nodes"), other = new_set(N, "cells");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "xdat"), far = new_dat(other, 1, OP2_F64, NULL, "far"),
          wide = new_dat(set, 2, OP2_F64, NULL, "wide"), f = new_dat(set, 1, OP2_F32, NULL, "fdat"),
          k = new_dat(set, 1, OP2_I32, NULL, "kdat");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "gval"), h = new_gbl(3, OP2_F64, NULL, "hval");
  REFUSED(OP2_ERR_ARG, op2_dat_axpy(NULL, one, x), "t189-algebra.c:", "op2_dat_axpy, y", "null");
  REFUSED(OP2_ERR_ARG, op2_dat_axpy(x, one, NULL), "op2_dat_axpy, x", "null");
  REFUSED(OP2_ERR_ARG, op2_dat_copy((op2_dat)g, x), "op2_dat_copy, x", "not a dat");
  REFUSED(OP2_ERR_MISMATCH, op2_dat_axpy(x, one, far), "'far'", "'cells'", "'xdat'", "'nodes'");
  REFUSED(OP2_ERR_MISMATCH, op2_dat_pointwise_mult(x, x, wide), "_pointwise_mult, y", "'wide'",
          "dim 2", "'xdat' 1");
  REFUSED(OP2_ERR_TYPE, op2_dat_copy(f, x), "op2_dat_copy, x", "'fdat'", "OP2_F32", "OP2_F64");
  REFUSED(OP2_ERR_TYPE, op2_dat_pointwise_div(k, k, k), "'kdat'", "OP2_I32", "integers");
  REFUSED(OP2_ERR_TYPE, op2_dat_dot(k, k, g), "'kdat'", "integers");
  REFUSED(OP2_ERR_TYPE, op2_dat_norm(k, OP2_NORM_1, g), "op2_dat_norm", "integers");
  REFUSED(OP2_ERR_MISMATCH, op2_gbl_axpy(g, one, h), "op2_gbl_axpy, x", "'hval'", "dim 3");
  REFUSED(OP2_ERR_ARG, op2_gbl_scale(NULL, one), "op2_gbl_scale, x", "null");
  REFUSED(OP2_ERR_MISMATCH, op2_dat_dot(x, x, h), "the result", "'hval'", "dim 3", "one value");
  REFUSED(OP2_ERR_ARG, op2_dat_dot(x, x, NULL), "the result", "null");
  REFUSED(OP2_ERR_TYPE, op2_dat_sum(k, g), "the result", "'gval'", "OP2_F64", "OP2_I64");
  REFUSED(OP2_ERR_TYPE, op2_dat_min(f, g), "the result", "OP2_F64", "OP2_F32");
  REFUSED(OP2_ERR_ARG, op2_dat_norm(x, (op2_norm)9, g), "op2_dat_norm", "9");
  REFUSED(OP2_ERR_ARG, op2_dat_fill_at((op2_where){0}, NULL, one), "?:0");
}

static void refused_scalars(void) {
  op2_set set = new_set(N, "nodes");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "xdat"), k = new_dat(set, 1, OP2_I32, NULL, "kdat"),
          u = new_dat(set, 1, OP2_U8, NULL, "udat");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "gval"), h = new_gbl(3, OP2_F64, NULL, "hval"),
          n = new_gbl(1, OP2_I32, NULL, "nval");
  op2_scalar odd = op2_scalar_value(1);
  odd.reserved[1] = &odd;
  REFUSED(OP2_ERR_ARG, op2_dat_scale(x, odd), "op2_dat_scale, a", "reserved");
  REFUSED(OP2_ERR_ARG, op2_dat_scale(x, op2_scalar_gbl((op2_gbl)k)), "not a global");
  REFUSED(OP2_ERR_MISMATCH, op2_dat_axpby(x, op2_scalar_value(1), op2_scalar_ratio(g, h), x),
          "op2_dat_axpby, b", "'hval'", "dim 3");
  REFUSED(OP2_ERR_TYPE, op2_dat_scale(x, op2_scalar_gbl(n)), "'nval'", "OP2_I32", "OP2_F64");
  REFUSED(OP2_ERR_TYPE, op2_dat_scale(k, op2_scalar_gbl(g)), "'gval'", "OP2_F64", "OP2_I32");
  REFUSED(OP2_ERR_TYPE, op2_dat_scale(k, op2_scalar_ratio(n, n)), "quotient", "OP2_I32");
  REFUSED(OP2_ERR_RANGE, op2_dat_scale(k, op2_scalar_value(2.5)), "2.5", "OP2_I32");
  REFUSED(OP2_ERR_RANGE, op2_dat_fill(u, op2_scalar_value(256)), "256", "OP2_U8");
  REFUSED(OP2_ERR_RANGE, op2_dat_fill(u, op2_scalar_value(-1)), "-1", "OP2_U8");
  REFUSED(OP2_ERR_RANGE, op2_gbl_fill(n, op2_scalar_value(NAN)), "op2_gbl_fill", "OP2_I32");
  MUST(op2_dat_fill(u, op2_scalar_value(255)));
  EXPECT_VALUES(uint8_t, u, N, i, 255);
}

static void refused_contexts(void) {
  op2_context home = test_ctx, away = NULL;
  op2_options options = config_options(&test_config);
  op2_gbl g = NULL;
  op2_set set = new_set(N, "nodes");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "xdat");
  MUST(op2_init(&options, &away));
  MUST(op2_gbl_create(away, 1, OP2_F64, NULL, "gaway", &g));
  EXPECT(test_ctx == home);
  REFUSED(OP2_ERR_MISMATCH, op2_dat_sum(x, g), "'gaway'", "another context");
  REFUSED(OP2_ERR_MISMATCH, op2_dat_scale(x, op2_scalar_gbl(g)), "'gaway'", "another context");
  MUST(op2_gbl_scale(g, op2_scalar_value(2)));
  MUST(op2_finalize(&away));
  REFUSED(OP2_ERR_STATE, op2_dat_sum(x, g), "context", "ended");
  op2_gbl_destroy(&g);
}

/* If an open scope forbids an operation, nothing changes, not even the result. */
static void refused_in_scopes(void) {
  const double seven = 7;
  double got;
  op2_set set = new_set(N, "nodes");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "xdat");
  op2_gbl g = new_gbl(1, OP2_F64, &seven, "g");
  const void *view = NULL;
  void *values = NULL;
  MUST(op2_dat_read_begin(x, &view));
  REFUSED(OP2_ERR_STATE, op2_dat_scale(x, op2_scalar_value(2)), "'xdat'", "open for reading");
  MUST(op2_dat_read_end(x, &view));
  MUST(op2_dat_write_begin(x, &values));
  REFUSED(OP2_ERR_STATE, op2_dat_norm(x, OP2_NORM_2, g), "'xdat'", "open for writing");
  MUST(op2_dat_write_end(x, &values));
  MUST(op2_gbl_get(g, &got));
  EXPECT(got == 7);
}

static const struct test_case cases[] = {
    {"changes", changes},
    {"changes of globals", changes_of_globals},
    {"changes on sets with halos", with_halos},
    {"vectors that are the same", same_vectors},
    {"scalars", scalars},
    {"scalars that change later", scalars_later},
    {"what is not a number", not_a_number},
    {"norms of large and small values", far_values},
    {"reductions", reductions},
    {"reductions of globals", reductions_of_globals},
    {"reductions on sets with halos", reductions_with_halos},
    {"reductions of nothing", nothing_to_reduce},
    {"sums of floats", sums_of_floats},
    {"fused with loops", fused},
    {"a method without the host", method},
    {"only what is needed runs", only_what_is_needed},
    {"cancelled", cancelled},
    {"vectors that are refused", refused_vectors},
    {"scalars that are refused", refused_scalars},
    {"another context", refused_contexts},
    {"scopes", refused_in_scopes},
};

/* With this setting loops are fused the first time they come together. */
int main(void) {
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, RUN_ON_DEVICES | RUN_ONE_BLOCK);
}
