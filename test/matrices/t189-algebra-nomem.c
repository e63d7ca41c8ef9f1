/* SPDX-License-Identifier: BSD-3-Clause */
/* The N-th allocation fails in an operation with dats and globals as vectors: the call returns
 * OP2_ERR_NOMEM and has changed nothing, and the same call then succeeds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "support.h"

enum { ROWS = 30, GBLS = 4, DATS = 9 };

struct objects {
  op2_context ctx;
  op2_set set;
  op2_dat x, y;
  op2_gbl g[GBLS], h; /* h: one value for each of DATS dats */
};

struct seen {
  double y[ROWS], g[GBLS];
};

struct outcome {
  int denied;
  bool lost; /* a loop has failed, and its results are missing */
  const char *problem;
};

/* One call that may fail for lack of memory once and then must succeed. */
static bool tried(struct outcome *out, op2_status status) {
  if (status == OP2_ERR_NOMEM)
    out->denied++;
  else if (status)
    out->problem = op2_error_message();
  return status == OP2_ERR_NOMEM;
}
#define CALL(call)                                                                                 \
  do {                                                                                             \
    if (!out->problem && tried(out, (call)) && tried(out, (call))) out->problem = #call;           \
  } while (0)
/* A loop that failed for lack of memory has failed for good, and every read reports it. */
#define READ(call)                                                                                 \
  do {                                                                                             \
    if (!out->problem && !out->lost && tried(out, (call)) && tried(out, (call))) out->lost = true; \
  } while (0)

static void declare(struct outcome *out, struct objects *o) {
  double x[ROWS];
  for (int i = 0; i < ROWS; i++) x[i] = i % 5 - 2;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  CALL(op2_init(&options, &o->ctx));
  CALL(op2_set_create(o->ctx, ROWS, "set", &o->set));
  CALL(op2_dat_create(o->set, 1, OP2_F64, x, "x", &o->x));
  CALL(op2_dat_create(o->set, 1, OP2_F64, NULL, "y", &o->y));
  for (int g = 0; g < GBLS; g++) CALL(op2_gbl_create(o->ctx, 1, OP2_F64, x + 3, "g", &o->g[g]));
  CALL(op2_gbl_create(o->ctx, DATS, OP2_F64, x, "h", &o->h));
}

static void use(struct outcome *out, struct objects *o, struct seen *seen) {
  op2_gbl *g = o->g;
  CALL(op2_dat_fill(o->y, op2_scalar_value(3)));
  CALL(op2_dat_norm(o->x, OP2_NORM_1, g[0]));
  CALL(op2_dat_norm(o->y, OP2_NORM_2, g[1]));
  CALL(op2_dat_axpy(o->y, op2_scalar_ratio(g[0], g[1]), o->x));
  CALL(op2_dat_min(o->y, g[2]));
  CALL(op2_gbl_axpby(g[2], op2_scalar_gbl(g[0]), op2_scalar_gbl(g[1]), g[3]));
  CALL(op2_gbl_norm(g[2], OP2_NORM_INF, g[3]));
  const op2_dat list[DATS] = {o->x, o->x, o->x, o->x, o->x, o->x, o->x, o->x, o->x};
  CALL(op2_dat_mdot(o->y, DATS, list, o->h));
  CALL(op2_dat_maxpy(o->y, op2_scalar_times(0x1p-9, op2_scalar_gbl(o->h)), DATS, list));
  READ(op2_dat_get(o->y, seen->y));
  for (int i = 0; i < GBLS; i++) READ(op2_gbl_get(g[i], &seen->g[i]));
}

static void destroy(struct objects *o) {
  op2_dat_destroy(&o->x);
  op2_dat_destroy(&o->y);
  for (int g = 0; g < GBLS; g++) op2_gbl_destroy(&o->g[g]);
  op2_gbl_destroy(&o->h);
  op2_set_destroy(&o->set);
}

