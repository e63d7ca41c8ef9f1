/* SPDX-License-Identifier: BSD-3-Clause */
/* Fusion: loops over one set whose iterations conflict only within the same element become one,
 * even if other operations were queued between them. Groups are kept in an order that the graph
 * allows; a loop joins a group when all it depends on is in that group or before it. Operations
 * that are no loops stay by themselves. */
#include "fuse.h"

#include "error.h"
#include "hash.h"
#include "mem.h"
#include "place.h"

/* NOTES limits the lines about what was done. REPEATED_TOKENS limits the tokens of one kernel in
 * all members that have it, since the text grows with each of them, and compile times grow faster
 * than the text. For this limit gcc 12 takes 0.15 s if kernels add and multiply, and 0.3 s if every
 * second operation is a division or a root; for three times as many tokens 0.25 s and 1.3 s. Of
 * long kernels a few repeats gain nearly all that can be gained; of short ones most of the time may
 * be spent outside the kernel. */
enum { LOOK_BACK = 64, REPEATED_TOKENS = 2048, NOTES = 100, NONE = OP2I_NO_NODE };

/* ---- checks that two loops may be fused ------------------------------------------------------ */

struct op2i_dat_use op2i_dat_use(const struct op2i_loop *loop, op2_dat dat) {
  struct op2i_dat_use use = {.sums = true};
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (arg->dat < 0 || loop->op.dats[arg->dat] != dat) continue;
    if (!use.any) use.access = arg->access;
    use.any = true;
    use.modifies |= op2i_modifies(arg->access);
    use.mapped |= arg->map >= 0;
    use.sums &= arg->access == use.access && op2i_accumulates(arg->access);
  }
  return use;
}

/* True for minima and maxima of floating type. Two loops that take them one after the other may
 * not be fused: where the values begin with a NaN, the second loop has to find what the first one
 * has put in its place. */
static bool in_turn(op2_access access, op2_type type) {
  return op2i_bounds(access) && op2i_type_real(type);
}

static bool has_dat(const struct op2i_loop *loop, const struct op2_dat_s *dat) {
  for (int d = 0; d < loop->op.ndats; d++)
    if (loop->op.dats[d] == dat) return true;
  return false;
}

static const char *dats_clash(const struct op2i_loop *a, const struct op2i_loop *b, bool *common) {
  for (int d = 0; d < a->op.ndats; d++) {
    if (!has_dat(b, a->op.dats[d])) continue;
    struct op2i_dat_use first = op2i_dat_use(a, a->op.dats[d]);
    struct op2i_dat_use second = op2i_dat_use(b, a->op.dats[d]);
    if (!second.any) continue;
    *common = true;
    if (!first.modifies && !second.modifies) continue;
    if (!first.mapped && !second.mapped) continue;
    if (first.sums && second.sums && first.access == second.access &&
        !in_turn(first.access, a->op.dats[d]->type))
      continue;
    return a->op.dats[d]->obj.name;
  }
  return NULL;
}

/* The access by which a loop uses a version, 0 if there are several, NONE if it does not use it. */
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

static const char *globals_clash(const struct op2i_node *a, const struct op2i_node *b,
                                 const char **why) {
  for (int g = 0; g < a->op->ngbls; g++) {
    int second = gbl_use(b, a->versions[g]);
    if (second == NONE) continue;
    int first = gbl_use(a, a->versions[g]);
    const bool bounds = in_turn((op2_access)first, a->op->gbls[g]->type);
    *why = first == second && bounds ? "begins in the later loop with what the earlier one finds"
                                     : "is reduced into and used otherwise";
    if (first != second || first == 0 || bounds) return a->versions[g]->name;
  }
  return NULL;
}

static bool common_map(const struct op2i_loop *a, const struct op2i_loop *b) {
  for (int m = 0; m < a->nmaps; m++)
    for (int k = 0; k < b->nmaps; k++)
      if (a->maps[m] == b->maps[k]) return true;
  return false;
}

/* True if the loop runs as vector code, in which no part of a kernel's source is at file
 * scope under its own name. */
static bool in_vectors(const struct op2i_loop *loop) {
  return !loop->form.why && loop->op.ctx->backend->variant == OP2I_VECTOR;
}

