/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains of loops run tile by tile: random chains on random meshes are compared with the sequential
 * backend, with integers, so that any order of increments gives the same sums. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "mem.h"
#include "sched_state.h"
#include "support.h"
#include "tiling.h"

OP2_KERNEL(mix, (int64_t * a, const int64_t *b), { a[0] = 3 * a[0] % 1000003 + b[0] % 101; });
OP2_KERNEL(copy, (const int64_t *a, int64_t *b), { b[0] = a[0]; });
OP2_KERNEL(flux, (const int64_t *a0, const int64_t *a1, int64_t *r0, int64_t *r1), {
  int64_t d = (a0[0] - a1[0]) % 65537;
  r0[0] += d;
  r1[0] -= d;
});
OP2_KERNEL(wall, (const int64_t *a, int64_t *r), { r[0] += a[0] % 7; });
OP2_KERNEL(pull, (const int64_t *n0, const int64_t *n1, const int64_t *n2, int64_t *a),
           { a[0] += n0[0] + 2 * n1[0] + 3 * n2[0]; });
OP2_KERNEL(push, (const int64_t *a, int64_t *n[3]), {
  for (int k = 0; k < 3; k++) n[k][0] += (a[0] >> k) % 11;
});
OP2_KERNEL(apply,
           (int64_t * a, int64_t *r, int64_t *sum, int64_t *least, int64_t *where, int64_t i), {
             a[0] += r[0] % 32749;
             r[0] = 0;
             sum[0] += a[0] % 1009;
             if (a[0] < least[0]) {
               least[0] = a[0];
               where[0] = i;
             }
           });

OP2_KERNEL(blend, (int64_t * b, const int64_t *sum), { b[0] += sum[0] % 13; });

enum { KINDS = 9, CELLS = 400, EDGES = 700, NODES = 350, WALLS = 40, CHAIN = 10 };

struct mesh {
  int32_t edge_cell[EDGES][2], cell_node[CELLS][3], wall_cell[WALLS];
  int64_t start[CELLS], some[CELLS / 3];
};

struct run {
  op2_context ctx;
  op2_set cells, edges, nodes, walls, some;
  op2_map edge_cell, cell_node, wall_cell;
  op2_dat a, b, r, n;
  op2_gbl sum, least, where;
  op2_kernel kernels[KINDS];
};

static const op2_kernel_desc *const descs[KINDS] = {
    &mix_kernel,  &copy_kernel,  &flux_kernel,  &wall_kernel, &pull_kernel,
    &push_kernel, &apply_kernel, &blend_kernel, &pull_kernel,
};

static int32_t near(uint64_t *random, int64_t at, int64_t of, int64_t size) {
  int64_t place = at * size / of + draw_below(random, 30) - 15;
  return (int32_t)((place + size) % size);
}

static void make_mesh(struct mesh *m, uint64_t *random) {
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++) m->edge_cell[e][k] = near(random, e, EDGES, CELLS);
  for (int c = 0; c < CELLS; c++) {
    for (int k = 0; k < 3; k++) m->cell_node[c][k] = near(random, c, CELLS, NODES);
    m->start[c] = draw_below(random, 1000);
  }
  for (int s = 0; s < CELLS / 3; s++) m->some[s] = 3 * s + 1;
  for (int w = 0; w < WALLS; w++) m->wall_cell[w] = draw_below(random, CELLS);
}

