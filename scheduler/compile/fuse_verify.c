/* SPDX-License-Identifier: BSD-3-Clause */
/* Check that a grouping keeps what the graph requires, from the definitions and independently of
 * how it was made. It is for debug builds and tests. */
#include <inttypes.h>

#include "error.h"
#include "mem.h"
#include "passes.h"

/* The place of a node in the grouping: its index in grouping->nodes, and its group. */
struct where {
  int64_t at, group;
};

static op2_status find_all(const struct op2i_grouping *grouping, struct where *where) {
  int64_t next = 0;
  for (int64_t p = 0; p < grouping->n; p++) where[p] = (struct where){-1, -1};
  for (int64_t g = 0; g < grouping->ngroups; g++) {
    const struct op2i_group *group = &grouping->groups[g];
    if (group->first != next || group->count < 1)
      return op2i_error(OP2_ERR_STATE,
                        "group %" PRId64 " begins at %" PRId64 " instead of %" PRId64, g,
                        group->first, next);
    for (; next < group->first + group->count && next < grouping->n; next++) {
      int32_t index = grouping->nodes[next];
      if (index < 0 || index >= grouping->n || where[index].at >= 0)
        return op2i_error(OP2_ERR_STATE, "node %" PRId32 " is not there or in two groups", index);
      where[index] = (struct where){next, g};
    }
  }
  if (next != grouping->n)
    return op2i_error(OP2_ERR_STATE, "%" PRId64 " of %" PRId64 " loops are in groups", next,
                      grouping->n);
  return OP2_SUCCESS;
}

static op2_status check_edges(const struct op2i_sched *sched, struct op2i_node *const *nodes,
                              int64_t n, const struct where *where) {
  for (int64_t p = 0; p < n; p++)
    for (int32_t e = 0; e < nodes[p]->nedges; e++) {
      int64_t q = op2i_graph_place(nodes, n, sched->queue.edges[nodes[p]->first_edge + e].from);
      if (q >= 0 && where[q].at > where[p].at)
        return op2i_error(OP2_ERR_STATE,
                          "loop %" PRId64 " was put before loop %" PRId64 ", on which it depends",
                          nodes[p]->number, nodes[q]->number);
    }
  return OP2_SUCCESS;
}

/* Operations of kinds that keep the order of the queue must be in that order, whatever they use. */
static op2_status check_in_order(struct op2i_node *const *nodes,
                                 const struct op2i_grouping *grouping) {
  int32_t last = -1;
  for (int64_t i = 0; i < grouping->n; i++) {
    int32_t index = grouping->nodes[i];
    if (!nodes[index]->op->kind->in_order) continue;
    if (index < last)
      return op2i_error(OP2_ERR_STATE, "%s %" PRId64 " was put before %s %" PRId64,
                        nodes[last]->op->kind->name, nodes[last]->number,
                        nodes[index]->op->kind->name, nodes[index]->number);
    last = index;
  }
  return OP2_SUCCESS;
}

/* ---- two loops in one group ------------------------------------------------------------------ */

enum { FREE = -1, SEVERAL = -2 };

typedef bool visitor(int64_t *owner, int64_t position);

/* Sets the owner to the first iteration that accesses the element, and to SEVERAL when
 * others do, too. */
static bool claim(int64_t *owner, int64_t position) {
  *owner = *owner == FREE || *owner == position ? position : SEVERAL;
  return true;
}
static bool may_own(int64_t *owner, int64_t position) {
  return *owner == FREE || *owner == position;
}

static bool visit_arg(const struct op2i_loop *loop, const struct op2i_loop_arg *arg, int64_t *owner,
                      visitor *visit) {
  for (int r = 0; r < loop->nranges; r++)
    for (int64_t i = loop->ranges[r].lo; i < loop->ranges[r].hi; i++) {
      int64_t e = loop->set->idx ? loop->set->idx[i] : i;
      struct op2i_targets targets = op2i_arg_targets(loop, arg, e);
      for (int64_t k = 0; k < targets.at.n; k++)
        if (!visit(&owner[op2i_target(targets, k)], i)) return false;
    }
  return true;
}

static bool visit_dat(const struct op2i_loop *loop, op2_dat dat, int64_t *owner, visitor *visit) {
  for (int a = 0; a < loop->nargs; a++)
    if (loop->args[a].dat >= 0 && loop->op.dats[loop->args[a].dat] == dat &&
        !visit_arg(loop, &loop->args[a], owner, visit))
      return false;
  return true;
}

/* True if one of the accesses keeps the best. */
static bool have_bounds(unsigned accesses) {
  bool any = false;
  for (int access = OP2_READ; op2i_access_valid(access); access++)
    any |= (accesses & 1u << access) && op2i_bounds((op2_access)access);
  return any;
}

/* The accesses to a dat as a set of bits. */
static unsigned accesses(const struct op2i_loop *loop, op2_dat dat) {
  unsigned bits = 0;
  for (int a = 0; a < loop->nargs; a++)
    if (loop->args[a].dat >= 0 && loop->op.dats[loop->args[a].dat] == dat)
      bits |= 1u << loop->args[a].access;
  return bits;
}

