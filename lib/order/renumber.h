/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_RENUMBER_H
#define OP2I_RENUMBER_H

#include "mesh.h"
#include "sparse.h"

/* Renumbering. A permutation is given as order[new] = old, its inverse as inverse[old] = new. */

/* One of the sets that are renumbered together. */
struct op2i_renumber {
  op2_set set;
  int64_t *order, *inverse; /* [total]; null until the set has its order */
  bool kept;                /* it is the one it has: nothing of the set is moved */
};

/* ---- orders (renumber_order.c) --------------------------------------------------------------- */

/* What became of a renumbering that nobody asked for. */
struct op2i_gain {
  int64_t nsets;        /* that were renumbered; 0: it was not worth it, and nothing has changed */
  double before, after; /* op2i_map_traffic() of the map, in the mean of all ranks */
};
/* Renumber by a map, where that makes much less traffic of all maps of the sets, or `anyhow`. Sets
 * whose loops keep element order stay as they are. Nothing may be queued, and no scope open; what
 * was worked out for loops and programs is out of date afterwards. On failure nothing has changed. */
op2_status op2i_renumber_unasked(op2_map map, bool anyhow, struct op2i_gain *gain);
/* What op2i_renumber_unasked() is to maps that loops use, for all sets of a context of ranks: once,
 * when they have been partitioned, if OP2_RENUMBER allows it. */
op2_status op2i_renumber_spread(op2_context ctx, struct op2i_gain *gain);
/* Give a set back the order it was declared in. */
op2_status op2i_renumber_back(op2_set set);

/* The order it has. */
op2_status op2i_order_keep(struct op2i_renumber *r);
/* The map's target set, by the graph of its elements: see op2_renumber(). */
op2_status op2i_order_by_graph(op2_map map, struct op2i_renumber *to);
/* The set a map comes from, by the places its elements map to: sorted by the first of them, then by
 * the next ones; equal rows stay in order. */
op2_status op2i_order_by_targets(op2_map map, const struct op2i_renumber *to,
                                 struct op2i_renumber *from);
/* The target set of a map, as its elements are first met by rows in their new order; what is not
 * met keeps its order and comes last. */
op2_status op2i_order_by_touch(op2_map map, const struct op2i_renumber *from,
                               struct op2i_renumber *to);

/* ---- graphs ---------------------------------------------------------------------------------- */

/* adjacent[offs[v]..offs[v + 1] - 1]: the neighbours of v, each once and never v itself. */
struct op2i_mesh_graph {
  int64_t n, *offs;
  int32_t *adjacent;
};
op2_status op2i_mesh_graph_create(op2_map map, struct op2i_mesh_graph *graph);
void op2i_mesh_graph_free(struct op2i_mesh_graph *graph);

/* order_scotch.c: an order of a graph's vertices in which neighbours are near each other. Depends
 * on the graph alone. */
const char *op2i_order_unavailable(void); /* null when usable, else why not */
op2_status op2i_order_graph(const struct op2i_mesh_graph *graph, int64_t *order);

/* ---- matrices (renumber_sparse.c) ------------------------------------------------------------ */

/* A sparsity whose rows or columns, or elements that reach them, are renumbered: its tables as they will
 * be, and the order of its places. */
struct op2i_followed {
  op2_sparsity sparsity;
  bool elements;               /* those that reach it are renumbered */
  bool rows;                   /* it is itself, or is laid out in another way */
  struct op2i_renumber places; /* null order: they stay as they are */
  int32_t slice;               /* rows side by side: in slices, as before, if they still fit */
  int32_t *length, *table, *column;
};
/* All of a context, for n sets, whichever are concerned; freed by op2i_followed_free(), also on failure.
 * Collective. */
op2_status op2i_followed_make(op2_context ctx, int64_t n, const struct op2i_renumber *all,
                              int64_t *count, struct op2i_followed **out);
void op2i_followed_free(int64_t count, struct op2i_followed *followed);
/* Put the tables in place, one of which is exchanged. */
void op2i_followed_change(struct op2i_followed *followed);

/* ---- applying them (renumber_apply.c) -------------------------------------------------------- */

/* Give every set its order, unless that is kept, and with it maps, dats, subsets and what travels
 * between ranks; sets that are not among them stay. Fails for lack of memory only, with nothing
 * changed; among ranks all do together. */
op2_status op2i_renumber_apply(int64_t n, const struct op2i_renumber *all);
/* Drop what was worked out for loops from maps and subsets, and where their dats are. */
void op2i_loop_reset_all(op2_context ctx);

#endif