/* True if the loop's time is that of moving values, which scalar code does as fast, as long
 * as they are few. */
static bool only_moves(const struct op2i_loop *loop) {
  enum { FEW = 6 };
  return !loop->traits.indirect && loop->op.ndats <= FEW;
}

/* The reason why code forms keep two loops apart, or null. Fused loops of different forms would all
 * take the slower one. Exceptions are rows of matrices stored one after the other, which are not
 * vector code, together with loops that cost little: they only move an element's own values. */
static const char *forms_differ(const struct op2i_loop *a, const struct op2i_loop *b) {
  if (!op2i_loop_same_elements(a, b)) return "one of them also runs over the halo";
  if (a->traits.ordered || b->traits.ordered) return "one of them keeps element order";
  bool beside =
      (a->traits.per_nonzero && only_moves(b)) || (b->traits.per_nonzero && only_moves(a));
  if (!a->form.why != !b->form.why && !beside) return "one of them is not vectorised";
  if (op2i_form_unfit(&a->form) != op2i_form_unfit(&b->form))
    return "one of them is not for the device";
  if (op2i_loop_rule(a).kind != op2i_loop_rule(b).kind) return "they are to run in two places";
  if (!in_vectors(a) && (!a->form.mergeable || !b->form.mergeable))
    return "a kernel has preprocessor lines, types or headers of its own";
  return NULL;
}

struct verdict {
  const char *why;  /* null: they may be fused */
  const char *what; /* the dat or global that is the reason, or null */
  bool common;      /* they share data */
};

static struct verdict judge_pair(const struct op2i_node *a, const struct op2i_node *b) {
  struct verdict v = {.common = common_map(op2i_node_loop(a), op2i_node_loop(b))};
  v.what = dats_clash(op2i_node_loop(a), op2i_node_loop(b), &v.common);
  if (v.what) {
    v.why = "is modified, and reached through a map";
    return v;
  }
  const char *why = NULL;
  v.what = globals_clash(a, b, &why);
  v.why = v.what ? why : forms_differ(op2i_node_loop(a), op2i_node_loop(b));
  return v;
}

/* The kind of plain loops that a loop belongs to. For plain loops forms_differ() asks for nothing
 * but this, and judge_pair() for a common dat. */
static unsigned plain_kind(const struct op2i_loop *loop) {
  enum { PLAIN = 1, EXEC = 2, SCALAR = 4, UNFIT = 8, RULE = 16 };
  const bool merges = in_vectors(loop) || loop->form.mergeable;
  if (loop->nmaps || loop->op.ngbls || loop->traits.ordered || loop->traits.per_nonzero || !merges)
    return 0;
  return PLAIN + EXEC * op2i_loop_runs_over(loop, OP2I_EXEC) + SCALAR * (loop->form.why != NULL) +
         UNFIT * op2i_form_unfit(&loop->form) + RULE * (unsigned)op2i_loop_rule(loop).kind;
}

static int32_t count_kernel(const struct op2i_fusion *pass, const struct op2i_cluster *cluster,
                            op2_kernel kernel) {
  int32_t n = 0;
  for (int32_t p = cluster->first; p != NONE; p = pass->next[p])
    n += op2i_node_loop(pass->nodes[p])->kernel == kernel;
  return n;
}

/* True if two plain loops of the sequence share a dat. */
static bool share_dat(const struct op2i_fusion *pass, int32_t p, int32_t q) {
  const struct op2i_loop *a = op2i_node_loop(pass->nodes[p]), *b = op2i_node_loop(pass->nodes[q]);
  if (!(pass->traits[p].objects & pass->traits[q].objects)) return false;
  if (pass->few_dats) return true;
  for (int d = 0; d < a->op.ndats; d++)
    if (has_dat(b, a->op.dats[d])) return true;
  return false;
}

/* The number of members of a fused loop that may have this kernel. */
static int32_t repeats(op2_kernel kernel) {
  int32_t fit = REPEATED_TOKENS / kernel->signature.ntokens;
  return fit < 2 ? 2 : fit < OP2I_MEMBERS_MAX ? fit : OP2I_MEMBERS_MAX;
}

