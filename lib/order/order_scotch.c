/* SPDX-License-Identifier: BSD-3-Clause */
/* Ordering of graphs by Scotch. Among the files of lib/order only this one includes Scotch's
 * headers. */
#include "config.h"

#include "error.h"
#include "renumber.h"
#include "renumber_order.h"

#if OP2_HAVE_SCOTCH
#include <inttypes.h>
#include <stdio.h> /* scotch.h needs it */

#include <scotch.h>

#include "mem.h"

/* The Gibbs-Poole-Stockmeyer method, which gives a small bandwidth. */
static const char strategy_text[] = "g";

struct order {
  SCOTCH_Num n, arcs, *offs, *adjacent, *order; /* Scotch's `peri`: order[new] = old */
  SCOTCH_Graph graph;
  SCOTCH_Strat strategy;
};

const char *op2i_order_unavailable(void) { return NULL; }

static op2_status convert(const struct op2i_mesh_graph *graph, struct order *o) {
  int64_t most = sizeof(SCOTCH_Num) == sizeof(int32_t) ? INT32_MAX : INT64_MAX;
  int64_t arcs = graph->offs[graph->n];
  if (graph->n >= most || arcs > most)
    return op2i_error(OP2_ERR_RANGE,
                      "a graph of %" PRId64 " elements and %" PRId64
                      " neighbours is too large for this build of Scotch",
                      graph->n, arcs);
  o->n = (SCOTCH_Num)graph->n;
  o->arcs = (SCOTCH_Num)arcs;
  o->offs = op2i_malloc(((size_t)graph->n + 1) * sizeof *o->offs);
  o->adjacent = op2i_malloc((size_t)arcs * sizeof *o->adjacent);
  o->order = op2i_malloc((size_t)graph->n * sizeof *o->order);
  if (!o->offs || !o->adjacent || !o->order) return op2i_error_nomem("a graph");
  for (int64_t v = 0; v <= graph->n; v++) o->offs[v] = (SCOTCH_Num)graph->offs[v];
  for (int64_t a = 0; a < arcs; a++) o->adjacent[a] = graph->adjacent[a];
  return OP2_SUCCESS;
}

/* Runs in a separate Scotch context, on this thread, so that the order does not depend on earlier
 * uses of Scotch by the program. */
static int compute(struct order *o, SCOTCH_Context *context) {
  SCOTCH_Graph bound;
  if (SCOTCH_contextRandomClone(context)) return 1;
  SCOTCH_contextRandomSeed(context, 0);
  if (SCOTCH_contextThreadSpawn(context, 1, NULL) || SCOTCH_graphInit(&bound)) return 1;
  int failed = SCOTCH_contextBindGraph(context, &o->graph, &bound);
  if (!failed) failed = SCOTCH_graphOrder(&bound, &o->strategy, NULL, o->order, NULL, NULL, NULL);
  SCOTCH_graphExit(&bound);
  return failed;
}

static op2_status run(struct order *o) {
  SCOTCH_Context context;
  op2_status status = op2i_error(OP2_ERR_NOMEM, "Scotch could not be started");
  if (SCOTCH_graphInit(&o->graph)) return status;
  if (SCOTCH_stratInit(&o->strategy)) goto graph;
  if (SCOTCH_contextInit(&context)) goto strategy;
  int failed = SCOTCH_graphBuild(&o->graph, 0, o->n, o->offs, NULL, NULL, NULL, o->arcs,
                                 o->adjacent, NULL) ||
               SCOTCH_stratGraphOrder(&o->strategy, strategy_text) || compute(o, &context);
  SCOTCH_contextExit(&context);
  status = failed ? op2i_error(OP2_ERR_UNAVAILABLE, "Scotch could not order the graph (it does not "
                                                    "say why; it may have run out of memory)")
                  : OP2_SUCCESS;
strategy:
  SCOTCH_stratExit(&o->strategy);
graph:
  SCOTCH_graphExit(&o->graph);
  return status;
}

op2_status op2i_order_graph(const struct op2i_mesh_graph *graph, int64_t *order) {
  struct order o = {0};
  op2_status status = graph->n ? convert(graph, &o) : OP2_SUCCESS;
  if (!status && graph->n) status = run(&o);
  for (int64_t i = 0; i < graph->n && !status; i++) order[i] = o.order[i];
  op2i_free(o.offs);
  op2i_free(o.adjacent);
  op2i_free(o.order);
  return status;
}

#else

const char *op2i_order_unavailable(void) { return "it was built without Scotch"; }

op2_status op2i_order_graph(const struct op2i_mesh_graph *graph, int64_t *order) {
  (void)graph;
  (void)order;
  return op2i_error(OP2_ERR_UNAVAILABLE, "no order of a graph: %s", op2i_order_unavailable());
}
#endif
