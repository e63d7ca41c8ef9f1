/* SPDX-License-Identifier: BSD-3-Clause */
/* The pages that blocks of a loop touch: the lists from which dependences are derived are compared
 * with the pages of every element, on random meshes of many sizes. */
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "loopdata.h"
#include "registry.h"
#include "support.h"
#include "tap.h"
#include "tasks.h"

enum { MESHES = 60, MESHES_QUICK = 20, ARITY = 3, NODES_MOST = 70000, EDGES_MOST = 9000 };

OP2_KERNEL(touch,
           (const int64_t *e, int64_t *a, const int64_t *b, int64_t **c, const int64_t *d0,
            const int64_t *d2),
           {
             a[0] += e[0] + b[0];
             for (int k = 0; k < 3; k++) c[k][0] += d0[0] - d2[0];
           });

static struct { int64_t blocks, intervals, wrong; } seen;

/* ---- footprints computed element by element ---- */

static void mark(unsigned char *touched, const struct op2i_loop *loop,
                 const struct op2i_loop_arg *arg, int64_t element, int32_t shift) {
  const op2_map map = arg->map >= 0 ? loop->maps[arg->map] : NULL;
  for (int k = 0; k < (map ? map->arity : 1); k++)
    if (!map)
      touched[element >> shift] = 1;
    else if (arg->kind != OP2I_ARG_SLOT || k == arg->slot)
      touched[map->idx[element * map->arity + k] >> shift] = 1;
}

static void mark_block(unsigned char *touched, const struct op2i_loop *loop,
                       const struct op2i_plan *plan, int32_t block, int32_t dat, int32_t shift) {
  for (int64_t p = op2i_plan_block_lo(plan, block); p < op2i_plan_block_hi(plan, block); p++)
    for (int n = 0; n < loop->nargs; n++)
      if (loop->args[n].dat == dat)
        mark(touched, loop, &loop->args[n], loop->set->idx ? loop->set->idx[p] : p, shift);
}

/* True if the intervals, ascending and separate, are exactly the marked pages; clears the marks. */
static bool same(unsigned char *touched, int64_t pages, const int32_t *intervals, int64_t n) {
  bool good = true;
  int64_t last = -2;
  for (int64_t i = 0; i < n; i++) {
    good = good && intervals[2 * i] > last + 1 && intervals[2 * i] <= intervals[2 * i + 1] &&
           intervals[2 * i + 1] < pages;
    last = intervals[2 * i + 1];
    for (int64_t s = intervals[2 * i]; good && s <= last; s++) touched[s]--;
  }
  for (int64_t s = 0; s < pages; s++) good = good && touched[s] == 0;
  memset(touched, 0, (size_t)pages);
  return good;
}

static op2_status compare(struct op2i_loop *loop, int range, int32_t dat) {
  const struct op2i_loop_data *data = loop->attached.sched_data;
  const struct op2i_plan *plan = data->plans[range]->plan;
  op2_status status = op2i_loop_footprint(loop, range, dat);
  if (status) return status;
  const struct op2i_footprint *print = &data->footprints[range][dat];
  const int64_t size = loop->op.dats[dat]->set->ends[OP2I_NONEXEC];
  const int64_t pages = (size >> print->shift) + 1;
  unsigned char *touched = scratch((size_t)pages, 1);
  for (int32_t b = 0; b < plan->nblocks; b++) {
    const int64_t first = print->offs[b], count = print->offs[b + 1] - first;
    mark_block(touched, loop, plan, b, dat, print->shift);
    seen.wrong += !same(touched, pages, print->intervals + 2 * first, count);
    seen.blocks++;
    seen.intervals += count;
  }
  return OP2_SUCCESS;
}

/* This backend function compares footprints instead of running the steps. */
static op2_status run_steps(void *state, struct op2i_step *steps, int64_t nsteps) {
  (void)state;
  op2_status status = OP2_SUCCESS;
  for (int64_t s = 0; s < nsteps; s++)
    for (int32_t d = 0; d < steps[s].loop->op.ndats && !status; d++)
      status = compare(steps[s].loop, steps[s].range, d);
  return status;
}

/* ---- random meshes ---- */

static int32_t *random_map(uint64_t *seed, int64_t n, int targets) {
  int32_t *idx = scratch((size_t)n * ARITY, sizeof *idx);
  const int far = 1 + draw_below(seed, 300), wide = 1 + draw_below(seed, targets);
  for (int64_t i = 0; i < n * ARITY; i++) {
    const int64_t near = i * targets / (n * ARITY) + draw_below(seed, 1 + wide / 40);
    idx[i] = draw_below(seed, far) ? (int32_t)(near % targets) : draw_below(seed, targets);
  }
  return idx;
}

static void visit(op2_set over, op2_dat e, op2_map map, op2_dat a, op2_dat b, op2_dat c,
                  op2_dat d) {
  MUST(op2_par_loop(new_kernel(&touch_kernel), over, op2_arg_direct(e, OP2_READ),
                    op2_arg_dat(a, 1, map, OP2_INC), op2_arg_dat(b, 2, map, OP2_READ),
                    op2_arg_dat(c, OP2_ALL, map, OP2_INC), op2_arg_dat(d, 0, map, OP2_READ),
                    op2_arg_dat(d, 2, map, OP2_READ)));
}

static void random_mesh(uint64_t seed) {
  const int nnodes = 1 + draw_below(&seed, draw_below(&seed, 2) ? NODES_MOST : 400);
  const int nedges = 1 + draw_below(&seed, draw_below(&seed, 2) ? EDGES_MOST : 100);
  int64_t *some = scratch((size_t)nedges, sizeof *some);
  for (int i = 0; i < nedges; i++) some[i] = draw_below(&seed, nedges);
  op2_set nodes = new_set(nnodes, "nodes");
  op2_set edges = new_sections(nedges / 3, nedges / 2, nedges, nedges, "edges");
  op2_map map = new_map(edges, nodes, ARITY, random_map(&seed, nedges, nnodes), "map");
  op2_dat e = new_dat(edges, 1, OP2_I64, NULL, "e"), n[4];
  for (int d = 0; d < 4; d++) n[d] = new_dat(nodes, 1, OP2_I64, NULL, NULL);
  visit(edges, e, map, n[0], n[1], n[2], n[3]);
  visit(new_subset(edges, 1 + nedges / 3, some, "some"), e, map, n[3], n[2], n[1], n[0]);
  MUST(op2_flush(test_ctx));
}

/* This backend begins and ends like openmp, which has plans. */
static void compared(void) {
  static struct op2i_backend looking;
  const struct op2i_backend *own = test_ctx->backend;
  looking = op2i_backend_openmp;
  looking.run_step = NULL;
  looking.run_loops = NULL;
  looking.run_steps = run_steps;
  test_ctx->backend = &looking;
  for (uint64_t m = 0; m < (quick() ? MESHES_QUICK : MESHES); m++) random_mesh(m);
  test_ctx->backend = own;
  EXPECT(seen.wrong == 0);
  EXPECT(seen.blocks > 100 && seen.intervals > seen.blocks); /* a block is a whole loop at most */
  diag("%lld intervals of %lld blocks", (long long)seen.intervals, (long long)seen.blocks);
}

int main(void) {
  static const struct test_case cases[] = {{"footprints", compared}};
  setenv("OP2_TEST_BACKEND", "openmp", 1);
  return RUN(cases, RUN_LAZY_ONLY);
}
