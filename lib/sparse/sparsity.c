/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparsities: their pairs of maps, and the rows and columns that the program reads, in its own
 * numbers. */
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "drop.h"
#include "error.h"
#include "map.h"
#include "mem.h"
#include "rows.h"
#include "set.h"
#include "slices.h"
#include "sort.h"
#include "sparse.h"
#include "transpose.h"

static void release_sparsity(void *object) {
  op2_sparsity sparsity = object;
  op2i_list_remove(&sparsity->obj.ctx->sparsities, &sparsity->link_of_all);
  for (int k = 0; k < sparsity->npairs; k++) {
    op2i_unref(sparsity->pairs[k].rows);
    op2i_unref(sparsity->pairs[k].columns);
    op2i_unref(sparsity->pairs[k].nonzeros);
  }
  op2i_free(sparsity->pairs);
  op2i_unref(sparsity->diagonal);
  op2i_sparsity_free_row_nonzeros(sparsity);
  op2i_sparsity_forget_dropped(sparsity, 0);
  op2i_sparsity_free_transpose(sparsity);
  op2i_unref(sparsity->nonzeros);
  op2i_unref(sparsity->rows);
  op2i_unref(sparsity->columns);
  op2i_free_data(sparsity->first ? NULL : sparsity->table);
  op2i_free_data(sparsity->across ? NULL : sparsity->column);
  op2i_unref(sparsity->first);
  op2i_unref(sparsity->entries);
  op2i_unref(sparsity->across);
}

op2_map op2i_sparsity_nonzeros(const struct op2_sparsity_s *sparsity, op2_map rows,
                               op2_map columns) {
  if (sparsity->flipped) {
    const op2_map first = rows;
    rows = columns;
    columns = first;
  }
  for (int k = 0; k < sparsity->npairs; k++)
    if (sparsity->pairs[k].rows == rows && sparsity->pairs[k].columns == columns)
      return sparsity->pairs[k].nonzeros;
  return NULL;
}

op2_map op2i_sparsity_map(const struct op2_sparsity_s *sparsity, int64_t k) {
  if (k < sparsity->npairs) return sparsity->pairs[k].nonzeros;
  return k < sparsity->npairs + sparsity->ndropped ? sparsity->dropped[k - sparsity->npairs].drop
                                                   : NULL;
}

/* ---- checks of arguments --------------------------------------------------------------------- */

static op2_status check_map(op2_map map, op2_map first, const char *side, const char *name) {
  char what[64];
  snprintf(what, sizeof what, "op2_sparsity_create, %s", side);
  op2_status status = op2i_object_validate(map, OP2I_MAP, what);
  if (!status) status = op2i_context_validate(map->obj.ctx, "op2_sparsity_create");
  if (status) return status;
  if (map->obj.ctx != first->obj.ctx)
    return op2i_error(OP2_ERR_MISMATCH,
                      "sparsity '%s': maps '%s' and '%s' belong to different contexts", name,
                      first->obj.name, map->obj.name);
  if (map->global) return op2i_map_partition_first("sparsity", map);
  if (!map->idx && !op2i_map_single(map) && map->from->ends[OP2I_NONEXEC] > 0)
    return op2i_error(OP2_ERR_MISMATCH, "sparsity '%s': map '%s' was declared without values", name,
                      map->obj.name);
  if (map->to != first->to)
    return op2i_error(
        OP2_ERR_MISMATCH, "sparsity '%s': the %s are of set '%s' by map '%s', and of '%s' by '%s'",
        name, side, first->to->obj.name, first->obj.name, map->to->obj.name, map->obj.name);
  return OP2_SUCCESS;
}

/* A pair of null maps asks for the diagonal. */
static bool is_diagonal(const op2_map_pair *pair) { return !pair->rows && !pair->columns; }

static op2_status check_diagonal(const op2_map_pair *first, const char *name) {
  if (first->rows->to == first->columns->to) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_MISMATCH,
                    "sparsity '%s' has no diagonal: the rows are of set '%s', and the columns of "
                    "'%s'",
                    name, first->rows->to->obj.name, first->columns->to->obj.name);
}

