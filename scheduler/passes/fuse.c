/* SPDX-License-Identifier: BSD-3-Clause */
/* Fusion: loops over one set that meet only element by element become one, whatever else was queued
 * between them. Groups are kept in an order that the graph allows; a loop joins a group when all it
 * depends on is in that group or before it. Operations that are no loops stay by themselves. */
#include <string.h>

#include "error.h"
#include "mem.h"
#include "passes.h"

enum { MEMBERS_MAX = 16, ARGS_MAX = 64, LOOK_BACK = 64, NONE = -1 };

struct cluster {
  op2_set set;         /* null: an operation that is no loop */
  int32_t first, last; /* places of its nodes, chained through `next` */
  int32_t count, nargs;
};

struct pass {
  struct op2i_sched *sched;
  struct op2i_node *const *nodes;
  int64_t n;
  int32_t *cluster_of, *next; /* [n] */
  struct cluster *clusters;   /* [n] */
  int64_t nclusters;
  int32_t calls_placed; /* operations that are no loops have been placed up to this cluster */
  struct op2i_text *notes;
};

/* ---- whether two loops may be one ------------------------------------------------------------ */

/* How a loop uses a dat. */
struct use {
  bool any, modifies, mapped;
  bool sums; /* every argument adds, or every one takes the minimum, ... */
  op2_access access;
};

static struct use use_of(const struct op2i_loop *loop, op2_dat dat) {
  struct use use = {.sums = true};
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (arg->dat < 0 || loop->op.dats[arg->dat] != dat) continue;
    if (!use.any) use.access = arg->access;
    use.any = true;
    use.modifies |= arg->access != OP2_READ;
    use.mapped |= arg->map >= 0;
    use.sums &= arg->access == use.access &&
                (arg->access == OP2_INC || arg->access == OP2_MIN || arg->access == OP2_MAX);
  }
  return use;
}

static const char *dats_clash(const struct op2i_loop *a, const struct op2i_loop *b, bool *common) {
  for (int d = 0; d < a->op.ndats; d++) {
    struct use first = use_of(a, a->op.dats[d]), second = use_of(b, a->op.dats[d]);
    if (!second.any) continue;
    *common = true;
    if (!first.modifies && !second.modifies) continue;
    if (!first.mapped && !second.mapped) continue;
    if (first.sums && second.sums && first.access == second.access) continue;
    return a->op.dats[d]->obj.name;
  }
  return NULL;
}

/* The one way in which a loop uses a version, 0 for several. */
static int gbl_use(const struct op2i_node *node, const struct op2i_version *version) {
  const struct op2i_loop *loop = op2i_node_loop(node);
  int access = NONE;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (arg->gbl < 0 || node->versions[arg->gbl] != version) continue;
    access = access == NONE || access == (int)arg->access ? (int)arg->access : 0;
  }
  return access;
}

static const char *globals_clash(const struct op2i_node *a, const struct op2i_node *b) {
  for (int g = 0; g < a->op->ngbls; g++) {
    int second = gbl_use(b, a->versions[g]);
    if (second == NONE) continue;
    int first = gbl_use(a, a->versions[g]);
    if (first != second || first == 0) return a->versions[g]->name;
  }
  return NULL;
}

static bool common_map(const struct op2i_loop *a, const struct op2i_loop *b) {
  for (int m = 0; m < a->nmaps; m++)
    for (int k = 0; k < b->nmaps; k++)
      if (a->maps[m] == b->maps[k]) return true;
  return false;
}

/* Whether the loop runs as vector code, where nothing of a kernel's source stands at file scope
 * under its own name. */
static bool in_vectors(const struct op2i_loop *loop) {
  return !loop->form.why && loop->op.ctx->backend->variant == OP2I_LANES;
}

/* Loops of different code forms would all take the slower one. */
static const char *forms_differ(const struct op2i_loop *a, const struct op2i_loop *b) {
  if (!op2i_loop_same_ranges(a, b)) return "one of them also runs over the halo";
  if (a->ordered || b->ordered) return "one of them keeps element order";
  if (!a->form.why != !b->form.why) return "one of them is not vectorised";
  if (!in_vectors(a) && (!a->form.mergeable || !b->form.mergeable))
    return "a kernel has preprocessor lines, types or headers of its own";
  return NULL;
}

