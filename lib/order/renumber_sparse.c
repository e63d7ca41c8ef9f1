/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices when sets are renumbered: their rows and columns come in the new order, and so do their
 * places, as if those were a set of their own that is renumbered along. */
#include <string.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "renumber.h"
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

/* 0: nothing, 1: elements that reach the rows, 2: the rows or columns themselves. */
static int concerned(const struct following *f, const struct op2_sparsity_s *sparsity) {
  bool elements = false;
  if (change_of(f, sparsity->rows) || change_of(f, sparsity->columns)) return 2;
  for (int k = 0; k < sparsity->npairs; k++)
    elements |= change_of(f, sparsity->pairs[k].rows->from) != NULL;
  return elements;
}

static op2_status allocate(struct op2i_followed *out) {
  const struct op2_sparsity_s *sparsity = out->sparsity;
  size_t total = (size_t)sparsity->places->ends[OP2I_NONEXEC];
  out->places.set = sparsity->places;
  out->places.order = op2i_malloc(total * sizeof *out->places.order);
  out->places.inverse = op2i_malloc(total * sizeof *out->places.inverse);
  out->start = op2i_malloc((size_t)(sparsity->nrows + 1) * sizeof *out->start);
  out->column = op2i_malloc((size_t)op2i_sparsity_size(sparsity) * sizeof *out->column);
  bool good = out->places.order && out->places.inverse && out->start && out->column;
  return good ? OP2_SUCCESS : op2i_error_nomem("a numbering");
}

/* The row that was `row` comes next: its places sorted by the new columns. */
static op2_status add_row(struct op2i_followed *out, int64_t row, const int64_t *columns,
                          int64_t *key, int64_t *at) {
  const struct op2_sparsity_s *sparsity = out->sparsity;
  int64_t first = sparsity->start[row], n = sparsity->start[row + 1] - first;
  int64_t *place = out->places.order + *at;
  for (int64_t k = 0; k < n; k++) {
    int32_t column = sparsity->column[first + k];
    key[k] = columns ? columns[column] : column;
    place[k] = first + k;
  }
  op2_status status = columns ? op2i_sort(n, key, place) : OP2_SUCCESS;
  for (int64_t k = 0; k < n; k++) {
    out->column[*at + k] = (int32_t)key[k];
    out->places.inverse[place[k]] = *at + k;
  }
  *at += n;
  return status;
}

static int64_t longest_row(const struct op2_sparsity_s *sparsity) {
  int64_t most = 1;
  for (int64_t row = 0; row < sparsity->nrows; row++) {
    int64_t n = sparsity->start[row + 1] - sparsity->start[row];
    most = n > most ? n : most;
  }
  return most;
}

static op2_status order_places(const struct following *f, struct op2i_followed *out) {
  const struct op2_sparsity_s *sparsity = out->sparsity;
  const struct op2i_renumber *rows = change_of(f, sparsity->rows);
  const struct op2i_renumber *columns = change_of(f, sparsity->columns);
  int64_t at = 0, total = sparsity->places->ends[OP2I_NONEXEC];
  int64_t *key = op2i_malloc((size_t)longest_row(sparsity) * sizeof *key);
  op2_status status = key ? allocate(out) : op2i_error_nomem("a numbering");
  for (int64_t row = 0; row < sparsity->nrows && !status; row++) {
    out->start[row] = (int32_t)at;
    status =
        add_row(out, rows ? rows->order[row] : row, columns ? columns->inverse : NULL, key, &at);
  }
  op2i_free(key);
  if (status) return status;
  out->start[sparsity->nrows] = (int32_t)at;
  for (; at < total; at++) out->places.order[at] = out->places.inverse[at] = at;
  return OP2_SUCCESS;
}

op2_status op2i_followed_make(op2_context ctx, int64_t n, const struct op2i_renumber *all,
                              int64_t *count, struct op2i_followed **out) {
  const struct following f = {n, all};
  int64_t capacity = 0;
  op2_status status = OP2_SUCCESS;
  *count = 0;
  *out = NULL;
  for (struct op2i_link *l = ctx->sparsities.first; l && !status; l = l->next) {
    int how = concerned(&f, l->object);
    if (!how) continue;
    if (op2i_grow(out, sizeof **out, *count, &capacity)) return op2i_error_nomem("a numbering");
    (*out)[*count] = (struct op2i_followed){.sparsity = l->object};
    if (how == 2) status = order_places(&f, &(*out)[*count]);
    ++*count;
  }
  return status;
}

void op2i_followed_free(int64_t count, struct op2i_followed *followed) {
  for (int64_t i = 0; i < count; i++) {
    op2i_free(followed[i].places.order);
    op2i_free(followed[i].places.inverse);
    op2i_free(followed[i].start);
    op2i_free(followed[i].column);
  }
  op2i_free(followed);
}

static void table_changed(op2_map map) {
  map->scatter = -1;
  op2i_buffer_replace(&map->entries, map->idx, true);
}

void op2i_followed_change(const struct op2i_followed *f) {
  const struct op2_sparsity_s *sparsity = f->sparsity;
  memcpy(sparsity->start, f->start, (size_t)(sparsity->nrows + 1) * sizeof *f->start);
  memcpy(sparsity->column, f->column, (size_t)op2i_sparsity_size(sparsity) * sizeof *f->column);
  op2i_sparsity_renumbered(f->sparsity);
  table_changed(sparsity->first);
  table_changed(sparsity->across);
}