static op2_status check_pairs(int npairs, const op2_map_pair *pairs, const char *name) {
  if (npairs < 1 || !pairs)
    return op2i_error(OP2_ERR_ARG, "op2_sparsity_create: there are no pairs of maps");
  op2_status status = op2i_object_validate(pairs[0].rows, OP2I_MAP, "op2_sparsity_create, rows");
  if (!status)
    status = op2i_object_validate(pairs[0].columns, OP2I_MAP, "op2_sparsity_create, columns");
  for (int k = 0; k < npairs && !status; k++) {
    if (k && is_diagonal(&pairs[k])) {
      status = check_diagonal(&pairs[0], name);
      continue;
    }
    status = check_map(pairs[k].rows, pairs[0].rows, "rows", name);
    if (!status) status = check_map(pairs[k].columns, pairs[0].columns, "columns", name);
    if (!status && pairs[k].rows->from != pairs[k].columns->from)
      status = op2i_error(OP2_ERR_MISMATCH,
                          "sparsity '%s': map '%s' starts from set '%s', and '%s' from '%s'", name,
                          pairs[k].rows->obj.name, pairs[k].rows->from->obj.name,
                          pairs[k].columns->obj.name, pairs[k].columns->from->obj.name);
  }
  if (!status && pairs[0].rows->obj.ctx != pairs[0].columns->obj.ctx)
    status =
        op2i_error(OP2_ERR_MISMATCH, "sparsity '%s': its maps belong to different contexts", name);
  return status;
}

/* ---- building the sparsity ------------------------------------------------------------------- */

static struct op2i_pair pair_for(const struct op2_sparsity_s *sparsity, const op2_map_pair *pair) {
  return sparsity->flipped ? (struct op2i_pair){.rows = pair->columns, .columns = pair->rows}
                           : (struct op2i_pair){.rows = pair->rows, .columns = pair->columns};
}

static void keep_pairs(op2_sparsity sparsity, int npairs, const op2_map_pair *pairs) {
  for (int k = 0; k < npairs; k++) {
    const struct op2i_pair pair = pair_for(sparsity, &pairs[k]);
    bool before = is_diagonal(&pairs[k]);
    sparsity->whole_diagonal |= before;
    for (int j = 0; j < sparsity->npairs; j++)
      before |= sparsity->pairs[j].rows == pair.rows && sparsity->pairs[j].columns == pair.columns;
    if (before) continue;
    sparsity->pairs[sparsity->npairs++] = pair;
    op2i_ref(pair.rows);
    op2i_ref(pair.columns);
  }
}

/* A dense row is kept by columns. A matrix of one element in rows and columns has its only nonzero,
 * on rank 0, whether or not that rank has elements that lead to it. */
static void keep_sides(op2_sparsity sparsity, const op2_map_pair *first) {
  const op2_set rows = first->rows->to, columns = first->columns->to;
  sparsity->flipped = rows->single && !columns->single;
  sparsity->whole_diagonal = rows->single && columns->single;
  sparsity->rows = op2i_ref(sparsity->flipped ? columns : rows);
  sparsity->columns = op2i_ref(sparsity->flipped ? rows : columns);
}

static op2_status allocate_sparsity(int npairs, const op2_map_pair *pairs, const char *name,
                                    op2_sparsity *out) {
  op2_sparsity sparsity = op2i_calloc(1, sizeof *sparsity);
  struct op2i_pair *kept = op2i_calloc((size_t)npairs, sizeof *kept);
  op2_status status = sparsity && kept ? OP2_SUCCESS : op2i_error_nomem("a sparsity");
  if (!status)
    status =
        op2i_object_init(sparsity, pairs[0].rows->obj.ctx, OP2I_SPARSITY, name, release_sparsity);
  if (status) {
    op2i_free(sparsity);
    op2i_free(kept);
    return status;
  }
  sparsity->pairs = kept;
  keep_sides(sparsity, &pairs[0]);
  keep_pairs(sparsity, npairs, pairs);
  op2i_list_append(&sparsity->obj.ctx->sparsities, &sparsity->link_of_all, sparsity);
  *out = sparsity;
  return OP2_SUCCESS;
}

