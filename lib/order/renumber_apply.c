/* SPDX-License-Identifier: BSD-3-Clause */
/* Application of new orders to sets. All memory is allocated first, so that nothing can fail once
 * something has changed. */
#include "comm.h"
#include "context.h"
#include "error.h"
#include "mem.h"
#include "numa.h"
#include "renumber.h"
#include "rows.h"
#include "set.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* New memory of the objects: allocated in one walk over them, and installed in a second one. */
struct apply {
  int64_t n;
  const struct op2i_renumber *all;
  void **given;
  int64_t ngiven, capacity, taken;
  size_t scratch_bytes;
  int threads;
  void *scratch;     /* buffer for the largest dat or map */
  int64_t nfollowed; /* number of sparsities in `followed` */
  struct op2i_followed *followed;
};

static size_t dat_bytes(op2_dat dat) {
  return (size_t)dat->set->ends[OP2I_NONEXEC] * dat->row_bytes;
}
static size_t map_bytes(op2_map map) {
  return (size_t)map->from->ends[OP2I_NONEXEC] * (size_t)map->arity * sizeof *map->idx;
}

static op2_status give(struct apply *a, void *memory) {
  if (memory && !op2i_grow(&a->given, sizeof *a->given, a->ngiven, &a->capacity)) {
    a->given[a->ngiven++] = memory;
    return OP2_SUCCESS;
  }
  op2i_free_data(memory);
  return op2i_error_nomem("a numbering");
}

static void *next_memory(struct apply *a) { return a->given[a->taken++]; }

static void need_scratch(struct apply *a, size_t bytes) {
  if (bytes > a->scratch_bytes) a->scratch_bytes = bytes;
}

static op2_status prepare_number(struct apply *a, const struct op2i_renumber *r) {
  int64_t total = r->set->ends[OP2I_NONEXEC];
  int64_t *number = op2i_alloc_raw((size_t)total * sizeof *number);
  for (int64_t i = 0; number && i < total; i++) number[i] = op2i_set_place(r->set, r->order[i]);
  op2_status status = give(a, number);
  if (status || !r->set->halo) return status;
  int64_t *known = op2i_alloc_raw((size_t)total * sizeof *known);
  for (int64_t i = 0; known && i < total; i++) known[i] = op2i_set_number(r->set, r->order[i]);
  return give(a, known);
}

static op2_status prepare_subset(struct apply *a, const struct op2i_renumber *r, op2_set subset) {
  int64_t n = subset->ends[OP2I_NONEXEC];
  int64_t *idx = op2i_alloc_raw((size_t)n * sizeof *idx);
  if (idx) {
    for (int64_t i = 0; i < n; i++) idx[i] = r->inverse[subset->idx[i]];
    op2i_sort_indices(n, idx);
  }
  return give(a, idx);
}

static bool moves_out(op2_dat dat) {
  return dat->wrapped && dat->values.at[OP2I_HOST] == dat->wrapped;
}

/* Allocate memory into which the values of a wrapped dat are moved. */
static void *new_values(op2_dat dat) {
  void *values = op2i_alloc_data(dat_bytes(dat));
  const size_t owned = (size_t)dat->set->ends[OP2I_OWNED] * dat->row_bytes;
  if (values) op2i_numa_place(dat->obj.ctx->numa, values, owned, dat_bytes(dat));
  return values;
}

/* Copy all values to the host; reserves memory there in which they can be moved. */
static op2_status bring(op2_dat dat) {
  void *data;
  return op2i_buffer_at(&dat->values, OP2I_HOST, OP2_RW, OP2I_EVERY_ROW, &data);
}

static op2_status prepare_set(struct apply *a, const struct op2i_renumber *r) {
  op2_status status = prepare_number(a, r);
  for (struct op2i_link *l = r->set->subsets.first; l && !status; l = l->next)
    status = prepare_subset(a, r, l->object);
  for (struct op2i_link *l = r->set->dats.first; l && !status; l = l->next) {
    op2_dat dat = l->object;
    if (!op2i_buffer_has_memory(&dat->values)) continue;
    status = bring(dat);
    if (!status && moves_out(dat))
      status = give(a, new_values(dat));
    else
      need_scratch(a, dat_bytes(dat));
  }
  for (struct op2i_link *l = r->set->maps_from.first; l; l = l->next)
    need_scratch(a, map_bytes(l->object));
  return status;
}

/* ---- reordering dats and maps ---------------------------------------------------------------- */

static void change_dat(struct apply *a, const struct op2i_renumber *r, op2_dat dat) {
  int64_t total = r->set->ends[OP2I_NONEXEC];
  void *host = dat->values.at[OP2I_HOST];
  if (moves_out(dat)) {
    host = next_memory(a);
    op2i_rows_gather(a->threads, total, r->order, dat->row_bytes, dat->wrapped, host);
    op2i_buffer_replace(&dat->values, host, false);
  } else if (host) {
    op2i_rows_gather(a->threads, total, r->order, dat->row_bytes, host, a->scratch);
    op2i_rows_copy(a->threads, total, dat->row_bytes, a->scratch, host);
  }
}

/* The new order of a set; null if the set stays as it is. */
static const struct op2i_renumber *change_of(const struct apply *a, op2_set set) {
  for (int64_t i = 0; i < a->n; i++)
    if (a->all[i].set == set) return a->all[i].kept ? NULL : &a->all[i];
  for (int64_t i = 0; i < a->nfollowed; i++)
    if (a->followed[i].nonzeros.set == set && a->followed[i].nonzeros.order)
      return &a->followed[i].nonzeros;
  return NULL;
}

