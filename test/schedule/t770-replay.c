/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues that were seen before are replayed: with other values, in long queues and in full ones;
 * and a queue that differs slightly is another program. */
#include <stdlib.h>

#include "program.h"
#include "support.h"

OP2_KERNEL(step, (int64_t * x, const int64_t *v), { *x = 3 * *x + *v; });
OP2_KERNEL(copy, (const int64_t *x, int64_t *y), { *y = *x; });
OP2_KERNEL(sum, (const int64_t *x, int64_t *g), { *g += *x; });
OP2_KERNEL(scatter, (const int64_t *y, int64_t *z), { *z += *y; });

enum { N = 60 };

struct mesh {
  op2_set cells, nodes;
  op2_map map;
  op2_dat x, y, z;
  op2_gbl g;
  op2_kernel step, copy, sum, scatter;
};

static struct mesh make_mesh(void) {
  struct mesh m = {0};
  int32_t *idx = scratch(N, sizeof *idx);
  for (int i = 0; i < N; i++) idx[i] = i * 11 % N;
  m.cells = new_set(N, "cells");
  m.nodes = new_set(N, "nodes");
  m.map = new_map(m.cells, m.nodes, 1, idx, "map");
  m.x = new_dat(m.cells, 1, OP2_I64, NULL, "x");
  m.y = new_dat(m.cells, 1, OP2_I64, NULL, "y");
  m.z = new_dat(m.nodes, 1, OP2_I64, NULL, "z");
  m.g = new_gbl(1, OP2_I64, NULL, "g");
  m.step = new_kernel(&step_kernel);
  m.copy = new_kernel(&copy_kernel);
  m.sum = new_kernel(&sum_kernel);
  m.scatter = new_kernel(&scatter_kernel);
  return m;
}

/* x <- 3 x + value, y <- x, g <- sum of y, z <- z + y */
static void time_step(const struct mesh *m, int64_t value) {
  MUST(op2_par_loop(m->step, m->cells, op2_arg_direct(m->x, OP2_RW),
                    op2_arg_val(&value, 1, OP2_I64)));
  MUST(op2_par_loop(m->copy, m->cells, op2_arg_direct(m->x, OP2_READ),
                    op2_arg_direct(m->y, OP2_WRITE)));
  MUST(op2_gbl_set(m->g, (int64_t[]){0}));
  MUST(op2_par_loop(m->sum, m->cells, op2_arg_direct(m->y, OP2_READ), op2_arg_gbl(m->g, OP2_INC)));
  MUST(op2_par_loop(m->scatter, m->cells, op2_arg_direct(m->y, OP2_READ),
                    op2_arg_dat(m->z, 0, m->map, OP2_INC)));
}

static void expect_state(const struct mesh *m, int64_t x, int64_t z) {
  EXPECT_VALUES(int64_t, m->x, N, i, x);
  EXPECT_VALUES(int64_t, m->y, N, i, x);
  EXPECT_VALUES(int64_t, m->z, N, i, z);
  EXPECT_GBL(int64_t, m->g, N * x);
}

/* x <- 3 x + v with v chosen so that x takes the values 1, 2, 3, ... */
static void counted_step(const struct mesh *m, int64_t k) { time_step(m, k - 3 * (k - 1)); }

static bool counting(void) {
  return test_ctx->backend->passes && !test_config.eager && test_ctx->config.replay;
}

static void expect_programs(int64_t made, int64_t replayed) {
  if (!counting()) return;
  const struct op2i_sched *sched = test_ctx->sched;
  bool good = sched->stats.programs_made == made && sched->stats.programs_replayed == replayed;
  if (!EXPECT(good))
    diag("%lld programs made instead of %lld, %lld replayed instead of %lld",
         (long long)sched->stats.programs_made, (long long)made,
         (long long)sched->stats.programs_replayed, (long long)replayed);
}