static const char *too_large(const struct op2i_fusion *pass, const struct op2i_cluster *cluster,
                             int32_t index) {
  const struct op2i_loop *loop = op2i_node_loop(pass->nodes[index]);
  const int32_t most = pass->traits[index].repeats;
  if (cluster->count >= OP2I_MEMBERS_MAX || cluster->nargs + loop->nargs > OP2I_ARGS_MAX)
    return "the fused loop is large enough";
  if (cluster->count >= most && count_kernel(pass, cluster, loop->kernel) >= most)
    return "the fused loop has that kernel as often as its length allows";
  return NULL;
}

/* Judge a plain loop with a cluster of its kind. */
static struct verdict judge_plain(const struct op2i_fusion *pass,
                                  const struct op2i_cluster *cluster, int32_t index,
                                  int32_t *other) {
  struct verdict all = {0};
  *other = cluster->last;
  all.common = pass->few_dats && cluster->objects & pass->traits[index].objects;
  for (int32_t p = cluster->first; p != NONE && !all.common && !pass->few_dats; p = pass->next[p])
    all.common = share_dat(pass, p, index);
  all.why = all.common ? too_large(pass, cluster, index) : "they share no data";
  return all;
}

static struct verdict judge_all(const struct op2i_fusion *pass, const struct op2i_cluster *cluster,
                                int32_t index, int32_t *other) {
  struct verdict all = {0};
  if (cluster->plain && cluster->plain == pass->traits[index].plain)
    return judge_plain(pass, cluster, index, other);
  *other = cluster->first;
  for (int32_t p = cluster->first; p != NONE; p = pass->next[p]) {
    struct verdict v = judge_pair(pass->nodes[p], pass->nodes[index]);
    *other = p;
    if (v.why) return v;
    all.common |= v.common;
  }
  if (!all.common)
    all.why = "they share no data";
  else
    all.why = too_large(pass, cluster, index);
  return all;
}

/* ---- grouping loops into clusters ------------------------------------------------------------ */

/* The first cluster that the loop may be in: the last of those with a loop it depends on. */
static int32_t earliest(const struct op2i_fusion *pass, int32_t index) {
  int32_t at = 0;
  for (int32_t e = pass->from_at[index]; e < pass->from_at[index + 1]; e++)
    if (pass->cluster_of[pass->from[e]] > at) at = pass->cluster_of[pass->from[e]];
  return at;
}

bool op2i_fuse_notes(const struct op2i_fusion *pass) { return pass->nnotes < NOTES; }

bool op2i_fuse_noted(struct op2i_fusion *pass, uint64_t hash) {
  hash += !hash; /* 0 marks free places */
  size_t at = hash % OP2I_NOTES_SEEN;
  while (pass->seen[at] && pass->seen[at] != hash) at = (at + 1) % OP2I_NOTES_SEEN;
  if (pass->seen[at]) return true;
  /* A quarter stays free; what is not remembered is made again, and found by its text. */
  if (pass->nseen < OP2I_NOTES_SEEN / 4 * 3) pass->seen[at] = hash, pass->nseen++;
  return false;
}

static uint64_t hash_text(const struct op2i_text *text) {
  uint64_t hash = text->length;
  for (size_t i = 0; i < text->length; i++)
    hash = op2i_hash_word(hash, (unsigned char)text->chars[i]);
  return hash;
}

void op2i_fuse_note(struct op2i_fusion *pass, struct op2i_text *line) {
  struct op2i_text *notes = pass->notes;
  if (line->failed) {
    notes->failed = true;
  } else if (op2i_fuse_notes(pass) && !op2i_fuse_noted(pass, hash_text(line))) {
    op2i_text_bytes(notes, line->chars, line->length);
    if (++pass->nnotes == NOTES) op2i_text_add(notes, "  and so on\n");
  }
  op2i_text_free(line);
}

