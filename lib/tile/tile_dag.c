/* SPDX-License-Identifier: BSD-3-Clause */
/* Predecessors from pairs of tiles, without those for which a tile already waits by a path through
 * another predecessor. */

#include <string.h>

#include "error.h"
#include "mem.h"
#include "tile_dag.h"
#include "tile_pairs.h"

/* The sets of ancestors need a bit for every pair of tiles; with more tiles than this, all
 * predecessors are kept. */
enum { REDUCED_TILES_MAX = 16384 };

static bool has(const uint64_t *set, int32_t tile) { return set[tile >> 6] >> (tile & 63) & 1; }

/* Keep the predecessors that are not ancestors of another one. They are processed in descending
 * order, since an ancestor of a predecessor has a lower number. */
static int64_t reduce_row(uint64_t *ancestors, int64_t words, int32_t tile, const int32_t *row,
                          int64_t count, int32_t *kept) {
  uint64_t *own = ancestors + tile * words;
  int64_t nkept = 0;
  for (int64_t i = count - 1; i >= 0; i--) {
    if (has(own, row[i])) continue;
    const uint64_t *theirs = ancestors + row[i] * words;
    for (int64_t w = 0; w <= row[i] >> 6; w++) own[w] |= theirs[w];
    own[row[i] >> 6] |= UINT64_C(1) << (row[i] & 63);
    kept[nkept++] = row[i];
  }
  for (int64_t i = 0; 2 * i < nkept - 1; i++) {
    int32_t swapped = kept[i];
    kept[i] = kept[nkept - 1 - i];
    kept[nkept - 1 - i] = swapped;
  }
  return nkept;
}

static op2_status reduce(struct op2i_tile_plan *plan) {
  if (plan->ntiles > REDUCED_TILES_MAX) return OP2_SUCCESS;
  int64_t words = (plan->ntiles + 63) / 64;
  uint64_t *ancestors = op2i_calloc((size_t)(plan->ntiles * words), sizeof *ancestors);
  int32_t *kept = op2i_malloc((size_t)plan->ntiles * sizeof *kept);
  op2_status status = OP2_SUCCESS;
  if (!ancestors || !kept) OP2I_TRY(op2i_error_nomem("the ancestors of tiles"));
  int64_t end = 0;
  for (int32_t t = 0; t < plan->ntiles; t++) {
    int64_t begin = plan->pred_offs[t], count = plan->pred_offs[t + 1] - begin;
    int64_t nkept = reduce_row(ancestors, words, t, plan->preds + begin, count, kept);
    plan->pred_offs[t] = end;
    memcpy(plan->preds + end, kept, (size_t)nkept * sizeof *kept);
    end += nkept;
  }
  plan->pred_offs[plan->ntiles] = end;

fail:
  op2i_free(kept);
  op2i_free(ancestors);
  return status;
}

static op2_status measure(struct op2i_tile_plan *plan) {
  int32_t *depth = op2i_malloc((size_t)plan->ntiles * sizeof *depth);
  if (!depth) return op2i_error_nomem("the critical path of tiles");
  plan->critical_path = 0;
  for (int32_t t = 0; t < plan->ntiles; t++) {
    depth[t] = 1;
    for (int64_t i = plan->pred_offs[t]; i < plan->pred_offs[t + 1]; i++)
      if (depth[plan->preds[i]] >= depth[t]) depth[t] = depth[plan->preds[i]] + 1;
    if (depth[t] > plan->critical_path) plan->critical_path = depth[t];
  }
  op2i_free(depth);
  return OP2_SUCCESS;
}

op2_status op2i_tile_dag_make(const struct op2i_tile_pairs *pairs, struct op2i_tile_plan *plan) {
  op2_status status = op2i_tile_pairs_rows(pairs, plan->ntiles, &plan->pred_offs, &plan->preds);
  if (status == OP2_SUCCESS) status = reduce(plan);
  return status == OP2_SUCCESS ? measure(plan) : status;
}
