/* SPDX-License-Identifier: BSD-3-Clause */
/* What is to be partitioned: all sets and maps of a context, by global numbers. */
#include <inttypes.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "hash.h"
#include "mem.h"
#include "part.h"

op2_status op2i_part_agree(const struct op2i_parting *p, op2_status status) {
  return op2i_comm_agree(p->comm, status);
}

int op2i_part_find(const struct op2i_parting *p, op2_set set) {
  for (int s = 0; s < p->nsets; s++)
    if (p->sets[s].set == set) return s;
  return -1;
}

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS };

/* ---- numbers --------------------------------------------------------------------------------- */

/* One pass by some bits, stable. */
static void sort_pass(int64_t n, const int64_t *in, int64_t *out, int shift) {
  int64_t starts[RADIX + 1] = {0};
  for (int64_t i = 0; i < n; i++) starts[(in[i] >> shift & (RADIX - 1)) + 1]++;
  for (int d = 0; d < RADIX; d++) starts[d + 1] += starts[d];
  for (int64_t i = 0; i < n; i++) out[starts[in[i] >> shift & (RADIX - 1)]++] = in[i];
}

/* Numbers are not negative. Many are sorted bit by bit, where there is memory for it. */
static void sort(int64_t n, int64_t *number) {
  int64_t all = 0, *other = n < 2 * RADIX ? NULL : op2i_malloc((size_t)n * sizeof *other);
  if (!other) {
    op2i_sort_indices(n, number);
    return;
  }
  for (int64_t i = 0; i < n; i++) all |= number[i];
  for (int shift = 0; shift < 64 && all >> shift; shift += 2 * RADIX_BITS) {
    sort_pass(n, number, other, shift);
    sort_pass(n, other, number, shift + RADIX_BITS);
  }
  op2i_free(other);
}

int64_t op2i_numbers_sort(int64_t n, int64_t *number) {
  bool sorted = true;
  int64_t kept = 0;
  for (int64_t i = 1; i < n && sorted; i++) sorted = number[i - 1] <= number[i];
  if (!sorted) sort(n, number);
  for (int64_t i = 0; i < n; i++)
    if (kept == 0 || number[kept - 1] != number[i]) number[kept++] = number[i];
  return kept;
}

/* Numbers ascend and are all different, so two of them are at least as far apart by value as by
 * place: few places are left where few numbers are missing. By turns in proportion and in halves. */
int64_t op2i_numbers_at(const struct op2i_numbers *found, int64_t number) {
  const int64_t *at = found->number;
  int64_t lo = 0, hi = found->n - 1;
  for (bool halve = false; lo <= hi && at[lo] <= number && number <= at[hi]; halve = !halve) {
    if (hi - (at[hi] - number) > lo) lo = hi - (at[hi] - number);
    if (lo + (number - at[lo]) < hi) hi = lo + (number - at[lo]);
    double share = halve || lo == hi ? 0.5 : (double)(number - at[lo]) / (double)(at[hi] - at[lo]);
    int64_t mid = lo + (int64_t)(share * (double)(hi - lo));
    if (at[mid] == number) return mid;
    if (at[mid] < number)
      lo = mid + 1;
    else
      hi = mid - 1;
  }
  return -1;
}

void op2i_numbers_free(struct op2i_numbers *found) {
  op2i_free(found->number);
  op2i_free(found->is);
  *found = (struct op2i_numbers){0};
}

/* ---- sets and maps --------------------------------------------------------------------------- */

static bool has_values(op2_map map) { return map->idx || map->global; }

static op2_status make_tables(struct op2i_parting *p) {
  for (struct op2i_link *l = p->ctx->sets.first; l; l = l->next) {
    p->nsets++;
    for (struct op2i_link *m = ((op2_set)l->object)->maps_from.first; m; m = m->next)
      p->nmaps += has_values(m->object);
  }
  p->sets = op2i_calloc((size_t)p->nsets, sizeof *p->sets);
  p->maps = op2i_calloc((size_t)p->nmaps, sizeof *p->maps);
  return p->sets && p->maps ? OP2_SUCCESS : op2i_error_nomem("a partition");
}

