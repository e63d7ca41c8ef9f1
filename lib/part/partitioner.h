/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PARTITIONER_H
#define OP2I_PARTITIONER_H

/* What cuts graphs for OP2_PARTITION_KWAY. A partitioner is a constant table. The library's own is
 * gathered Scotch (partitioner_scotch.c); a library of its own that knows the kind of a communicator,
 * as one with PT-Scotch would know MPI's, offers another when it is loaded or first used. */

#include "comm.h"

/* A graph that is spread over ranks in equal shares of vertices: of those with numbers first to
 * first + n - 1, adjacent[offs[v]..offs[v + 1] - 1] are the neighbours of vertex first + v by number,
 * ascending, each once and never itself; whoever is a neighbour has the other as one. */
struct op2i_spread_graph {
  struct op2i_comm *comm;
  int64_t size, first, n, *offs, *adjacent;
};

struct op2i_partitioner {
  const char *name;
  /* Why not over these ranks, in words, the same on all; null: it can. */
  const char *(*unavailable)(const struct op2i_comm *comm);
  /* part[n]: to which of the ranks each vertex of this share goes. Collective, fails on all ranks
   * alike, and gives the same for the same graph. */
  op2_status (*cut)(const struct op2i_spread_graph *graph, int32_t *part);
};

/* The last that was offered is asked first. Stays for good; offered twice it is there once. */
void op2i_partitioner_offer(const struct op2i_partitioner *partitioner);
/* The first that can, or null and why the library's own cannot. */
const struct op2i_partitioner *op2i_partitioner_find(const struct op2i_comm *comm,
                                                     const char **why);

extern const struct op2i_partitioner op2i_partitioner_scotch;

#endif
