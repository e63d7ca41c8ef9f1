/* SPDX-License-Identifier: BSD-3-Clause */
/* Places by rows: the diagonal, and all places of the rows of a subset. */
#include <inttypes.h>
#include <stdio.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "sparse.h"

/* Where a column stands in its row; -1: nowhere. */
static int64_t place_of(const struct op2_sparsity_s *sparsity, int64_t row, int32_t column) {
  const struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
  int64_t lo = 0, hi = entries.n;
  while (lo < hi) {
    int64_t middle = lo + (hi - lo) / 2, place = op2i_entry(entries, middle);
    if (sparsity->column[place] == column) return place;
    if (sparsity->column[place] < column)
      lo = middle + 1;
    else
      hi = middle;
  }
  return -1;
}

op2_status op2i_sparsity_diagonal(op2_sparsity sparsity) {
  char name[256];
  int64_t n = sparsity->rows->ends[OP2I_NONEXEC];
  int32_t zero = (int32_t)(sparsity->places->ends[OP2I_NONEXEC] - 1);
  if (sparsity->diagonal) return OP2_SUCCESS;
  int32_t *idx = op2i_alloc_raw((size_t)n * sizeof *idx);
  if (!idx) return op2i_error_nomem("the diagonal of a matrix");
  for (int64_t row = 0; row < n; row++) {
    int64_t place = row < sparsity->nrows ? place_of(sparsity, row, (int32_t)row) : -1;
    idx[row] = place < 0 ? zero : (int32_t)place;
  }
  snprintf(name, sizeof name, "diagonal of %s", sparsity->obj.name);
  op2_status status =
      op2i_map_make(sparsity->rows, sparsity->places, 1, idx, NULL, name, &sparsity->diagonal);
  if (status) return status;
  op2i_list_remove(&sparsity->rows->maps_from, &sparsity->diagonal->from_link);
  op2i_list_remove(&sparsity->places->maps_to, &sparsity->diagonal->to_link);
  return OP2_SUCCESS;
}

void op2i_sparsity_renumbered(op2_sparsity sparsity) {
  op2i_unref(sparsity->diagonal);
  sparsity->diagonal = NULL;
  sparsity->renumberings++;
}

/* ---- the rows of a subset -------------------------------------------------------------------- */

/* The program's numbers of places are those of their set. */
static int64_t shown(const struct op2_sparsity_s *sparsity, int64_t place) {
  return op2i_set_place(sparsity->places, place);
}

static int64_t row_at(op2_set rows, int64_t position) {
  return rows->idx ? rows->idx[position] : position;
}

static op2_status list_places(const struct op2_sparsity_s *sparsity, op2_set rows, bool diagonal,
                              int64_t **all, int64_t *nall, int64_t **on, int64_t *non) {
  int64_t n = rows->ends[OP2I_OWNED], count = 0;
  for (int64_t i = 0; i < n; i++) count += op2i_sparsity_row(sparsity, row_at(rows, i)).n;
  *all = op2i_malloc((size_t)count * sizeof **all);
  *on = op2i_malloc((size_t)n * sizeof **on);
  if (!*all || !*on) return op2i_error_nomem("the rows of a matrix");
  for (int64_t i = 0; i < n; i++) {
    int64_t row = row_at(rows, i), place = diagonal ? place_of(sparsity, row, (int32_t)row) : -1;
    if (diagonal && place < 0)
      return op2i_error(OP2_ERR_MISMATCH,
                        "op2_mat_zero_rows, sparsity '%s': row %" PRId64
                        " has no place on the diagonal",
                        sparsity->obj.name, op2i_set_number(sparsity->rows, row));
    const struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
    for (int64_t k = 0; k < entries.n; k++)
      (*all)[(*nall)++] = shown(sparsity, op2i_entry(entries, k));
    if (diagonal) (*on)[(*non)++] = shown(sparsity, place);
  }
  return OP2_SUCCESS;
}

static op2_status make_places(op2_sparsity sparsity, op2_set rows, bool diagonal,
                              struct op2i_row_places *out) {
  int64_t *all = NULL, *on = NULL, nall = 0, non = 0;
  struct op2i_row_places made = {.rows = rows->obj.id, .diagonal = diagonal};
  op2_status status = list_places(sparsity, rows, diagonal, &all, &nall, &on, &non);
  status = op2i_context_agree(sparsity->obj.ctx, status);
  if (!status)
    status = op2_subset_create(sparsity->places, nall, all, "rows of a matrix", &made.all);
  if (!status)
    status = op2_subset_create(sparsity->places, non, on, "diagonal of rows", &made.on_diagonal);
  op2i_free(all);
  op2i_free(on);
  if (status) {
    op2_set_destroy(&made.all);
    return status;
  }
  op2i_unref(out->all);
  op2i_unref(out->on_diagonal);
  *out = made;
  return OP2_SUCCESS;
}

op2_status op2i_sparsity_row_places(op2_sparsity sparsity, op2_set rows, bool diagonal,
                                    const struct op2i_row_places **places) {
  for (int k = 0; k < OP2I_ROW_PLACES; k++) {
    *places = &sparsity->row_places[k];
    if ((*places)->rows == rows->obj.id && (*places)->diagonal >= diagonal) return OP2_SUCCESS;
  }
  struct op2i_row_places *next = &sparsity->row_places[sparsity->next_row_places];
  op2_status status = make_places(sparsity, rows, diagonal, next);
  if (status) return status;
  sparsity->next_row_places = (sparsity->next_row_places + 1) % OP2I_ROW_PLACES;
  *places = next;
  return OP2_SUCCESS;
}
