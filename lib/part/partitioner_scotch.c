/* SPDX-License-Identifier: BSD-3-Clause */
/* Scotch as a partitioner: the graph is gathered on rank 0, which partitions it for all. */
#include "comm_parcel.h"
#include "config.h"

#include "error.h"
#include "partitioner.h"

#if OP2_HAVE_SCOTCH
#include <inttypes.h>
#include <stdio.h> /* scotch.h needs it */
#include <string.h>

#include <scotch.h>

#include "mail.h"
#include "mem.h"

/* The graph as a whole, on rank 0. */
struct whole {
  SCOTCH_Num n, arcs, *offs, *adjacent, *part;
};

static const char *unavailable(const struct op2i_comm *comm) {
  (void)comm;
  return NULL;
}

static void free_whole(struct whole *w) {
  op2i_free(w->offs);
  op2i_free(w->adjacent);
  op2i_free(w->part);
}

/* ---- gathering the graph on rank 0 and scattering the parts ---------------------------------- */

static op2_status to_root(struct op2i_comm *comm, int64_t n, const int64_t *values,
                          struct op2i_parcels *in) {
  const struct op2i_parcel parcel = {0, (size_t)n * sizeof *values, (void *)values};
  return op2i_comm_deliver(comm, 1, &parcel, in);
}

static op2_status make_whole(const struct op2i_spread_graph *graph, int64_t arcs, struct whole *w) {
  int64_t most = sizeof(SCOTCH_Num) == sizeof(int32_t) ? INT32_MAX : INT64_MAX;
  if (graph->size >= most || arcs > most)
    return op2i_error(OP2_ERR_RANGE,
                      "a graph of %" PRId64 " elements and %" PRId64
                      " neighbours is too large for this build of Scotch",
                      graph->size, arcs);
  *w = (struct whole){.n = (SCOTCH_Num)graph->size,
                      .arcs = (SCOTCH_Num)arcs,
                      .offs = op2i_malloc(((size_t)graph->size + 1) * sizeof *w->offs),
                      .adjacent = op2i_malloc((size_t)arcs * sizeof *w->adjacent),
                      .part = op2i_calloc((size_t)graph->size, sizeof *w->part)};
  return w->offs && w->adjacent && w->part ? OP2_SUCCESS : op2i_error_nomem("a graph");
}

/* Parcels are in the order of ranks, and thus of vertices. */
static void fill_whole(const struct op2i_parcels *ends, const struct op2i_parcels *adjacent,
                       struct whole *w) {
  SCOTCH_Num v = 0, a = 0;
  w->offs[0] = 0;
  for (int64_t k = 0; k < ends->n; k++) {
    const int64_t *end = ends->parcel[k].data;
    SCOTCH_Num before = v ? w->offs[v] : 0;
    for (size_t i = 0; i < ends->parcel[k].bytes / sizeof *end; i++)
      w->offs[++v] = before + (SCOTCH_Num)end[i];
  }
  for (int64_t k = 0; k < adjacent->n; k++) {
    const int64_t *to = adjacent->parcel[k].data;
    for (size_t i = 0; i < adjacent->parcel[k].bytes / sizeof *to; i++)
      w->adjacent[a++] = (SCOTCH_Num)to[i];
  }
}

static op2_status gather(const struct op2i_spread_graph *graph, struct whole *w) {
  struct op2i_comm *comm = graph->comm;
  struct op2i_parcels ends = {0}, adjacent = {0};
  int64_t arcs = graph->offs[graph->n];
  op2_status status = op2i_comm_sum(comm, 1, &arcs);
  if (!status)
    status = op2i_comm_agree(comm, comm->rank == 0 ? make_whole(graph, arcs, w) : OP2_SUCCESS);
  if (!status) status = to_root(comm, graph->n, graph->offs + 1, &ends);
  if (!status) status = to_root(comm, graph->offs[graph->n], graph->adjacent, &adjacent);
  if (!status && comm->rank == 0) fill_whole(&ends, &adjacent, w);
  op2i_parcels_free(&ends);
  op2i_parcels_free(&adjacent);
  return status;
}

