/* SPDX-License-Identifier: BSD-3-Clause */
/* Poison: a failure makes the values invalid that the node was to write. Nodes that read them are
 * cancelled until the values are overwritten as a whole. */
#include "settle.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* True if the operation writes rows of its dat r that are not owned. This is known for loops; other
 * operations are taken to write whole dats. Rows that other ranks own do not count: they are stale
 * after any write, and are received again. */
static bool writes_halo(struct op2i_op *op, int32_t r) {
  const struct op2i_loop *loop = op2i_op_loop(op);
  if (r < op->ndats && op->dats[r]->set->halo) return false;
  if (r >= op->ndats || op->dats[r]->set->ends[OP2I_NONEXEC] == op->dats[r]->set->ends[OP2I_OWNED])
    return false;
  bool mapped = !loop;
  for (int a = 0; loop && a < loop->nargs; a++)
    mapped |=
        loop->args[a].dat == r && loop->args[a].map >= 0 && op2i_modifies(loop->args[a].access);
  return mapped || op2i_loop_runs_over(loop, OP2I_EXEC);
}

/* True if the operation overwrites every poisoned row of its resource r. */
static bool cures(struct op2i_op *op, int32_t r, bool halo) {
  const struct op2i_loop *loop = op2i_op_loop(op);
  if (!op2i_overwrites(op2i_op_access(op, r))) return false;
  return !loop || !halo ||
         loop->ranges[loop->nranges - 1].hi == op->dats[r]->set->ends[OP2I_NONEXEC];
}

/* ---- poison ---------------------------------------------------------------------------------- */

struct op2i_failure *op2i_poison_lowest(const struct op2i_node *node) {
  struct op2i_failure *lowest = NULL;
  for (int32_t r = 0; r < op2i_op_nresources(node->op); r++) {
    struct op2i_failure *poison = op2i_resource_record(op2i_node_resource(node, r, NULL))->poison;
    if (!poison || op2i_overwrites(op2i_op_access(node->op, r))) continue;
    if (!lowest || poison->loop_number < lowest->loop_number) lowest = poison;
  }
  if (!lowest && node->beside) lowest = op2i_resource_record(&node->beside->res)->poison;
  return lowest;
}

void op2i_poison_results(const struct op2i_node *node, struct op2i_failure *failure) {
  for (int32_t r = 0; r < op2i_op_nresources(node->op); r++) {
    const struct op2i_resource *resource = op2i_node_resource(node, r, NULL);
    if (!op2i_modifies(op2i_op_access(node->op, r))) continue;
    op2i_resource_poison(resource, failure);
    op2i_resource_record(resource)->poison_halo |= writes_halo(node->op, r);
  }
}

void op2i_poison_cure(const struct op2i_node *node) {
  if (!node->op->ctx->records->npoisoned) return;
  for (int32_t r = 0; r < op2i_op_nresources(node->op); r++) {
    const struct op2i_resource *resource = op2i_node_resource(node, r, NULL);
    const struct op2i_record *record = op2i_resource_record(resource);
    if (record->poison && cures(node->op, r, record->poison_halo))
      op2i_resource_poison(resource, NULL);
  }
}
