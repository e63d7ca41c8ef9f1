/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison of a list among ranks: the first difference is found by bisection, with few bytes and
 * no memory. It is used to check that all ranks have queued the same and are about to run the same
 * of it; sizes may differ, and so may captured values. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "comm.h"
#include "error.h"
#include "hash.h"
#include "settle.h"

enum { PIECE = 256, PIECES = OP2I_DIFFERENCE_WORDS / PIECE };

struct own {
  struct op2i_sched *sched;
  const char *call, *name; /* the call that makes the queue run, and the object that it is about */
};

/* ---- the description that ranks compare ------------------------------------------------------ */

static uint64_t add_text(uint64_t hash, const char *text) {
  for (; *text; text++) hash = op2i_hash_word(hash, (unsigned char)*text);
  return op2i_hash_word(hash, 256);
}

/* True if the object's name ends with its number. Ranks may have objects that others lack, so
 * numbers of objects differ, and so do names that were made of them. */
static bool invented(const struct op2i_object *object) {
  char id[24];
  int n = snprintf(id, sizeof id, "%" PRId64, object->id);
  size_t length = strlen(object->name);
  return length >= (size_t)n && strcmp(object->name + length - (size_t)n, id) == 0;
}

static uint64_t add_object(uint64_t hash, const void *object) {
  const struct op2i_object *o = object;
  if (!o) return op2i_hash_word(hash, 0);
  return op2i_hash_word(invented(o) ? hash : add_text(hash, o->name), (uint64_t)o->seen);
}

static uint64_t add_args(uint64_t hash, const op2_arg *args, int n) {
  for (int a = 0; a < n; a++) {
    const op2_arg *arg = &args[a];
    hash = add_object(add_object(add_object(hash, arg->object), arg->map), arg->map2);
    hash = add_object(hash, arg->value); /* the subset of a matrix's argument, or null */
    const int32_t words[] = {arg->idx, arg->idx2, arg->dim, arg->type, arg->access};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
      hash = op2i_hash_word(hash, (uint32_t)words[w]);
  }
  return hash;
}

static uint64_t hash_node(const struct op2i_node *node) {
  uint64_t hash = add_text((uint64_t)node->marked, node->op->kind->name);
  const struct op2i_loop *loop = op2i_node_loop(node);
  const struct op2i_user_call *call = op2i_op_call(node->op);
  hash = op2i_hash_word(hash, (uint64_t)node->number);
  if (loop)
    hash = add_args(add_object(add_object(hash, loop->kernel), loop->set), loop->entry.key,
                    loop->nargs);
  if (call) hash = add_args(add_text(hash, call->name), call->key, call->nargs);
  for (int d = 0; d < node->op->ndats; d++) hash = op2i_hash_word(hash, node->op->dats[d]->stale);
  for (int g = 0; g < node->op->ngbls; g++)
    hash = op2i_hash_word(hash, (uint64_t)node->versions[g]->number);
  return hash;
}

/* ---- numbers by first appearance ------------------------------------------------------------- */

/* Forget the object's number if *next is -1; else number an object that has none. */
static void number_object(void *object, int64_t *next) {
  struct op2i_object *o = object;
  if (!o) return;
  if (*next < 0)
    o->seen = -1;
  else if (o->seen < 0)
    o->seen = (*next)++;
}

static void number_args(const op2_arg *args, int n, int64_t *next) {
  for (int a = 0; a < n; a++) {
    number_object((void *)args[a].object, next);
    number_object(args[a].map, next);
    number_object(args[a].map2, next);
    number_object((void *)args[a].value, next);
  }
}

static void number_node(const struct op2i_node *node, int64_t *next) {
  const struct op2i_loop *loop = op2i_node_loop(node);
  const struct op2i_user_call *call = op2i_op_call(node->op);
  if (loop) {
    number_object(loop->kernel, next);
    number_object(loop->set, next);
    number_args(loop->entry.key, loop->nargs, next);
  }
  if (call) number_args(call->key, call->nargs, next);
  for (int g = 0; g < node->op->ngbls; g++) {
    struct op2i_version *version = node->versions[g];
    if (*next < 0)
      version->number = -1;
    else if (version->number < 0)
      version->number = (int32_t)(*next)++;
  }
}

