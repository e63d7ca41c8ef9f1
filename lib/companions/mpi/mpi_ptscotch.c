/* SPDX-License-Identifier: BSD-3-Clause */
/* PT-Scotch as a partitioner: the graph stays distributed over the ranks, which partition it
 * together. */
#include "mpi_ptscotch.h"

#if defined(OP2_MPI_PTSCOTCH)
#include <limits.h>
#include <stdint.h>
#include <stdio.h> /* ptscotch.h needs it */

#include "mpi_comm.h"

#include <ptscotch.h>

#include "partitioner.h"

/* The functions of a partitioner have no argument for this. */
static const struct op2i_companion *op2;

static const char *unavailable(const struct op2i_comm *comm) {
  MPI_Comm mpi;
  return op2i_comm_is_mpi(comm, &mpi) ? NULL : "PT-Scotch needs ranks of MPI";
}

/* One rank's part of the graph, in PT-Scotch's integers. */
struct part {
  SCOTCH_Num n, arcs, *offs, *adjacent, *part;
};

static void free_part(struct part *p) {
  op2->free(p->offs);
  op2->free(p->adjacent);
  op2->free(p->part);
}

/* Convert the graph to PT-Scotch's integers, in which it also counts the arcs of all ranks
 * together. */
static op2_status convert(const struct op2i_spread_graph *graph, MPI_Comm mpi, struct part *p) {
  int64_t most = sizeof(SCOTCH_Num) == sizeof(int32_t) ? INT32_MAX : INT64_MAX;
  int64_t arcs = graph->offs[graph->n], all = arcs;
  if (MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, mpi) != MPI_SUCCESS)
    return op2->error(OP2_ERR_FATAL, "MPI failed while ranks counted the arcs of a graph");
  if (graph->size >= most || all > most)
    return op2->error(OP2_ERR_RANGE, "a graph of so many elements is too large for this build of "
                                     "PT-Scotch");
  *p = (struct part){.n = (SCOTCH_Num)graph->n,
                     .arcs = (SCOTCH_Num)arcs,
                     .offs = op2->calloc((size_t)graph->n + 1, sizeof *p->offs),
                     .adjacent = op2->calloc((size_t)arcs + 1, sizeof *p->adjacent),
                     .part = op2->calloc((size_t)graph->n + 1, sizeof *p->part)};
  if (!p->offs || !p->adjacent || !p->part) return op2->error_nomem("a graph");
  for (int64_t v = 0; v <= graph->n; v++) p->offs[v] = (SCOTCH_Num)graph->offs[v];
  for (int64_t a = 0; a < arcs; a++) p->adjacent[a] = (SCOTCH_Num)graph->adjacent[a];
  return OP2_SUCCESS;
}

/* PT-Scotch runs in a context of its own, on this thread, so that the parts depend neither on
 * earlier calls of Scotch by the program, nor on the order in which messages arrive. */
static int compute(SCOTCH_Dgraph *graph, SCOTCH_Strat *strategy, struct part *p, int parts,
                   MPI_Comm mpi) {
  SCOTCH_Context context;
  SCOTCH_Dgraph bound;
  if (SCOTCH_contextInit(&context)) return 1;
  int failed = SCOTCH_contextRandomClone(&context);
  if (!failed) {
    SCOTCH_contextRandomSeed(&context, 0);
    failed = SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) ||
             SCOTCH_contextThreadSpawn(&context, 1, NULL) || SCOTCH_dgraphInit(&bound, mpi);
  }
  if (!failed) {
    failed = SCOTCH_contextBindDgraph(&context, graph, &bound) ||
             SCOTCH_dgraphPart(&bound, parts, strategy, p->part);
    SCOTCH_dgraphExit(&bound);
  }
  SCOTCH_contextExit(&context);
  return failed;
}

static op2_status cut_parts(struct part *p, int parts, MPI_Comm mpi) {
  SCOTCH_Dgraph graph;
  SCOTCH_Strat strategy;
  if (SCOTCH_dgraphInit(&graph, mpi)) return op2->error_nomem("a graph of PT-Scotch's");
  SCOTCH_stratInit(&strategy);
  int failed = SCOTCH_dgraphBuild(&graph, 0, p->n, p->n, p->offs, NULL, NULL, NULL, p->arcs,
                                  p->arcs, p->adjacent, NULL, NULL) ||
               compute(&graph, &strategy, p, parts, mpi);
  SCOTCH_stratExit(&strategy);
  SCOTCH_dgraphExit(&graph);
  if (!failed) return OP2_SUCCESS;
  return op2->error(OP2_ERR_UNAVAILABLE, "PT-Scotch could not cut the graph (it does not say why; "
                                         "it may have run out of memory)");
}

static op2_status cut(const struct op2i_spread_graph *graph, int32_t *out) {
  struct part p = {0};
  MPI_Comm mpi = MPI_COMM_NULL;
  (void)op2i_comm_is_mpi(graph->comm, &mpi);
  op2_status status = convert(graph, mpi, &p);
  status = op2->agree(graph->comm, status);
  if (!status && graph->size > 0)
    status = op2->agree(graph->comm, cut_parts(&p, graph->comm->size, mpi));
  for (int64_t v = 0; v < graph->n && !status; v++) out[v] = (int32_t)p.part[v];
  free_part(&p);
  return status;
}

static const struct op2i_partitioner ptscotch = {"PT-Scotch", unavailable, cut};

void op2i_mpi_offer_ptscotch(const struct op2i_companion *companion) {
  op2 = companion;
  companion->partitioner_offer(&ptscotch);
}

#else
void op2i_mpi_offer_ptscotch(const struct op2i_companion *op2) { (void)op2; }
#endif
