/* SPDX-License-Identifier: BSD-3-Clause */
/* Owners of the sets that follow others: elements go to the rank that owns most of the elements
 * with which maps connect them. */
#include <stdlib.h>
#include <string.h>

#include "comm_parcel.h"
#include "error.h"
#include "mem.h"
#include "part.h"
#include "part_follow.h"
#include "part_graph.h"
#include "part_method.h"

static int ascending(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Ties are broken by a hash of the element's number, which has nothing to do with the mesh: so they
 * are spread evenly over the ranks, and all ranks decide alike. */
int32_t op2i_part_elect(int64_t number, int64_t n, int32_t *votes) {
  const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);
  int64_t most = 0, tied = 0, chosen, same = 1;
  while (same < n && votes[same] == votes[0]) same++;
  if (same == n) return votes[0];
  qsort(votes, (size_t)n, sizeof *votes, ascending);
  for (int64_t i = 0, end = 0; i < n; i = end) {
    while (end < n && votes[end] == votes[i]) end++;
    tied = end - i > most ? 1 : tied + (end - i == most);
    if (end - i > most) most = end - i;
  }
  chosen = (int64_t)(((uint64_t)number * golden >> 33) % (uint64_t)tied);
  for (int64_t i = 0, end = 0;; i = end) {
    while (end < n && votes[end] == votes[i]) end++;
    if (end - i == most && chosen-- == 0) return votes[i];
  }
}

/* ---- owners chosen by the targets of maps ---------------------------------------------------- */

/* Find the owners of the targets of a map's rows. */
static op2_status find_owners(const struct op2i_parting *p, const struct op2i_part_map *m,
                              struct op2i_numbers *found) {
  op2_status status = op2i_numbers_add(found, p->sets[m->from].n * m->map->arity, m->row);
  if (!status) status = op2i_numbers_close(found);
  status = op2i_part_agree(p, status);
  if (status) return status;
  return op2i_table_get(&p->sets[m->to].owners, found->n, found->number, found->is);
}

static bool leads_to_owners(const struct op2i_parting *p, const struct op2i_part_map *m, int set) {
  return m->from == set && p->sets[m->to].owners.rows;
}

static int64_t votes_each(const struct op2i_parting *p, int set) {
  int64_t n = 0;
  for (int m = 0; m < p->nmaps; m++)
    if (leads_to_owners(p, &p->maps[m], set)) n += p->maps[m].map->arity;
  return n;
}

/* Fill in votes[e][each] for one map, from column `at` on. */
static op2_status cast(const struct op2i_parting *p, const struct op2i_part_map *m, int64_t each,
                       int64_t at, int32_t *votes) {
  struct op2i_numbers found = {0};
  int64_t arity = m->map->arity;
  op2_status status = find_owners(p, m, &found);
  for (int64_t e = 0; e < p->sets[m->from].n && !status; e++)
    for (int64_t k = 0; k < arity; k++)
      votes[e * each + at + k] = found.is[op2i_numbers_at(&found, m->row[e * arity + k])];
  op2i_numbers_free(&found);
  return status;
}

static op2_status by_targets(struct op2i_parting *p, int set) {
  struct op2i_part_set *s = &p->sets[set];
  int64_t each = votes_each(p, set), at = 0;
  int32_t *votes = op2i_malloc((size_t)(s->n * each) * sizeof *votes);
  s->owner = op2i_malloc((size_t)s->n * sizeof *s->owner);
  op2_status status = votes && s->owner ? OP2_SUCCESS : op2i_error_nomem("a partition");
  status = op2i_part_agree(p, status);
  for (int m = 0; m < p->nmaps && !status; m++) {
    if (!leads_to_owners(p, &p->maps[m], set)) continue;
    status = cast(p, &p->maps[m], each, at, votes);
    at += p->maps[m].map->arity;
  }
  for (int64_t e = 0; e < s->n && !status; e++)
    s->owner[e] = op2i_part_elect(s->number[e], each, votes + e * each);
  op2i_free(votes);
  return status ? status : op2i_part_settle(p, set);
}

/* ---- owners chosen by the rows that lead to an element --------------------------------------- */

struct vote {
  int64_t number, owner;
};

static bool comes_from_owners(const struct op2i_parting *p, const struct op2i_part_map *m,
                              int set) {
  return m->to == set && p->sets[m->from].owners.rows;
}

