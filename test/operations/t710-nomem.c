/* SPDX-License-Identifier: BSD-3-Clause */
/* The N-th allocation fails, for every N in a small program. A call that is refused returns
 * OP2_ERR_NOMEM and changes nothing: if it is repeated, it succeeds, and in the end the results are
 * right. A loop that could not be prepared for lack of memory stays queued. A loop that lacks
 * memory when it runs fails like any other: its results are poisoned with OP2_ERR_NOMEM. The
 * sanitizers find leaks. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "support.h"

enum { CELLS = 12, NODES = 5 };

struct run {
  int denied;    /* number of calls that returned OP2_ERR_NOMEM */
  bool queueing; /* loops may be waiting: a second refusal may come from poison */
  bool poisoned, fatal;
  bool wrong; /* something else went wrong */
  const char *problem;
  char text[512];
};

struct objects {
  op2_context ctx;
  op2_set cells, nodes, some;
  op2_map c2n, turned, composed;
  op2_dat x, y, w, lazy;
  op2_gbl g;
  op2_const cst;
  op2_kernel scatter, scale;
  op2_loop loop;
  double memory[CELLS];
};

static bool dead(const struct run *r) { return r->wrong || r->fatal; }

/* Record the status of a call. Returns true if the call should be repeated because it lacked
 * memory. */
static bool again(struct run *r, op2_status status, const char *what) {
  if (status == OP2_SUCCESS) return false;
  if (!op2_error_message()[0]) r->problem = "no message";
  if (status == OP2_ERR_NOMEM) {
    r->denied++;
    return true;
  }
  if (status == OP2_ERR_FATAL && r->queueing) {
    r->fatal = true;
  } else if (!r->wrong) {
    r->wrong = true;
    snprintf(r->text, sizeof r->text, "%s: %s: %.300s", what, op2_status_name(status),
             op2_error_message());
  }
  return false;
}

static void again_refused(struct run *r, const char *what) {
  r->poisoned = r->queueing;
  if (r->queueing) return;
  r->wrong = true;
  snprintf(r->text, sizeof r->text, "%s is refused again", what);
}