static const int64_t *inverse_of(const struct apply *a, op2_set set) {
  const struct op2i_renumber *r = change_of(a, set);
  return r ? r->inverse : NULL;
}

static void entries_changed(op2_map map) { op2i_buffer_replace(&map->entries, map->idx, true); }

static void change_map(struct apply *a, const struct op2i_renumber *r, op2_map map) {
  map->scatter = -1;
  if (!map->idx) return;
  const int64_t *inverse = inverse_of(a, map->to);
  int64_t values = op2i_map_rows(map) * map->arity;
  op2i_rows_gather(a->threads, r->set->ends[OP2I_NONEXEC], r->order,
                   (size_t)map->arity * sizeof *map->idx, map->idx, a->scratch);
  for (int64_t i = 0; i < values; i++) {
    int32_t target = ((const int32_t *)a->scratch)[i];
    map->idx[i] = inverse ? (int32_t)inverse[target] : target;
  }
  entries_changed(map);
}

/* Renumber the targets of a map whose rows stay as they are. */
static void change_targets(const struct op2i_renumber *r, op2_map map) {
  map->scatter = -1;
  if (!map->idx) return;
  int64_t values = op2i_map_rows(map) * map->arity;
  for (int64_t i = 0; i < values; i++) map->idx[i] = (int32_t)r->inverse[map->idx[i]];
  entries_changed(map);
}

/* Messages keep their contents and order; only the numbers of the rows that are sent and received
 * change. */
static void change_halo(const struct op2i_renumber *r) {
  struct op2i_halo *halo = r->set->halo;
  for (int i = 0; i < halo->n; i++)
    for (int part = 0; part < OP2I_HALO_PARTS; part++) {
      struct op2i_rows *out = &halo->neighbours[i].out[part], *in = &halo->neighbours[i].in[part];
      for (int64_t k = 0; k < out->n; k++) out->row[k] = (int32_t)r->inverse[out->row[k]];
      for (int64_t k = 0; k < in->n; k++) in->row[k] = (int32_t)r->inverse[in->row[k]];
    }
}

static void change_numbers(struct apply *a, const struct op2i_renumber *r) {
  op2i_free_data(r->set->number);
  r->set->number = next_memory(a);
  if (!r->set->halo) return;
  op2i_free_data(r->set->known);
  r->set->known = next_memory(a);
  change_halo(r);
}

static void change(struct apply *a, const struct op2i_renumber *r) {
  change_numbers(a, r);
  for (struct op2i_link *l = r->set->subsets.first; l; l = l->next) {
    op2_set subset = l->object;
    if (subset->user_idx) op2i_free_data(subset->idx);
    /* the program may have a pointer to these from op2_subset_indices() */
    else
      subset->user_idx = subset->idx;
    subset->idx = next_memory(a);
    op2i_set_tables_changed(subset);
  }
  op2i_set_tables_changed(r->set);
  for (struct op2i_link *l = r->set->dats.first; l; l = l->next) change_dat(a, r, l->object);
  for (struct op2i_link *l = r->set->maps_from.first; l; l = l->next) change_map(a, r, l->object);
  for (struct op2i_link *l = r->set->maps_to.first; l; l = l->next)
    if (!inverse_of(a, ((op2_map)l->object)->from)) change_targets(r, l->object);
}

/* ---- matrices -------------------------------------------------------------------------------- */

static op2_status prepare_followed(struct apply *a, op2_context ctx) {
  op2_status status = op2i_followed_make(ctx, a->n, a->all, &a->nfollowed, &a->followed);
  for (int64_t i = 0; i < a->nfollowed && !status; i++) {
    const struct op2i_followed *f = &a->followed[i];
    op2_map map;
    for (int64_t k = 0; (f->rows || f->elements) && (map = op2i_sparsity_map(f->sparsity, k)); k++)
      need_scratch(a, map_bytes(map));
    if (f->nonzeros.order) status = prepare_set(a, &f->nonzeros);
  }
  return status;
}

static void change_followed(struct apply *a, struct op2i_followed *f) {
  if (f->nonzeros.order) {
    change(a, &f->nonzeros);
    op2i_followed_change(f);
  }
  op2_map map;
  for (int64_t k = 0; (map = op2i_sparsity_map(f->sparsity, k)); k++) {
    const struct op2i_renumber *from = change_of(a, map->from);
    if (from)
      change_map(a, from, map);
    else if (f->nonzeros.order)
      change_targets(&f->nonzeros, map);
  }
}

op2_status op2i_renumber_apply(int64_t n, const struct op2i_renumber *all) {
  struct apply a = {.n = n, .all = all, .threads = n ? op2_workers(all[0].set->obj.ctx) : 1};
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < n && !status; i++)
    if (!all[i].kept) status = prepare_set(&a, &all[i]);
  if (n) status = op2i_context_agree(all[0].set->obj.ctx, status);
  if (n && !status) status = prepare_followed(&a, all[0].set->obj.ctx);
  if (!status) {
    a.scratch = op2i_malloc(a.scratch_bytes);
    if (!a.scratch) status = op2i_error_nomem("a numbering");
  }
  if (n && all[0].set->obj.ctx->comm) status = op2i_comm_agree(all[0].set->obj.ctx->comm, status);
  for (int64_t i = 0; i < n && !status; i++)
    if (!all[i].kept) change(&a, &all[i]);
  for (int64_t i = 0; i < a.nfollowed && !status; i++) change_followed(&a, &a.followed[i]);
  for (int64_t i = a.taken; i < a.ngiven; i++) op2i_free_data(a.given[i]);
  op2i_followed_free(a.nfollowed, a.followed);
  op2i_free(a.given);
  op2i_free(a.scratch);
  return status;
}
