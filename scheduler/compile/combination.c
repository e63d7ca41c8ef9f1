/* SPDX-License-Identifier: BSD-3-Clause */
/* Combinations of loops that fusion has met: how often they have come, and the loops they were
 * fused into. They are in a hash table of bounded size, beside digests of the last sequences. */
#include "combination.h"

#include <string.h>

#include "error.h"
#include "hash.h"
#include "loop_table.h"
#include "mem.h"
#include "passes.h"

/* A fused loop needs memory for its text and its plans, a combination that is kept apart about a
 * hundred bytes. When there are too many, a quarter of them is dropped. */
enum { APART_MAX = 4096, FUSED_MAX = 256 };

/* The number of times that a combination must come grows by one for every SINGLES others that
 * have come only once. */
enum { SINGLES = 4 };

/* ---- lists ----------------------------------------------------------------------------------- */

static void append(struct op2i_combination_list *list, struct op2i_combination *c) {
  c->newer = NULL;
  c->older = list->newest;
  *(list->newest ? &list->newest->newer : &list->oldest) = c;
  list->newest = c;
  list->n++;
}

static void take_off(struct op2i_combination_list *list, struct op2i_combination *c) {
  *(c->older ? &c->older->newer : &list->oldest) = c->newer;
  *(c->newer ? &c->newer->older : &list->newest) = c->older;
  list->n--;
}

static struct op2i_combination_list *list_of(struct op2i_combinations *table,
                                             const struct op2i_combination *c) {
  return c->loop ? &table->fused : &table->apart;
}

static void renew(struct op2i_combinations *table, struct op2i_combination *c) {
  struct op2i_combination_list *list = list_of(table, c);
  take_off(list, c);
  append(list, c);
}

/* ---- the table ------------------------------------------------------------------------------- */

static struct op2i_combination **bucket_of(const struct op2i_combinations *table, uint64_t hash) {
  return &table->buckets[hash & (uint64_t)(table->nbuckets - 1)];
}

static void put_all(struct op2i_combinations *table, struct op2i_combination *oldest) {
  for (struct op2i_combination *c = oldest; c; c = c->newer) {
    struct op2i_combination **bucket = bucket_of(table, c->hash);
    c->next_in_bucket = *bucket;
    *bucket = c;
  }
}

static op2_status make_room(struct op2i_combinations *table) {
  if (table->apart.n + table->fused.n < table->nbuckets) return OP2_SUCCESS;
  int64_t nbuckets = table->nbuckets ? 2 * table->nbuckets : 64;
  struct op2i_combination **buckets = op2i_calloc((size_t)nbuckets, sizeof(void *));
  if (!buckets) return op2i_error_nomem("the table of combinations");
  op2i_free(table->buckets);
  table->buckets = buckets;
  table->nbuckets = nbuckets;
  put_all(table, table->apart.oldest);
  put_all(table, table->fused.oldest);
  return OP2_SUCCESS;
}

static op2_status add(struct op2i_combinations *table, const int64_t *words, int nwords,
                      uint64_t hash, struct op2i_combination **out) {
  op2_status status = make_room(table);
  if (status) return status;
  struct op2i_combination *c = op2i_malloc(sizeof *c + (size_t)nwords * sizeof *words);
  if (!c) return op2i_error_nomem("a combination of loops");
  struct op2i_combination **bucket = bucket_of(table, hash);
  *c = (struct op2i_combination){.next_in_bucket = *bucket, .hash = hash, .nwords = nwords};
  memcpy(c->words, words, (size_t)nwords * sizeof *words);
  *bucket = c;
  append(&table->apart, c);
  *out = c;
  return OP2_SUCCESS;
}

static void drop_combination(struct op2i_combinations *table, struct op2i_combination *c) {
  struct op2i_combination **at = bucket_of(table, c->hash);
  while (*at != c) at = &(*at)->next_in_bucket;
  *at = c->next_in_bucket;
  take_off(list_of(table, c), c);
  table->nsingle -= !c->loop && c->times == 1;
  op2i_free(c);
}

void op2i_combinations_begin(struct op2i_combinations *table) { table->passes++; }