struct verdict {
  const char *why;  /* null: they may be one */
  const char *what; /* the dat or global it is about, or null */
  bool common;      /* they share data */
};

static struct verdict judge(const struct op2i_node *a, const struct op2i_node *b) {
  struct verdict v = {.common = common_map(op2i_node_loop(a), op2i_node_loop(b))};
  v.what = dats_clash(op2i_node_loop(a), op2i_node_loop(b), &v.common);
  if (v.what) {
    v.why = "is modified, and reached through a map";
    return v;
  }
  v.what = globals_clash(a, b);
  if (v.what)
    v.why = "is reduced into and used otherwise";
  else
    v.why = forms_differ(op2i_node_loop(a), op2i_node_loop(b));
  return v;
}

static struct verdict judge_all(const struct pass *pass, const struct cluster *cluster,
                                int32_t place, int32_t *other) {
  struct verdict all = {0};
  *other = cluster->first;
  for (int32_t p = cluster->first; p != NONE; p = pass->next[p]) {
    struct verdict v = judge(pass->nodes[p], pass->nodes[place]);
    *other = p;
    if (v.why) return v;
    all.common |= v.common;
  }
  if (!all.common) all.why = "they share no data";
  if (cluster->count >= MEMBERS_MAX ||
      cluster->nargs + op2i_node_loop(pass->nodes[place])->nargs > ARGS_MAX)
    all.why = "the fused loop is large enough";
  return all;
}

/* ---- gathering ------------------------------------------------------------------------------- */

static int64_t place_from(const struct pass *pass, const struct op2i_node *node, int32_t edge) {
  return op2i_graph_place(pass->nodes, pass->n, pass->sched->edges[node->first_edge + edge].from);
}

/* The first cluster the loop may be in: the last of those with a loop it depends on. */
static int32_t earliest(const struct pass *pass, const struct op2i_node *node) {
  int32_t at = 0;
  for (int32_t e = 0; e < node->nedges; e++) {
    int64_t from = place_from(pass, node, e);
    if (from != NONE && pass->cluster_of[from] > at) at = pass->cluster_of[from];
  }
  return at;
}

/* Say a thing once: time steps repeat. */
static void note(const struct pass *pass, struct op2i_text *line) {
  const struct op2i_text *notes = pass->notes;
  if (line->failed)
    pass->notes->failed = true;
  else if (!notes->chars || !strstr(notes->chars, line->chars))
    op2i_text_bytes(pass->notes, line->chars, line->length);
  op2i_text_free(line);
}

static void note_refusal(const struct pass *pass, int32_t place, int32_t other,
                         struct verdict verdict) {
  struct op2i_text line = {0};
  if (!verdict.common) return;
  op2i_text_add(&line, "  %s was not fused with the earlier %s: %s%s%s%s\n",
                op2i_loop_name(op2i_node_loop(pass->nodes[place])),
                op2i_loop_name(op2i_node_loop(pass->nodes[other])), verdict.what ? "'" : "",
                verdict.what ? verdict.what : "", verdict.what ? "' " : "", verdict.why);
  note(pass, &line);
}

static int32_t choose(const struct pass *pass, int32_t place) {
  const struct op2i_node *node = pass->nodes[place];
  int32_t least = earliest(pass, node), looked = 0;
  bool noted = false;
  if (!op2i_node_loop(node)) return NONE;
  for (int32_t c = (int32_t)pass->nclusters - 1; c >= least && looked < LOOK_BACK; c--, looked++) {
    const struct cluster *cluster = &pass->clusters[c];
    int32_t other;
    if (cluster->set != op2i_node_loop(node)->set) continue;
    struct verdict verdict = judge_all(pass, cluster, place, &other);
    if (!verdict.why) return c;
    if (!noted) note_refusal(pass, place, other, verdict);
    noted = true;
  }
  return NONE;
}

static void put(struct pass *pass, int32_t place, int32_t into) {
  const struct op2i_loop *loop = op2i_node_loop(pass->nodes[place]);
  pass->next[place] = NONE;
  if (into == NONE) {
    into = (int32_t)pass->nclusters++;
    pass->clusters[into] =
        (struct cluster){.set = loop ? loop->set : NULL, .first = place, .last = place};
  } else {
    pass->next[pass->clusters[into].last] = place;
    pass->clusters[into].last = place;
  }
  pass->cluster_of[place] = into;
  pass->clusters[into].count++;
  pass->clusters[into].nargs += loop ? loop->nargs : 0;
}