op2_status op2i_sparsity_make_map(op2_sparsity sparsity, const struct op2i_pair *pair,
                                  int32_t *entries, op2_map *out) {
  char name[256];
  op2_map map = NULL;
  snprintf(name, sizeof name, "%s x %s", pair->rows->obj.name, pair->columns->obj.name);
  op2_status status =
      op2i_map_make(pair->rows->from, sparsity->nonzeros, pair->rows->arity * pair->columns->arity,
                    entries, NULL, name, &map);
  if (status) return status;
  op2i_map_hide(map);
  map->conflict_map = op2i_ref(pair->rows);
  *out = map;
  return OP2_SUCCESS;
}

op2_status op2i_sparsity_make_row_map(op2_sparsity sparsity, op2_set from, op2_set to, int32_t *idx,
                                      int64_t n, const char *what, op2_map *out) {
  char name[256];
  snprintf(name, sizeof name, "%s of %s", what, sparsity->obj.name);
  return op2i_map_make_rows(from, to, idx, n, name, out);
}

static op2_status make_row_maps(op2_sparsity sparsity) {
  int64_t n = op2i_row_table_size(sparsity->rows_per_slice, sparsity->nrows);
  int32_t *table = sparsity->table, *column = sparsity->column;
  const op2_set rows = sparsity->rows;
  sparsity->table = sparsity->column = NULL;
  op2_status status = op2i_sparsity_make_row_map(sparsity, rows, sparsity->nonzeros, table, n,
                                                 "rows", &sparsity->first);
  if (status) {
    op2i_free_data(column);
    return status;
  }
  sparsity->table = table;
  sparsity->first->rows_per_slice = sparsity->rows_per_slice;
  status = op2i_sparsity_make_row_map(sparsity, rows, sparsity->columns, column, sparsity->room,
                                      "columns", &sparsity->across);
  if (status) return status;
  sparsity->column = column;
  status = op2i_sparsity_make_row_map(sparsity, rows, sparsity->nonzeros, NULL, 0, "entries",
                                      &sparsity->entries);
  if (status) return status;
  sparsity->across->first = op2i_ref(sparsity->first);
  sparsity->entries->first = op2i_ref(sparsity->first);
  return OP2_SUCCESS;
}

static op2_status make_places(op2_sparsity sparsity, int32_t **entries) {
  const int64_t spare = sparsity->rows->ends[OP2I_NONEXEC], size = sparsity->room + 1 + spare;
  op2_status status = op2i_set_create_counted(sparsity->obj.ctx, size, spare, sparsity->obj.name,
                                              &sparsity->nonzeros);
  op2i_object_own(sparsity->nonzeros);
  for (int k = 0; k < sparsity->npairs && !status; k++) {
    struct op2i_pair *pair = &sparsity->pairs[k];
    status = op2i_sparsity_make_map(sparsity, pair, entries[k], &pair->nonzeros);
    entries[k] = NULL;
  }
  if (!status) status = make_row_maps(sparsity);
  return op2i_context_agree(sparsity->obj.ctx, status);
}

/* ---- a copy in the program's numbering ------------------------------------------------------- */

/* The library's row at each position in the program's order of rows; null: the orders are the
 * same. */
static op2_status rows_by_place(const struct op2_sparsity_s *sparsity, int64_t **out) {
  *out = NULL;
  if (!sparsity->rows->number) return OP2_SUCCESS;
  int64_t *rows = op2i_malloc((size_t)sparsity->nrows * sizeof *rows);
  if (!rows) return op2i_error_nomem("a sparsity");
  for (int64_t row = 0; row < sparsity->nrows; row++)
    rows[op2i_set_place(sparsity->rows, row)] = row;
  *out = rows;
  return OP2_SUCCESS;
}

struct seen {
  int64_t *rows;             /* rows in the program's order, or null */
  int64_t *number, *nonzero; /* the entries of one row */
  int64_t longest;           /* the largest number of entries of a row */
};

static op2_status open_seen(const struct op2_sparsity_s *sparsity, struct seen *seen) {
  *seen = (struct seen){.longest = 1};
  for (int64_t row = 0; row < sparsity->nrows; row++) {
    int64_t length = op2i_sparsity_row(sparsity, row).n;
    seen->longest = length > seen->longest ? length : seen->longest;
  }
  op2_status status = rows_by_place(sparsity, &seen->rows);
  seen->number = op2i_malloc((size_t)seen->longest * sizeof *seen->number);
  seen->nonzero = op2i_malloc((size_t)seen->longest * sizeof *seen->nonzero);
  if (status) return status;
  return seen->number && seen->nonzero ? OP2_SUCCESS : op2i_error_nomem("a sparsity");
}