static void note_refusal(struct op2i_fusion *pass, int32_t index, int32_t other,
                         struct verdict verdict) {
  if (!verdict.common || !op2i_fuse_notes(pass)) return;
  const char *const parts[] = {op2i_loop_name(op2i_node_loop(pass->nodes[index])),
                               op2i_loop_name(op2i_node_loop(pass->nodes[other])), verdict.what,
                               verdict.why};
  struct op2i_text line = {0};
  uint64_t hash = 0;
  for (int i = 0; i < 4; i++) hash = op2i_hash_word(hash, (uintptr_t)parts[i]);
  if (op2i_fuse_noted(pass, hash)) return;
  op2i_text_add(&line, "  %s was not fused with the earlier %s: %s%s%s%s\n", parts[0], parts[1],
                verdict.what ? "'" : "", verdict.what ? verdict.what : "", verdict.what ? "' " : "",
                verdict.why);
  op2i_fuse_note(pass, &line);
}

static int32_t choose(struct op2i_fusion *pass, int32_t index) {
  const struct op2i_loop *loop = op2i_node_loop(pass->nodes[index]);
  if (!loop) return NONE;
  int32_t least = earliest(pass, index), looked = 0;
  uint64_t objects = pass->traits[index].objects;
  bool noted = false;
  for (int32_t c = (int32_t)pass->nclusters - 1; c >= least && looked < LOOK_BACK; c--, looked++) {
    const struct op2i_cluster *cluster = &pass->clusters[c];
    int32_t other;
    if (cluster->set != loop->set || !(cluster->objects & objects)) continue;
    struct verdict verdict = judge_all(pass, cluster, index, &other);
    if (!verdict.why) return c;
    if (!noted) note_refusal(pass, index, other, verdict);
    noted = true;
  }
  return NONE;
}

static void put_into(struct op2i_fusion *pass, int32_t index, int32_t into) {
  const struct op2i_loop *loop = op2i_node_loop(pass->nodes[index]);
  const struct op2i_traits *traits = &pass->traits[index];
  pass->next[index] = NONE;
  if (into == NONE) {
    into = (int32_t)pass->nclusters++;
    pass->clusters[into] = (struct op2i_cluster){
        .set = loop ? loop->set : NULL, .plain = traits->plain, .first = index, .last = index};
  } else {
    pass->next[pass->clusters[into].last] = index;
    pass->clusters[into].last = index;
  }
  pass->cluster_of[index] = into;
  pass->clusters[into].count++;
  pass->clusters[into].nargs += loop ? loop->nargs : 0;
  pass->clusters[into].objects |= traits->objects;
  if (pass->clusters[into].plain != traits->plain) pass->clusters[into].plain = 0;
}

/* ---- moving loops towards later ones --------------------------------------------------------- */

/* The first cluster that depends on this one; nclusters if there is none. */
static int32_t first_dependent(const struct op2i_fusion *pass, int32_t c) {
  int32_t first = (int32_t)pass->nclusters;
  for (int32_t p = pass->clusters[c].first; p != NONE; p = pass->next[p])
    for (int32_t e = pass->to_at[p]; e < pass->to_at[p + 1]; e++) {
      int32_t of = pass->cluster_of[pass->to[e]];
      if (of != c && of < first) first = of;
    }
  return first;
}

static bool kernels_fit(const struct op2i_fusion *pass, const struct op2i_cluster *from,
                        const struct op2i_cluster *into) {
  for (int32_t p = from->first; p != NONE; p = pass->next[p]) {
    op2_kernel kernel = op2i_node_loop(pass->nodes[p])->kernel;
    const int32_t most = pass->traits[p].repeats;
    if (from->count + into->count > most &&
        count_kernel(pass, from, kernel) + count_kernel(pass, into, kernel) > most)
      return false;
  }
  return true;
}

/* True if two clusters of one kind of plain loops share a dat. */
static bool plainly_common(const struct op2i_fusion *pass, const struct op2i_cluster *from,
                           const struct op2i_cluster *into) {
  if (pass->few_dats) return from->objects & into->objects;
  for (int32_t p = from->first; p != NONE; p = pass->next[p])
    for (int32_t q = into->first; q != NONE; q = pass->next[q])
      if (share_dat(pass, p, q)) return true;
  return false;
}