/* ---- moving loops towards later ones --------------------------------------------------------- */

/* The first cluster that needs something of this one; none: past the last. */
static int32_t first_dependent(const struct pass *pass, int32_t c) {
  int32_t first = (int32_t)pass->nclusters;
  for (int32_t p = 0; p < pass->n; p++) {
    const struct op2i_node *node = pass->nodes[p];
    if (pass->cluster_of[p] == c || pass->cluster_of[p] >= first) continue;
    for (int32_t e = 0; e < node->nedges; e++) {
      int64_t from = place_from(pass, node, e);
      if (from != NONE && pass->cluster_of[from] == c) first = pass->cluster_of[p];
    }
  }
  return first;
}

static bool compatible(const struct pass *pass, int32_t c, int32_t d) {
  const struct cluster *into = &pass->clusters[d];
  bool common = false;
  if (!into->count || !into->set || into->set != pass->clusters[c].set ||
      into->count + pass->clusters[c].count > MEMBERS_MAX ||
      into->nargs + pass->clusters[c].nargs > ARGS_MAX)
    return false;
  for (int32_t p = pass->clusters[c].first; p != NONE; p = pass->next[p])
    for (int32_t q = into->first; q != NONE; q = pass->next[q]) {
      struct verdict v = judge(pass->nodes[p < q ? p : q], pass->nodes[p < q ? q : p]);
      if (v.why) return false;
      common |= v.common;
    }
  return common;
}

/* Members stay in the order of the queue. */
static void merge(struct pass *pass, int32_t c, int32_t d) {
  struct cluster *from = &pass->clusters[c], *into = &pass->clusters[d];
  int32_t a = from->first, b = into->first, *link = &into->first;
  while (a != NONE || b != NONE) {
    int32_t *least = b == NONE || (a != NONE && a < b) ? &a : &b;
    *link = into->last = *least;
    pass->cluster_of[*least] = d;
    link = &pass->next[*least];
    *least = *link;
  }
  *link = NONE;
  into->count += from->count;
  into->nargs += from->nargs;
  from->count = 0;
  from->first = NONE;
}

/* A loop that found nothing to join when it was met may join later ones, as far as nobody in
 * between waits for it. */
static void move_later(struct pass *pass) {
  for (int32_t c = (int32_t)pass->nclusters - 1; c >= 0; c--) {
    int32_t end = first_dependent(pass, c);
    for (int32_t d = c + 1; d <= end && d < pass->nclusters && d <= c + LOOK_BACK; d++)
      if (compatible(pass, c, d)) {
        merge(pass, c, d);
        break;
      }
  }
}

/* ---- stores that nobody reads ---------------------------------------------------------------- */

/* Whether the next loop outside the cluster that touches the dat, after the cluster's last one that
 * modifies it, overwrites all that the cluster stores: in the halo, too, where the cluster runs
 * over it. */
static bool overwritten(const struct pass *pass, int32_t cluster, op2_dat dat) {
  int32_t last = NONE;
  for (int32_t p = pass->clusters[cluster].first; p != NONE; p = pass->next[p])
    if (use_of(op2i_node_loop(pass->nodes[p]), dat).modifies) last = p;
  if (last == NONE) return false;
  for (int32_t p = last + 1; p < pass->n; p++) {
    const struct op2i_loop *loop = op2i_node_loop(pass->nodes[p]);
    if (pass->cluster_of[p] == cluster) continue;
    const struct op2i_op *op = pass->nodes[p]->op;
    for (int d = 0; d < op->ndats; d++)
      if (op->dats[d] == dat)
        return loop && op->dat_access[d] == OP2_WRITE &&
               op2i_loop_same_ranges(loop, op2i_node_loop(pass->nodes[last]));
  }
  return false;
}

static bool written_directly(const struct op2i_loop *loop, int d) {
  if (loop->op.dat_access[d] == OP2_READ) return false;
  for (int a = 0; a < loop->nargs; a++)
    if (loop->args[a].dat == d && loop->args[a].map >= 0) return false;
  return true;
}

/* ---- making groups --------------------------------------------------------------------------- */