#define CALL(call)                                                                                 \
  do {                                                                                             \
    if (!dead(r) && again(r, (call), #call) && again(r, (call), #call)) again_refused(r, #call);   \
  } while (0)

static const op2_kernel_desc scatter_desc = {
    .name = "scatter",
    .source = "static double twice(double v) { return 2 * v; }\n"
              "void scatter(double *w[2], const double *x, double *sum, double factor) {\n"
              "  w[0][0] += twice(*x); w[1][0] += factor * *x; *sum += fabs(*x) * offset;\n"
              "}\n",
    .headers = (const char *const[]){"<math.h>", NULL}};
static const op2_kernel_desc scale_desc = {
    .name = "scale", .source = "void scale(double *x, int i) { *x = *x + i; }\n"};

static void declare(struct run *r, struct objects *o) {
  int32_t idx[2 * CELLS], turn[NODES];
  for (int i = 0; i < 2 * CELLS; i++) idx[i] = (i * 3) % NODES;
  for (int i = 0; i < NODES; i++) turn[i] = (i + 1) % NODES;
  for (int i = 0; i < CELLS; i++) o->memory[i] = i;
  op2_map self = NULL;
  CALL(op2_set_create(o->ctx, CELLS, "cells", &o->cells));
  CALL(op2_set_create_sections(o->ctx, (int64_t[]){2, 5, 5, 5}, "nodes", &o->nodes));
  CALL(op2_subset_create(o->cells, 3, (int64_t[]){7, 1, 1}, "some", &o->some));
  CALL(op2_map_create(o->cells, o->nodes, 2, idx, "c2n", &o->c2n));
  CALL(op2_map_create_permuted(o->c2n, (int[]){1, 0}, "turned", &o->turned));
  CALL(op2_map_create(o->nodes, o->nodes, 1, turn, "self", &self));
  CALL(op2_map_create_composed(2, (op2_map[]){self, self}, "composed", &o->composed));
  op2_map_destroy(&self);
  CALL(op2_dat_create(o->cells, 1, OP2_F64, o->memory, "x", &o->x));
  CALL(op2_dat_wrap(o->cells, 1, OP2_F64, o->memory, "y", &o->y));
  CALL(op2_dat_create(o->nodes, 1, OP2_F64, NULL, "w", &o->w));
  CALL(op2_dat_create(o->nodes, 3, OP2_F64, NULL, "lazy", &o->lazy));
  CALL(op2_gbl_create(o->ctx, 1, OP2_F64, NULL, "sum", &o->g));
  CALL(op2_const_create(o->ctx, 1, OP2_F64, (double[]){0.5}, "offset", &o->cst));
  CALL(op2_kernel_create(o->ctx, &scatter_desc, &o->scatter));
  CALL(op2_kernel_create(o->ctx, &scale_desc, &o->scale));
}

static void work(struct run *r, struct objects *o) {
  const double factor = 3;
  const char *text = NULL;
  const void *view = NULL;
  const op2_arg args[] = {op2_arg_dat(o->w, OP2_ALL, o->c2n, OP2_INC),
                          op2_arg_direct(o->x, OP2_READ), op2_arg_gbl(o->g, OP2_INC),
                          op2_arg_val(&factor, 1, OP2_F64)};
  FILE *sink = fopen("/dev/null", "w");
  if (dead(r) || !sink) return;
  CALL(op2_loop_create_at(OP2_HERE, o->scatter, o->cells, 4, args, &o->loop));
  CALL(op2_loop_generate(o->loop, "c", &text));
  r->queueing = true;
  CALL(op2_loop_enqueue(o->loop));
  CALL(op2_par_loop(o->scale, o->cells, op2_arg_direct(o->y, OP2_RW), op2_arg_idx()));
  CALL(op2_par_loop(o->scale, o->some, op2_arg_direct(o->x, OP2_RW), op2_arg_idx()));
  CALL(op2_par_loop(o->scale, o->cells, op2_arg_dat(o->w, 1, o->turned, OP2_RW), op2_arg_idx()));
  CALL(op2_graph_write_dot(o->ctx, sink));
  CALL(op2_dat_read_begin(o->w, &view));
  if (view) CALL(op2_dat_read_end(o->w, &view));
  CALL(op2_gbl_set(o->g, (double[]){100}));
  CALL(op2_const_set(o->cst, (double[]){2}));
  CALL(op2_loop_compute(o->loop));
  CALL(op2_loop_enqueue(o->loop));
  CALL(op2_flush(o->ctx));
  CALL(op2_explain(o->ctx, sink));
  fclose(sink);
}

/* The expected results, computed in plain C. */
static void expected(double *w, double *x, double *y, double *sum) {
  int idx[2 * CELLS];
  for (int i = 0; i < 2 * CELLS; i++) idx[i] = (i * 3) % NODES;
  for (int i = 0; i < CELLS; i++) x[i] = i, y[i] = i + i;
  for (int n = 0; n < NODES; n++) w[n] = 0;
  *sum = 100;
  for (int use = 0; use < 3; use++) {
    for (int i = 0; i < CELLS; i++) {
      w[idx[2 * i]] += 2 * x[i], w[idx[2 * i + 1]] += 3 * x[i];
      if (use) *sum += x[i] * 2;
    }
    if (use) continue;
    for (int i = 0; i < CELLS; i++) w[idx[2 * i]] += i; /* slot 1 of the reversed map */
    x[1] += 1, x[7] += 7;
  }
}

static bool intact(const struct run *r) { return !r->poisoned && !dead(r); }

static void check_results(struct run *r, struct objects *o) {
  double w[NODES], x[CELLS], y[CELLS], sum, got[CELLS], got_sum = 0;
  expected(w, x, y, &sum);
  CALL(op2_flush(o->ctx));
  CALL(op2_dat_get(o->w, got));
  if (intact(r) && memcmp(got, w, sizeof w) != 0) r->problem = "w is wrong";
  CALL(op2_dat_get_halo(o->x, got));
  if (intact(r) && memcmp(got, x, sizeof x) != 0) r->problem = "x is wrong";
  CALL(op2_dat_get(o->y, got));
  if (intact(r) && memcmp(got, y, sizeof y) != 0) r->problem = "y is wrong";
  CALL(op2_gbl_get(o->g, &got_sum));
  if (intact(r) && got_sum != sum) r->problem = "the sum is wrong";
  CALL(op2_dat_set(o->lazy, (double[3 * NODES]){0}));
}

static void destroy(struct objects *o) {
  op2_loop_destroy(&o->loop);
  op2_kernel_destroy(&o->scatter);
  op2_kernel_destroy(&o->scale);
  op2_const_destroy(&o->cst);
  op2_gbl_destroy(&o->g);
  op2_dat_destroy(&o->x);
  op2_dat_destroy(&o->y);
  op2_dat_destroy(&o->w);
  op2_dat_destroy(&o->lazy);
  op2_map_destroy(&o->c2n);
  op2_map_destroy(&o->turned);
  op2_map_destroy(&o->composed);
  op2_set_destroy(&o->some);
  op2_set_destroy(&o->cells);
  op2_set_destroy(&o->nodes);
}

/* One run with the n-th allocation failing; returns the number of allocations. */
static int64_t attempt(const struct config *config, int64_t n, struct run *r) {
  struct objects objects = {0}, *o = &objects;
  const op2_options options = config_options(config);
  *r = (struct run){0};
  op2i_mem_fail_at(n);
  CALL(op2_init(&options, &o->ctx));
  if (!dead(r)) declare(r, o);
  if (!dead(r)) work(r, o);
  if (!dead(r)) check_results(r, o);
  const op2_status status = op2_finalize(&o->ctx);
  if (status != OP2_SUCCESS && status != OP2_ERR_NOMEM && !dead(r)) {
    r->wrong = true;
    snprintf(r->text, sizeof r->text, "op2_finalize: %s: %.300s", op2_status_name(status),
             op2_error_message());
  }
  destroy(o);
  return op2i_mem_fail_at(0);
}

static void every_allocation(const struct config *config) {
  struct run r;
  attempt(config, 0, &r); /* compiles, so that the counted runs find the code */
  const int64_t count = attempt(config, 0, &r);
  if (!ok(!r.wrong && !r.problem && r.denied == 0,
          "%s, %s: a run without a failure (%lld allocations)", config->backend,
          config->eager ? "eager" : "lazy", (long long)count)) {
    diag("  %s %s", r.text, r.problem ? r.problem : "");
    return;
  }
  int failed = 0, denied = 0, poisoned = 0, fatal = 0;
  for (int64_t n = 1; n <= count; n++) {
    attempt(config, n, &r);
    denied += r.denied > 0;
    poisoned += r.poisoned;
    fatal += r.fatal;
    if (!r.wrong && !r.problem) continue;
    if (failed++ < 5)
      diag("allocation %lld fails: %s %s", (long long)n, r.text, r.problem ? r.problem : "");
  }
  ok(failed == 0, "%s, %s: every one of %lld allocations failing", config->backend,
     config->eager ? "eager" : "lazy", (long long)count);
  /* Many allocations serve only speed: if a program cannot be built, the loops run one by one. */
  ok(denied > 100, "  %d of them were reported", denied);
  ok(poisoned + fatal < count / 3, "  %d of them failed a queued loop, %d the context", poisoned,
     fatal);
}

/* Loops run after a section could not begin, and it can begin afterwards. */
static void sections(void) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  for (int n = 1; n <= 3; n++) {
    op2_context ctx = NULL;
    op2_set set = NULL;
    op2_dat x = NULL;
    if (!CHECK(op2_init(&options, &ctx))) return;
    op2i_mem_fail_here_at(n);
    const op2_status status = op2_section_begin(ctx, "inner");
    op2i_mem_fail_here_at(0);
    ok(status == OP2_ERR_NOMEM, "a section that lacks memory cannot begin");
    CHECK(op2_set_create(ctx, 3, "cells", &set));
    CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
    CHECK(op2_dat_fill(x, (op2_scalar){0}));
    CHECK(op2_flush(ctx));
    CHECK(op2_section_begin(ctx, "inner"));
    CHECK(op2_section_end(ctx, "inner"));
    op2_dat_destroy(&x);
    op2_set_destroy(&set);
    CHECK(op2_finalize(&ctx));
  }
}

/* In deterministic mode a loop is several operations, which are queued all or not at all. */
static void deterministic(void) {
  setenv("OP2_DETERMINISTIC", "1", 1);
  every_allocation(&(struct config){"sequential", false, 4});
  every_allocation(&(struct config){"sequential", true, 4});
  unsetenv("OP2_DETERMINISTIC");
}

int main(void) {
  static const char *const backends[] = {"sequential", "check", "openmp", "starpu"};
  test_environment();
  sections();
  deterministic();
  for (int b = 0; b < 4; b++) {
    const char *why = op2_backend_unavailable(backends[b]);
    if (why) {
      skip("%s: %s", backends[b], why);
      continue;
    }
    op2_context keep = NULL; /* kept, so that StarPU starts only once */
    const struct config lazy = {backends[b], false, 4}, eager = {backends[b], true, 4};
    const op2_options options = config_options(&lazy);
    if (!CHECK(op2_init(&options, &keep))) continue;
    every_allocation(&lazy);
    every_allocation(&eager);
    CHECK(op2_finalize(&keep));
  }
  return done();
}
