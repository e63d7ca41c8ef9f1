/* SPDX-License-Identifier: BSD-3-Clause */
/* Check of the graph's edges against the definition of a dependence, pair by pair. It is quadratic
 * in the number of nodes, so it is for debug builds and tests. */
#include <inttypes.h>

#include "error.h"
#include "mem.h"
#include "sched_state.h"

static bool touches(const struct op2i_node *node, const struct op2i_resource *resource,
                    bool *modifies) {
  int32_t n = op2i_op_nresources(node->op);
  for (int32_t r = 0; r < n; r++) {
    if (op2i_node_resource(node, r, NULL) != resource) continue;
    op2_access access = op2i_op_access(node->op, r);
    *modifies = op2i_modifies(access);
    return true;
  }
  return false;
}

static bool conflict(const struct op2i_node *a, const struct op2i_node *b, const char **name) {
  int32_t n = op2i_op_nresources(a->op);
  for (int32_t r = 0; r < n; r++) {
    const struct op2i_resource *resource = op2i_node_resource(a, r, name);
    bool one, other;
    if (touches(b, resource, &other) && touches(a, resource, &one) && (one || other)) return true;
  }
  return false;
}

/* reached[i] is set if node i is an ancestor of `node`. */
static void ancestors(struct op2i_sched *sched, const struct op2i_node *node, bool *reached) {
  int64_t last = node - sched->queue.nodes;
  for (int64_t i = 0; i <= last; i++) reached[i] = i == last;
  for (int64_t i = last; i >= 0; i--) {
    if (!reached[i]) continue;
    const struct op2i_node *at = &sched->queue.nodes[i];
    for (int32_t e = 0; e < at->nedges; e++) {
      struct op2i_node *from = op2i_graph_find(sched, sched->queue.edges[at->first_edge + e].from);
      if (from) reached[from - sched->queue.nodes] = true;
    }
  }
}

op2_status op2i_graph_verify(struct op2i_sched *sched) {
  op2_status status = op2i_graph_join(sched);
  if (status) return status;
  bool *reached = op2i_calloc((size_t)sched->queue.nnodes, sizeof *reached);
  if (!reached) return op2i_error_nomem("the graph's verifier");
  for (int64_t b = 0; b < sched->queue.nnodes && !status; b++) {
    ancestors(sched, &sched->queue.nodes[b], reached);
    const char *name = "";
    for (int64_t a = 0; a < b && !status; a++)
      if (!reached[a] && conflict(&sched->queue.nodes[a], &sched->queue.nodes[b], &name))
        status = op2i_error(OP2_ERR_STATE,
                            "graph: loop %" PRId64 " does not follow loop %" PRId64
                            ", which shares '%s'",
                            sched->queue.nodes[b].number, sched->queue.nodes[a].number, name);
  }
  op2i_free(reached);
  return status;
}