static void close_seen(struct seen *seen) {
  op2i_free(seen->rows);
  op2i_free(seen->number);
  op2i_free(seen->nonzero);
}

/* List the columns of the row at position p, ascending by the program's numbers, and the nonzero of
 * each. */
static op2_status see_row(const struct op2_sparsity_s *sparsity, struct seen *seen, int64_t p,
                          int64_t *length) {
  const struct op2i_entries entries = op2i_sparsity_row(sparsity, seen->rows ? seen->rows[p] : p);
  *length = entries.n;
  for (int64_t k = 0; k < *length; k++) {
    seen->nonzero[k] = op2i_entry(entries, k);
    seen->number[k] = op2i_set_number(sparsity->columns, sparsity->column[seen->nonzero[k]]);
  }
  return op2i_set_numbered(sparsity->columns) ? op2i_sort(*length, seen->number, seen->nonzero)
                                              : OP2_SUCCESS;
}

/* True if the original order of the nonzeros is the one that the program sees. */
static bool is_in_order(const struct op2_sparsity_s *sparsity) {
  return sparsity->rows_per_slice == 1 && !sparsity->rows->number &&
         !op2i_set_numbered(sparsity->columns);
}

/* The place of each nonzero in the original order, as the program sees them. */
static op2_status list_places(const struct op2_sparsity_s *sparsity, int64_t *places) {
  struct seen seen;
  int64_t length = 0, at = 0;
  op2_status status = open_seen(sparsity, &seen);
  for (int64_t p = 0; p < sparsity->nrows && !status; p++) {
    status = see_row(sparsity, &seen, p, &length);
    for (int64_t k = 0; k < length && !status; k++)
      places[at++] = op2i_set_place(sparsity->nonzeros, seen.nonzero[k]);
  }
  close_seen(&seen);
  return status;
}

/* Get the places, in memory of the caller's, or null if they are in order. */
static op2_status places_of(const struct op2_sparsity_s *sparsity, int64_t **out) {
  *out = NULL;
  if (is_in_order(sparsity)) return OP2_SUCCESS;
  int64_t *places = op2i_malloc((size_t)sparsity->nnz * sizeof *places);
  if (!places) return op2i_error_nomem("values of a matrix");
  op2_status status = list_places(sparsity, places);
  if (status)
    op2i_free(places);
  else
    *out = places;
  return status;
}

op2_status op2i_sparsity_copy(const struct op2_sparsity_s *sparsity, size_t bytes, const void *data,
                              void *values) {
  const int threads = op2_workers(sparsity->obj.ctx);
  int64_t *places;
  op2_status status = places_of(sparsity, &places);
  if (!status && places)
    op2i_rows_gather(threads, sparsity->nnz, places, bytes, data, values);
  else if (!status)
    op2i_rows_copy(threads, sparsity->nnz, bytes, data, values);
  op2i_free(places);
  return status;
}

op2_status op2i_sparsity_store(const struct op2_sparsity_s *sparsity, size_t bytes,
                               const void *values, void *data) {
  const int threads = op2_workers(sparsity->obj.ctx);
  int64_t *places;
  op2_status status = places_of(sparsity, &places);
  if (!status && places)
    op2i_rows_scatter(threads, sparsity->nnz, places, bytes, values, data);
  else if (!status)
    op2i_rows_copy(threads, sparsity->nnz, bytes, values, data);
  op2i_free(places);
  return status;
}

/* ---- the interface --------------------------------------------------------------------------- */

static op2_status make_patterns(op2_sparsity sparsity) {
  int32_t **entries = op2i_calloc((size_t)sparsity->npairs, sizeof *entries);
  op2_context ctx = sparsity->obj.ctx;
  op2_status status = entries ? OP2_SUCCESS : op2i_error_nomem("a sparsity");
  status = op2i_context_agree(ctx, status);
  if (!status) {
    status = op2i_pattern_make(sparsity, entries);
    status = op2i_context_agree(ctx, status);
  }
  if (!status) status = make_places(sparsity, entries);
  for (int k = 0; entries && k < sparsity->npairs; k++) op2i_free_data(entries[k]);
  op2i_free(entries);
  return status;
}