static void open_run(struct run *r, const char *backend, const struct mesh *m) {
  const int64_t none = 0, high = 1000000;
  op2_options options = {
      .backend = backend, .threads = 2, .eager = -1, .cache_dir = test_cache(), .block_size = 64};
  MUST(op2_init(&options, &r->ctx));
  MUST(op2_set_create(r->ctx, CELLS, "cells", &r->cells));
  MUST(op2_set_create(r->ctx, EDGES, "edges", &r->edges));
  MUST(op2_set_create(r->ctx, NODES, "nodes", &r->nodes));
  MUST(op2_set_create(r->ctx, WALLS, "walls", &r->walls));
  MUST(op2_subset_create(r->cells, CELLS / 3, m->some, "some", &r->some));
  MUST(op2_map_create(r->edges, r->cells, 2, &m->edge_cell[0][0], "edge_cell", &r->edge_cell));
  MUST(op2_map_create(r->cells, r->nodes, 3, &m->cell_node[0][0], "cell_node", &r->cell_node));
  MUST(op2_map_create(r->walls, r->cells, 1, m->wall_cell, "wall_cell", &r->wall_cell));
  MUST(op2_dat_create(r->cells, 1, OP2_I64, m->start, "a", &r->a));
  MUST(op2_dat_create(r->cells, 1, OP2_I64, NULL, "b", &r->b));
  MUST(op2_dat_create(r->cells, 1, OP2_I64, NULL, "r", &r->r));
  MUST(op2_dat_create(r->nodes, 1, OP2_I64, NULL, "n", &r->n));
  MUST(op2_gbl_create(r->ctx, 1, OP2_I64, &none, "sum", &r->sum));
  MUST(op2_gbl_create(r->ctx, 1, OP2_I64, &high, "least", &r->least));
  MUST(op2_gbl_create(r->ctx, 1, OP2_I64, &none, "where", &r->where));
  for (int k = 0; k < KINDS; k++) MUST(op2_kernel_create(r->ctx, descs[k], &r->kernels[k]));
}

static void close_run(struct run *r) {
  for (int k = 0; k < KINDS; k++) op2_kernel_destroy(&r->kernels[k]);
  op2_gbl_destroy(&r->sum);
  op2_gbl_destroy(&r->least);
  op2_gbl_destroy(&r->where);
  op2_dat *dats[] = {&r->a, &r->b, &r->r, &r->n};
  for (int d = 0; d < 4; d++) op2_dat_destroy(dats[d]);
  op2_map *maps[] = {&r->edge_cell, &r->cell_node, &r->wall_cell};
  for (int m = 0; m < 3; m++) op2_map_destroy(maps[m]);
  op2_set *sets[] = {&r->some, &r->cells, &r->edges, &r->nodes, &r->walls};
  for (int s = 0; s < 5; s++) op2_set_destroy(sets[s]);
  MUST(op2_finalize(&r->ctx));
}

static void queue(struct run *r, int kind) {
  op2_kernel k = r->kernels[kind];
  op2_status status = OP2_SUCCESS;
  switch (kind) {
  case 0:
    status =
        op2_par_loop(k, r->cells, op2_arg_direct(r->a, OP2_RW), op2_arg_direct(r->b, OP2_READ));
    break;
  case 1:
    status =
        op2_par_loop(k, r->cells, op2_arg_direct(r->a, OP2_READ), op2_arg_direct(r->b, OP2_WRITE));
    break;
  case 2:
    status = op2_par_loop(k, r->edges, op2_arg_dat(r->a, 0, r->edge_cell, OP2_READ),
                          op2_arg_dat(r->a, 1, r->edge_cell, OP2_READ),
                          op2_arg_dat(r->r, 0, r->edge_cell, OP2_INC),
                          op2_arg_dat(r->r, 1, r->edge_cell, OP2_INC));
    break;
  case 3:
    status = op2_par_loop(k, r->walls, op2_arg_dat(r->a, 0, r->wall_cell, OP2_READ),
                          op2_arg_dat(r->r, 0, r->wall_cell, OP2_INC));
    break;
  case 4:
  case 8:
    status = op2_par_loop(
        k, kind == 8 ? r->some : r->cells, op2_arg_dat(r->n, 0, r->cell_node, OP2_READ),
        op2_arg_dat(r->n, 1, r->cell_node, OP2_READ), op2_arg_dat(r->n, 2, r->cell_node, OP2_READ),
        op2_arg_direct(r->a, OP2_INC));
    break;
  case 5:
    status = op2_par_loop(k, r->cells, op2_arg_direct(r->a, OP2_READ),
                          op2_arg_dat(r->n, OP2_ALL, r->cell_node, OP2_INC));
    break;
  case 7:
    status = op2_par_loop(k, r->cells, op2_arg_direct(r->b, OP2_RW), op2_arg_gbl(r->sum, OP2_READ));
    break;
  default:
    status = op2_par_loop(k, r->cells, op2_arg_direct(r->a, OP2_RW), op2_arg_direct(r->r, OP2_RW),
                          op2_arg_gbl(r->sum, OP2_INC), op2_arg_gbl(r->least, OP2_MIN),
                          op2_arg_info(r->where, 3), op2_arg_idx());
    break;
  }
  MUST(status);
}

