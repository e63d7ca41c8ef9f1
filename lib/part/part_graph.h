/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PART_GRAPH_H
#define OP2I_PART_GRAPH_H

#include "part.h"

/* The graph that is cut, and its shape. */

/* part_collect.c: the list of sets and maps, and its release. */
op2_status op2i_part_collect(op2_context ctx, struct op2i_parting *p);
void op2i_part_free(struct op2i_parting *p);
int op2i_part_find(const struct op2i_parting *p, op2_set set);
op2_status op2i_part_agree(const struct op2i_parting *p, op2_status status);
/* part_arcs.c: the graph of a map as this rank's rows give it, by ascending numbers of elements:
 * for each its number, how many neighbours it has, and their numbers. Not collective. */
struct op2i_part_arcs {
  int64_t nwords, *word;
};
op2_status op2i_part_list_arcs(const struct op2i_parting *p, const struct op2i_part_map *m,
                               struct op2i_part_arcs *arcs);

#endif