/* Send the votes of all rows of this rank to the ranks that hold the shares of their targets. */
static op2_status send_votes(const struct op2i_parting *p, int set, struct op2i_parcels *in) {
  struct op2i_share share = {.size = p->sets[set].size, .ranks = p->comm->size};
  int64_t n = 0, at = 0;
  for (int m = 0; m < p->nmaps; m++)
    if (comes_from_owners(p, &p->maps[m], set))
      n += p->sets[p->maps[m].from].n * p->maps[m].map->arity;
  struct vote *votes = op2i_malloc((size_t)n * sizeof *votes);
  int32_t *to = op2i_malloc((size_t)n * sizeof *to);
  op2_status status = votes && to ? OP2_SUCCESS : op2i_error_nomem("a partition");
  status = op2i_part_agree(p, status);
  for (int m = 0; m < p->nmaps && !status; m++) {
    const struct op2i_part_map *map = &p->maps[m];
    const struct op2i_part_set *from = &p->sets[map->from];
    if (!comes_from_owners(p, map, set)) continue;
    for (int64_t i = 0; i < from->n * map->map->arity; i++, at++) {
      votes[at] = (struct vote){map->row[i], from->owner[i / map->map->arity]};
      to[at] = op2i_share_of(&share, map->row[i]);
    }
  }
  *in = (struct op2i_parcels){0};
  if (!status) status = op2i_mail_send(p->comm, n, to, sizeof *votes, votes, in);
  op2i_free(votes);
  op2i_free(to);
  return status;
}

/* Sort the votes: those for the i-th number of the share are ranks[starts[i]..starts[i + 1] -
 * 1]. */
static void sort_votes(const struct op2i_parcels *in, const struct op2i_table *elected,
                       int64_t *starts, int32_t *ranks) {
  for (int64_t k = 0; k < in->n; k++) {
    const struct vote *vote = in->parcel[k].data, *end = vote + in->parcel[k].bytes / sizeof *vote;
    for (; vote < end; vote++) starts[vote->number - elected->first + 2]++;
  }
  for (int64_t i = 0; i < elected->n; i++) starts[i + 2] += starts[i + 1];
  for (int64_t k = 0; k < in->n; k++) {
    const struct vote *vote = in->parcel[k].data, *end = vote + in->parcel[k].bytes / sizeof *vote;
    for (; vote < end; vote++)
      ranks[starts[vote->number - elected->first + 1]++] = (int32_t)vote->owner;
  }
}

static op2_status count_votes(const struct op2i_parcels *in, struct op2i_table *elected) {
  int64_t n = 0;
  for (int64_t k = 0; k < in->n; k++) n += (int64_t)(in->parcel[k].bytes / sizeof(struct vote));
  int64_t *starts = op2i_calloc((size_t)elected->n + 2, sizeof *starts);
  int32_t *ranks = op2i_malloc((size_t)n * sizeof *ranks);
  op2_status status = starts && ranks ? OP2_SUCCESS : op2i_error_nomem("a partition");
  if (!status) sort_votes(in, elected, starts, ranks);
  for (int64_t i = 0; i < elected->n && !status; i++) {
    int64_t votes = starts[i + 1] - starts[i];
    if (!votes) continue;
    int32_t rank = op2i_part_elect(elected->first + i, votes, ranks + starts[i]);
    memcpy(elected->rows + (size_t)i * sizeof rank, &rank, sizeof rank);
    elected->given[i] = 1;
  }
  op2i_free(starts);
  op2i_free(ranks);
  return status;
}

/* Elements that no row reaches stay with the rank that would own them in a partition by blocks. */
static op2_status by_rows(struct op2i_parting *p, int set) {
  struct op2i_part_set *s = &p->sets[set];
  struct op2i_share share = {.size = s->size, .ranks = p->comm->size};
  struct op2i_parcels in = {0};
  struct op2i_table elected = {0};
  s->owner = op2i_malloc((size_t)s->n * sizeof *s->owner);
  op2_status status = op2i_part_agree(p, s->owner ? OP2_SUCCESS : op2i_error_nomem("a partition"));
  for (int64_t e = 0; e < s->n && !status; e++) s->owner[e] = op2i_share_of(&share, s->number[e]);
  if (!status)
    status = op2i_table_open(p->comm, s->set->obj.name, s->size, sizeof *s->owner, &elected);
  if (!status) status = send_votes(p, set, &in);
  if (!status) status = op2i_part_agree(p, count_votes(&in, &elected));
  if (!status) status = op2i_table_get(&elected, s->n, s->number, s->owner);
  op2i_parcels_free(&in);
  op2i_table_close(&elected);
  return status ? status : op2i_part_settle(p, set);
}

/* ---- all sets -------------------------------------------------------------------------------- */

/* Find the owners of one more set: the first one that can follow, by targets rather than by
 * rows. */
static op2_status follow_one(struct op2i_parting *p, bool *any) {
  int rows = -1, none = -1;
  *any = true;
  for (int s = 0; s < p->nsets; s++) {
    bool led = false;
    if (p->sets[s].owners.rows) continue;
    if (votes_each(p, s)) return by_targets(p, s);
    for (int m = 0; m < p->nmaps; m++) led |= comes_from_owners(p, &p->maps[m], s);
    if (led && rows < 0) rows = s;
    if (none < 0) none = s;
  }
  if (rows >= 0) return by_rows(p, rows);
  if (none >= 0) return op2i_part_blocks(p, none);
  *any = false;
  return OP2_SUCCESS;
}

op2_status op2i_part_follow(struct op2i_parting *p) {
  bool any = true;
  op2_status status = OP2_SUCCESS;
  while (any && !status) status = follow_one(p, &any);
  return status;
}
