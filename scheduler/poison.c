/* SPDX-License-Identifier: BSD-3-Clause */
/* What failures spoil: values that are not there make the loops that need them be cancelled, until
 * they are overwritten as a whole. */
#include "program.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* Whether the loop writes rows of its dat r that are not owned. */
static bool writes_halo(const struct op2i_loop *loop, int32_t r) {
  if (r >= loop->ndats ||
      loop->dats[r]->set->ends[OP2I_NONEXEC] == loop->dats[r]->set->ends[OP2I_OWNED])
    return false;
  bool mapped = false;
  for (int a = 0; a < loop->nargs; a++)
    mapped |= loop->args[a].dat == r && loop->args[a].map >= 0 && loop->args[a].access != OP2_READ;
  return mapped || loop->nranges > 1;
}

/* Whether a node leaves nothing of the poison in one of its resources. */
static bool cures(const struct op2i_node *node, int32_t r, bool halo) {
  const struct op2i_loop *loop = node->loop;
  if (op2i_node_access(node, r) != OP2_WRITE) return false;
  return !halo || loop->ranges[loop->nranges - 1].hi == loop->dats[r]->set->ends[OP2I_NONEXEC];
}

static int32_t resources(const struct op2i_node *node) {
  return node->loop->ndats + node->loop->ngbls;
}

/* ---- as it is -------------------------------------------------------------------------------- */

struct op2i_failure *op2i_poison_read(const struct op2i_node *node) {
  struct op2i_failure *lowest = NULL;
  for (int32_t r = 0; r < resources(node); r++) {
    struct op2i_failure *poison = op2i_node_resource(node, r, NULL)->poison;
    if (!poison || op2i_node_access(node, r) == OP2_WRITE) continue;
    if (!lowest || poison->loop_number < lowest->loop_number) lowest = poison;
  }
  return lowest;
}

void op2i_poison_results(const struct op2i_node *node, struct op2i_failure *failure) {
  for (int32_t r = 0; r < resources(node); r++) {
    struct op2i_resource *resource = op2i_node_resource(node, r, NULL);
    if (op2i_node_access(node, r) == OP2_READ) continue;
    op2i_resource_poison(resource, failure);
    resource->poison_halo |= writes_halo(node->loop, r);
  }
}

void op2i_poison_cure(const struct op2i_node *node) {
  for (int32_t r = 0; r < node->loop->ndats; r++) {
    struct op2i_resource *resource = op2i_node_resource(node, r, NULL);
    if (resource->poison && cures(node, r, resource->poison_halo))
      op2i_resource_poison(resource, NULL);
  }
}

/* ---- as it will be --------------------------------------------------------------------------- */

enum { GOOD, OWNED_ROWS, ALL_ROWS };

static bool any_poison(struct op2i_sched *sched) {
  bool any = sched->no_codes > 0;
  for (int64_t i = 0; i < sched->nnodes; i++) {
    struct op2i_node *node = &sched->nodes[i];
    node->unfit = false;
    if (node->marked && !any) any = op2i_poison_read(node);
  }
  return any;
}

static void doubt_poisoned(const struct op2i_node *node) {
  for (int32_t r = 0; r < resources(node); r++) {
    struct op2i_resource *resource = op2i_node_resource(node, r, NULL);
    resource->doubt = !resource->poison ? GOOD : resource->poison_halo ? ALL_ROWS : OWNED_ROWS;
  }
}

static bool reads_doubtful(const struct op2i_node *node) {
  for (int32_t r = 0; r < resources(node); r++)
    if (op2i_node_access(node, r) != OP2_WRITE && op2i_node_resource(node, r, NULL)->doubt)
      return true;
  return false;
}

static void pass_on(const struct op2i_node *node) {
  for (int32_t r = 0; r < resources(node); r++) {
    unsigned char *doubt = &op2i_node_resource(node, r, NULL)->doubt;
    if (!node->unfit) {
      if (*doubt && cures(node, r, *doubt == ALL_ROWS)) *doubt = GOOD;
    } else if (op2i_node_access(node, r) != OP2_READ && *doubt != ALL_ROWS) {
      *doubt = writes_halo(node->loop, r) ? ALL_ROWS : OWNED_ROWS;
    }
  }
}

int64_t op2i_find_unfit(struct op2i_sched *sched) {
  int64_t found = 0;
  if (!any_poison(sched)) return 0;
  for (int64_t i = 0; i < sched->nnodes; i++)
    if (sched->nodes[i].marked) doubt_poisoned(&sched->nodes[i]);
  for (int64_t i = 0; i < sched->nnodes; i++) {
    struct op2i_node *node = &sched->nodes[i];
    if (!node->marked) continue;
    if (node->state == OP2I_QUEUED) /* others have run, as parts of fused loops */
      node->unfit = op2i_no_code(node->loop) || reads_doubtful(node);
    pass_on(node);
    found += node->unfit;
  }
  return found;
}
