/* SPDX-License-Identifier: BSD-3-Clause */
/* Fusion: some loops are fused and others are not, results do not change, and the verifier of
 * groups detects wrong ones. */
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "support.h"

OP2_KERNEL(put, (int64_t * x, const int64_t *v), { *x = *v; });
OP2_KERNEL(twice, (const int64_t *x, int64_t *y), { *y = 2 * *x; });
static const int64_t scale = 1; /* for the compiler of this file; kernels see the constant */
OP2_KERNEL(more, (int64_t * x), { *x += scale; });
OP2_KERNEL(sum, (const int64_t *x, int64_t *g), { *g += *x; });
OP2_KERNEL(take, (int64_t * x, const int64_t *g), { *x = *g; });
OP2_KERNEL(spread, (const int64_t *x, int64_t *y0, int64_t *y1), {
  *y0 += *x;
  *y1 -= *x;
});
OP2_KERNEL(gather, (const int64_t *y0, const int64_t *y1, int64_t *x), { *x = *y0 + 3 * *y1; });

OP2_KERNEL(lower, (const int64_t *x, int64_t *y), { *y = *x < *y ? *x : *y; });

enum { N = 1000 };

struct mesh {
  op2_set edges, nodes;
  op2_map ends;
  op2_dat x, y, z, p, q; /* x, y, z on edges; p, q on nodes */
  op2_gbl g;
  op2_kernel put, twice, more, sum, take, spread, gather;
};

static struct mesh make_mesh(void) {
  struct mesh m;
  int32_t *ends = scratch(2 * N, sizeof *ends);
  int64_t *values = scratch(N, sizeof *values);
  for (int i = 0; i < N; i++) {
    ends[2 * i] = (int32_t)(i * 7 % N);
    ends[2 * i + 1] = (int32_t)((i + 1) * 7 % N);
    values[i] = i;
  }
  m.edges = new_set(N, "edges");
  m.nodes = new_set(N, "nodes");
  m.ends = new_map(m.edges, m.nodes, 2, ends, "ends");
  m.x = new_dat(m.edges, 1, OP2_I64, values, "xdat");
  m.y = new_dat(m.edges, 1, OP2_I64, NULL, "ydat");
  m.z = new_dat(m.edges, 1, OP2_I64, NULL, "zdat");
  m.p = new_dat(m.nodes, 1, OP2_I64, values, "pdat");
  m.q = new_dat(m.nodes, 1, OP2_I64, NULL, "qdat");
  m.g = new_gbl(1, OP2_I64, NULL, "gsum");
  (void)new_const(1, OP2_I64, (int64_t[]){1}, "scale");
  m.put = new_kernel(&put_kernel);
  m.twice = new_kernel(&twice_kernel);
  m.more = new_kernel(&more_kernel);
  m.sum = new_kernel(&sum_kernel);
  m.take = new_kernel(&take_kernel);
  m.spread = new_kernel(&spread_kernel);
  m.gather = new_kernel(&gather_kernel);
  return m;
}

#define PUT(dat, value)                                                                            \
  MUST(op2_par_loop(m.put, m.edges, op2_arg_direct(dat, OP2_WRITE),                                \
                    op2_arg_val((int64_t[]){value}, 1, OP2_I64)))
#define TWICE(to, from)                                                                            \
  MUST(op2_par_loop(m.twice, m.edges, op2_arg_direct(from, OP2_READ),                              \
                    op2_arg_direct(to, OP2_WRITE)))
#define MORE(set, dat) MUST(op2_par_loop(m.more, set, op2_arg_direct(dat, OP2_RW)))
#define SUM(dat)                                                                                   \
  MUST(op2_par_loop(m.sum, m.edges, op2_arg_direct(dat, OP2_READ), op2_arg_gbl(m.g, OP2_INC)))
#define TAKE(dat)                                                                                  \
  MUST(op2_par_loop(m.take, m.edges, op2_arg_direct(dat, OP2_WRITE), op2_arg_gbl(m.g, OP2_READ)))
