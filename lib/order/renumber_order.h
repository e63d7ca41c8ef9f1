/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_RENUMBER_ORDER_H
#define OP2I_RENUMBER_ORDER_H

#include "renumber.h"

/* Orders of sets, which are found from their maps. */

/* Keep the set's present order. */
op2_status op2i_order_keep(struct op2i_renumber *r);
/* Order the map's target set by the graph of its elements: see op2_renumber(). */
op2_status op2i_order_by_graph(op2_map map, struct op2i_renumber *to);
/* Order the set from which a map leads by the new numbers of its targets: sorted by the smallest
 * one, then by the next ones; equal rows stay in order. */
op2_status op2i_order_by_targets(op2_map map, const struct op2i_renumber *to,
                                 struct op2i_renumber *from);
/* Order the target set of a map as its elements are first reached by rows in their new order;
 * elements that no row reaches keep their order and come last. */
op2_status op2i_order_by_touch(op2_map map, const struct op2i_renumber *from,
                               struct op2i_renumber *to);
/* adjacent[offs[v]..offs[v + 1] - 1]: the neighbours of v, each once and never v itself. */
struct op2i_mesh_graph {
  int64_t n, *offs;
  int32_t *adjacent;
};
op2_status op2i_mesh_graph_create(op2_map map, struct op2i_mesh_graph *graph);
void op2i_mesh_graph_free(struct op2i_mesh_graph *graph);
/* order_scotch.c: an order of a graph's vertices in which neighbours are near each other. It
 * depends on the graph alone. */
const char *op2i_order_unavailable(void); /* null when usable, else why not */
op2_status op2i_order_graph(const struct op2i_mesh_graph *graph, int64_t *order);

#endif