static bool compatible(const struct op2i_fusion *pass, int32_t c, int32_t d) {
  const struct op2i_cluster *from = &pass->clusters[c], *into = &pass->clusters[d];
  bool common = false;
  if (!into->count || !into->set || into->set != from->set || !(into->objects & from->objects) ||
      into->count + from->count > OP2I_MEMBERS_MAX || into->nargs + from->nargs > OP2I_ARGS_MAX ||
      !kernels_fit(pass, from, into))
    return false;
  if (from->plain && from->plain == into->plain) return plainly_common(pass, from, into);
  for (int32_t p = from->first; p != NONE; p = pass->next[p])
    for (int32_t q = into->first; q != NONE; q = pass->next[q]) {
      struct verdict v = judge_pair(pass->nodes[p < q ? p : q], pass->nodes[p < q ? q : p]);
      if (v.why) return false;
      common |= v.common;
    }
  return common;
}

/* Merge cluster c into d. Members stay in the order of the queue. */
static void merge(struct op2i_fusion *pass, int32_t c, int32_t d) {
  struct op2i_cluster *from = &pass->clusters[c], *into = &pass->clusters[d];
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
  into->objects |= from->objects;
  if (into->plain != from->plain) into->plain = 0;
  from->count = 0;
  from->first = NONE;
}

/* A loop that found no cluster to join when it was met may join a later one, if no cluster in
 * between depends on it. */
static void move_later(struct op2i_fusion *pass) {
  for (int32_t c = (int32_t)pass->nclusters - 1; c >= 0; c--) {
    int32_t end = first_dependent(pass, c);
    for (int32_t d = c + 1; d <= end && d < pass->nclusters && d <= c + LOOK_BACK; d++)
      if (compatible(pass, c, d)) {
        merge(pass, c, d);
        break;
      }
  }
}

/* ---- the pass -------------------------------------------------------------------------------- */

static op2_status open_pass(struct op2i_fusion *pass, struct op2i_grouping *out) {
  size_t n = (size_t)pass->n, nedges = 0, nuses = 0;
  for (size_t p = 0; p < n; p++) nedges += (size_t)pass->nodes[p]->nedges;
  for (size_t p = 0; p < n; p++) nuses += (size_t)pass->nodes[p]->op->ndats;
  pass->traits = op2i_calloc(n, sizeof *pass->traits);
  pass->use_at = op2i_malloc((n + 1) * sizeof *pass->use_at);
  pass->next_user = op2i_malloc(nuses * sizeof *pass->next_user);
  pass->cluster_of = op2i_malloc(n * sizeof *pass->cluster_of);
  pass->next = op2i_malloc(n * sizeof *pass->next);
  pass->clusters = op2i_malloc(n * sizeof *pass->clusters);
  pass->from_at = op2i_calloc(n + 1, sizeof *pass->from_at);
  pass->to_at = op2i_calloc(n + 2, sizeof *pass->to_at);
  pass->from = op2i_malloc(nedges * sizeof *pass->from);
  pass->to = op2i_malloc(nedges * sizeof *pass->to);
  out->n = pass->n;
  out->nodes = op2i_malloc(n * sizeof *out->nodes);
  out->groups = op2i_calloc(n, sizeof *out->groups);
  bool good = pass->traits && pass->use_at && pass->next_user && pass->cluster_of && pass->next &&
              pass->clusters && pass->from_at && pass->to_at && pass->from && pass->to &&
              out->nodes && out->groups;
  return good ? OP2_SUCCESS : op2i_error_nomem("the passes over the queue");
}

static void close_pass(struct op2i_fusion *pass) {
  op2i_free(pass->traits);
  op2i_free(pass->use_at);
  op2i_free(pass->next_user);
  op2i_free(pass->cluster_of);
  op2i_free(pass->next);
  op2i_free(pass->clusters);
  op2i_free(pass->from_at);
  op2i_free(pass->to_at);
  op2i_free(pass->from);
  op2i_free(pass->to);
}

/* List the edges in both directions. While `to` is filled, to_at[p + 1] is the index for the next
 * edge of p; at the end it is the first index of p + 1. */
