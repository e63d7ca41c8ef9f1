/* SPDX-License-Identifier: BSD-3-Clause */
/* The inspector: it computes tiles of the seed loop, from these the tiles of all other loops, and
 * the predecessors of each tile. */

#include "tile.h"

#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "mem.h"
#include "tile_chain.h"
#include "tile_dag.h"
#include "tile_home.h"
#include "tile_list.h"
#include "tile_pairs.h"
#include "tile_project.h"
#include "tile_seed.h"

struct inspector {
  const struct op2i_tile_desc *desc;
  struct op2i_tile_plan *plan;
  struct op2i_tile_chain chain;
  struct op2i_tile_projection *projection;
  struct op2i_tile_pairs pairs;
  struct op2i_tile_lists lists;
  struct op2i_tile_home home;
  int32_t *seed_tile; /* tiles of the seed loop as first partitioned */
  int32_t **given;    /* [seed + 1]: tiles of the loops up to the seed */
  int32_t *tile;      /* tiles of a loop after the seed */
};

/* ---- the description ---- */

static op2_status check_access(const struct op2i_tile_desc *desc, int loop, int a) {
  const struct op2i_tile_access *access = &desc->loops[loop].accesses[a];
  if (access->dat < 0 || access->dat >= desc->ndats)
    return op2i_error(OP2_ERR_ARG, "tiles: access %d of loop %d is to dat %" PRId32 " of %d", a,
                      loop, access->dat, desc->ndats);
  if (access->mode < OP2I_TILE_READ || access->mode > OP2I_TILE_INC)
    return op2i_error(OP2_ERR_ARG, "tiles: access %d of loop %d has no mode", a, loop);
  if (access->idx && (access->arity < 1 || access->slot < -1 || access->slot >= access->arity))
    return op2i_error(OP2_ERR_ARG,
                      "tiles: access %d of loop %d is through slot %" PRId32 " of %" PRId32, a,
                      loop, access->slot, access->arity);
  if (!access->idx && desc->loops[loop].n > desc->dat_size[access->dat])
    return op2i_error(OP2_ERR_ARG,
                      "tiles: loop %d has %" PRId64
                      " iterations, but the dat of access %d has only "
                      "%" PRId64 " elements",
                      loop, desc->loops[loop].n, a, desc->dat_size[access->dat]);
  return OP2_SUCCESS;
}

static op2_status check_desc(const struct op2i_tile_desc *desc) {
  op2_status status = OP2_SUCCESS;
  if (desc->nloops < 1 || desc->seed < 0 || desc->seed >= desc->nloops || desc->tile_size < 1)
    return op2i_error(OP2_ERR_ARG, "tiles: loop %d of %d in tiles of %" PRId32, desc->seed,
                      desc->nloops, desc->tile_size);
  for (int d = 0; d < desc->ndats; d++)
    if (desc->dat_size[d] < 0 || desc->dat_size[d] > INT32_MAX)
      return op2i_error(OP2_ERR_RANGE, "tiles: dat %d has %" PRId64 " elements", d,
                        desc->dat_size[d]);
  for (int l = 0; l < desc->nloops; l++) {
    if (desc->loops[l].n < 0 || desc->loops[l].n > INT32_MAX)
      return op2i_error(OP2_ERR_RANGE, "tiles: loop %d has %" PRId64 " iterations", l,
                        desc->loops[l].n);
    for (int a = 0; a < desc->loops[l].naccesses; a++) OP2I_TRY(check_access(desc, l, a));
  }

fail:
  return status;
}

/* ---- the inspector ---- */

static op2_status inspector_open(const struct op2i_tile_desc *desc, struct inspector *in) {
  op2_status status = OP2_SUCCESS;
  int64_t most = 0;
  for (int l = desc->seed + 1; l < desc->nloops; l++)
    if (desc->loops[l].n > most) most = desc->loops[l].n;
  in->plan = op2i_calloc(1, sizeof *in->plan);
  in->given = op2i_calloc((size_t)desc->seed + 1, sizeof *in->given);
  in->seed_tile = op2i_alloc_data((size_t)desc->loops[desc->seed].n * sizeof *in->seed_tile);
  in->tile = op2i_alloc_data((size_t)most * sizeof *in->tile);
  if (!in->plan || !in->given || !in->seed_tile || !in->tile)
    OP2I_TRY(op2i_error_nomem("a plan of tiles"));
  OP2I_TRY(op2i_tile_chain_open(desc, &in->chain));
  OP2I_TRY(op2i_tile_partition(desc, &in->chain, in->seed_tile, &in->plan->ntiles));
  in->plan->nloops = desc->nloops;
  in->home.seed_tile = in->seed_tile;
  in->home.ntiles = in->plan->ntiles;
  OP2I_TRY(op2i_tile_projection_open(desc, &in->chain, &in->home, &in->projection));
  OP2I_TRY(op2i_tile_pairs_open(&in->pairs));
  OP2I_TRY(op2i_tile_lists_open(&in->lists, in->plan));

fail:
  return status;
}

