/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PARTITIONER_H
#define OP2I_PARTITIONER_H

/* Partitioners of graphs for OP2_PARTITION_KWAY. A partitioner is a constant table. The library's
 * own gathers the graph and calls Scotch (partitioner_scotch.c). A companion library that knows the
 * kind of communicator, as that with PT-Scotch knows MPI, offers another one when it is loaded or
 * first used. */

#include "comm.h"

/* A graph that is distributed over ranks in equal shares of vertices. This rank has the vertices
 * first to first + n - 1, and adjacent[offs[v]..offs[v + 1] - 1] are the numbers of the neighbours
 * of vertex first + v: ascending, without duplicates and without the vertex itself. The relation is
 * symmetric. */
struct op2i_spread_graph {
  struct op2i_comm *comm;
  int64_t size, first, n, *offs, *adjacent;
};

struct op2i_partitioner {
  const char *name;
  /* The reason why it cannot be used on these ranks, the same on all; null: it can. */
  const char *(*unavailable)(const struct op2i_comm *comm);
  /* part[n] becomes the rank of each vertex of this share. Collective, fails on all ranks alike,
   * and gives the same result for the same graph. */
  op2_status (*cut)(const struct op2i_spread_graph *graph, int32_t *part);
};

/* Register a partitioner, for the life of the process. The one that was registered last is tried
 * first; repeated registrations have no effect. */
void op2i_partitioner_offer(const struct op2i_partitioner *partitioner);
/* The first usable partitioner; or null, and the reason why the library's own cannot be used. */
const struct op2i_partitioner *op2i_partitioner_find(const struct op2i_comm *comm,
                                                     const char **why);

extern const struct op2i_partitioner op2i_partitioner_scotch;

#endif
