/* SPDX-License-Identifier: BSD-3-Clause */
/* Making groups of clusters of loops: the choice of clusters that are fused or kept apart
 * until they come again, of stores that a fused loop need not make, and of the places of
 * operations that are no loops. */
#include <inttypes.h>
#include <string.h>

#include "compile.h"
#include "error.h"
#include "fuse.h"
#include "hash.h"
#include "text.h"

enum { NONE = OP2I_NO_NODE };

/* ---- stores that nobody reads ---------------------------------------------------------------- */

/* The members of a cluster's fused loop, their globals and dats, and the stores that it drops. */
struct recipe {
  int n, ndats, nglobals;
  struct op2i_loop *origins[OP2I_MEMBERS_MAX];
  int32_t globals[OP2I_ARGS_MAX]; /* of all members; equal numbers for the same version */
  op2_dat dats[OP2I_ARGS_MAX];    /* in the order of the fused loop */
  bool dropped[OP2I_ARGS_MAX];
  int32_t writer[OP2I_ARGS_MAX]; /* of each dat, the last member that modifies it, or NONE */
  bool mapped[OP2I_ARGS_MAX];    /* some member reaches it through a map */
};

/* True if the next loop outside the cluster that accesses the dat, after the cluster's last one
 * that modifies it, overwrites everything that the cluster stores; in the halo, too, if the
 * cluster runs over it. */
static bool overwritten(const struct op2i_fusion *pass, int32_t cluster, op2_dat dat,
                        int32_t last) {
  for (int32_t p = last, next; p != NONE; p = next) {
    const struct op2i_loop *loop = op2i_node_loop(pass->nodes[p]);
    const struct op2i_op *op = pass->nodes[p]->op;
    int d = 0;
    while (op->dats[d] != dat) d++;
    next = pass->next_user[pass->use_at[p] + d];
    if (pass->cluster_of[p] == cluster) continue;
    return loop && op2i_overwrites(op->dat_access[d]) &&
           op2i_loop_same_elements(loop, op2i_node_loop(pass->nodes[last]));
  }
  return false;
}

/* ---- combinations ---------------------------------------------------------------------------- */

static void number_globals(struct recipe *r, const struct op2i_node *node,
                           const struct op2i_version *seen[OP2I_ARGS_MAX], int *nglobals) {
  for (int g = 0; g < node->op->ngbls; g++) {
    int k = 0;
    while (k < r->nglobals && seen[k] != node->versions[g]) k++;
    if (k == r->nglobals) seen[r->nglobals++] = node->versions[g];
    r->globals[(*nglobals)++] = k;
  }
}

/* The number of a dat in the fused loop. */
static int number_dat(struct recipe *r, op2_dat dat) {
  const int before = r->ndats, k = op2i_number_of((void **)r->dats, &r->ndats, dat);
  if (k < before) return k;
  r->writer[k] = NONE;
  r->mapped[k] = false;
  return k;
}

/* A loop numbers its dats as its arguments name them. */
static void number_dats(struct recipe *r, const struct op2i_loop *loop, int32_t p) {
  for (int d = 0; d < loop->op.ndats; d++) {
    const int k = number_dat(r, loop->op.dats[d]);
    if (op2i_modifies(loop->op.dat_access[d])) r->writer[k] = p;
    if (loop->nmaps) r->mapped[k] |= op2i_dat_use(loop, loop->op.dats[d]).mapped;
  }
}

static void work_out(const struct op2i_fusion *pass, int32_t c, struct recipe *r) {
  const struct op2i_cluster *cluster = &pass->clusters[c];
  const struct op2i_version *seen[OP2I_ARGS_MAX];
  int nglobals = 0;
  r->n = r->ndats = r->nglobals = 0;
  for (int32_t p = cluster->first; p != NONE; p = pass->next[p]) {
    struct op2i_loop *loop = r->origins[r->n++] = op2i_node_loop(pass->nodes[p]);
    number_globals(r, pass->nodes[p], seen, &nglobals);
    number_dats(r, loop, p);
  }
  for (int d = 0; d < r->ndats; d++)
    r->dropped[d] =
        !r->mapped[d] && r->writer[d] != NONE && overwritten(pass, c, r->dats[d], r->writer[d]);
}

static op2_status meet(const struct op2i_fusion *pass, int32_t c) {
  enum { WORDS = OP2I_MEMBERS_MAX + 2 * OP2I_ARGS_MAX };
  int64_t words[WORDS];
  struct recipe r;
  int n = 0, g = 0;
  work_out(pass, c, &r);
  for (int m = 0; m < r.n; m++) {
    words[n++] = r.origins[m]->op.id;
    for (int k = 0; k < r.origins[m]->op.ngbls; k++) words[n++] = r.globals[g++];
  }
  for (int d = 0; d < r.ndats; d++) words[n++] = r.dropped[d];
  return op2i_combination_meet(pass->sched->caches.combinations, words, n,
                               &pass->clusters[c].combination);
}