static void inspector_close(struct inspector *in) {
  for (int l = 0; in->given && l <= in->desc->seed; l++) op2i_free_data(in->given[l]);
  op2i_free(in->given);
  op2i_free_data(in->seed_tile);
  op2i_free_data(in->tile);
  op2i_tile_home_close(&in->home);
  op2i_tile_lists_close(&in->lists);
  op2i_tile_pairs_close(&in->pairs);
  op2i_tile_projection_close(in->projection);
  op2i_tile_chain_close(&in->chain);
  op2i_tile_free(in->plan);
}

static op2_status project(struct inspector *in, int loop, int32_t *tile, bool fixed) {
  struct op2i_tile_loop_tiles tiles = {loop, tile, fixed};
  return op2i_tile_projection_loop(in->projection, &tiles);
}

static void mirror(const struct inspector *in, int loop) {
  for (int64_t i = 0; i < in->desc->loops[loop].n; i++)
    in->given[loop][i] = in->plan->ntiles - 1 - in->given[loop][i];
}

/* Tiles of the loops before the seed are determined backwards from it, so that they delay later
 * tiles no more than necessary. */
static op2_status place_early_loops(struct inspector *in) {
  int seed = in->desc->seed;
  op2_status status = OP2_SUCCESS;
  op2i_tile_projection_begin(in->projection, true, NULL);
  for (int l = seed; l >= 0; l--) {
    if (l == seed) mirror(in, l);
    OP2I_TRY(project(in, l, in->given[l], l == seed));
  }
  for (int l = seed; l >= 0; l--) mirror(in, l);

fail:
  return status;
}

static op2_status place_seed(struct inspector *in) {
  int seed = in->desc->seed;
  op2_status status = OP2_SUCCESS;
  for (int l = 0; l <= seed; l++) {
    int64_t n = in->desc->loops[l].n;
    in->given[l] = op2i_alloc_data((size_t)n * sizeof **in->given);
    if (!in->given[l]) OP2I_TRY(op2i_error_nomem("the tiles of a loop"));
    if (l < seed)
      for (int64_t i = 0; i < n; i++) in->given[l][i] = -1;
    else if (n > 0)
      memcpy(in->given[l], in->seed_tile, (size_t)n * sizeof **in->given);
  }
  if (in->chain.loops[seed].ordered) {
    op2i_tile_projection_begin(in->projection, false, NULL);
    OP2I_TRY(project(in, seed, in->given[seed], false));
  }
  if (seed > 0) OP2I_TRY(place_early_loops(in));

fail:
  return status;
}

/* The number of iterations of which spans of a loop are multiples, see OP2I_TILE_BATCH; 0: the
 * order of its iterations matters. */
static int32_t batch_of(const struct inspector *in, int l) {
  const struct op2i_tile_loop *loop = &in->desc->loops[l];
  if (in->chain.loops[l].ordered) return 0;
  for (int a = 0; a < loop->naccesses; a++)
    if (loop->accesses[a].idx && loop->accesses[a].mode == OP2I_TILE_INC)
      return 2 * OP2I_TILE_BATCH;
  return OP2I_TILE_BATCH;
}

static op2_status place_loops(struct inspector *in) {
  const struct op2i_tile_desc *desc = in->desc;
  op2_status status = OP2_SUCCESS;
  op2i_tile_projection_begin(in->projection, false, &in->pairs);
  for (int l = 0; l < desc->nloops; l++) {
    int64_t n = desc->loops[l].n;
    int32_t *tile = l <= desc->seed ? in->given[l] : in->tile;
    for (int64_t i = 0; i < n && l > desc->seed; i++) tile[i] = -1;
    OP2I_TRY(project(in, l, tile, l <= desc->seed));
    OP2I_TRY(op2i_tile_lists_loop(&in->lists, l, n, tile, batch_of(in, l)));
  }

fail:
  return status;
}

op2_status op2i_tile_create(const struct op2i_tile_desc *desc, struct op2i_tile_plan **plan) {
  struct inspector in = {.desc = desc, .home = {.desc = desc}};
  op2_status status = check_desc(desc);
  if (status != OP2_SUCCESS) return status;
  OP2I_TRY(inspector_open(desc, &in));
  OP2I_TRY(place_seed(&in));
  OP2I_TRY(place_loops(&in));
  OP2I_TRY(op2i_tile_dag_make(&in.pairs, in.plan));
  *plan = in.plan;
  in.plan = NULL;

fail:
  inspector_close(&in);
  return status;
}

void op2i_tile_free(struct op2i_tile_plan *plan) {
  if (!plan) return;
  op2i_free(plan->shares);
  op2i_free(plan->spans);
  op2i_free(plan->ids);
  op2i_free(plan->pred_offs);
  op2i_free(plan->preds);
  op2i_free(plan);
}