/* Returns the number of allocations from the first operation on. */
static int64_t attempt(int64_t n, struct outcome *out, struct seen *seen) {
  struct objects objects = {0}, *o = &objects;
  *out = (struct outcome){0};
  memset(seen, 0, sizeof *seen);
  declare(out, o);
  op2i_mem_fail_at(n);
  use(out, o, seen);
  const int64_t made = op2i_mem_fail_at(0);
  if (op2_finalize(&o->ctx) && !out->lost) out->problem = op2_error_message();
  destroy(o);
  return made;
}

/* A refused operation leaves the queue as it was, and a reduction leaves its result: a norm is a
 * loop and a call, a sum of nine dats two loops, and nine products are two loops and a call. */
enum refused { NORM, SUM, PRODUCTS };

static op2_status refuse(enum refused which, struct objects *o) {
  const op2_dat list[DATS] = {o->x, o->x, o->x, o->x, o->x, o->x, o->x, o->x, o->x};
  if (which == NORM) return op2_dat_norm(o->y, OP2_NORM_2, o->g[0]);
  if (which == SUM) return op2_dat_maxpy(o->y, op2_scalar_value(2), DATS, list);
  return op2_dat_mdot(o->y, DATS, list, o->h);
}

/* True if the results and y, which begins as 3 everywhere, have the expected values. */
static bool right(enum refused which, struct objects *o, bool done) {
  double norm = 0, h[DATS], y[ROWS], root = sqrt(9.0 * ROWS), want = done && which == SUM ? 18 : 0;
  if (op2_gbl_get(o->g[0], &norm) || op2_gbl_get(o->h, h) || op2_dat_get(o->y, y)) return false;
  bool good = fabs(norm - (done && which == NORM ? root : 1)) < 1e-12;
  for (int i = 0; i < ROWS; i++) good &= y[i] == 3 + want * (i % 5 - 2);
  for (int k = 0; k < DATS; k++) /* the sum of x is 0 */
    good &= h[k] == (done && which == PRODUCTS ? 0 : k % 5 - 2);
  return good;
}

static void kept(enum refused which) {
  struct outcome outcome = {0}, *out = &outcome;
  struct objects objects = {0}, *o = &objects;
  int wrong = 0, denied = 0;
  const int64_t queued = which == PRODUCTS ? 3 : 2;
  for (int64_t n = 1; n < 300; n++) {
    declare(out, o);
    CALL(op2_dat_fill(o->y, op2_scalar_value(3)));
    op2i_mem_fail_at(n);
    op2_status status = refuse(which, o);
    (void)op2i_mem_fail_at(0);
    denied += status == OP2_ERR_NOMEM;
    wrong += op2_queued(o->ctx) != (status ? 1 : 1 + queued);
    wrong += !right(which, o, !status);
    destroy(o);
    wrong += op2_finalize(&o->ctx) != OP2_SUCCESS;
    if (!status) break;
    wrong += n == 299;
  }
  is_int(wrong, 0, "%d: a result that is not to come is what it was, and nothing is queued",
         (int)which);
  ok(denied > 10, "%d: of %d allocations", (int)which, denied);
}

int main(void) {
  struct seen whole, seen;
  struct outcome out;
  test_environment();
  const int64_t count = attempt(0, &out, &whole);
  if (!ok(!out.problem && !out.denied, "with memory (%lld allocations)", (long long)count))
    diag("%s", out.problem ? out.problem : "");
  int failed = 0, denied = 0, lost = 0, step = quick() ? 7 : 1;
  for (int64_t n = 1; n <= count; n += step) {
    (void)attempt(n, &out, &seen);
    denied += out.denied;
    lost += out.lost;
    if (!out.problem && !out.lost && memcmp(&seen, &whole, sizeof seen) != 0)
      out.problem = "values are others";
    if (!out.problem) continue;
    if (failed++ < 5) diag("allocation %lld: %s", (long long)n, out.problem);
  }
  is_int(failed, 0, "each of %lld allocations fails", (long long)(count / step));
  ok(lost < 20, "few of them lose a loop (%d)", lost);
  ok(denied > count / step / 3, "and mostly a call says so (%d)", denied);
  for (int which = NORM; which <= PRODUCTS; which++) kept((enum refused)which);
  return done();
}