#define SPREAD(from, to)                                                                           \
  MUST(op2_par_loop(m.spread, m.edges, op2_arg_direct(from, OP2_READ),                             \
                    op2_arg_dat(to, 0, m.ends, OP2_INC), op2_arg_dat(to, 1, m.ends, OP2_INC)))
#define GATHER(to, from)                                                                           \
  MUST(op2_par_loop(m.gather, m.edges, op2_arg_dat(from, 0, m.ends, OP2_READ),                     \
                    op2_arg_dat(from, 1, m.ends, OP2_READ), op2_arg_direct(to, OP2_WRITE)))

static bool fusing(void) { return test_ctx->backend->passes && !test_config.eager; }

/* Check the number of steps in the program built last; backends that fuse nothing are skipped. */
static void expect_groups(int64_t want) {
  if (!fusing()) return;
  const struct op2i_program *program = test_ctx->sched->caches.programs;
  if (EXPECT(program != NULL) && !EXPECT(program->grouping.ngroups == want))
    diag("%lld groups instead of %lld", (long long)program->grouping.ngroups, (long long)want);
}

static void expect_note(const char *text) {
  const struct op2i_program *program = test_ctx->sched->caches.programs;
  if (!fusing() || !EXPECT(program != NULL)) return;
  const char *notes = program->grouping.notes.chars;
  if (!EXPECT(notes && strstr(notes, text))) diag("notes: %s", notes ? notes : "none");
}

/* Loops on nodes between two loops on edges do not prevent fusion. */
static void bystanders(void) {
  struct mesh m = make_mesh();
  PUT(m.x, 3);
  MORE(m.nodes, m.p);
  TWICE(m.y, m.x);
  MORE(m.nodes, m.p);
  MORE(m.edges, m.y);
  TWICE(m.z, m.y);
  MUST(op2_flush(test_ctx));
  expect_groups(2);
  expect_note("put+twice+more+twice");
  EXPECT_VALUES(int64_t, m.x, N, i, 3);
  EXPECT_VALUES(int64_t, m.y, N, i, 7);
  EXPECT_VALUES(int64_t, m.z, N, i, 14);
  EXPECT_VALUES(int64_t, m.p, N, i, i + 2);
}

static void scatter_then_gather(void) {
  struct mesh m = make_mesh();
  SPREAD(m.x, m.q);
  GATHER(m.y, m.q);
  MUST(op2_flush(test_ctx));
  expect_groups(2);
  expect_note("'qdat' is modified, and reached through a map");
}

/* Two loops are not fused if the second depends on a third one between them that depends on the
 * first. */
static void dependence_in_between(void) {
  struct mesh m = make_mesh();
  SPREAD(m.x, m.q);
  MORE(m.nodes, m.q);
  GATHER(m.y, m.q);
  TWICE(m.z, m.y);
  MORE(m.edges, m.x);
  MUST(op2_flush(test_ctx));
  /* The groups are: spread and the last loop, for which it is no obstacle; more on nodes; gather
   * and twice. */
  expect_groups(3);
  EXPECT_VALUES(int64_t, m.x, N, i, i + 1);
}

/* A dat that is modified in between also keeps two loops apart that share data; the first could run
 * later, but not later than the loops that need it. */
static void no_detour(void) {
  struct mesh m = make_mesh();
  op2_set some = new_subset(m.edges, 3, (int64_t[]){1, 5, 7}, "some");
  MORE(m.nodes, m.q);
  MUST(op2_flush(test_ctx));
  GATHER(m.y, m.q);
  MORE(m.nodes, m.p);
  GATHER(m.z, m.p);
  MUST(op2_flush(test_ctx));
  expect_groups(2);
  EXPECT_VALUES(int64_t, m.z, N, i, 4 + i * 7 % N + 3 * ((i + 1) * 7 % N));
  MORE(m.nodes, m.q);
  MUST(op2_flush(test_ctx));
  GATHER(m.y, m.q);
  MUST(op2_par_loop(m.twice, some, op2_arg_direct(m.y, OP2_READ), op2_arg_direct(m.x, OP2_WRITE)));
  MORE(m.nodes, m.p);
  GATHER(m.z, m.p);
  MUST(op2_flush(test_ctx));
  expect_groups(4);
  EXPECT_VALUES(int64_t, m.x, N, i, (i == 1 || i == 5 || i == 7 ? 16 : i));
}

