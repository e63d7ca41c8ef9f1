/* SPDX-License-Identifier: BSD-3-Clause */
/* Renumbering of matrices: their rows and columns get the new order, and their nonzeros are treated
 * as a set of their own that is renumbered as well. */
#include <string.h>

#include "comm.h"
#include "context.h"
#include "error.h"
#include "loop.h"
#include "loop_table.h"
#include "mem.h"
#include "renumber.h"
#include "slices.h"
#include "sort.h"

struct following {
  int64_t n;
  const struct op2i_renumber *all;
};

static const struct op2i_renumber *change_of(const struct following *f, op2_set set) {
  for (int64_t i = 0; i < f->n; i++)
    if (f->all[i].set == set && !f->all[i].kept) return &f->all[i];
  return NULL;
}

/* ---- layout of the renumbered rows ----------------------------------------------------------- */

static void find_concern(const struct following *f, struct op2i_followed *out) {
  const struct op2_sparsity_s *sparsity = out->sparsity;
  out->rows_per_slice = sparsity->rows_per_slice;
  out->rows = change_of(f, sparsity->rows) || change_of(f, sparsity->columns);
  for (int k = 0; k < sparsity->npairs; k++)
    out->elements |= change_of(f, sparsity->pairs[k].rows->from) != NULL;
}

static int64_t row_before(const struct following *f, const struct op2i_followed *out, int64_t row) {
  const struct op2i_renumber *rows = change_of(f, out->sparsity->rows);
  return rows ? rows->order[row] : row;
}

static op2_status measure(const struct following *f, struct op2i_followed *out) {
  const struct op2_sparsity_s *sparsity = out->sparsity;
  out->length = op2i_malloc((size_t)sparsity->nrows * sizeof *out->length);
  if (!out->length) return op2i_error_nomem("a numbering");
  for (int64_t row = 0; row < sparsity->nrows; row++)
    out->length[row] = (int32_t)op2i_sparsity_row(sparsity, row_before(f, out, row)).n;
  return OP2_SUCCESS;
}

/* The slices of the reordered rows may need more memory than there is: then all ranks store rows
 * one after the other. */
static op2_status choose_layouts(op2_context ctx, int64_t n, struct op2i_followed *all,
                                 int64_t *fit) {
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < n; i++) {
    const struct op2_sparsity_s *sparsity = all[i].sparsity;
    int64_t size = op2i_slices_size(sparsity->nrows, all[i].length);
    fit[i] = size >= 0 && size <= sparsity->room;
  }
  if (ctx->comm && n) status = op2i_comm_least(ctx->comm, (int)n, fit);
  for (int64_t i = 0; i < n; i++) {
    if (!fit[i]) all[i].rows_per_slice = 1;
    all[i].rows |= all[i].rows_per_slice != all[i].sparsity->rows_per_slice;
  }
  return status;
}

/* ---- nonzeros -------------------------------------------------------------------------------- */

static op2_status allocate(struct op2i_followed *out) {
  const struct op2_sparsity_s *sparsity = out->sparsity;
  size_t total = (size_t)sparsity->nonzeros->ends[OP2I_NONEXEC];
  size_t size = (size_t)op2i_row_table_size(out->rows_per_slice, sparsity->nrows);
  out->nonzeros.set = sparsity->nonzeros;
  out->nonzeros.order = op2i_malloc(total * sizeof *out->nonzeros.order);
  out->nonzeros.inverse = op2i_malloc(total * sizeof *out->nonzeros.inverse);
  out->table = op2i_alloc_raw(size * sizeof *out->table);
  out->column = op2i_calloc((size_t)sparsity->room, sizeof *out->column);
  bool good = out->nonzeros.order && out->nonzeros.inverse && out->table && out->column;
  return good ? OP2_SUCCESS : op2i_error_nomem("a numbering");
}

/* Lay out a row: its nonzeros are sorted by their new columns. key and nonzero hold one row. */
static op2_status add_row(struct op2i_followed *out, int64_t before, int64_t row,
                          const int64_t *columns, int64_t *key, int64_t *nonzero) {
  const struct op2i_entries from = op2i_sparsity_row(out->sparsity, before);
  const struct op2i_entries to = op2i_row_entries(out->table, out->rows_per_slice, row);
  for (int64_t k = 0; k < from.n; k++) {
    nonzero[k] = op2i_entry(from, k);
    key[k] = out->sparsity->column[nonzero[k]];
    if (columns) key[k] = columns[key[k]];
  }
  op2_status status = columns ? op2i_sort(from.n, key, nonzero) : OP2_SUCCESS;
  for (int64_t k = 0; k < from.n; k++) {
    const int64_t at = op2i_entry(to, k);
    out->column[at] = (int32_t)key[k];
    out->nonzeros.order[at] = nonzero[k];
    out->nonzeros.inverse[nonzero[k]] = at;
  }
  return status;
}

/* Number the entries that belong to no row: padding, spare capacity, and elements beyond it. They
 * are all zero or never read. */
