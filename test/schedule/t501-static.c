/* SPDX-License-Identifier: BSD-3-Clause */
/* The backend static generates the text of loops for every backend and strategy, without data,
 * device or compiler; a loop that is to run fails with the reason. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

OP2_KERNEL(flux, (const double *x, double *r1, double *r2), {
  double f = 0.5 * x[0];
  r1[0] += f;
  r2[0] -= f;
});
OP2_KERNEL(settle, (double *x, double *sum, double *most), {
  x[0] = 0.5 * x[0];
  *sum += x[0];
  if (x[0] > *most) *most = x[0];
});
OP2_KERNEL(take_turns, (double *r, const double *x), { r[0] = 2 * r[0] + x[0]; });

enum { LOOPS = 3 };

struct program {
  op2_context ctx;
  op2_set edges, nodes;
  op2_map ends;
  op2_dat x, r, other;
  op2_gbl sum, most;
  op2_kernel kernels[LOOPS];
  op2_loop loops[LOOPS]; /* one increments, one reduces, and one needs its elements serialised */
};

static char nowhere[4200]; /* a folder that does not exist */

static void make(struct program *p, const char *backend, bool eager) {
  static const int32_t idx[8] = {0, 1, 0, 2, 2, 3, 3, 0};
  const op2_options options = {.backend = backend,
                               .eager = eager ? 1 : -1,
                               .cc = "no-such-compiler",
                               .cache_dir = nowhere,
                               .log_level = 1};
  CHECK(op2_init(&options, &p->ctx));
  CHECK(op2_set_create(p->ctx, 4, "edges", &p->edges));
  CHECK(op2_set_create(p->ctx, 4, "nodes", &p->nodes));
  CHECK(op2_map_create(p->edges, p->nodes, 2, idx, "ends", &p->ends));
  CHECK(op2_dat_create(p->edges, 1, OP2_F64, NULL, "x", &p->x));
  CHECK(op2_dat_create(p->nodes, 1, OP2_F64, NULL, "r", &p->r));
  CHECK(op2_dat_create(p->nodes, 1, OP2_F64, NULL, "other", &p->other));
  CHECK(op2_gbl_create(p->ctx, 1, OP2_F64, NULL, "sum", &p->sum));
  CHECK(op2_gbl_create(p->ctx, 1, OP2_F64, NULL, "most", &p->most));
  CHECK(op2_kernel_create(p->ctx, &flux_kernel, &p->kernels[0]));
  CHECK(op2_kernel_create(p->ctx, &settle_kernel, &p->kernels[1]));
  CHECK(op2_kernel_create(p->ctx, &take_turns_kernel, &p->kernels[2]));
  CHECK(op2_loop_create(&p->loops[0], p->kernels[0], p->edges, op2_arg_direct(p->x, OP2_READ),
                        op2_arg_dat(p->r, 0, p->ends, OP2_INC),
                        op2_arg_dat(p->r, 1, p->ends, OP2_INC)));
  CHECK(op2_loop_create(&p->loops[1], p->kernels[1], p->edges, op2_arg_direct(p->x, OP2_RW),
                        op2_arg_gbl(p->sum, OP2_INC), op2_arg_gbl(p->most, OP2_MAX)));
  CHECK(op2_loop_create(&p->loops[2], p->kernels[2], p->edges,
                        op2_arg_dat(p->r, 0, p->ends, OP2_RW), op2_arg_direct(p->x, OP2_READ)));
}