static void element_order(void) {
  struct mesh m = make_mesh();
  int32_t *idx = scratch(N, sizeof *idx);
  for (int i = 0; i < N; i++) idx[i] = i / 2;
  op2_map halves = new_map(m.edges, m.nodes, 1, idx, "halves");
  MUST(op2_par_loop(m.more, m.edges, op2_arg_dat(m.p, 0, halves, OP2_RW)));
  MUST(op2_par_loop(m.more, m.edges, op2_arg_dat(m.q, 0, halves, OP2_RW)));
  MUST(op2_flush(test_ctx));
  expect_groups(2);
  expect_note("keeps element order");
  MUST(op2_par_loop(m.more, m.edges, op2_arg_dat(m.p, 0, m.ends, OP2_RW)));
  MUST(op2_par_loop(m.more, m.edges, op2_arg_dat(m.q, 0, m.ends, OP2_RW)));
  MUST(op2_flush(test_ctx));
  expect_groups(1); /* no elements meet in `ends` */
}

static void reductions(void) {
  struct mesh m = make_mesh();
  SUM(m.x);
  SUM(m.x);
  MUST(op2_flush(test_ctx));
  expect_groups(1);
  EXPECT_GBL(int64_t, m.g, (int64_t)N * (N - 1));
  SUM(m.x);
  TAKE(m.y);
  MUST(op2_flush(test_ctx));
  expect_groups(2);
  EXPECT_VALUES(int64_t, m.y, N, i, (int64_t)N * (N - 1) / 2 * 3);
  SUM(m.x);
  TAKE(m.x); /* they also share data */
  MUST(op2_flush(test_ctx));
  expect_groups(2);
  EXPECT_VALUES(int64_t, m.x, N, i, (int64_t)N * (N - 1) * 2);
}

/* A global that is set again gets a new version: the two sums are separate, and reading the first
 * version does not wait for the second. */
static void versions(void) {
  struct mesh m = make_mesh();
  SUM(m.x);
  TAKE(m.y);
  MUST(op2_gbl_set(m.g, (int64_t[]){5}));
  SUM(m.x);
  TAKE(m.z);
  MUST(op2_flush(test_ctx));
  expect_groups(3);
  expect_note("sum+sum");
  EXPECT_VALUES(int64_t, m.y, N, i, (int64_t)N * (N - 1) / 2);
  EXPECT_VALUES(int64_t, m.z, N, i, (int64_t)N * (N - 1) / 2 + 5);
}

/* The loops that are fused in one program have their own globals and values. */
static void their_own(void) {
  struct mesh m = make_mesh();
  op2_gbl h = new_gbl(1, OP2_I64, NULL, "hsum");
  op2_const cst = test_ctx->consts;
  for (int64_t round = 1; round <= 2; round++) {
    MUST(op2_gbl_set(m.g, (int64_t[]){0}));
    MORE(m.edges, m.x);
    SUM(m.x);
    MUST(op2_const_set(cst, (int64_t[]){10}));
    MORE(m.nodes, m.p);
    MUST(op2_par_loop(m.sum, m.nodes, op2_arg_direct(m.p, OP2_READ), op2_arg_gbl(h, OP2_INC)));
    MUST(op2_const_set(cst, (int64_t[]){1}));
    MUST(op2_flush(test_ctx));
    expect_groups(2);
    EXPECT_GBL(int64_t, m.g, (int64_t)N * (N - 1) / 2 + N * round);
    EXPECT_GBL(int64_t, h, ((int64_t)N * (N - 1) / 2 * round + N * 5 * round * (round + 1)));
  }
}