op2_status op2i_combination_meet(struct op2i_combinations *table, const int64_t *words, int nwords,
                                 struct op2i_combination **out) {
  uint64_t hash = 0;
  for (int w = 0; w < nwords; w++) hash = op2i_hash_word(hash, (uint64_t)words[w]);
  struct op2i_combination *c = table->nbuckets ? *bucket_of(table, hash) : NULL;
  while (c && !(c->hash == hash && c->nwords == nwords &&
                !memcmp(c->words, words, (size_t)nwords * sizeof *words)))
    c = c->next_in_bucket;
  op2_status status = c ? OP2_SUCCESS : add(table, words, nwords, hash, &c);
  if (status) return status;
  if (!c->loop) {
    c->times++;
    table->nsingle += (c->times == 1) - (c->times == 2);
  }
  c->last = table->passes;
  renew(table, c);
  *out = c;
  return OP2_SUCCESS;
}

int64_t op2i_combinations_wanted(const struct op2i_combinations *table) {
  return 2 + table->nsingle / SINGLES;
}

void op2i_combination_fused(struct op2i_combinations *table, struct op2i_combination *c,
                            struct op2i_loop *loop) {
  table->nsingle -= c->times == 1;
  take_off(&table->apart, c);
  c->loop = loop;
  loop->entry.hash = c->hash;
  append(&table->fused, c);
}

static struct op2i_combination *of_loop(const struct op2i_combinations *table,
                                        const struct op2i_loop *loop) {
  struct op2i_combination *c = table->nbuckets ? *bucket_of(table, loop->entry.hash) : NULL;
  while (c && c->loop != loop) c = c->next_in_bucket;
  return c;
}

void op2i_combinations_forget(struct op2i_combinations *table, const struct op2i_loop *loop) {
  struct op2i_combination *c = loop->fused.members ? of_loop(table, loop) : NULL;
  if (c) drop_combination(table, c);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Move the combinations of kept programs to the end of the list, since programs that are run again
 * do not do that. Programs are listed newest first. */
static void renew_used(const struct op2i_sched *sched, const struct op2i_program *program) {
  if (!program) return;
  renew_used(sched, program->next);
  for (int64_t g = 0; g < program->grouping.ngroups; g++) {
    const struct op2i_group *group = &program->grouping.groups[g];
    struct op2i_combination *c =
        group->count > 1 ? of_loop(sched->caches.combinations, group->loop) : NULL;
    if (c && c->last < sched->caches.combinations->passes) renew(sched->caches.combinations, c);
  }
}

void op2i_combinations_trim(struct op2i_sched *sched) {
  struct op2i_combinations *table = sched->caches.combinations;
  if (table->apart.n > APART_MAX)
    while (table->apart.n > APART_MAX / 4 * 3 && table->apart.oldest->last < table->passes)
      drop_combination(table, table->apart.oldest);
  if (table->fused.n <= FUSED_MAX) return;
  renew_used(sched, sched->caches.programs);
  struct op2i_combination *newer;
  for (struct op2i_combination *c = table->fused.oldest; c; c = newer) {
    newer = c->newer;
    if (c->last < table->passes && table->fused.n > FUSED_MAX / 4 * 3) op2i_loop_discard(c->loop);
  }
}

void op2i_combinations_reset(struct op2i_combinations *table) {
  while (table->fused.oldest) op2i_loop_discard(table->fused.oldest->loop);
  while (table->apart.oldest) drop_combination(table, table->apart.oldest);
  table->nsequences = 0;
}

void op2i_combinations_free(struct op2i_combinations *table) {
  if (!table) return;
  while (table->apart.oldest) drop_combination(table, table->apart.oldest);
  while (table->fused.oldest) drop_combination(table, table->fused.oldest);
  op2i_free(table->buckets);
  op2i_free(table);
}

/* ---- sequences ------------------------------------------------------------------------------- */

uint64_t op2i_sequence_digest(struct op2i_node *const *nodes, int64_t n) {
  uint64_t digest = (uint64_t)n;
  for (int64_t i = 0; i < n; i++) digest = op2i_hash_word(digest, (uint64_t)nodes[i]->op->id);
  return digest;
}

bool op2i_sequence_known(const struct op2i_combinations *table, uint64_t digest) {
  for (int64_t s = 0; s < table->nsequences && s < OP2I_SEQUENCES; s++)
    if (table->sequences[s] == digest) return true;
  return false;
}

void op2i_sequence_add(struct op2i_combinations *table, uint64_t digest) {
  table->sequences[table->nsequences++ % OP2I_SEQUENCES] = digest;
}