static void destroy(struct program *p) {
  for (int l = 0; l < LOOPS; l++) {
    op2_loop_destroy(&p->loops[l]);
    op2_kernel_destroy(&p->kernels[l]);
  }
  op2_gbl_destroy(&p->sum);
  op2_gbl_destroy(&p->most);
  op2_dat_destroy(&p->x);
  op2_dat_destroy(&p->r);
  op2_dat_destroy(&p->other);
  op2_map_destroy(&p->ends);
  op2_set_destroy(&p->edges);
  op2_set_destroy(&p->nodes);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Both loops give the same text, or the same refusal; `twin` belongs to a context whose loops
 * run. */
static void same_text(op2_loop loop, op2_loop twin, const char *target, bool fits) {
  const char *text = NULL, *other = NULL;
  char why[1000];
  op2_status status = op2_loop_generate(loop, target, &text);
  snprintf(why, sizeof why, "%s", op2_error_message());
  op2_status expected = op2_loop_generate(twin, target, &other);
  if (fits)
    ok(!status && !expected && strlen(text) > 200 && !strcmp(text, other), "text for %s", target);
  else
    ok(status == OP2_ERR_UNAVAILABLE && status == expected && !strcmp(why, op2_error_message()),
       "no text for %s: %s", target, why);
}

static void generates(void) {
  static const char *const targets[] = {"c", "simd", "check", "cuda", "hip", "opencl"};
  static const char *const strategies[] = {"repeat",   "owner",  "gather", "staged",
                                           "unstaged", "serial", "atomics"};
  struct program p, twin;
  make(&p, "static", false);
  make(&twin, "sequential", false);
  is_str(op2_backend_name(p.ctx), "static", "a context made static");
  for (int l = 0; l < LOOPS; l++) {
    diag("loop %d", l);
    for (int t = 0; t < 6; t++) same_text(p.loops[l], twin.loops[l], targets[t], true);
    for (int s = 0; s < 7; s++) {
      char target[32];
      bool turns = l == 2 && (s < 3 || s == 6);
      snprintf(target, sizeof target, "cuda:%s", strategies[s]);
      same_text(p.loops[l], twin.loops[l], target, !turns);
      snprintf(target, sizeof target, "hip:%s", strategies[s]);
      same_text(p.loops[l], twin.loops[l], target, !turns);
      snprintf(target, sizeof target, "opencl:%s", strategies[s]);
      same_text(p.loops[l], twin.loops[l], target, !turns);
    }
  }
  ok(!op2_dat_allocated(p.x) && !op2_dat_allocated(p.r), "nobody needed data");
  destroy(&p);
  destroy(&twin);
  CHECK(op2_finalize(&p.ctx));
  CHECK(op2_finalize(&twin.ctx));
}

/* ---- running --------------------------------------------------------------------------------- */

static bool says_why(int line) {
  char where[100];
  const char *said = op2_error_message();
  snprintf(where, sizeof where, "t501-static.c:%d: ", line);
  return strstr(said, where) && strstr(said, "static runs no loops") &&
         strstr(said, "op2_loop_generate()");
}

static int count_calls(void *data, void *const *values) {
  (void)values;
  ++*(int *)data;
  return 0;
}

static void computes_nothing(bool eager) {
  struct program p;
  double values[4];
  int calls = 0;
  make(&p, "static", eager);
  for (int l = 0; l < LOOPS; l++) { /* the failure of the first loop also fails those after it */
    op2_status status = op2_loop_compute(p.loops[l]);
    ok(status == OP2_ERR_UNAVAILABLE && strstr(op2_error_message(), "static runs no loops"),
       "%s: compute of loop %d: %s", eager ? "eager" : "lazy", l, op2_error_message());
  }
  ok(op2_dat_get(p.r, values) != OP2_SUCCESS, "what it should have set is not there");
  CHECK(op2_dat_get(p.other, values));
  CHECK(op2_call(p.ctx, count_calls, &calls, op2_arg_direct(p.other, OP2_READ)));
  CHECK(op2_flush(p.ctx));
  is_int(calls, 1, "functions of the program's own are called");
  CHECK(op2_dat_set(p.r, (const double[]){1, 2, 3, 4}));
  CHECK(op2_dat_get(p.r, values));
  ok(values[3] == 4, "values that are set are there");
  destroy(&p);
  CHECK(op2_finalize(&p.ctx));
}

static void flushes_nothing(void) {
  struct program p;
  make(&p, "static", false);
  const op2_where here = OP2_HERE;
  const op2_arg args[] = {op2_arg_direct(p.x, OP2_READ), op2_arg_dat(p.r, 0, p.ends, OP2_INC),
                          op2_arg_dat(p.r, 1, p.ends, OP2_INC)};
  op2_status status = op2_par_loop_at(here, p.kernels[0], p.edges, 3, args);
  ok(!status && op2_queued(p.ctx) == 1, "a loop is queued");
  ok(op2_flush(p.ctx) == OP2_ERR_UNAVAILABLE && says_why(here.line), "and does not run: %s",
     op2_error_message());
  is_int(op2_queued(p.ctx), 0, "the queue is empty");
  CHECK(op2_flush(p.ctx));
  status = op2_par_loop(p.kernels[1], p.edges, op2_arg_direct(p.x, OP2_RW),
                        op2_arg_gbl(p.sum, OP2_INC), op2_arg_gbl(p.most, OP2_MAX));
  double sum;
  ok(!status && op2_gbl_get(p.sum, &sum) == OP2_ERR_UNAVAILABLE, "nor one whose sum is asked for");
  /* A failure that was reported once is not reported again. */
  CHECK(op2_dat_set(p.x, (const double[]){1, 2, 3, 4}));
  CHECK(op2_dat_set(p.r, (const double[]){1, 2, 3, 4}));
  CHECK(op2_loop_enqueue(p.loops[0]));
  destroy(&p);
  ok(op2_finalize(&p.ctx) == OP2_ERR_UNAVAILABLE && !p.ctx, "what is queued at the end is told: %s",
     op2_error_message());
}

int main(void) {
  test_environment();
  snprintf(nowhere, sizeof nowhere, "%s/nowhere", test_scratch());
  generates();
  computes_nothing(false);
  computes_nothing(true);
  flushes_nothing();
  ok(access(nowhere, F_OK) != 0, "no folder for compiled loops was made");
  return done();
}