static void scatters(void) {
  struct mesh m = make_mesh();
  SPREAD(m.x, m.q);
  MORE(m.edges, m.x);
  SPREAD(m.x, m.q);
  MUST(op2_flush(test_ctx));
  expect_groups(1);
  int64_t *want = scratch(N, sizeof *want);
  for (int i = 0; i < N; i++) {
    want[i * 7 % N] += 2 * i + 1;
    want[(i + 1) * 7 % N] -= 2 * i + 1;
  }
  EXPECT_VALUES(int64_t, m.q, N, i, want[i]);
}

/* Run `body` in a context of its own with a switch set to 0. */
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

/* Increments and minima are both private at first, but cannot be combined into one dat at the same
 * time. */
static void queue_unlike(void) {
  struct mesh m = make_mesh();
  SPREAD(m.x, m.q);
  MUST(op2_par_loop(new_kernel(&lower_kernel), m.edges, op2_arg_direct(m.x, OP2_READ),
                    op2_arg_dat(m.q, 0, m.ends, OP2_MIN)));
  MUST(op2_flush(test_ctx));
  expect_groups(2);
  int64_t *want = scratch(N, sizeof *want);
  for (int i = 0; i < N; i++) {
    want[i * 7 % N] += i;
    want[(i + 1) * 7 % N] -= i;
  }
  for (int i = 0; i < N; i++)
    if (i < want[i * 7 % N]) want[i * 7 % N] = i;
  EXPECT_VALUES(int64_t, m.q, N, i, want[i]);
}

static void unlike_scatters(void) {
  queue_unlike();
  with_switch("OP2_SIMD", queue_unlike);
}

/* A fused element would read rows of its neighbours through a map before they are computed. */
static void queue_neighbours(void) {
  struct mesh m = make_mesh();
  int32_t *idx = scratch(N, sizeof *idx);
  for (int i = 0; i < N; i++) idx[i] = (i + 1) % N;
  op2_map next = new_map(m.edges, m.edges, 1, idx, "next");
  MORE(m.edges, m.x);
  MUST(op2_par_loop(m.twice, m.edges, op2_arg_dat(m.x, 0, next, OP2_READ),
                    op2_arg_direct(m.y, OP2_WRITE)));
  MUST(op2_flush(test_ctx));
  expect_groups(2);
  EXPECT_VALUES(int64_t, m.y, N, i, 2 * ((i + 1) % N + 1));
}

/* The same where a loop with a map has joined a direct one, and another direct one follows. */
static void queue_direct_ones(void) {
  struct mesh m = make_mesh();
  int32_t *idx = scratch(N, sizeof *idx);
  for (int i = 0; i < N; i++) idx[i] = (i + N - 1) % N;
  op2_map before = new_map(m.edges, m.edges, 1, idx, "before");
  MORE(m.edges, m.y);
  MUST(op2_par_loop(m.twice, m.edges, op2_arg_dat(m.x, 0, before, OP2_READ),
                    op2_arg_direct(m.y, OP2_WRITE)));
  MORE(m.edges, m.x);
  MUST(op2_flush(test_ctx));
  expect_groups(2);
  EXPECT_VALUES(int64_t, m.y, N, i, 2 * ((i + N - 1) % N));
  EXPECT_VALUES(int64_t, m.x, N, i, i + 1);
}

static void neighbours(void) {
  queue_neighbours();
  with_switch("OP2_SIMD", queue_neighbours); /* in vectors the loops would not be fused anyway */
}

static void direct_ones(void) {
  queue_direct_ones();
  with_switch("OP2_SIMD", queue_direct_ones);
}

