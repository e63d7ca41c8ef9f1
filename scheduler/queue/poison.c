/* SPDX-License-Identifier: BSD-3-Clause */
/* What failures spoil: values that are not there make what needs them be cancelled, until they are
 * overwritten as a whole. */
#include "settle.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* Whether the operation writes rows of its dat r that are not owned. Loops know which they write;
 * others have whole dats. Those that other ranks own are stale after any write, and brought anew. */
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

/* Whether an operation leaves nothing of the poison in one of its resources. */
static bool cures(struct op2i_op *op, int32_t r, bool halo) {
  const struct op2i_loop *loop = op2i_op_loop(op);
  if (!op2i_overwrites(op2i_op_access(op, r))) return false;
  return !loop || !halo ||
         loop->ranges[loop->nranges - 1].hi == op->dats[r]->set->ends[OP2I_NONEXEC];
}

/* ---- poison ---------------------------------------------------------------------------------- */

struct op2i_failure *op2i_poison_read(const struct op2i_node *node) {
  struct op2i_failure *lowest = NULL;
  if (!node->op->ctx->npoisoned) return NULL;
  for (int32_t r = 0; r < op2i_op_nresources(node->op); r++) {
    struct op2i_failure *poison = op2i_node_resource(node, r, NULL)->poison;
    if (!poison || op2i_overwrites(op2i_op_access(node->op, r))) continue;
    if (!lowest || poison->loop_number < lowest->loop_number) lowest = poison;
  }
  return lowest;
}

void op2i_poison_results(const struct op2i_node *node, struct op2i_failure *failure) {
  for (int32_t r = 0; r < op2i_op_nresources(node->op); r++) {
    struct op2i_resource *resource = op2i_node_resource(node, r, NULL);
    if (!op2i_modifies(op2i_op_access(node->op, r))) continue;
    op2i_resource_poison(resource, failure);
    resource->poison_halo |= writes_halo(node->op, r);
  }
}

void op2i_poison_cure(const struct op2i_node *node) {
  if (!node->op->ctx->npoisoned) return;
  for (int32_t r = 0; r < op2i_op_nresources(node->op); r++) {
    struct op2i_resource *resource = op2i_node_resource(node, r, NULL);
    if (resource->poison && cures(node->op, r, resource->poison_halo))
      op2i_resource_poison(resource, NULL);
  }
}