/* Numbers for the globals of all members: equal for the same version. */
static int number_globals(const struct pass *pass, const struct cluster *cluster,
                          int32_t globals[ARGS_MAX]) {
  const struct op2i_version *seen[ARGS_MAX];
  int nseen = 0, n = 0;
  for (int32_t p = cluster->first; p != NONE; p = pass->next[p])
    for (int g = 0; g < pass->nodes[p]->op->ngbls; g++) {
      int k = 0;
      while (k < nseen && seen[k] != pass->nodes[p]->versions[g]) k++;
      if (k == nseen) seen[nseen++] = pass->nodes[p]->versions[g];
      globals[n++] = k;
    }
  return nseen;
}

static bool same_globals(const struct op2i_loop *fused, const int32_t *globals) {
  int at = 0;
  for (int m = 0; m < fused->nmembers; m++) {
    const struct op2i_loop *origin = fused->origins[m];
    for (int a = 0; a < origin->nargs; a++)
      if (origin->args[a].gbl >= 0 &&
          fused->args[fused->members[m].first_arg + a].gbl != globals[at + origin->args[a].gbl])
        return false;
    at += origin->op.ngbls;
  }
  return true;
}

static struct op2i_loop *find_fused(const struct op2i_loop *made, const int32_t *globals) {
  for (struct op2i_loop *loop = made->op.ctx->loops->first; loop; loop = loop->next)
    if (loop != made && loop->members && loop->nmembers == made->nmembers &&
        loop->op.ndats == made->op.ndats &&
        !memcmp(loop->origins, made->origins, (size_t)made->nmembers * sizeof *made->origins) &&
        !memcmp(loop->dropped, made->dropped, (size_t)made->op.ndats * sizeof *made->dropped) &&
        same_globals(loop, globals))
      return loop;
  return NULL;
}

/* The loop of a cluster of several; one made earlier where there is one. */
static op2_status fused_loop(const struct pass *pass, int32_t c, struct op2i_loop **out) {
  const struct cluster *cluster = &pass->clusters[c];
  struct op2i_loop *origins[MEMBERS_MAX], *loop;
  int32_t globals[ARGS_MAX];
  int n = 0;
  for (int32_t p = cluster->first; p != NONE; p = pass->next[p])
    origins[n++] = op2i_node_loop(pass->nodes[p]);
  int nglobals = number_globals(pass, cluster, globals);
  op2_status status = op2i_loop_fuse(n, origins, globals, nglobals, &loop);
  if (status) return status;
  for (int d = 0; d < loop->op.ndats; d++)
    loop->dropped[d] = written_directly(loop, d) && overwritten(pass, c, loop->op.dats[d]);
  struct op2i_loop *known = find_fused(loop, globals);
  if (known) op2i_loop_discard(loop);
  *out = known ? known : loop;
  return OP2_SUCCESS;
}

static void note_fusion(const struct pass *pass, const struct op2i_loop *loop) {
  struct op2i_text line = {0};
  op2i_text_add(&line, "  %s: one loop over '%s'%s", loop->name, loop->set->obj.name,
                loop->form.why ? "" : ", vectorised");
  for (int d = 0; d < loop->op.ndats; d++)
    if (loop->dropped[d])
      op2i_text_add(&line, "; '%s' is not stored: overwritten before it is read",
                    loop->op.dats[d]->obj.name);
  op2i_text_add(&line, "\n");
  note(pass, &line);
}

static void note_split(const struct pass *pass, const struct op2i_loop *loop) {
  struct op2i_text line = {0};
  op2i_text_add(&line, "  %s: not fused: %s\n", loop->name,
                op2i_code_refused(loop) ? "it does not compile" : loop->form.why);
  note(pass, &line);
}

/* How many nodes are in groups. */
static int64_t nplaced(const struct op2i_grouping *out) {
  if (!out->ngroups) return 0;
  const struct op2i_group *last = &out->groups[out->ngroups - 1];
  return last->first + last->count;
}

static void add_group(struct op2i_grouping *out, struct op2i_loop *loop, int32_t count) {
  out->groups[out->ngroups] = (struct op2i_group){nplaced(out), count, loop};
  out->ngroups++;
}

/* A cluster of loops becomes a group; several groups of one where the fused form would be slower,
 * or does not compile: then one of the loops does not either, and has to be found. */