static bool dropped(op2_dat dat) {
  const struct op2i_grouping *grouping = &test_ctx->sched->caches.programs->grouping;
  for (int64_t g = 0; g < grouping->ngroups; g++) {
    const struct op2i_loop *loop = grouping->groups[g].loop;
    for (int d = 0; d < loop->op.ndats && loop->fused.members; d++)
      if (loop->op.dats[d] == dat && loop->fused.dropped[d]) return true;
  }
  return false;
}

static void dead_stores(void) {
  struct mesh m = make_mesh();
  PUT(m.y, 4); /* read in registers only, then overwritten after gather */
  TWICE(m.z, m.y);
  SPREAD(m.z, m.q);
  GATHER(m.y, m.q);
  MUST(op2_flush(test_ctx));
  if (fusing()) EXPECT(dropped(m.y) && !dropped(m.z));
  EXPECT_VALUES(int64_t, m.z, N, i, 8);
  EXPECT_VALUES(int64_t, m.q, N, i, 0);
  PUT(m.y, 6); /* the last write to y in this flush */
  TWICE(m.z, m.y);
  MUST(op2_flush(test_ctx));
  if (fusing()) EXPECT(!dropped(m.y));
  EXPECT_VALUES(int64_t, m.y, N, i, 6);
}

/* The next loop reads a part of y, or overwrites only a part. */
static void stores_in_part(void) {
  struct mesh m = make_mesh();
  op2_set some = new_subset(m.edges, 3, (int64_t[]){1, 5, 7}, "some");
  for (int reads = 0; reads < 2; reads++) {
    PUT(m.y, 4);
    TWICE(m.z, m.y);
    if (reads)
      MORE(some, m.y);
    else
      MUST(op2_par_loop(m.put, some, op2_arg_direct(m.y, OP2_WRITE),
                        op2_arg_val((int64_t[]){5}, 1, OP2_I64)));
    MUST(op2_flush(test_ctx));
    expect_groups(2);
    if (fusing()) EXPECT(!dropped(m.y));
    EXPECT_VALUES(int64_t, m.y, N, i, (i == 1 || i == 5 || i == 7 ? 5 : 4));
  }
}

OP2_KERNEL(fill, (int64_t * a, int64_t *r), {
  *a = 5;
  *r += 1;
});
OP2_KERNEL(use, (const int64_t *a, int64_t *r), { *r += *a; });
OP2_KERNEL(nine, (int64_t * a), { *a = 9; });

/* A loop that modifies through a map also runs over the exec halo, a direct one does not: what the
 * first stores there is not overwritten by the second. */
static void stores_in_the_halo(void) {
  enum { CORE = 400, OWNED = 800, EXEC = 1200, TOTAL = 1300 };
  op2_set cells = new_sections(CORE, OWNED, EXEC, TOTAL, "cells"), nodes = new_set(64, "nodes");
  int32_t *idx = scratch(TOTAL, sizeof *idx);
  for (int i = 0; i < TOTAL; i++) idx[i] = i % 64;
  op2_map map = new_map(cells, nodes, 1, idx, "map");
  op2_dat a = new_dat(cells, 1, OP2_I64, NULL, "adat"),
          r = new_dat(nodes, 1, OP2_I64, NULL, "rdat");
  op2_kernel fill = new_kernel(&fill_kernel), use = new_kernel(&use_kernel),
             nine = new_kernel(&nine_kernel);
  MUST(op2_par_loop(fill, cells, op2_arg_direct(a, OP2_WRITE), op2_arg_dat(r, 0, map, OP2_INC)));
  MUST(op2_par_loop(use, cells, op2_arg_direct(a, OP2_READ), op2_arg_dat(r, 0, map, OP2_INC)));
  MUST(op2_par_loop(nine, cells, op2_arg_direct(a, OP2_WRITE)));
  MUST(op2_flush(test_ctx));
  expect_groups(2);
  if (fusing()) EXPECT(!dropped(a));
  int64_t *values = scratch(TOTAL, sizeof *values);
  MUST(op2_dat_get_halo(a, values));
  for (int i = 0; i < EXEC; i++) {
    if (EXPECT(values[i] == (i < OWNED ? 9 : 5))) continue;
    diag("element %d is %lld", i, (long long)values[i]);
    break;
  }
}