static void number_all(const struct op2i_sched *sched) {
  int64_t next = -1;
  for (int64_t i = 0; i < sched->queue.nnodes; i++) number_node(&sched->queue.nodes[i], &next);
  next = 0;
  for (int64_t i = 0; i < sched->queue.nnodes; i++) number_node(&sched->queue.nodes[i], &next);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Hash of the first n members; members beyond the end of the list count as such. */
static uint64_t hash_list(const struct op2i_listing *list, int64_t n) {
  uint64_t hash = 0;
  for (int64_t i = 0; i < n; i++)
    hash = op2i_hash_word(hash, i < list->n ? list->hash(list->of, i) : 1);
  return hash;
}

static op2_status compare_hash(struct op2i_comm *comm, uint64_t hash, bool *same) {
  return op2i_comm_same(comm, 1, &(int64_t){(int64_t)hash}, same);
}

/* The first place that is not the same on all ranks, or the end of the longest list. */
static op2_status first_difference(struct op2i_comm *comm, const struct op2i_listing *list,
                                   int64_t *at) {
  int64_t lo = 0, hi = list->n;
  op2_status status = op2i_comm_greatest(comm, 1, &hi);
  while (lo < hi && !status) {
    int64_t middle = lo + (hi - lo) / 2;
    bool same;
    status = compare_hash(comm, hash_list(list, middle + 1), &same);
    if (same)
      lo = middle + 1;
    else
      hi = middle;
  }
  *at = lo;
  return status;
}

static op2_status share(struct op2i_comm *comm, int root, char *words) {
  op2_status status = OP2_SUCCESS;
  for (int p = 0; p < PIECES && !status; p++)
    status = op2i_comm_share(comm, root, words + (size_t)p * PIECE, PIECE);
  return status;
}

/* Send to all ranks the descriptions of rank 0 and of the lowest rank that differs from it. */
static op2_status describe(struct op2i_comm *comm, const struct op2i_listing *list,
                           struct op2i_difference *d) {
  int64_t own = d->at < list->n ? d->at : list->n;
  uint64_t mine = list->hash(list->of, own), first = mine;
  memset(d->lowest, 0, sizeof d->lowest);
  list->describe(list->of, own, d->lowest, sizeof d->lowest);
  memcpy(d->other, d->lowest, sizeof d->other);
  op2_status status = op2i_comm_share(comm, 0, &first, sizeof first);
  d->rank = first == mine ? INT64_MAX : comm->rank;
  if (!status) status = op2i_comm_least(comm, 1, &d->rank);
  if (!status) status = share(comm, 0, d->lowest);
  return status ? status : share(comm, (int)d->rank, d->other);
}

op2_status op2i_ranks_compare(struct op2i_comm *comm, const struct op2i_listing *list,
                              struct op2i_difference *difference) {
  uint64_t all = op2i_hash_word(hash_list(list, list->n), list->hash(list->of, list->n));
  bool same;
  difference->at = -1;
  op2_status status = compare_hash(comm, all, &same);
  if (status || same) return status;
  status = first_difference(comm, list, &difference->at);
  return status ? status : describe(comm, list, difference);
}

/* ---- the queue ------------------------------------------------------------------------------- */

/* The hash leaves out the number that a generated name ends with. */
static uint64_t hash_force(const struct own *own) {
  size_t length = strlen(own->name);
  uint64_t hash = add_text(0, own->call);
  while (length > 0 && own->name[length - 1] >= '0' && own->name[length - 1] <= '9') length--;
  for (size_t i = 0; i < length; i++) hash = op2i_hash_word(hash, (unsigned char)own->name[i]);
  return hash;
}

/* The last node is followed by the call that makes the queue run. */
static uint64_t hash_queued(const void *of, int64_t at) {
  const struct own *own = of;
  return at < own->sched->queue.nnodes ? hash_node(&own->sched->queue.nodes[at]) : hash_force(own);
}

static void describe_queued(const void *of, int64_t at, char *words, size_t size) {
  const struct own *own = of;
  struct op2i_text text = {0};
  const struct op2i_node *node =
      at < own->sched->queue.nnodes ? &own->sched->queue.nodes[at] : NULL;
  if (node) {
    node->op->kind->describe(node->op, &text);
    snprintf(words, size, "%.250s, queued at %.400s:%d%s", text.failed ? "?" : text.chars,
             node->where.file, node->where.line, node->marked ? "" : ", not to be run");
  } else {
    snprintf(words, size, "nothing more before %s%s%s%s", own->call, *own->name ? " of '" : "",
             own->name, *own->name ? "'" : "");
  }
  op2i_text_free(&text);
}

op2_status op2i_verify_ranks(struct op2i_sched *sched, const char *call, const char *name) {
  struct op2i_comm *comm = sched->ctx->comm;
  const struct own own = {sched, call, name};
  const struct op2i_listing list = {&own, sched->queue.nnodes, hash_queued, describe_queued};
  struct op2i_difference d;
  if (!comm || comm->size == 1) return OP2_SUCCESS;
  number_all(sched);
  op2_status status = op2i_ranks_compare(comm, &list, &d);
  if (status || d.at < 0) return status;
  int64_t number = sched->queue.next_number - sched->queue.nnodes + d.at;
  status = op2i_comm_share(comm, 0, &number, sizeof number);
  sched->ctx->fatal = true; /* the ranks cannot go on */
  if (status) return status;
  return op2i_error(OP2_ERR_MISMATCH,
                    "ranks differ from call %" PRId64 " on: rank 0 of %d has %s, rank %d has %s",
                    number, comm->size, d.lowest, (int)d.rank, d.other);
}
