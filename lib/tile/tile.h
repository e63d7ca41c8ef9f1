/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TILE_H
#define OP2I_TILE_H

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"

/* Sparse tiling of a chain of loops through their maps. The iterations of all loops are cut into
 * tiles: within a tile the loops run in order, each over its share of the iterations, so what one
 * loop leaves in cache the next one finds there. The inspector below knows nothing of kernels and
 * contexts: it sees index lists only. Tiles depend on nothing but the description; in particular
 * not on the number of workers. */

enum op2i_tile_mode { OP2I_TILE_READ = 1, OP2I_TILE_WRITE, OP2I_TILE_RW, OP2I_TILE_INC };

/* One argument of one loop: which elements of which dat each iteration touches, and how. INC stands
 * for every commuting update (INC, MIN, MAX): iterations of one loop that update the same element
 * need not keep their order, but may not run at the same time. Two accesses of one loop to one dat
 * that are not both READ or both INC keep the order of iterations, unless both are called
 * injective; so updates of one dat by one loop that do not commute with each other (INC and MIN)
 * have to be called RW. */
struct op2i_tile_access {
  int32_t dat;        /* canonical number of the dat in the chain */
  const int32_t *idx; /* the map's values [n][arity]; null: iteration i touches element i */
  int32_t arity;      /* of the map, 1 without */
  int32_t slot;       /* one slot, or -1 for all of them */
  enum op2i_tile_mode mode;
  bool injective; /* no two iterations of the loop touch one element of the dat */
};

struct op2i_tile_loop {
  int64_t n; /* iterations 0..n-1 */
  int naccesses;
  const struct op2i_tile_access *accesses;
};

struct op2i_tile_desc {
  int nloops;
  const struct op2i_tile_loop *loops; /* in the order of the chain */
  int ndats;
  const int64_t *dat_size; /* [ndats] elements */
  int seed; /* the loop whose iterations are partitioned first; the others follow. Tiles shrink and
               grow with the distance from it, so one in the middle of the chain keeps them alike */
  int32_t tile_size; /* iterations of the seed loop in a tile, about */
};

/* Consecutive iterations. */
struct op2i_tile_span {
  int32_t lo, hi;
};

/* What one tile runs of one loop: its spans, then its single iterations. In a loop some of whose
 * iterations have to keep their order a share has only spans, of any length, or only ids. */
struct op2i_tile_share {
  int64_t first_span, first_id; /* into the plan's spans and ids */
  int32_t nspans, nids;
};

struct op2i_tile_plan {
  int32_t ntiles;
  int nloops;
  struct op2i_tile_share *shares; /* [ntiles][nloops] */
  struct op2i_tile_span *spans;
  int64_t nspans;
  int64_t *ids; /* iterations in none of the spans, ascending within a share */
  int64_t nids;
  /* Tile t waits for preds[pred_offs[t] .. pred_offs[t + 1]), all less than t. Running tiles by
   * number is always right. Tiles that touch an element in conflict are joined by a path. */
  int64_t *pred_offs; /* [ntiles + 1] */
  int32_t *preds;
  int32_t critical_path; /* tiles on the longest chain of predecessors */
};

/* Where the order does not matter, spans are multiples of BATCH iterations, and the rest goes into
 * the ids. Loops that increment through a map may take two batches at a time: kernels are not known
 * here, so the spans of all of them are multiples of 2 BATCH. Spans have SPAN_MIN iterations at
 * least. BATCH: the lanes of f64 in 64 bytes; those of f32 are twice as many, and may not all be
 * used. */
enum { OP2I_TILE_SPAN_MIN = 16, OP2I_TILE_BATCH = 8 };
_Static_assert(OP2I_TILE_SPAN_MIN >= 2 * OP2I_TILE_BATCH, "a span has a batch or two");

/* Time is linear in iterations times accesses; memory, beyond the plan, in elements of the dats, in
 * iterations of the longest loop and in those of the loops up to the seed. There is at least one
 * tile. OP2_ERR_ARG for a description that is none, OP2_ERR_RANGE for 2^31 iterations or elements,
 * OP2_ERR_NOMEM; *plan is then untouched. */
op2_status op2i_tile_create(const struct op2i_tile_desc *desc, struct op2i_tile_plan **plan);
void op2i_tile_free(struct op2i_tile_plan *plan);

/* Replay the chain iteration by iteration in plain order and check, from the definition and
 * independently of how the plan was made, that every iteration is in exactly one tile, and that of
 * any two conflicting iterations the later one comes later in the same tile or in a tile that has a
 * path from the other's. OP2_SUCCESS, or OP2_ERR_STATE with what is broken and where. */
op2_status op2i_tile_verify(const struct op2i_tile_plan *plan, const struct op2i_tile_desc *desc);

#endif