/* All combinations of the queue are counted before it is decided whether one is due, so each has
 * come as often as it is in the queue. */
static op2_status meet_all(const struct op2i_fusion *pass) {
  op2_status status = OP2_SUCCESS;
  for (int32_t c = 0; c < pass->nclusters && !status; c++)
    if (pass->clusters[c].count > 1) status = meet(pass, c);
  return status;
}

static bool due(const struct op2i_fusion *pass, const struct op2i_combination *c) {
  const struct op2i_combinations *table = pass->sched->caches.combinations;
  return pass->sched->ctx->config.fuse == OP2I_FUSE_AT_ONCE || c->loop || pass->again ||
         c->times >= op2i_combinations_wanted(table);
}

static op2_status fused_loop(const struct op2i_fusion *pass, int32_t c, struct op2i_loop **out) {
  struct op2i_combination *combination = pass->clusters[c].combination;
  *out = combination->loop;
  if (*out) return OP2_SUCCESS;
  struct recipe r;
  work_out(pass, c, &r);
  op2_status status = op2i_loop_fuse(r.n, r.origins, r.globals, r.nglobals, out);
  if (status) return status;
  memcpy((*out)->fused.dropped, r.dropped, (size_t)r.ndats * sizeof *r.dropped);
  op2i_combination_fused(pass->sched->caches.combinations, combination, *out);
  return OP2_SUCCESS;
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void note_fusion(struct op2i_fusion *pass, const struct op2i_loop *loop) {
  struct op2i_text line = {0};
  if (!op2i_fuse_notes(pass)) return;
  op2i_text_add(&line, "  %s: one loop over '%s'%s", loop->name, loop->set->obj.name,
                loop->form.why ? "" : ", vectorised");
  for (int d = 0; d < loop->op.ndats; d++)
    if (loop->fused.dropped[d])
      op2i_text_add(&line, "; '%s' is not stored: overwritten before it is read",
                    loop->op.dats[d]->obj.name);
  op2i_text_add(&line, "\n");
  op2i_fuse_note(pass, &line);
}

static void note_split(struct op2i_fusion *pass, const struct op2i_loop *loop) {
  struct op2i_text line = {0};
  if (!op2i_fuse_notes(pass)) return;
  op2i_text_add(&line, "  %s: not fused: %s\n", loop->name,
                op2i_code_refused(loop) ? "it does not compile"
                : loop->form.why        ? loop->form.why
                                        : loop->form.not_on_device);
  op2i_fuse_note(pass, &line);
}

/* The hash of what the line about a cluster that is kept apart is made of. */
static uint64_t hash_apart(const struct op2i_fusion *pass, const struct op2i_cluster *cluster) {
  const struct op2i_combinations *table = pass->sched->caches.combinations;
  uint64_t hash = cluster->combination->times > 1 ? (uint64_t)table->nsingle + 1 : 0;
  for (int32_t p = cluster->first; p != NONE; p = pass->next[p])
    hash = op2i_hash_word(hash, (uintptr_t)op2i_loop_name(op2i_node_loop(pass->nodes[p])));
  return hash;
}

static void note_apart(struct op2i_fusion *pass, const struct op2i_cluster *cluster) {
  const struct op2i_combinations *table = pass->sched->caches.combinations;
  struct op2i_text line = {0};
  if (!op2i_fuse_notes(pass) || op2i_fuse_noted(pass, hash_apart(pass, cluster))) return;
  for (int32_t p = cluster->first; p != NONE; p = pass->next[p]) {
    const char *name = op2i_loop_name(op2i_node_loop(pass->nodes[p]));
    op2i_text_bytes(&line, p == cluster->first ? "  " : "+", p == cluster->first ? 2 : 1);
    op2i_text_bytes(&line, name, strlen(name));
  }
  op2i_text_add(&line, ": kept apart until it comes again");
  if (cluster->combination->times > 1)
    op2i_text_add(&line, " (for a new queue, %s: %" PRId64 " others came but once)",
                  OP2I_N(op2i_combinations_wanted(table), "time"), table->nsingle);
  op2i_text_add(&line, "\n");
  op2i_fuse_note(pass, &line);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* The number of nodes that are in groups. */
static int64_t nplaced(const struct op2i_grouping *out) {
  if (!out->ngroups) return 0;
  const struct op2i_group *last = &out->groups[out->ngroups - 1];
  return last->first + last->count;
}

static void add_group(struct op2i_grouping *out, struct op2i_loop *loop, int32_t count) {
  out->groups[out->ngroups] = (struct op2i_group){nplaced(out), count, loop};
  out->ngroups++;
}

/* The loop that a cluster of several becomes. It is null, and the members stay apart, if it is not
 * due, if the fused form would be slower, or if it does not compile: then one of the loops does not
 * compile either, and has to be identified. */
static op2_status decide(struct op2i_fusion *pass, int32_t c, struct op2i_grouping *out,
                         struct op2i_loop **loop) {
  const struct op2i_cluster *cluster = &pass->clusters[c];
  const struct op2i_form *form;
  *loop = NULL;
  if (!due(pass, cluster->combination)) {
    out->napart++;
    note_apart(pass, cluster);
    return OP2_SUCCESS;
  }
  struct op2i_loop *fused;
  op2_status status = fused_loop(pass, c, &fused);
  if (!status) status = op2i_loop_form(fused, &form);
  if (status) return status;
  const struct op2i_form *alone = &op2i_node_loop(pass->nodes[cluster->first])->form;
  if (op2i_code_refused(fused) || (form->why && !alone->why) ||
      (op2i_form_unfit(form) && !op2i_form_unfit(alone))) {
    note_split(pass, fused);
    return OP2_SUCCESS;
  }
  note_fusion(pass, fused);
  *loop = fused;
  return OP2_SUCCESS;
}

/* A cluster of loops becomes one group, or several groups of one. */
static op2_status emit_cluster(struct op2i_fusion *pass, int32_t c, struct op2i_grouping *out) {
  const struct op2i_cluster *cluster = &pass->clusters[c];
  struct op2i_loop *loop = NULL;
  int64_t at = nplaced(out);
  for (int32_t p = cluster->first; p != NONE; p = pass->next[p]) out->nodes[at++] = p;
  op2_status status = cluster->count > 1 ? decide(pass, c, out, &loop) : OP2_SUCCESS;
  if (status) return status;
  if (loop) add_group(out, loop, cluster->count);
  for (int32_t p = cluster->first; p != NONE && !loop; p = pass->next[p])
    add_group(out, op2i_node_loop(pass->nodes[p]), 1);
  return OP2_SUCCESS;
}

/* The last operation that is no loop and that a member of the cluster depends on directly, as a
 * cluster; NONE: there is none. Those it depends on indirectly have been placed with others. */
static int32_t last_call(const struct op2i_fusion *pass, int32_t c) {
  int32_t last = NONE;
  for (int32_t p = pass->clusters[c].first; p != NONE; p = pass->next[p])
    for (int32_t e = pass->from_at[p]; e < pass->from_at[p + 1]; e++) {
      int32_t of = pass->cluster_of[pass->from[e]];
      if (of > last && !pass->clusters[of].set) last = of;
    }
  return last;
}

/* Place the operations that are no loops up to cluster c. They stay in the order of the queue,
 * which some of them require. */
static void emit_calls(struct op2i_fusion *pass, int32_t c, struct op2i_grouping *out) {
  for (; pass->calls_placed <= c; pass->calls_placed++) {
    const struct op2i_cluster *cluster = &pass->clusters[pass->calls_placed];
    if (cluster->set || !cluster->count) continue;
    out->nodes[nplaced(out)] = cluster->first;
    add_group(out, NULL, 1);
  }
}

static op2_status emit_all(struct op2i_fusion *pass, struct op2i_grouping *out) {
  op2_status status = OP2_SUCCESS;
  for (int32_t c = 0; c < pass->nclusters && !status; c++) {
    if (!pass->clusters[c].set || !pass->clusters[c].count) continue;
    emit_calls(pass, last_call(pass, c), out);
    status = emit_cluster(pass, c, out);
  }
  emit_calls(pass, (int32_t)pass->nclusters - 1, out);
  return status;
}

op2_status op2i_fuse_groups(struct op2i_fusion *pass, struct op2i_grouping *out) {
  struct op2i_combinations *table = pass->sched->caches.combinations;
  uint64_t digest = op2i_sequence_digest(pass->nodes, pass->n);
  op2i_combinations_begin(table);
  pass->again = op2i_sequence_known(table, digest);
  op2_status status = meet_all(pass);
  if (!status) status = emit_all(pass, out);
  if (!status && out->napart) op2i_sequence_add(table, digest);
  if (!status) op2i_combinations_trim(pass->sched);
  return status;
}