static op2_status list_set(struct op2i_part_set *s, op2_set set) {
  s->set = set;
  s->size = set->halo->global_size;
  s->n = set->ends[OP2I_OWNED];
  s->number = op2i_malloc((size_t)s->n * sizeof *s->number);
  for (int64_t i = 0; s->number && i < s->n; i++) s->number[i] = op2i_set_number(set, i);
  for (struct op2i_link *l = set->subsets.first; l; l = l->next) s->nsubsets++;
  for (struct op2i_link *l = set->dats.first; l; l = l->next) s->ndats++;
  s->subsets = op2i_calloc((size_t)s->nsubsets, sizeof *s->subsets);
  s->dats = op2i_calloc((size_t)s->ndats, sizeof *s->dats);
  if (!s->number || !s->subsets || !s->dats) return op2i_error_nomem("a partition");
  int64_t n = 0;
  for (struct op2i_link *l = set->subsets.first; l; l = l->next) s->subsets[n++].subset = l->object;
  n = 0;
  for (struct op2i_link *l = set->dats.first; l; l = l->next) s->dats[n++].dat = l->object;
  return OP2_SUCCESS;
}

static op2_status list_map(const struct op2i_parting *p, struct op2i_part_map *m, op2_map map) {
  int64_t n = map->from->ends[OP2I_OWNED] * map->arity;
  m->map = map;
  m->from = op2i_part_find(p, map->from);
  m->to = op2i_part_find(p, map->to);
  m->row = op2i_malloc((size_t)n * sizeof *m->row);
  if (!m->row) return op2i_error_nomem("a partition");
  for (int64_t i = 0; i < n; i++)
    m->row[i] = map->global ? map->global[i] : op2i_set_number(map->to, map->idx[i]);
  return OP2_SUCCESS;
}

static op2_status list_all(struct op2i_parting *p) {
  int s = 0, m = 0;
  op2_status status = OP2_SUCCESS;
  for (struct op2i_link *l = p->ctx->sets.first; l && !status; l = l->next)
    status = list_set(&p->sets[s++], l->object);
  for (s = 0; s < p->nsets && !status; s++)
    for (struct op2i_link *l = p->sets[s].set->maps_from.first; l && !status; l = l->next)
      if (has_values(l->object)) status = list_map(p, &p->maps[m++], l->object);
  return status;
}

/* ---- whether all ranks have the same --------------------------------------------------------- */

static uint64_t mix(uint64_t hash, int64_t value) { return op2i_hash_word(hash, (uint64_t)value); }

static int64_t fingerprint(const struct op2i_parting *p) {
  uint64_t hash = mix(mix(0, p->nsets), p->nmaps);
  for (int s = 0; s < p->nsets; s++) {
    hash = mix(mix(mix(hash, p->sets[s].size), p->sets[s].nsubsets), p->sets[s].ndats);
    for (int64_t d = 0; d < p->sets[s].ndats; d++)
      hash = mix(hash, (int64_t)p->sets[s].dats[d].dat->row_bytes);
  }
  for (int m = 0; m < p->nmaps; m++)
    hash = mix(mix(mix(hash, p->maps[m].from), p->maps[m].to), p->maps[m].map->arity);
  return (int64_t)hash;
}

static op2_status compare(const struct op2i_parting *p) {
  bool same;
  op2_status status = op2i_comm_same(p->comm, 1, &(int64_t){fingerprint(p)}, &same);
  if (status || same) return status;
  return op2i_error(OP2_ERR_MISMATCH, "op2_partition: the ranks have not declared the same sets, "
                                      "maps, subsets and dats in the same order");
}

op2_status op2i_part_collect(op2_context ctx, struct op2i_parting *p) {
  *p = (struct op2i_parting){.ctx = ctx, .comm = ctx->comm};
  op2_status status = make_tables(p);
  if (!status) status = list_all(p);
  status = op2i_part_agree(p, status);
  return status ? status : compare(p);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void free_set(struct op2i_part_set *s) {
  op2i_free(s->number);
  op2i_free(s->owner);
  op2i_table_close(&s->owners);
  op2i_free(s->arrived);
  op2i_free(s->core);
  op2i_free(s->exec);
  op2i_free(s->exec_owner);
  op2i_free(s->global);
  op2i_free(s->halo_owner);
  op2i_numbers_free(&s->local);
  op2i_halo_free(s->halo);
  for (int64_t i = 0; i < s->nsubsets && s->subsets; i++) op2i_free_data(s->subsets[i].idx);
  for (int64_t i = 0; i < s->ndats && s->dats; i++) op2i_free_data(s->dats[i].values);
  op2i_free(s->subsets);
  op2i_free(s->dats);
}

void op2i_part_free(struct op2i_parting *p) {
  for (int s = 0; s < p->nsets && p->sets; s++) free_set(&p->sets[s]);
  for (int m = 0; m < p->nmaps && p->maps; m++) {
    op2i_free(p->maps[m].row);
    op2i_free(p->maps[m].arrived);
    op2i_free(p->maps[m].exec);
    op2i_free_data(p->maps[m].idx);
  }
  op2i_free(p->sets);
  op2i_free(p->maps);
}