static void flush_each_step(void) {
  struct mesh m = make_mesh();
  for (int64_t k = 1; k <= 20; k++) {
    counted_step(&m, k);
    MUST(op2_flush(test_ctx));
  }
  expect_programs(2, 18); /* compiled once more when the sequence repeats, to fuse its loops */
  expect_state(&m, 20, 20 * 21 / 2);
}

static void one_long_queue(void) {
  struct mesh m = make_mesh();
  for (int64_t k = 1; k <= 200; k++) counted_step(&m, k);
  MUST(op2_flush(test_ctx));
  expect_programs(2, 3); /* 200 steps in parts of 40; the second time fuses loops within one */
  expect_state(&m, 200, 200 * 201 / 2);
}

/* The queue begins with loops that are not part of the repeats, and ends within one. */
static void beginning_and_end(void) {
  struct mesh m = make_mesh();
  MUST(
      op2_par_loop(m.copy, m.cells, op2_arg_direct(m.x, OP2_READ), op2_arg_direct(m.y, OP2_WRITE)));
  for (int64_t k = 1; k <= 103; k++) counted_step(&m, k);
  MUST(op2_flush(test_ctx));
  if (counting()) EXPECT(test_ctx->sched->stats.programs_made <= 4);
  expect_state(&m, 103, 103 * 104 / 2);
}

/* A queue whose bound is no multiple of the period is still cut at a multiple. */
static void full_queue(void) {
  op2_context outer = test_ctx;
  op2_options options = config_options(&test_config);
  const int64_t steps = counting() ? 2000 : 200;
  options.queue_max = 501;
  MUST(op2_init(&options, &test_ctx));
  struct mesh m = make_mesh();
  for (int64_t k = 1; k <= steps; k++) counted_step(&m, k);
  MUST(op2_flush(test_ctx));
  if (counting() && !EXPECT(test_ctx->sched->stats.programs_made <= 5))
    diag("%lld programs made", (long long)test_ctx->sched->stats.programs_made);
  if (counting()) EXPECT(test_ctx->sched->stats.programs_replayed >= 40);
  expect_state(&m, steps, steps * (steps + 1) / 2);
  op2_context inner = test_ctx;
  test_ctx = outer;
  MUST(op2_finalize(&inner));
}

/* The same loops, with another pattern of the global's versions. */
static void other_versions(void) {
  struct mesh m = make_mesh();
  for (int same = 0; same < 2; same++) {
    MUST(op2_gbl_set(m.g, (int64_t[]){0}));
    MUST(op2_par_loop(m.sum, m.cells, op2_arg_direct(m.x, OP2_READ), op2_arg_gbl(m.g, OP2_INC)));
    if (!same) MUST(op2_gbl_set(m.g, (int64_t[]){1000}));
    MUST(op2_par_loop(m.sum, m.cells, op2_arg_direct(m.x, OP2_READ), op2_arg_gbl(m.g, OP2_INC)));
    MUST(op2_flush(test_ctx));
    EXPECT_GBL(int64_t, m.g, same ? 0 : 1000);
  }
  expect_programs(2, 0);
}

/* Programs are freed with the objects of their loops, which are not recycled here; others stay. */
static void destroy_one(void) {
  struct mesh m = make_mesh();
  op2_dat t = NULL;
  MUST(op2_dat_create(m.cells, 1, OP2_I64, NULL, "t", &t));
  for (int64_t k = 1; k <= 2; k++) {
    counted_step(&m, k);
    MUST(op2_flush(test_ctx));
  }
  for (int i = 0; i < 2; i++)
    MUST(
        op2_par_loop(m.copy, m.cells, op2_arg_direct(m.x, OP2_READ), op2_arg_direct(t, OP2_WRITE)));
  MUST(op2_flush(test_ctx));
  if (counting()) EXPECT(test_ctx->sched->caches.nprograms == 2);
  op2_dat_destroy(&t);
  if (counting()) EXPECT(test_ctx->sched->caches.nprograms == 1);
  counted_step(&m, 3);
  MUST(op2_flush(test_ctx));
  expect_programs(3, 1);
  expect_state(&m, 3, 6);
}