static void list_edges(struct op2i_fusion *pass) {
  int32_t n = 0;
  for (int32_t p = 0; p < pass->n; p++) {
    const struct op2i_node *node = pass->nodes[p];
    for (int32_t e = 0; e < node->nedges; e++) {
      int64_t from =
          op2i_graph_place(pass->nodes, p, pass->sched->queue.edges[node->first_edge + e].from);
      if (from < 0) continue;
      pass->from[n++] = (int32_t)from;
      pass->to_at[from + 2]++;
    }
    pass->from_at[p + 1] = n;
  }
  for (int32_t p = 1; p <= pass->n; p++) pass->to_at[p + 1] += pass->to_at[p];
  for (int32_t p = 0; p < pass->n; p++)
    for (int32_t e = pass->from_at[p]; e < pass->from_at[p + 1]; e++)
      pass->to[pass->to_at[pass->from[e] + 1]++] = p;
}

/* This is known of a dat while the nodes are gone through: its number, by first appearance, and the
 * first node that uses it of those after the present one. Dats are identified by their slots in the
 * queue's records. */
struct seen_dat {
  int32_t number, user;
};

/* Number the dats, and list where each node's uses begin. */
static void number_dats(struct op2i_fusion *pass, struct seen_dat *seen) {
  int32_t ndats = 0;
  pass->use_at[0] = 0;
  for (int32_t p = 0; p < pass->n; p++) {
    const struct op2i_op *op = pass->nodes[p]->op;
    pass->use_at[p + 1] = pass->use_at[p] + op->ndats;
    for (int d = 0; d < op->ndats; d++) seen[op->dats[d]->res.slot].number = NONE;
  }
  for (int32_t p = 0; p < pass->n; p++)
    for (int d = 0; d < pass->nodes[p]->op->ndats; d++) {
      struct seen_dat *dat = &seen[pass->nodes[p]->op->dats[d]->res.slot];
      if (dat->number == NONE) *dat = (struct seen_dat){ndats++, NONE};
    }
  pass->few_dats = ndats <= 64;
}

static void find_traits(struct op2i_fusion *pass, int32_t p, const struct seen_dat *seen) {
  const struct op2i_loop *loop = op2i_node_loop(pass->nodes[p]);
  uint64_t objects = 0;
  if (!loop) return;
  for (int d = 0; d < loop->op.ndats; d++)
    objects |= (uint64_t)1 << seen[loop->op.dats[d]->res.slot].number % 64;
  for (int m = 0; m < loop->nmaps; m++) objects |= (uint64_t)1 << loop->maps[m]->obj.id % 64;
  pass->traits[p] = (struct op2i_traits){objects, plain_kind(loop), repeats(loop->kernel)};
}

/* Find the traits of each node, and for each of its dats the next node that uses it. */
static op2_status look_at_nodes(struct op2i_fusion *pass) {
  struct seen_dat *seen = op2i_malloc((size_t)pass->sched->records.capacity * sizeof *seen);
  if (!seen) return op2i_error_nomem("the passes over the queue");
  number_dats(pass, seen);
  for (int32_t p = (int32_t)pass->n - 1; p >= 0; p--) {
    const struct op2i_op *op = pass->nodes[p]->op;
    for (int d = 0; d < op->ndats; d++) {
      struct seen_dat *dat = &seen[op->dats[d]->res.slot];
      pass->next_user[pass->use_at[p] + d] = dat->user;
      dat->user = p;
    }
    find_traits(pass, p, seen);
  }
  op2i_free(seen);
  return OP2_SUCCESS;
}

op2_status op2i_fuse(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                     struct op2i_grouping *out) {
  *out = (struct op2i_grouping){0};
  struct op2i_fusion pass = {.sched = sched, .nodes = nodes, .n = n, .notes = &out->notes};
  bool fuse = sched->ctx->config.fuse;
  op2_status status = open_pass(&pass, out);
  if (!status && fuse) status = look_at_nodes(&pass);
  if (!status) list_edges(&pass);
  for (int32_t p = 0; p < n && !status; p++) put_into(&pass, p, fuse ? choose(&pass, p) : NONE);
  if (fuse && !status) move_later(&pass);
  if (!status) status = op2i_fuse_groups(&pass, out);
  if (!status && out->notes.failed) status = op2i_error_nomem("the passes over the queue");
  close_pass(&pass);
  if (status) op2i_grouping_free(out);
  return status;
}

void op2i_grouping_free(struct op2i_grouping *grouping) {
  op2i_free(grouping->nodes);
  op2i_free(grouping->groups);
  op2i_text_free(&grouping->notes);
  *grouping = (struct op2i_grouping){0};
}
