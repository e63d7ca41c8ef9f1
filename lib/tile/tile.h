/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TILE_H
#define OP2I_TILE_H

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"

/* Sparse tiling of a chain of loops through their maps. The iterations of all loops are divided
 * into tiles: within a tile the loops run in order, each over its share of the iterations, so that
 * data that one loop leaves in cache are found there by the next one. The inspector does not depend
 * on kernels and contexts: its input consists of index lists only. Tiles depend on nothing but the
 * description; in particular not on the number of workers. */

enum op2i_tile_mode { OP2I_TILE_READ = 1, OP2I_TILE_WRITE, OP2I_TILE_RW, OP2I_TILE_INC };

/* One argument of one loop: which elements of which dat each iteration accesses, and how. INC
 * stands for every commuting update (INC, MIN, MAX): iterations of one loop that update the same
 * element need not keep their order, but may not run at the same time. If a loop has two accesses
 * to one dat that are not both READ or both INC, its iterations keep their order, unless both are
 * declared injective. Updates of one dat by one loop that do not commute with each other (INC and
 * MIN) therefore have to be declared RW. */
struct op2i_tile_access {
  int32_t dat;        /* canonical number of the dat in the chain */
  const int32_t *idx; /* the map's values [n][arity]; null: iteration i accesses element i */
  int32_t arity;      /* arity of the map, 1 without a map */
  int32_t slot;       /* one slot, or -1 for all of them */
  enum op2i_tile_mode mode;
  bool injective; /* no two iterations of the loop access the same element of the dat */
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
  /* The loop whose iterations are partitioned first; the others follow. Tiles shrink and grow with
   * the distance from it, so that one in the middle of the chain keeps them similar in size. */
  int seed;
  int32_t tile_size; /* approximate number of iterations of the seed loop in a tile */
};

/* Consecutive iterations. */
struct op2i_tile_span {
  int32_t lo, hi;
};

/* The share of one loop that a tile runs: its spans, then its single iterations. If some iterations
 * of a loop have to keep their order, a share has only spans, of any length, or only ids. */
struct op2i_tile_share {
  int64_t first_span, first_id; /* indices into the plan's spans and ids */
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
  /* Tile t waits for preds[pred_offs[t] .. pred_offs[t + 1]), all less than t. Running tiles in the
   * order of their numbers is always correct. Tiles with conflicting accesses to an element are
   * connected by a path. */
  int64_t *pred_offs; /* [ntiles + 1] */
  int32_t *preds;
  int32_t critical_path; /* tiles on the longest chain of predecessors */
};

/* If the order does not matter, spans are multiples of BATCH iterations, and the remaining
 * iterations are in the ids. Loops that increment through a map may process two batches at a time;
 * since kernels are not known here, the spans of all such loops are multiples of 2 BATCH. Spans
 * have at least SPAN_MIN iterations. BATCH is the number of f64 lanes in 64 bytes; there are twice
 * as many of f32, which may not all be used. */
enum { OP2I_TILE_SPAN_MIN = 16, OP2I_TILE_BATCH = 8 };
_Static_assert(OP2I_TILE_SPAN_MIN >= 2 * OP2I_TILE_BATCH, "a span has a batch or two");

/* Time is linear in iterations times accesses. Memory, besides the plan, is linear in the elements
 * of the dats, in the iterations of the longest loop, and in those of the loops up to the seed.
 * There is at least one tile. OP2_ERR_ARG for an invalid description, OP2_ERR_RANGE for 2^31
 * iterations or elements, OP2_ERR_NOMEM; *plan is then untouched. */
op2_status op2i_tile_create(const struct op2i_tile_desc *desc, struct op2i_tile_plan **plan);
void op2i_tile_free(struct op2i_tile_plan *plan);

/* Replay the chain iteration by iteration in sequential order and check two properties, by their
 * definition and independently of how the plan was made: every iteration is in exactly one tile;
 * and of any two conflicting iterations the later one comes later in the same tile, or in a tile to
 * which a path leads from the other's tile. OP2_SUCCESS, or OP2_ERR_STATE with the violation and
 * its location. */
op2_status op2i_tile_verify(const struct op2i_tile_plan *plan, const struct op2i_tile_desc *desc);

#endif