/* Run `body` in a context of its own with one of the switches set to 0. */
static void with_switch(const char *name, void (*body)(void)) {
  setenv(name, "0", 1);
  op2_context outer = test_ctx;
  op2_options options = config_options(&test_config);
  MUST(op2_init(&options, &test_ctx));
  unsetenv(name);
  body();
  op2_context inner = test_ctx;
  test_ctx = outer;
  MUST(op2_finalize(&inner));
}

static void destroyed(void) { with_switch("OP2_RECYCLE", destroy_one); }

static void queue_programs(void) {
  struct mesh m = make_mesh();
  int64_t x = 0;
  const int most = counting() ? 80 : 8;
  for (int round = 0; round < 2; round++)
    for (int n = 1; n <= most; n++) {
      for (int i = 0; i < n; i++, x++) {
        int64_t v = 1 - 2 * x;
        MUST(op2_par_loop(m.step, m.cells, op2_arg_direct(m.x, OP2_RW),
                          op2_arg_val(&v, 1, OP2_I64)));
      }
      MUST(op2_flush(test_ctx));
    }
  EXPECT_VALUES(int64_t, m.x, N, i, x);
  const struct op2i_caches *caches = &test_ctx->sched->caches;
  if (counting()) EXPECT(caches->nkeys <= 64 && caches->nprograms - caches->nkeys <= 64);
}

/* Nothing is fused, so that all programs use one loop's code. */
static void many_programs(void) { with_switch("OP2_FUSE", queue_programs); }

static void without_replay(void) {
  struct mesh m = make_mesh();
  for (int64_t k = 1; k <= 5; k++) {
    counted_step(&m, k);
    MUST(op2_flush(test_ctx));
  }
  expect_programs(5, 0);
  expect_state(&m, 5, 15);
}

static void switched_off(void) { with_switch("OP2_REPLAY", without_replay); }

static int64_t count_loops(void) {
  int64_t n = 0;
  for (const struct op2i_loop *loop = test_ctx->loops->first; loop; loop = loop->entry.next) n++;
  return n;
}

/* Destroying constants that live for one step also frees their loops, including fused ones, and
 * programs. */
static void constants_come_and_go(void) {
  struct mesh m = make_mesh();
  int64_t nloops = 0;
  op2_kernel grow = new_source("grow", "void grow(long *x) { *x += passing; }");
  for (int64_t k = 1; k <= 12; k++) {
    op2_const passing = NULL;
    MUST(op2_const_create(test_ctx, 1, OP2_I64, (int64_t[]){k}, "passing", &passing));
    MUST(op2_par_loop(grow, m.cells, op2_arg_direct(m.x, OP2_RW)));
    MUST(op2_par_loop(grow, m.cells, op2_arg_direct(m.y, OP2_RW)));
    MUST(op2_par_loop(m.copy, m.cells, op2_arg_direct(m.x, OP2_READ),
                      op2_arg_direct(m.y, OP2_WRITE)));
    if (k % 2) MUST(op2_flush(test_ctx));
    op2_const_destroy(&passing);
    MUST(op2_flush(test_ctx));
    if (k == 4) nloops = count_loops();
  }
  EXPECT(count_loops() == nloops && test_ctx->sched->caches.nprograms <= 2);
  EXPECT_VALUES(int64_t, m.x, N, i, 12 * 13 / 2 + 0 * i);
}

static const struct test_case cases[] = {
    {"a flush each step", flush_each_step},
    {"one long queue", one_long_queue},
    {"a beginning and an end", beginning_and_end},
    {"a full queue", full_queue},
    {"other versions of a global", other_versions},
    {"destroyed objects", destroyed},
    {"more programs than are kept", many_programs},
    {"constants that come and go", constants_come_and_go},
    {"OP2_REPLAY=0", switched_off},
};

int main(void) { return RUN(cases, 0); }