static void order_rest(struct op2i_followed *out) {
  const int64_t room = out->sparsity->room, total = out->nonzeros.set->ends[OP2I_NONEXEC];
  int64_t from = 0;
  for (int64_t at = 0; at < room; at++) {
    if (out->nonzeros.order[at] >= 0) continue;
    while (out->nonzeros.inverse[from] >= 0) from++;
    out->nonzeros.order[at] = from;
    out->nonzeros.inverse[from] = at;
  }
  for (int64_t at = room; at < total; at++)
    out->nonzeros.order[at] = out->nonzeros.inverse[at] = at;
}

static int64_t longest_row(const struct op2i_followed *out) {
  int64_t most = 1;
  for (int64_t row = 0; row < out->sparsity->nrows; row++)
    most = out->length[row] > most ? out->length[row] : most;
  return most;
}

static op2_status order_rows(const struct following *f, struct op2i_followed *out, int64_t *key,
                             int64_t *nonzero) {
  const struct op2_sparsity_s *sparsity = out->sparsity;
  const struct op2i_renumber *columns = change_of(f, sparsity->columns);
  op2_status status = allocate(out);
  if (status) return status;
  for (int64_t at = 0; at < sparsity->room; at++)
    out->nonzeros.order[at] = out->nonzeros.inverse[at] = -1;
  op2i_row_table_fill(out->rows_per_slice, sparsity->nrows, out->length, out->table);
  for (int64_t row = 0; row < sparsity->nrows && !status; row++)
    status =
        add_row(out, row_before(f, out, row), row, columns ? columns->inverse : NULL, key, nonzero);
  if (status) return status;
  if (out->rows_per_slice > 1) op2i_slices_pad(sparsity->nrows, out->table, out->column);
  order_rest(out);
  return OP2_SUCCESS;
}

static op2_status order_places(const struct following *f, struct op2i_followed *out) {
  const size_t most = (size_t)longest_row(out);
  int64_t *key = op2i_malloc(most * sizeof *key), *nonzero = op2i_malloc(most * sizeof *nonzero);
  op2_status status =
      key && nonzero ? order_rows(f, out, key, nonzero) : op2i_error_nomem("a numbering");
  op2i_free(key);
  op2i_free(nonzero);
  return status;
}

/* ---- all sparsities -------------------------------------------------------------------------- */

static op2_status list_sparsities(op2_context ctx, const struct following *f, int64_t *count,
                                  struct op2i_followed **out) {
  int64_t capacity = 0;
  op2_status status = OP2_SUCCESS;
  for (struct op2i_link *l = ctx->sparsities.first; l && !status; l = l->next) {
    if (op2i_grow(out, sizeof **out, *count, &capacity)) return op2i_error_nomem("a numbering");
    (*out)[*count] = (struct op2i_followed){.sparsity = l->object};
    find_concern(f, &(*out)[*count]);
    status = measure(f, &(*out)[(*count)++]);
  }
  return status;
}

op2_status op2i_followed_make(op2_context ctx, int64_t n, const struct op2i_renumber *all,
                              int64_t *count, struct op2i_followed **out) {
  const struct following f = {n, all};
  *count = 0;
  *out = NULL;
  op2_status status = list_sparsities(ctx, &f, count, out);
  int64_t *fit = op2i_malloc((size_t)*count * sizeof *fit);
  if (!status && !fit) status = op2i_error_nomem("a numbering");
  status = op2i_context_agree(ctx, status);
  if (!status) status = choose_layouts(ctx, *count, *out, fit);
  for (int64_t i = 0; i < *count && !status; i++)
    if ((*out)[i].rows) status = order_places(&f, &(*out)[i]);
  op2i_free(fit);
  return status;
}

void op2i_followed_free(int64_t count, struct op2i_followed *followed) {
  for (int64_t i = 0; i < count; i++) {
    op2i_free(followed[i].nonzeros.order);
    op2i_free(followed[i].nonzeros.inverse);
    op2i_free(followed[i].length);
    op2i_free_data(followed[i].table);
    op2i_free(followed[i].column);
  }
  op2i_free(followed);
}

static void table_changed(op2_map map) {
  map->scatter = -1;
  op2i_buffer_replace(&map->entries, map->idx, true);
}

/* Install the new row table, whose size may differ from that of the old one. */
static void change_table(struct op2i_followed *f) {
  op2_sparsity sparsity = f->sparsity;
  op2_map rows = sparsity->first;
  const size_t bytes =
      (size_t)op2i_row_table_size(f->rows_per_slice, sparsity->nrows) * sizeof *sparsity->table;
  int32_t *was = sparsity->table;
  sparsity->table = rows->idx = f->table;
  f->table = was;
  op2i_buffer_free(&rows->entries);
  op2i_buffer_init(&rows->entries, sparsity->obj.ctx, bytes, bytes, true);
  if (f->rows_per_slice == sparsity->rows_per_slice) return;
  sparsity->rows_per_slice = rows->rows_per_slice = f->rows_per_slice;
  op2i_loops_drop_code(sparsity->obj.ctx, rows);
}

void op2i_followed_change(struct op2i_followed *f) {
  op2_sparsity sparsity = f->sparsity;
  change_table(f);
  memcpy(sparsity->column, f->column, (size_t)sparsity->room * sizeof *f->column);
  op2i_sparsity_renumbered(sparsity);
  table_changed(sparsity->first);
  table_changed(sparsity->across);
}