/* Reading a dat runs only the loops that it needs; the others form another program. */
static void host_access(void) {
  struct mesh m = make_mesh();
  PUT(m.x, 3);
  EXPECT_VALUES(int64_t, m.x, N, i, 3);
  TWICE(m.y, m.x);
  MUST(op2_flush(test_ctx));
  if (fusing())
    EXPECT(test_ctx->sched->stats.programs_made == 2 && !test_ctx->sched->caches.programs);
}

/* Loops of one kernel that are fused have their own values and constants. */
static void captured(void) {
  struct mesh m = make_mesh();
  op2_const cst = test_ctx->consts;
  PUT(m.x, 1);
  MORE(m.edges, m.x);
  MUST(op2_const_set(cst, (int64_t[]){100}));
  MORE(m.edges, m.x);
  PUT(m.y, 7);
  TWICE(m.z, m.x);
  MUST(op2_const_set(cst, (int64_t[]){10000}));
  MORE(m.edges, m.z);
  MUST(op2_flush(test_ctx));
  expect_groups(2); /* y has nothing in common with the others */
  EXPECT_VALUES(int64_t, m.x, N, i, 102);
  EXPECT_VALUES(int64_t, m.z, N, i, 10204);
  EXPECT_VALUES(int64_t, m.y, N, i, 7);
}

/* Vector code contains no macros; scalar code contains the source's. */
static void macros(void) {
  struct mesh m = make_mesh();
  bool vectors = test_ctx->backend->variant == OP2I_VECTOR && test_ctx->config.simd_bytes >= 16;
  op2_kernel odd = new_source("odd", "#define THREE 3\nvoid odd(int64_t *x) { *x = THREE; }");
  MUST(op2_par_loop(odd, m.edges, op2_arg_direct(m.x, OP2_WRITE)));
  TWICE(m.y, m.x);
  MUST(op2_flush(test_ctx));
  expect_groups(vectors ? 1 : 2);
  expect_note(vectors ? "odd+twice" : "preprocessor lines");
  EXPECT_VALUES(int64_t, m.y, N, i, 6);
}

static void many(void) {
  struct mesh m = make_mesh();
  for (int i = 0; i < 40; i++) {
    TWICE(m.y, m.x);
    MORE(m.edges, m.y);
    TWICE(m.x, m.y);
    PUT(m.x, i);
  }
  MUST(op2_flush(test_ctx));
  EXPECT_VALUES(int64_t, m.x, N, i, 39);
  EXPECT_VALUES(int64_t, m.y, N, i, 77);
}

static void subsets(void) {
  struct mesh m = make_mesh();
  op2_set some = new_subset(m.edges, 3, (int64_t[]){1, 5, 7}, "some");
  PUT(m.x, 3);
  MUST(op2_par_loop(m.more, some, op2_arg_direct(m.x, OP2_RW)));
  MUST(op2_par_loop(m.more, some, op2_arg_direct(m.x, OP2_RW)));
  MUST(op2_flush(test_ctx));
  expect_groups(2);
  EXPECT_VALUES(int64_t, m.x, N, i, i == 1 || i == 5 || i == 7 ? 5 : 3);
}

/* ---- the verifier ---------------------------------------------------------------------------- */

static struct op2i_node *queued[16];

static op2_status judge(const struct op2i_grouping *grouping) {
  return op2i_grouping_verify(test_ctx->sched, queued, grouping);
}

/* Two loops that depend on each other, an independent one, and one that shares targets with the
 * first through a map. */