static void add_to_trail(int npairs, const op2_map_pair *pairs, const char *name) {
  uint64_t digest = op2i_hash_word(op2i_digest_text(0, name), (uint64_t)npairs);
  for (int p = 0; pairs && p < npairs; p++) {
    if (op2i_object_is(pairs[p].rows, OP2I_MAP)) digest = op2i_object_digest(digest, pairs[p].rows);
    if (op2i_object_is(pairs[p].columns, OP2I_MAP))
      digest = op2i_object_digest(digest, pairs[p].columns);
  }
  if (npairs > 0 && pairs)
    op2i_object_call(pairs[0].rows, OP2I_MAP, "op2_sparsity_create", name, digest);
}

op2_status op2_sparsity_create(int npairs, const op2_map_pair *pairs, const char *name,
                               op2_sparsity *out) {
  op2_sparsity sparsity = NULL;
  if (!out)
    return op2i_error(OP2_ERR_ARG, "op2_sparsity_create: where to put the sparsity is null");
  add_to_trail(npairs, pairs, name);
  char room[OP2I_NAME_ROOM];
  const void *first = npairs > 0 && pairs ? pairs[0].rows : NULL;
  name = op2i_object_name(op2i_object_context(first, OP2I_MAP), OP2I_SPARSITY, name, room);
  op2_status status = check_pairs(npairs, pairs, name);
  bool together = npairs > 0 && pairs && op2i_object_is(pairs[0].rows, OP2I_MAP) &&
                  !op2i_context_validate(pairs[0].rows->obj.ctx, "op2_sparsity_create");
  if (!status) status = allocate_sparsity(npairs, pairs, name, &sparsity);
  if (together) status = op2i_context_agree(pairs[0].rows->obj.ctx, status);
  if (!status) status = make_patterns(sparsity);
  if (status)
    op2_sparsity_destroy(&sparsity);
  else
    *out = sparsity;
  return status;
}

op2_status op2_sparsity_size(op2_sparsity sparsity, int64_t *rows, int64_t *places) {
  op2_status status = op2i_object_validate(sparsity, OP2I_SPARSITY, "op2_sparsity_size");
  if (status) return status;
  if (rows) *rows = op2i_sparsity_nrows(sparsity);
  if (places) *places = sparsity->nnz;
  return OP2_SUCCESS;
}

/* The columns of the one row that this rank owns, in the program's order. */
static op2_status see_dense_row(const struct op2_sparsity_s *sparsity, int64_t *starts,
                                int64_t *columns) {
  int64_t *order, at = 0;
  op2_status status = rows_by_place(sparsity, &order);
  if (status) return status;
  for (int64_t p = 0; p < sparsity->nrows && columns; p++) {
    const int64_t column = order ? order[p] : p;
    if (op2i_sparsity_row(sparsity, column).n)
      columns[at++] = op2i_set_number(sparsity->rows, column);
  }
  op2i_free(order);
  if (starts) starts[0] = 0;
  if (starts) starts[1] = sparsity->nnz;
  return OP2_SUCCESS;
}

op2_status op2i_sparsity_get(const struct op2_sparsity_s *sparsity, int64_t *starts,
                             int64_t *columns) {
  struct seen seen;
  int64_t at = 0, length = 0;
  if (sparsity->flipped) return see_dense_row(sparsity, starts, columns);
  op2_status status = open_seen(sparsity, &seen);
  if (starts && !status) starts[0] = 0;
  for (int64_t p = 0; p < sparsity->nrows && !status; p++, at += length) {
    status = see_row(sparsity, &seen, p, &length);
    if (status) break;
    if (columns) memcpy(columns + at, seen.number, (size_t)length * sizeof *columns);
    if (starts) starts[p + 1] = at + length;
  }
  close_seen(&seen);
  return status;
}

op2_status op2_sparsity_get(op2_sparsity sparsity, int64_t *starts, int64_t *columns) {
  op2_status status = op2i_object_validate(sparsity, OP2I_SPARSITY, "op2_sparsity_get");
  return status ? status : op2i_sparsity_get(sparsity, starts, columns);
}

void op2_sparsity_destroy(op2_sparsity *sparsity) {
  if (!sparsity) return;
  if (op2i_object_leave(*sparsity, OP2I_SPARSITY)) op2i_unref(*sparsity);
  *sparsity = NULL;
}