struct result {
  int64_t a[CELLS], b[CELLS], r[CELLS], n[NODES], sum, least, where;
};

/* Values stay small: mix and apply take remainders, and there are few steps. */
static int nothing(void *data, void *const *values) {
  (void)data, (void)values;
  return 0;
}

static int kept, lost;

/* A call that is freed with its only object does not free tiles of loops that programs still
 * use. */
static void call_and_forget(op2_context ctx) {
  op2_gbl gbl = NULL;
  MUST(op2_gbl_create(ctx, 1, OP2_F64, NULL, "passing", &gbl));
  MUST(op2_call(ctx, nothing, NULL, op2_arg_gbl(gbl, OP2_READ)));
  MUST(op2_flush(ctx));
  const struct op2i_tiling *tilings = ctx->sched->caches.tilings;
  op2_gbl_destroy(&gbl);
  kept += tilings && ctx->sched->caches.tilings == tilings;
  lost += ctx->sched->caches.tilings != tilings;
}

static void play(struct run *r, const int chain[CHAIN], int steps, struct result *out) {
  for (int s = 0; s < steps; s++)
    for (int k = 0; k < CHAIN; k++) queue(r, chain[k]);
  MUST(op2_flush(r->ctx));
  call_and_forget(r->ctx);
  memset(out, 0, sizeof *out);
  MUST(op2_dat_get(r->a, out->a));
  MUST(op2_dat_get(r->b, out->b));
  MUST(op2_dat_get(r->r, out->r));
  MUST(op2_dat_get(r->n, out->n));
  MUST(op2_gbl_get(r->sum, &out->sum));
  MUST(op2_gbl_get(r->least, &out->least));
  MUST(op2_gbl_get(r->where, &out->where));
}

static int64_t chains, with_chains;

static bool one(uint64_t seed) {
  uint64_t random = seed;
  struct mesh mesh;
  int chain[CHAIN];
  make_mesh(&mesh, &random);
  for (int k = 0; k < CHAIN; k++) chain[k] = draw_below(&random, KINDS);
  struct result want, got;
  struct run plain, tiled;
  char size[16];
  snprintf(size, sizeof size, "%d", 2 + draw_below(&random, 120));
  open_run(&plain, "sequential", &mesh);
  play(&plain, chain, 3, &want);
  close_run(&plain);
  setenv("OP2_TILE", size, 1);
  setenv("OP2_CHUNK_US", seed % 3 ? "0" : "200", 1); /* on workers; or one after the other */
  open_run(&tiled, "starpu", &mesh);
  unsetenv("OP2_TILE");
  play(&tiled, chain, 3, &got);
  chains += tiled.ctx->sched->stats.chains_tiled;
  with_chains += tiled.ctx->sched->stats.chains_tiled > 0;
  close_run(&tiled);
  bool same = memcmp(&want, &got, sizeof want) == 0;
  if (!same) diag("seed %" PRIu64 ", tiles of %s: another result", seed, size);
  return same;
}

int main(void) {
  const char *why = op2_backend_unavailable("starpu");
  if (why) {
    skip("tiles are tasks of the starpu backend: %s", why);
    return done();
  }
  test_environment();
  int count = quick() ? 15 : thorough() ? 80 : 40, failed = 0;
  for (int n = 1; n <= count; n++) failed += !one((uint64_t)n);
  ok(failed == 0, "%d random chains tile by tile give what they give in order", count);
  ok(with_chains > count / 2, "%" PRId64 " of them were tiled, %" PRId64 " chains", with_chains,
     chains);
  ok(kept > 0 && lost == 0, "calls that go take no tiles with them: %d runs, %d not so", kept,
     lost);
  return done();
}
