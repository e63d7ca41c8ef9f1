/* SPDX-License-Identifier: BSD-3-Clause */
/* What failures spoil: values that are not there make what needs them be cancelled, until they are
 * overwritten as a whole. */
#include "program.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* Whether the operation writes rows of its dat r that are not owned. Loops know which they write;
 * others have whole dats. */
static bool writes_halo(struct op2i_op *op, int32_t r) {
  const struct op2i_loop *loop = op2i_op_loop(op);
  if (r >= op->ndats || op->dats[r]->set->ends[OP2I_NONEXEC] == op->dats[r]->set->ends[OP2I_OWNED])
    return false;
  bool mapped = !loop;
  for (int a = 0; loop && a < loop->nargs; a++)
    mapped |= loop->args[a].dat == r && loop->args[a].map >= 0 && loop->args[a].access != OP2_READ;
  return mapped || loop->nranges > 1;
}

/* Whether an operation leaves nothing of the poison in one of its resources. */
static bool cures(struct op2i_op *op, int32_t r, bool halo) {
  const struct op2i_loop *loop = op2i_op_loop(op);
  if (op2i_op_access(op, r) != OP2_WRITE) return false;
  return !loop || !halo ||
         loop->ranges[loop->nranges - 1].hi == op->dats[r]->set->ends[OP2I_NONEXEC];
}

/* ---- as it is -------------------------------------------------------------------------------- */

struct op2i_failure *op2i_poison_read(const struct op2i_node *node) {
  struct op2i_failure *lowest = NULL;
  for (int32_t r = 0; r < op2i_op_nresources(node->op); r++) {
    struct op2i_failure *poison = op2i_node_resource(node, r, NULL)->poison;
    if (!poison || op2i_op_access(node->op, r) == OP2_WRITE) continue;
    if (!lowest || poison->loop_number < lowest->loop_number) lowest = poison;
  }
  return lowest;
}

void op2i_poison_results(const struct op2i_node *node, struct op2i_failure *failure) {
  for (int32_t r = 0; r < op2i_op_nresources(node->op); r++) {
    struct op2i_resource *resource = op2i_node_resource(node, r, NULL);
    if (op2i_op_access(node->op, r) == OP2_READ) continue;
    op2i_resource_poison(resource, failure);
    resource->poison_halo |= writes_halo(node->op, r);
  }
}

void op2i_poison_cure(const struct op2i_node *node) {
  for (int32_t r = 0; r < op2i_op_nresources(node->op); r++) {
    struct op2i_resource *resource = op2i_node_resource(node, r, NULL);
    if (resource->poison && cures(node->op, r, resource->poison_halo))
      op2i_resource_poison(resource, NULL);
  }
}

/* ---- as it will be --------------------------------------------------------------------------- */

enum { GOOD, OWNED_ROWS, ALL_ROWS };

static bool any_poison(struct op2i_sched *sched, int64_t first, int64_t end) {
  bool any = sched->no_codes > 0;
  for (int64_t i = first; i < end; i++) {
    struct op2i_node *node = &sched->nodes[i];
    node->unfit = false;
    if (node->marked && !any) any = op2i_poison_read(node);
  }
  return any;
}

static void doubt_poisoned(const struct op2i_node *node) {
  for (int32_t r = 0; r < op2i_op_nresources(node->op); r++) {
    struct op2i_resource *resource = op2i_node_resource(node, r, NULL);
    resource->doubt = !resource->poison ? GOOD : resource->poison_halo ? ALL_ROWS : OWNED_ROWS;
  }
}

static bool reads_doubtful(const struct op2i_node *node) {
  for (int32_t r = 0; r < op2i_op_nresources(node->op); r++)
    if (op2i_op_access(node->op, r) != OP2_WRITE && op2i_node_resource(node, r, NULL)->doubt)
      return true;
  return false;
}

static void pass_on(const struct op2i_node *node) {
  for (int32_t r = 0; r < op2i_op_nresources(node->op); r++) {
    unsigned char *doubt = &op2i_node_resource(node, r, NULL)->doubt;
    if (!node->unfit) {
      if (*doubt && cures(node->op, r, *doubt == ALL_ROWS)) *doubt = GOOD;
    } else if (op2i_op_access(node->op, r) != OP2_READ && *doubt != ALL_ROWS) {
      *doubt = writes_halo(node->op, r) ? ALL_ROWS : OWNED_ROWS;
    }
  }
}

int64_t op2i_find_unfit(struct op2i_sched *sched, int64_t first, int64_t end) {
  int64_t found = 0;
  if (!any_poison(sched, first, end)) return 0;
  for (int64_t i = first; i < end; i++)
    if (sched->nodes[i].marked) doubt_poisoned(&sched->nodes[i]);
  for (int64_t i = first; i < end; i++) {
    struct op2i_node *node = &sched->nodes[i];
    if (!node->marked) continue;
    if (node->state == OP2I_QUEUED) /* others have run, as parts of fused loops */
      node->unfit = op2i_no_code(op2i_node_loop(node)) || reads_doubtful(node);
    pass_on(node);
    found += node->unfit;
  }
  return found;
}