static void verifier(void) {
  if (!fusing()) return;
  struct mesh m = make_mesh();
  PUT(m.x, 3);
  TWICE(m.y, m.x);
  SPREAD(m.y, m.q);
  GATHER(m.z, m.q);
  struct op2i_sched *sched = test_ctx->sched;
  MUST(op2i_graph_join(sched));
  for (int i = 0; i < 4; i++) queued[i] = &sched->queue.nodes[i];
  struct op2i_loop *loops[4], *fused;
  for (int i = 0; i < 4; i++) loops[i] = op2i_node_loop(queued[i]);
  MUST(op2i_loop_fuse(2, loops, NULL, 0, &fused));
  struct op2i_group groups[4] = {{0, 2, fused}, {2, 1, loops[2]}, {3, 1, loops[3]}};
  struct op2i_grouping good = {
      .n = 4, .nodes = (int32_t[]){0, 1, 2, 3}, .ngroups = 3, .groups = groups};
  EXPECT(judge(&good) == OP2_SUCCESS);
  struct op2i_grouping bad = good;
  bad.nodes = (int32_t[]){1, 0, 2, 3};
  EXPECT(judge(&bad) == OP2_ERR_STATE); /* wrong order within a group */
  bad.nodes = (int32_t[]){0, 1, 3, 2};
  EXPECT(judge(&bad) == OP2_ERR_STATE); /* wrong order of groups */
  bad.nodes = (int32_t[]){0, 1, 2, 2};
  EXPECT(judge(&bad) == OP2_ERR_STATE); /* one loop twice, one never */
  bad = good;
  bad.ngroups = 2;
  EXPECT(judge(&bad) == OP2_ERR_STATE); /* one loop never */
  groups[1].loop = NULL;
  EXPECT(judge(&good) == OP2_ERR_STATE); /* a group without its loop */
  groups[1].loop = loops[3];
  EXPECT(judge(&good) == OP2_ERR_STATE); /* a group with another group's loop */
  struct op2i_loop *other;
  MUST(op2i_loop_fuse(2, loops + 2, NULL, 0, &other));
  struct op2i_group joined[2] = {{0, 2, fused}, {2, 2, other}};
  bad = (struct op2i_grouping){.n = 4, .nodes = good.nodes, .ngroups = 2, .groups = joined};
  EXPECT(judge(&bad) == OP2_ERR_STATE && strstr(op2_error_message(), "different elements meet"));
  MUST(op2_flush(test_ctx));
}

static op2_access access_to(const struct op2i_loop *loop, op2_dat dat) {
  for (int d = 0; d < loop->op.ndats; d++)
    if (loop->op.dats[d] == dat) return loop->op.dat_access[d];
  return (op2_access)0;
}

/* A fused loop overwrites what its first user of a dat overwrites, and then needs no values of it. */
static void accesses(void) {
  if (!fusing()) return;
  struct mesh m = make_mesh();
  PUT(m.x, 3);
  TWICE(m.y, m.x);
  PUT(m.x, 4);
  MORE(m.edges, m.y);
  MUST(op2i_graph_join(test_ctx->sched));
  struct op2i_loop *loops[4], *fused[3];
  for (int i = 0; i < 4; i++) loops[i] = op2i_node_loop(&test_ctx->sched->queue.nodes[i]);
  for (int i = 0; i < 3; i++) MUST(op2i_loop_fuse(2, loops + i, NULL, 0, &fused[i]));
  EXPECT(access_to(fused[0], m.x) == OP2_WRITE && access_to(fused[0], m.y) == OP2_WRITE);
  EXPECT(access_to(fused[1], m.x) == OP2_RW && access_to(fused[1], m.y) == OP2_WRITE);
  EXPECT(access_to(fused[2], m.x) == OP2_WRITE && access_to(fused[2], m.y) == OP2_RW);
  MUST(op2_flush(test_ctx));
}