/* True if the accesses commute: there are only reads, or only updates of one kind. Minima and
 * maxima of floating type do not commute, since the values may begin with a NaN. */
static bool order_is_free(const struct op2i_loop *a, const struct op2i_loop *b, op2_dat dat) {
  unsigned all = accesses(a, dat) | accesses(b, dat);
  const bool one_kind = (all & (all - 1)) == 0;
  if (one_kind && have_bounds(all)) return !op2i_type_real(dat->type);
  return all == 1u << OP2_READ || all == 1u << OP2_INC;
}

/* Iterations of the two loops that access an element in conflicting ways must be the same
 * iteration. */
static op2_status check_dat(const struct op2i_loop *a, const struct op2i_loop *b, op2_dat dat) {
  int64_t size = dat->set->ends[OP2I_NONEXEC];
  if (!accesses(b, dat) || order_is_free(a, b, dat)) return OP2_SUCCESS;
  int64_t *owner = op2i_malloc((size_t)size * sizeof *owner);
  if (!owner) return op2i_error_nomem("the verifier of fusion");
  for (int64_t e = 0; e < size; e++) owner[e] = FREE;
  bool good = visit_dat(a, dat, owner, claim) && visit_dat(b, dat, owner, may_own);
  op2i_free(owner);
  if (good) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_STATE, "'%s' and '%s' were fused, but different elements meet in '%s'",
                    op2i_loop_name(a), op2i_loop_name(b), dat->obj.name);
}

/* The accesses of a loop to a version as a set of bits. */
static unsigned accesses_of(const struct op2i_node *node, const struct op2i_version *version) {
  const struct op2i_loop *loop = op2i_node_loop(node);
  unsigned accesses = 0;
  for (int a = 0; a < loop->nargs; a++)
    if (loop->args[a].gbl >= 0 && node->versions[loop->args[a].gbl] == version)
      accesses |= 1u << loop->args[a].access;
  return accesses;
}

static op2_status check_pair(const struct op2i_node *a, const struct op2i_node *b) {
  op2_status status = OP2_SUCCESS;
  if (op2i_node_loop(a)->set != op2i_node_loop(b)->set)
    return op2i_error(OP2_ERR_STATE, "loops over two sets were fused");
  for (int d = 0; d < a->op->ndats && !status; d++)
    status = check_dat(op2i_node_loop(a), op2i_node_loop(b), a->op->dats[d]);
  for (int g = 0; g < a->op->ngbls; g++)
    for (int k = 0; k < b->op->ngbls; k++) {
      if (a->versions[g] != b->versions[k]) continue;
      const unsigned accesses = accesses_of(a, a->versions[g]);
      if (accesses != accesses_of(b, b->versions[k]))
        return op2i_error(OP2_ERR_STATE, "a global is used in two ways in one fused loop");
      if (have_bounds(accesses) && op2i_type_real(a->op->gbls[g]->type))
        return op2i_error(OP2_ERR_STATE,
                          "loops were fused that take a minimum one after the other");
    }
  return status;
}

/* ---- stores that were dropped ---------------------------------------------------------------- */

static bool covers(const struct op2i_loop *loop, const struct op2i_range *range) {
  int64_t at = range->lo;
  for (int r = 0; r < loop->nranges; r++)
    if (loop->ranges[r].lo <= at && at < loop->ranges[r].hi) at = loop->ranges[r].hi;
  return at >= range->hi;
}

/* True if the loop overwrites, before any other access, all that the group's loop stores in
 * the dat. */
static bool overwrites(const struct op2i_loop *loop, const struct op2i_loop *group, op2_dat dat) {
  for (int r = 0; r < group->nranges; r++)
    if (!covers(loop, &group->ranges[r])) return false;
  for (int a = 0; a < loop->nargs; a++)
    if (loop->args[a].dat >= 0 && loop->op.dats[loop->args[a].dat] == dat)
      return op2i_overwrites(loop->args[a].access) && loop->args[a].map < 0 &&
             loop->set->base == loop->set && accesses(loop, dat) == 1u << OP2_WRITE;
  return false;
}

static bool touches(const struct op2i_node *node, op2_dat dat) {
  for (int d = 0; d < node->op->ndats; d++)
    if (node->op->dats[d] == dat) return true;
  return false;
}

static op2_status check_dropped(struct op2i_node *const *nodes,
                                const struct op2i_grouping *grouping,
                                const struct op2i_group *group, op2_dat dat) {
  const int32_t *members = grouping->nodes + group->first;
  int32_t last = 0;
  for (int32_t m = 0; m < group->count; m++)
    if (accesses(op2i_node_loop(nodes[members[m]]), dat) & ~(1u << OP2_READ)) last = members[m];
  for (int64_t p = last + 1; p < grouping->n; p++) {
    bool own = false;
    for (int32_t m = 0; m < group->count; m++) own |= members[m] == p;
    if (own || !touches(nodes[p], dat)) continue;
    if (op2i_node_loop(nodes[p]) && overwrites(op2i_node_loop(nodes[p]), group->loop, dat))
      return OP2_SUCCESS;
    break;
  }
  return op2i_error(OP2_ERR_STATE, "'%s' does not store '%s', and nobody overwrites all of it",
                    op2i_loop_name(group->loop), dat->obj.name);
}