/* Send each rank the parts of its share from rank 0. */
static op2_status scatter(const struct op2i_spread_graph *graph, const struct whole *w,
                          int32_t *part) {
  struct op2i_comm *comm = graph->comm;
  struct op2i_share share = {.size = graph->size, .ranks = comm->size};
  int64_t n = comm->rank == 0 ? graph->size : 0;
  int32_t *to = op2i_malloc((size_t)n * sizeof *to), *all = op2i_malloc((size_t)n * sizeof *all);
  struct op2i_parcels in = {0};
  op2_status status = to && all ? OP2_SUCCESS : op2i_error_nomem("a graph");
  status = op2i_comm_agree(comm, status);
  for (int64_t i = 0; i < n && !status; i++) {
    to[i] = op2i_share_of(&share, i);
    all[i] = (int32_t)w->part[i];
  }
  if (!status) status = op2i_mail_send(comm, n, to, sizeof *all, all, &in);
  if (in.n) memcpy(part, in.parcel[0].data, in.parcel[0].bytes);
  op2i_parcels_free(&in);
  op2i_free(to);
  op2i_free(all);
  return status;
}

/* ---- partitioning the graph ------------------------------------------------------------------ */

/* Runs in a separate Scotch context, on this thread, so that the parts do not depend on earlier
 * uses of Scotch by the program. */
static int compute(SCOTCH_Graph *graph, SCOTCH_Strat *strategy, struct whole *w, int parts) {
  SCOTCH_Context context;
  SCOTCH_Graph bound;
  if (SCOTCH_contextInit(&context)) return 1;
  int failed = SCOTCH_contextRandomClone(&context);
  if (!failed) {
    SCOTCH_contextRandomSeed(&context, 0);
    failed = SCOTCH_contextThreadSpawn(&context, 1, NULL) || SCOTCH_graphInit(&bound);
  }
  if (!failed) {
    failed = SCOTCH_contextBindGraph(&context, graph, &bound) ||
             SCOTCH_graphPart(&bound, parts, strategy, w->part);
    SCOTCH_graphExit(&bound);
  }
  SCOTCH_contextExit(&context);
  return failed;
}

static op2_status cut_whole(struct whole *w, int parts) {
  SCOTCH_Graph graph;
  SCOTCH_Strat strategy;
  if (SCOTCH_graphInit(&graph)) return op2i_error_nomem("a graph of Scotch's");
  if (SCOTCH_stratInit(&strategy)) {
    SCOTCH_graphExit(&graph);
    return op2i_error_nomem("a strategy of Scotch's");
  }
  int failed =
      SCOTCH_graphBuild(&graph, 0, w->n, w->offs, NULL, NULL, NULL, w->arcs, w->adjacent, NULL) ||
      compute(&graph, &strategy, w, parts);
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&graph);
  if (!failed) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_UNAVAILABLE, "Scotch could not cut the graph (it does not say why; it "
                                         "may have run out of memory)");
}

static op2_status cut(const struct op2i_spread_graph *graph, int32_t *part) {
  struct whole w = {0};
  bool root = graph->comm->rank == 0 && graph->size > 0;
  op2_status status = gather(graph, &w);
  if (!status)
    status = op2i_comm_agree(graph->comm, root ? cut_whole(&w, graph->comm->size) : OP2_SUCCESS);
  if (!status) status = scatter(graph, &w, part);
  free_whole(&w);
  return status;
}

const struct op2i_partitioner op2i_partitioner_scotch = {"Scotch", unavailable, cut};

#else

static const char *unavailable(const struct op2i_comm *comm) {
  (void)comm;
  return "it was built without Scotch";
}

static op2_status cut(const struct op2i_spread_graph *graph, int32_t *part) {
  (void)part;
  return op2i_error(OP2_ERR_UNAVAILABLE, "no parts of a graph: %s", unavailable(graph->comm));
}

const struct op2i_partitioner op2i_partitioner_scotch = {"Scotch", unavailable, cut};
#endif