/* A sum and a minimum of one version cannot form a group, though both modify it; two sums can. */
static void verifier_of_globals(void) {
  if (!fusing()) return;
  struct mesh m = make_mesh();
  op2_gbl g = new_gbl(1, OP2_I64, NULL, "g");
  op2_kernel add = new_source("add", "void add(const long *x, long *g) { *g += *x; }"),
             least = new_source("least", "void least(const long *x, long *g) {"
                                         " if (*x < *g) *g = *x; }");
  for (int i = 0; i < 3; i++)
    MUST(op2_par_loop(i < 2 ? add : least, m.edges, op2_arg_direct(m.x, OP2_READ),
                      op2_arg_gbl(g, i < 2 ? OP2_INC : OP2_MIN)));
  struct op2i_sched *sched = test_ctx->sched;
  MUST(op2i_graph_join(sched));
  struct op2i_loop *loops[3], *sums, *both;
  for (int i = 0; i < 3; i++) queued[i] = &sched->queue.nodes[i];
  for (int i = 0; i < 3; i++) loops[i] = op2i_node_loop(queued[i]);
  MUST(op2i_loop_fuse(2, loops, (int32_t[]){0, 0}, 1, &sums));
  MUST(op2i_loop_fuse(2, loops + 1, (int32_t[]){0, 0}, 1, &both));
  struct op2i_group good[2] = {{0, 2, sums}, {2, 1, loops[2]}},
                    bad[2] = {{0, 1, loops[0]}, {1, 2, both}};
  struct op2i_grouping grouping = {
      .n = 3, .nodes = (int32_t[]){0, 1, 2}, .ngroups = 2, .groups = good};
  EXPECT(judge(&grouping) == OP2_SUCCESS);
  grouping.groups = bad;
  EXPECT(judge(&grouping) == OP2_ERR_STATE && strstr(op2_error_message(), "used in two ways"));
  MUST(op2_flush(test_ctx));
}

static void switched_off(void) {
  setenv("OP2_FUSE", "0", 1);
  op2_context outer = test_ctx;
  op2_options options = config_options(&test_config);
  MUST(op2_init(&options, &test_ctx));
  setenv("OP2_FUSE", "2", 1);
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_kernel k = NULL;
  MUST(op2_set_create(test_ctx, N, "cells", &set));
  MUST(op2_dat_create(set, 1, OP2_I64, NULL, "x", &x));
  MUST(op2_kernel_create(test_ctx, &twice_kernel, &k));
  op2_dat y = NULL;
  MUST(op2_dat_create(set, 1, OP2_I64, NULL, "y", &y));
  for (int i = 0; i < 3; i++)
    MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_READ), op2_arg_direct(y, OP2_WRITE)));
  MUST(op2_flush(test_ctx));
  expect_groups(3);
  op2_dat_destroy(&x);
  op2_dat_destroy(&y);
  op2_kernel_destroy(&k);
  op2_set_destroy(&set);
  MUST(op2_finalize(&test_ctx));
  test_ctx = outer;
}

static const struct test_case cases[] = {
    {"bystanders", bystanders},
    {"scatter then gather", scatter_then_gather},
    {"a dependence in between", dependence_in_between},
    {"no way round a dependence", no_detour},
    {"element order", element_order},
    {"reductions", reductions},
    {"versions of a global", versions},
    {"globals and values of several fused loops", their_own},
    {"scatters", scatters},
    {"increments and minima", unlike_scatters},
    {"own rows and neighbours'", neighbours},
    {"a direct loop behind one with a map", direct_ones},
    {"stores that nobody reads", dead_stores},
    {"stores that are overwritten in part", stores_in_part},
    {"stores in the halo", stores_in_the_halo},
    {"host access", host_access},
    {"captured values", captured},
    {"a kernel with macros", macros},
    {"many loops", many},
    {"subsets", subsets},
    {"the verifier", verifier},
    {"accesses of fused loops", accesses},
    {"the verifier, of globals", verifier_of_globals},
    {"OP2_FUSE=0", switched_off},
};

/* Here loops are fused when they first come together; t765 tests the default, the second time. */
int main(void) {
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, RUN_ON_DEVICES);
}
