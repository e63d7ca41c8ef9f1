/* SPDX-License-Identifier: BSD-3-Clause */
/* The backends by themselves: hand-written loop functions, and hand-made plans where the backend
 * needs one. */
#include <math.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "loop.h"
#include "mem.h"
#include "plan.h"
#include "registry.h"
#include "step.h"
#include "tap.h"

enum { EDGES = 20000, NODES = 3001 };

static int32_t ends[EDGES][2];
static double weight[EDGES], load[NODES], total;
static int order[EDGES], ran;

/* The sum of w[lo] to w[hi - 1] in the eight strands that generated code uses for a sum. */
static double sum_of(const double *w, int64_t lo, int64_t hi) {
  double s[8];
  for (int i = 0; i < 8; i++) s[i] = -0.0;
  for (int64_t e = lo; e < hi; e++) s[(e - lo) % 8] += w[e];
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

/* Add each edge's weight to both of its ends and to the sum of all weights. */
static void edges(const struct op2i_call *call, int64_t lo, int64_t hi, unsigned char *partial) {
  const double *w = call->dat[0];
  double *sums = call->dat[1];
  double *all = (double *)(void *)partial;
  for (int64_t e = lo; e < hi; e++) {
    sums[call->map[0][2 * e]] += w[e];
    sums[call->map[0][2 * e + 1]] += w[e];
  }
  *all += sum_of(w, lo, hi);
}

static void remember(const struct op2i_call *call, int64_t lo, int64_t hi, unsigned char *partial) {
  (void)call;
  (void)partial;
  for (int64_t e = lo; e < hi; e++) order[ran++] = (int)e;
}

static struct op2i_loop_arg args[] = {
    {.kind = OP2I_ARG_DIRECT,
     .access = OP2_READ,
     .type = OP2_F64,
     .dim = 1,
     .slot = -1,
     .arity = 1,
     .dat = 0,
     .map = -1,
     .gbl = -1},
    {.kind = OP2I_ARG_ALL,
     .access = OP2_INC,
     .type = OP2_F64,
     .dim = 1,
     .slot = -1,
     .arity = 2,
     .dat = 1,
     .map = 0,
     .gbl = -1},
    {.kind = OP2I_ARG_GBL,
     .access = OP2_INC,
     .type = OP2_F64,
     .dim = 1,
     .slot = -1,
     .arity = 1,
     .dat = -1,
     .map = -1,
     .gbl = 0},
};
static struct op2_context_s alone;
static struct op2i_loop loop = {.nargs = 3,
                                .args = args,
                                .op.ctx = &alone,
                                .op.ndats = 2,
                                .nmaps = 1,
                                .op.ngbls = 1,
                                .partial_bytes = 64,
                                .traits.indirect = true,
                                .traits.indirect_write = true};

static struct op2i_plan *make_plan(int block_size) {
  const struct op2i_plan_arg arg = {.dat = 0,
                                    .map = 0,
                                    .idx = &ends[0][0],
                                    .arity = 2,
                                    .slot = -1,
                                    .access = OP2_INC,
                                    .target_size = NODES,
                                    .row_bytes = 8};
  const struct op2i_plan_desc desc = {
      .lo = 0, .hi = EDGES, .block_size = block_size, .nargs = 1, .args = &arg};
  struct op2i_plan *plan = NULL;
  CHECK(op2i_plan_create(&desc, &plan));
  return plan;
}

static struct op2i_step make_step(const struct op2i_plan *plan) {
  static void *dats[] = {weight, load};
  static const int32_t *maps[] = {&ends[0][0]};
  static void *gbls[] = {&total};
  return (struct op2i_step){.loop = &loop,
                            .function = (void *)edges,
                            .call = {.dat = dats, .map = maps, .gbl = (const void *const *)gbls},
                            .lo = 0,
                            .hi = EDGES,
                            .reduces = true,
                            .plan = plan,
                            .values.gbl = gbls};
}

static void run(const struct op2i_backend *backend, int threads, struct op2i_step step) {
  struct op2_context_s ctx = {.config.threads = threads};
  void *state = NULL;
  memset(load, 0, sizeof load);
  total = 0.25;
  if (!CHECK(backend->open(&ctx, &state))) return;
  if (threads)
    is_int(backend->workers(state), backend == &op2i_backend_openmp ? threads : 1, "workers");
  CHECK(backend->run_step(state, &step));
  ok(step.time.seconds > 0 && step.time.seconds < 100, "time was taken");
  ok((step.values.results.bytes > 0) == (step.loop->partial_bytes > 0),
     "memory for partial results stays for the next run");
  op2i_step_end(&step);
  ok(!step.values.partials, "until the step ends");
  backend->close(state);
}

static void test_sequential(void) {
  struct op2i_step step = make_step(NULL);
  run(&op2i_backend_sequential, 3, step);
  double want[NODES] = {0}, sum = sum_of(weight, 0, EDGES);
  for (int e = 0; e < EDGES; e++) {
    want[ends[e][0]] += weight[e];
    want[ends[e][1]] += weight[e];
  }
  ok(!memcmp(want, load, sizeof want), "sequential runs in element order");
  ok(total == 0.25 + sum, "and adds one sum to the global");
}

static void test_openmp(int block_size) {
  static double first[NODES];
  struct op2i_plan *plan = make_plan(block_size);
  double first_total = 0;
  bool same = true;
  if (!plan) return;
  for (int threads = 1; threads <= 5; threads++) {
    run(&op2i_backend_openmp, threads, make_step(plan));
    if (threads == 1) {
      memcpy(first, load, sizeof first);
      first_total = total;
    }
    same &= !memcmp(first, load, sizeof first) && total == first_total;
  }
  ok(same, "blocks of %d: bitwise the same with 1 to 5 threads", block_size);
  double worst = 0, sum = 0.25;
  static double want[NODES];
  memset(want, 0, sizeof want);
  for (int e = 0; e < EDGES; e++) {
    for (int k = 0; k < 2; k++) want[ends[e][k]] += weight[e];
    sum += weight[e];
  }
  for (int n = 0; n < NODES; n++) worst = fmax(worst, fabs(want[n] - load[n]) / want[n]);
  ok(worst < 1e-14 && fabs(sum - total) / sum < 1e-13, "blocks of %d: the sums are right",
     block_size);
  op2i_plan_free(plan);
}

/* Each element runs once, and blocks of the plan run as a whole. */
static void test_order(void) {
  struct op2i_plan *plan = make_plan(64);
  if (!plan) return;
  struct op2i_step step = make_step(plan);
  step.function = (void *)remember;
  ran = 0;
  struct op2_context_s ctx = {.config.threads = 1};
  void *state = NULL;
  CHECK(op2i_backend_openmp.open(&ctx, &state));
  CHECK(op2i_backend_openmp.run_step(state, &step));
  op2i_backend_openmp.close(state);
  bool good = ran == EDGES;
  int at = 0;
  for (int b = 0; good && b < plan->nblocks; b++)
    for (int64_t e = op2i_plan_block_lo(plan, plan->blkmap[b]);
         e < op2i_plan_block_hi(plan, plan->blkmap[b]); e++)
      good &= order[at++] == (int)e;
  ok(good, "one thread runs the blocks in the order of the plan");
  op2i_step_end(&step);
  op2i_plan_free(plan);
}

static int calls;

static void count(const struct op2i_call *call, int64_t lo, int64_t hi, unsigned char *partial) {
  remember(call, lo, hi, partial);
  calls++;
}

static bool in_order(void) {
  bool good = ran == EDGES;
  for (int e = 0; good && e < EDGES; e++) good = order[e] == e;
  return good;
}

/* Blocks that do not conflict run by one call, unless each has a partial result. */
static void test_joined(int64_t partial_bytes, const char *what) {
  const struct op2i_plan_desc desc = {.lo = 0, .hi = EDGES, .block_size = 61};
  struct op2i_plan *plan = NULL;
  struct op2_context_s ctx = {.config.threads = 1};
  void *state = NULL;
  struct op2i_loop direct = loop;
  direct.nargs = 0;
  direct.partial_bytes = partial_bytes;
  if (!CHECK(op2i_plan_create(&desc, &plan))) return;
  struct op2i_step step = make_step(plan);
  step.loop = &direct;
  step.function = (void *)count;
  step.reduces = false;
  ran = calls = 0;
  CHECK(op2i_backend_openmp.open(&ctx, &state));
  CHECK(op2i_backend_openmp.run_step(state, &step));
  op2i_backend_openmp.close(state);
  ok(in_order(), "%s: each element once, in order", what);
  is_int(calls, partial_bytes ? plan->nblocks : 1, "%s: calls", what);
  op2i_step_end(&step);
  op2i_plan_free(plan);
}

static void test_failure(void) {
  struct op2i_plan *plan = make_plan(64);
  if (!plan) return;
  struct op2i_step step = make_step(plan);
  struct op2_context_s ctx = {.config.threads = 2};
  void *state = NULL;
  op2i_mem_fail_at(1);
  ok(op2i_backend_openmp.open(&ctx, &state) == OP2_ERR_NOMEM && !state, "no memory to open with");
  op2i_mem_fail_at(0);
  CHECK(op2i_backend_openmp.open(&ctx, &state));
  op2i_mem_fail_at(1);
  total = 3;
  memset(load, 0, sizeof load);
  ok(op2i_backend_openmp.run_step(state, &step) == OP2_ERR_NOMEM, "no memory to run with");
  op2i_mem_fail_at(0);
  ok(total == 3 && load[ends[0][0]] == 0, "and nothing ran");
  op2i_backend_openmp.close(state);
  op2i_plan_free(plan);
}

/* ---- the checked mode ------------------------------------------------------------------------ */

static struct op2_set_s edge_set = {.ends = {EDGES, EDGES, EDGES, EDGES}},
                        node_set = {.ends = {NODES, NODES, NODES, NODES}};
static struct op2_map_s both_ends = {
    .from = &edge_set, .to = &node_set, .arity = 2, .idx = &ends[0][0]};
static struct op2_dat_s weights = {.set = &edge_set, .dim = 1, .type = OP2_F64, .row_bytes = 8};
static struct op2_dat_s loads = {.set = &node_set, .dim = 1, .type = OP2_F64, .row_bytes = 8};

static void one_edge(void *const *arguments, const unsigned char *payload) {
  const double *w = arguments[0];
  double **sums = arguments[1], *all = arguments[2];
  (void)payload;
  sums[0][0] += *w;
  sums[1][0] += *w;
  *all += *w;
}

static void test_check(void) {
  op2_dat dats[] = {&weights, &loads};
  op2_map maps[] = {&both_ends};
  loop.op.dats = dats;
  loop.maps = maps;
  loop.set = edge_set.base = &edge_set;
  run(&op2i_backend_sequential, 0, make_step(NULL));
  static double want[NODES];
  memcpy(want, load, sizeof want);
  double want_total = total;
  struct op2i_step step = make_step(NULL);
  step.function = (void *)one_edge;
  run(&op2i_backend_check, 0, step);
  ok(!memcmp(want, load, sizeof want) && want_total == total, "check: bitwise as sequential");
  int64_t n = 0;
  op2_status status = OP2_ERR_NOMEM;
  bool clean = true;
  while (status && n < 1000) {
    memset(load, 0, sizeof load);
    total = 0.25;
    op2i_mem_fail_at(++n);
    status = op2i_backend_check.run_step(NULL, &step);
    op2i_mem_fail_at(0);
    clean &= status ? status == OP2_ERR_NOMEM && total == 0.25 : total == want_total;
  }
  op2i_step_end(&step);
  ok(clean && !status && n > 5, "check: no memory in any of %d places is told, and nothing ran",
     (int)n - 1);
  ok(!memcmp(want, load, sizeof want), "check: then it runs");
}

int main(void) {
  uint64_t seed = 7;
  for (int e = 0; e < EDGES; e++) {
    for (int k = 0; k < 2; k++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      ends[e][k] = (int32_t)((seed >> 33) % 8 + (uint64_t)e * (NODES - 8) / EDGES);
    }
    weight[e] = (double)(seed >> 40) / 3e6;
  }
  loop.bytes = 1e9;
  test_sequential();
  test_check();
  if (op2i_backend_openmp.unavailable()) {
    skip("openmp: %s", op2i_backend_openmp.unavailable());
    return done();
  }
  static const int sizes[] = {1, 2, 61, 256, EDGES + 1};
  for (int i = 0; i < 5; i++) test_openmp(sizes[i]);
  loop.bytes = 100;
  test_openmp(256);
  test_order();
  test_joined(0, "no reductions");
  test_joined(64, "a reduction");
  test_failure();
  return done();
}