static op2_status check_all_dropped(struct op2i_node *const *nodes,
                                    const struct op2i_grouping *grouping) {
  op2_status status = OP2_SUCCESS;
  for (int64_t g = 0; g < grouping->ngroups; g++) {
    const struct op2i_loop *loop = grouping->groups[g].loop;
    for (int d = 0; loop && loop->fused.dropped && d < loop->op.ndats && !status; d++)
      if (loop->fused.dropped[d])
        status = check_dropped(nodes, grouping, &grouping->groups[g], loop->op.dats[d]);
  }
  return status;
}

/* ---- loops and programs made earlier --------------------------------------------------------- */

/* A group must run the loops it is made of: each by itself, or fused, in their order. */
static op2_status check_made_of(struct op2i_node *const *nodes,
                                const struct op2i_grouping *grouping,
                                const struct op2i_group *group) {
  const struct op2i_loop *loop = group->loop;
  bool good = group->count == (loop->fused.members ? loop->fused.nmembers : 1);
  for (int32_t m = 0; m < group->count && good; m++)
    good = op2i_node_loop(nodes[grouping->nodes[group->first + m]]) ==
           (loop->fused.members ? loop->fused.origins[m] : loop);
  if (good) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_STATE, "'%s' was to run, and is made of other loops",
                    op2i_loop_name(loop));
}

static op2_status check_by_itself(struct op2i_node *const *nodes,
                                  const struct op2i_grouping *grouping,
                                  const struct op2i_group *group) {
  if (group->count == 1 && !op2i_node_loop(nodes[grouping->nodes[group->first]]))
    return OP2_SUCCESS;
  return op2i_error(OP2_ERR_STATE, "a group of loops has no loop to run");
}

/* The version that an argument of the group's loop uses; null: it is not a global. */
static const struct op2i_version *version_at(struct op2i_node *const *nodes,
                                             const struct op2i_grouping *grouping,
                                             const struct op2i_group *group, int arg) {
  int m = op2i_loop_member_of(group->loop, arg);
  const struct op2i_node *node = nodes[grouping->nodes[group->first + m]];
  int gbl = op2i_node_loop(node)->args[arg - op2i_loop_member(group->loop, m).first_arg].gbl;
  return gbl < 0 ? NULL : node->versions[gbl];
}

/* Two arguments of a loop must share a global exactly if those of its members share a version. */
static op2_status check_versions(struct op2i_node *const *nodes,
                                 const struct op2i_grouping *grouping,
                                 const struct op2i_group *group) {
  const struct op2i_loop *loop = group->loop;
  for (int a = 0; a < loop->nargs; a++)
    for (int b = 0; b < a && loop->args[a].gbl >= 0; b++) {
      if (loop->args[b].gbl < 0) continue;
      bool shared = version_at(nodes, grouping, group, a) == version_at(nodes, grouping, group, b);
      if (shared != (loop->args[a].gbl == loop->args[b].gbl))
        return op2i_error(OP2_ERR_STATE, "'%s' shares other versions of globals than the queue",
                          op2i_loop_name(loop));
    }
  return OP2_SUCCESS;
}

static op2_status check_loops(struct op2i_node *const *nodes,
                              const struct op2i_grouping *grouping) {
  op2_status status = OP2_SUCCESS;
  for (int64_t g = 0; g < grouping->ngroups && !status; g++) {
    if (!grouping->groups[g].loop) {
      status = check_by_itself(nodes, grouping, &grouping->groups[g]);
      continue;
    }
    status = check_made_of(nodes, grouping, &grouping->groups[g]);
    if (!status) status = check_versions(nodes, grouping, &grouping->groups[g]);
  }
  return status;
}

static op2_status check_groups(struct op2i_node *const *nodes,
                               const struct op2i_grouping *grouping) {
  op2_status status = OP2_SUCCESS;
  for (int64_t g = 0; g < grouping->ngroups; g++) {
    const struct op2i_group *group = &grouping->groups[g];
    const int32_t *members = grouping->nodes + group->first;
    for (int32_t i = 0; i < group->count; i++)
      for (int32_t k = i + 1; k < group->count && !status; k++)
        status = check_pair(nodes[members[i]], nodes[members[k]]);
  }
  return status;
}

op2_status op2i_grouping_verify(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                const struct op2i_grouping *grouping) {
  struct where *where = op2i_malloc((size_t)grouping->n * sizeof *where);
  if (!where) return op2i_error_nomem("the verifier of fusion");
  op2_status status = find_all(grouping, where);
  if (!status) status = check_loops(nodes, grouping);
  if (!status) status = check_edges(sched, nodes, grouping->n, where);
  if (!status) status = check_in_order(nodes, grouping);
  if (!status) status = check_groups(nodes, grouping);
  if (!status) status = check_all_dropped(nodes, grouping);
  op2i_free(where);
  return status;
}
