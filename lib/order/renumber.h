/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_RENUMBER_H
#define OP2I_RENUMBER_H

#include "mesh.h"
#include "sparse.h"

/* Renumbering of sets. A permutation is given as order[new] = old, its inverse as inverse[old] =
 * new. */

/* One of the sets that are renumbered together. */
struct op2i_renumber {
  op2_set set;
  int64_t *order, *inverse; /* [total]; null until the set has its order */
  bool kept;                /* the order is the present one: nothing of the set is moved */
};

/* ---- orders (renumber_order.c) --------------------------------------------------------------- */

/* The result of an automatic renumbering. */
struct op2i_gain {
  int64_t nsets; /* sets that were renumbered; 0: the gain was too small, and nothing has changed */
  double before, after; /* op2i_map_traffic() of the map, averaged over all ranks */
};
/* Renumber automatically by a map if that reduces the traffic of all maps of the sets considerably,
 * or `anyhow`. Sets whose loops keep element order stay as they are. Nothing may be queued, and no
 * scope open; whatever was prepared for loops and programs is out of date afterwards. On failure
 * nothing has changed. */
op2_status op2i_renumber_auto(op2_map map, bool anyhow, struct op2i_gain *gain);
/* Renumber all sets of a context of ranks automatically, once after they were partitioned, if
 * OP2_RENUMBER allows it (op2i_renumber_auto() is called for maps that loops use). */
op2_status op2i_renumber_spread(op2_context ctx, struct op2i_gain *gain);
/* Restore the order in which a set was declared. */
op2_status op2i_renumber_back(op2_set set);

/* ---- matrices (renumber_sparse.c) ------------------------------------------------------------ */

/* A sparsity whose rows or columns, or elements that reach them, are renumbered: its tables after
 * the renumbering, and the order of its nonzeros. */
struct op2i_followed {
  op2_sparsity sparsity;
  bool elements;                 /* elements that reach it are renumbered */
  bool rows;                     /* its rows or columns are renumbered, or its layout changes */
  struct op2i_renumber nonzeros; /* numbering of its nonzeros; null order: they stay as they are */
  int32_t rows_per_slice;        /* as before if the slices still fit, else 1 */
  int32_t *length, *table, *column;
};
/* Prepare all sparsities of a context for the renumbering of n sets, whether they are concerned or
 * not; freed by op2i_followed_free(), also on failure. Collective. */
op2_status op2i_followed_make(op2_context ctx, int64_t n, const struct op2i_renumber *all,
                              int64_t *count, struct op2i_followed **out);
void op2i_followed_free(int64_t count, struct op2i_followed *followed);
/* Install the new tables in the sparsity; `followed` then holds the old row table. */
void op2i_followed_change(struct op2i_followed *followed);

/* ---- applying them (renumber_apply.c) -------------------------------------------------------- */

/* Apply the order of every set, unless it is kept, to the set's maps, dats and subsets and to its
 * halo exchange lists; sets that are not listed stay. It fails for lack of memory only, and has
 * then changed nothing; on ranks either all succeed or all fail. */
op2_status op2i_renumber_apply(int64_t n, const struct op2i_renumber *all);
/* Drop the plans and device tables of all loops, which depend on maps and subsets and on the memory
 * of dats. */
void op2i_loops_drop_plans(op2_context ctx);

#endif