static op2_status emit_cluster(const struct pass *pass, int32_t c, struct op2i_grouping *out) {
  const struct cluster *cluster = &pass->clusters[c];
  struct op2i_loop *loop = op2i_node_loop(pass->nodes[cluster->first]);
  bool split = false;
  int64_t at = nplaced(out);
  for (int32_t p = cluster->first; p != NONE; p = pass->next[p]) out->nodes[at++] = p;
  if (cluster->count > 1) {
    const struct op2i_form *form;
    op2_status status = fused_loop(pass, c, &loop);
    if (!status) status = op2i_loop_form(loop, &form);
    if (status) return status;
    split = op2i_code_refused(loop) ||
            (form->why && !op2i_node_loop(pass->nodes[cluster->first])->form.why);
    if (split)
      note_split(pass, loop);
    else
      note_fusion(pass, loop);
  }
  if (!split) add_group(out, loop, cluster->count);
  for (int32_t p = cluster->first; p != NONE && split; p = pass->next[p])
    add_group(out, op2i_node_loop(pass->nodes[p]), 1);
  return OP2_SUCCESS;
}

/* The last cluster of an operation that is no loop which this one needs directly; what it needs by
 * way of others has been placed with those. */
static int32_t last_call(const struct pass *pass, int32_t c) {
  int32_t last = NONE;
  for (int32_t p = pass->clusters[c].first; p != NONE; p = pass->next[p])
    for (int32_t e = 0; e < pass->nodes[p]->nedges; e++) {
      int64_t from = place_from(pass, pass->nodes[p], e);
      int32_t of = from == NONE ? NONE : pass->cluster_of[from];
      if (of > last && !pass->clusters[of].set) last = of;
    }
  return last;
}

/* Place those up to cluster c, in the order of the queue: some of them have to be in it. */
static void emit_calls(struct pass *pass, int32_t c, struct op2i_grouping *out) {
  for (; pass->calls_placed <= c; pass->calls_placed++) {
    const struct cluster *cluster = &pass->clusters[pass->calls_placed];
    if (cluster->set || !cluster->count) continue;
    out->nodes[nplaced(out)] = cluster->first;
    add_group(out, NULL, 1);
  }
}

static op2_status emit_all(struct pass *pass, struct op2i_grouping *out) {
  op2_status status = OP2_SUCCESS;
  for (int32_t c = 0; c < pass->nclusters && !status; c++) {
    if (!pass->clusters[c].set || !pass->clusters[c].count) continue;
    emit_calls(pass, last_call(pass, c), out);
    status = emit_cluster(pass, c, out);
  }
  emit_calls(pass, (int32_t)pass->nclusters - 1, out);
  return status;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static op2_status open_pass(struct pass *pass, struct op2i_grouping *out) {
  size_t n = (size_t)pass->n;
  pass->cluster_of = op2i_malloc(n * sizeof *pass->cluster_of);
  pass->next = op2i_malloc(n * sizeof *pass->next);
  pass->clusters = op2i_malloc(n * sizeof *pass->clusters);
  out->n = pass->n;
  out->nodes = op2i_malloc(n * sizeof *out->nodes);
  out->groups = op2i_calloc(n, sizeof *out->groups);
  bool good = pass->cluster_of && pass->next && pass->clusters && out->nodes && out->groups;
  return good ? OP2_SUCCESS : op2i_error_nomem("the passes over the queue");
}

op2_status op2i_fuse(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                     struct op2i_grouping *out) {
  *out = (struct op2i_grouping){0};
  struct pass pass = {.sched = sched, .nodes = nodes, .n = n, .notes = &out->notes};
  bool fuse = sched->ctx->config.fuse;
  op2_status status = open_pass(&pass, out);
  for (int32_t p = 0; p < n && !status; p++) put(&pass, p, fuse ? choose(&pass, p) : NONE);
  if (fuse && !status) move_later(&pass);
  if (!status) status = emit_all(&pass, out);
  if (!status && out->notes.failed) status = op2i_error_nomem("the passes over the queue");
  op2i_free(pass.cluster_of);
  op2i_free(pass.next);
  op2i_free(pass.clusters);
  if (status) op2i_grouping_free(out);
  return status;
}

void op2i_grouping_free(struct op2i_grouping *grouping) {
  op2i_free(grouping->nodes);
  op2i_free(grouping->groups);
  op2i_text_free(&grouping->notes);
  *grouping = (struct op2i_grouping){0};
}
