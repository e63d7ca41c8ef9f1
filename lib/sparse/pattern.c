/* SPDX-License-Identifier: BSD-3-Clause */
/* The nonzeros of a matrix: for each row the elements that reach it are found, and from these the
 * columns, once each. Rows can then be processed in parallel, and so can elements when they look up
 * their nonzeros. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "error.h"
#include "map.h"
#include "mem.h"
#include "parallel.h"
#include "slices.h"
#include "sparse.h"

/* The elements that reach each row by one pair of maps, and the entries of the pair that are
 * absent. */
struct reached {
  const struct op2i_pair *pair;
  const unsigned char *no_row, *no_column; /* flags of absent entries; null: there are none */
  int64_t *first;                          /* [nrows + 1] where the elements of each row begin */
  int32_t *elements;                       /* the elements that reach each row, row after row */
};

struct pattern {
  op2_sparsity sparsity;
  struct reached *reached; /* [npairs] */
  int64_t most;            /* the largest number of columns of a row, with repetitions */
  int32_t *length;         /* [nrows] how many different columns each row has */
  int32_t *entries;        /* the nonzeros of the pair `by`, which are looked up */
  const struct reached *by;
  _Atomic bool no_memory;
};

static op2_status too_many(op2_sparsity sparsity) {
  return op2i_error(OP2_ERR_RANGE,
                    "sparsity '%s' has more than 2^31 places%s, and they are numbered by 32 bits",
                    sparsity->obj.name, sparsity->obj.ctx->comm ? " on a rank" : "");
}

/* True if 32 bits number all elements of the set of nonzeros, if its rows take `room`. */
static bool numbers_fit(const struct op2_sparsity_s *sparsity, int64_t room) {
  return room + 1 + sparsity->rows->ends[OP2I_NONEXEC] <= INT32_MAX;
}

/* ---- the elements that reach each row -------------------------------------------------------- */

/* The row that slot i of an element leads to; negative if it is absent or not owned by this
 * rank. */
static int32_t row_of(const struct pattern *p, const struct reached *r, int64_t element, int i) {
  int64_t at = element * r->pair->rows->arity + i;
  int32_t row = op2i_map_target(r->pair->rows, at);
  return (r->no_row && r->no_row[at]) || row >= p->sparsity->nrows ? -1 : row;
}

/* List the elements of each row. An element is repeated only in consecutive positions, where
 * several of its slots lead to the same row. */
static op2_status invert(const struct pattern *p, struct reached *r) {
  int64_t nrows = p->sparsity->nrows, n = op2i_map_rows(r->pair->rows);
  int arity = r->pair->rows->arity;
  if (n > INT32_MAX) return too_many(p->sparsity);
  r->first = op2i_alloc_data((size_t)(nrows + 2) * sizeof *r->first);
  if (!r->first) return op2i_error_nomem("a sparsity");
  int64_t *next = r->first + 1; /* while the list is filled, offset by one row */
  for (int64_t e = 0; e < n; e++)
    for (int i = 0; i < arity; i++) {
      int32_t row = row_of(p, r, e, i);
      if (row >= 0) next[row + 1]++;
    }
  for (int64_t row = 0; row < nrows; row++) next[row + 1] += next[row];
  r->elements = op2i_alloc_raw((size_t)next[nrows] * sizeof *r->elements);
  if (!r->elements) return op2i_error_nomem("a sparsity");
  for (int64_t e = 0; e < n; e++)
    for (int i = 0; i < arity; i++) {
      int32_t row = row_of(p, r, e, i);
      if (row >= 0) r->elements[next[row]++] = (int32_t)e;
    }
  return OP2_SUCCESS;
}

/* ---- the columns of a row -------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Columns of a row, with repetitions, and buffers to sort them. */
struct scratch {
  int32_t *columns, *sorted; /* [most] each */
  /* [size_of_table(most)] hash table of the columns found so far; free slots are -1 */
  int32_t *table;
};

/* A power of 2, at least twice the number of columns, so that a column is found near the slot of
 * its hash. */
static int64_t size_of_table(int64_t n) {
  int64_t size = 8;
  while (size < 2 * n) size *= 2;
  return size;
}

static bool open_scratch(int64_t most, struct scratch *s) {
  int32_t *memory = op2i_malloc((size_t)(2 * most + size_of_table(most)) * sizeof *memory);
  if (!memory) return false;
  *s = (struct scratch){memory, memory + most, memory + 2 * most};
  return true;
}

static void close_scratch(struct scratch *s) { op2i_free(s->columns); }

/* Keep each column once, in the order of their first occurrence. Returns how many are left. */
static int64_t keep_once(struct scratch *s, int64_t n) {
  const int64_t size = size_of_table(n), mask = size - 1;
  int64_t kept = 0;
  memset(s->table, -1, (size_t)size * sizeof *s->table);
  for (int64_t k = 0; k < n; k++) {
    const int32_t column = s->columns[k];
    int64_t at = (int64_t)((uint32_t)column * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (s->table[at] >= 0 && s->table[at] != column) at = (at + 1) & mask;
    if (s->table[at] == column) continue;
    s->table[at] = s->columns[kept++] = column;
  }
  return kept;
}

/* Sort a few different columns by their global numbers, by insertion: they are nearly sorted, since
 * those of a rank are ascending. */
static void insert_by_number(const struct op2_sparsity_s *sparsity, int32_t *columns, int64_t n) {
  for (int64_t k = 1; k < n; k++) {
    const int32_t column = columns[k];
    const int64_t key = op2i_sparsity_key(sparsity, column);
    int64_t at = k;
    for (; at > 0 && op2i_sparsity_key(sparsity, columns[at - 1]) > key; at--)
      columns[at] = columns[at - 1];
    columns[at] = column;
  }
}

/* Merge columns [0, middle) and [middle, n), each of which ascend by their global numbers. */
static void merge_by_number(const struct op2_sparsity_s *sparsity, const int32_t *from,
                            int64_t middle, int64_t n, int32_t *to) {
  int64_t left = 0, right = middle;
  for (int64_t k = 0; k < n; k++) {
    const bool take_left =
        left < middle && (right == n || op2i_sparsity_key(sparsity, from[left]) <
                                            op2i_sparsity_key(sparsity, from[right]));
    to[k] = from[take_left ? left++ : right++];
  }
}

/* Sort different columns by their global numbers. Rows may be dense, so runs are merged. */
static void sort_by_number(const struct op2_sparsity_s *sparsity, struct scratch *s, int64_t n) {
  enum { RUN = 32 };
  int32_t *from = s->columns, *to = s->sorted;
  for (int64_t lo = 0; lo < n; lo += RUN)
    insert_by_number(sparsity, from + lo, n - lo < RUN ? n - lo : RUN);
  for (int64_t run = RUN; run < n; run *= 2) {
    for (int64_t lo = 0; lo < n; lo += 2 * run) {
      const int64_t size = n - lo < 2 * run ? n - lo : 2 * run;
      merge_by_number(sparsity, from + lo, size < run ? size : run, size, to + lo);
    }
    int32_t *const merged = to;
    to = from;
    from = merged;
  }
  if (from != s->columns) memcpy(s->columns, from, (size_t)n * sizeof *from);
}

/* Sort different columns. If they are few, the position of each is the number of smaller ones,
 * which is computed without branches. */
static void sort(struct scratch *s, int64_t n) {
  enum { FEW = 128 };
  if (n > FEW) {
    qsort(s->columns, (size_t)n, sizeof *s->columns, ascending);
    return;
  }
  for (int64_t k = 0; k < n; k++) {
    const int32_t column = s->columns[k];
    int32_t smaller = 0;
    for (int64_t l = 0; l < n; l++) smaller += s->columns[l] < column;
    s->sorted[smaller] = column;
  }
  memcpy(s->columns, s->sorted, (size_t)n * sizeof *s->columns);
}

/* Find the columns of a row, each once. Returns how many there are. */
static int64_t columns_of(const struct pattern *p, int64_t row, struct scratch *s) {
  int64_t n = 0;
  if (p->sparsity->whole_diagonal) s->columns[n++] = (int32_t)row;
  for (int k = 0; k < p->sparsity->npairs; k++) {
    const struct reached *r = &p->reached[k];
    int64_t arity = r->pair->columns->arity;
    for (int64_t at = r->first[row]; at < r->first[row + 1]; at++) {
      int64_t begin = r->elements[at] * arity;
      if (at > r->first[row] && r->elements[at - 1] == r->elements[at]) continue;
      for (int64_t c = begin; c < begin + arity; c++)
        if (!r->no_column || !r->no_column[c])
          s->columns[n++] = op2i_map_target(r->pair->columns, c);
    }
  }
  return keep_once(s, n);
}

static void count_some(void *argument, int64_t lo, int64_t hi) {
  struct pattern *p = argument;
  struct scratch s;
  if (!open_scratch(p->most, &s)) {
    p->no_memory = true;
    return;
  }
  for (int64_t row = lo; row < hi; row++) p->length[row] = (int32_t)columns_of(p, row, &s);
  close_scratch(&s);
}

static void fill_some(void *argument, int64_t lo, int64_t hi) {
  struct pattern *p = argument;
  op2_sparsity sparsity = p->sparsity;
  struct scratch s;
  if (!open_scratch(p->most, &s)) {
    p->no_memory = true;
    return;
  }
  for (int64_t row = lo; row < hi; row++) {
    struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
    sort(&s, columns_of(p, row, &s));
    if (sparsity->by_number) sort_by_number(sparsity, &s, entries.n);
    for (int64_t k = 0; k < entries.n; k++) sparsity->column[op2i_entry(entries, k)] = s.columns[k];
  }
  close_scratch(&s);
}

enum { LEAST = 2048 }; /* rows, or elements, below which a further thread does not pay */

static op2_status count_rows(struct pattern *p) {
  op2_sparsity sparsity = p->sparsity;
  for (int64_t row = 0; row < sparsity->nrows; row++) {
    int64_t n = sparsity->whole_diagonal;
    for (int k = 0; k < sparsity->npairs; k++)
      n += (p->reached[k].first[row + 1] - p->reached[k].first[row]) *
           p->reached[k].pair->columns->arity;
    p->most = n > p->most ? n : p->most;
  }
  p->length = op2i_malloc((size_t)sparsity->nrows * sizeof *p->length);
  if (!p->length) return op2i_error_nomem("a sparsity");
  op2i_parallel(op2_workers(sparsity->obj.ctx), sparsity->nrows, LEAST, count_some, p);
  if (p->no_memory) return op2i_error_nomem("a sparsity");
  for (int64_t row = 0; row < sparsity->nrows; row++) sparsity->nnz += p->length[row];
  return numbers_fit(sparsity, sparsity->nnz) ? OP2_SUCCESS : too_many(sparsity);
}

/* Choose rows or slices. All ranks take the same layout, because it appears in the source text of
 * loops. */
static op2_status choose_layout(struct pattern *p) {
  op2_sparsity sparsity = p->sparsity;
  op2_context ctx = sparsity->obj.ctx;
  int64_t size = op2i_slices_size(sparsity->nrows, p->length);
  int64_t room = op2i_slices_room(sparsity->nnz, size);
  int64_t slices =
      size >= 0 && numbers_fit(sparsity, room) && op2i_slices_pay(ctx, sparsity->nnz, size);
  op2_status status = ctx->comm ? op2i_comm_least(ctx->comm, 1, &slices) : OP2_SUCCESS;
  sparsity->rows_per_slice = slices ? OP2I_SLICE : 1;
  sparsity->room = slices ? room : sparsity->nnz;
  return status;
}

static op2_status fill_rows(struct pattern *p) {
  op2_sparsity sparsity = p->sparsity;
  size_t size = (size_t)op2i_row_table_size(sparsity->rows_per_slice, sparsity->nrows);
  sparsity->table = op2i_alloc_raw(size * sizeof *sparsity->table);
  sparsity->column = op2i_alloc_raw((size_t)sparsity->room * sizeof *sparsity->column);
  if (!sparsity->table || !sparsity->column) return op2i_error_nomem("a sparsity");
  op2i_row_table_fill(sparsity->rows_per_slice, sparsity->nrows, p->length, sparsity->table);
  op2i_parallel(op2_workers(sparsity->obj.ctx), sparsity->nrows, LEAST, fill_some, p);
  if (p->no_memory) return op2i_error_nomem("a sparsity");
  if (sparsity->rows_per_slice == 1) return OP2_SUCCESS;
  op2i_slices_pad(sparsity->nrows, sparsity->table, sparsity->column);
  int64_t end = op2i_row_table_end(sparsity->table, sparsity->rows_per_slice, sparsity->nrows);
  memset(sparsity->column + end, 0, (size_t)(sparsity->room - end) * sizeof *sparsity->column);
  return OP2_SUCCESS;
}

/* ---- the nonzeros of an element -------------------------------------------------------------- */

/* The nonzero of a column in a row that has this column. */
static int32_t place_of(const struct op2_sparsity_s *sparsity, int32_t row, int32_t column) {
  enum { SHORT = 8 };
  struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
  const int64_t key = op2i_sparsity_key(sparsity, column);
  int64_t lo = 0, hi = entries.n;
  while (hi - lo > SHORT) {
    int64_t middle = lo + (hi - lo) / 2;
    const int32_t other = sparsity->column[op2i_entry(entries, middle)];
    *(op2i_sparsity_key(sparsity, other) <= key ? &lo : &hi) = middle;
  }
  while (sparsity->column[op2i_entry(entries, lo)] != column) lo++;
  return (int32_t)op2i_entry(entries, lo);
}

/* Look up the nonzeros of elements. */
static void look_up_some(void *argument, int64_t lo, int64_t hi) {
  struct pattern *p = argument;
  const struct reached *r = p->by;
  const int32_t *idx = r->pair->columns->idx, single = 0;
  int nrows = r->pair->rows->arity, ncolumns = r->pair->columns->arity;
  for (int64_t e = lo; e < hi; e++) {
    const int32_t *column = idx ? idx + e * ncolumns : &single;
    const unsigned char *none = r->no_column ? r->no_column + e * ncolumns : NULL;
    int32_t *out = p->entries + e * nrows * ncolumns;
    for (int i = 0; i < nrows; i++) {
      const int32_t row = row_of(p, r, e, i);
      const int32_t spare =
          op2i_sparsity_spare(p->sparsity, op2i_map_target(r->pair->rows, e * nrows + i));
      for (int j = 0; j < ncolumns; j++, out++)
        *out = row < 0 || (none && none[j]) ? spare : place_of(p->sparsity, row, column[j]);
    }
  }
}

static op2_status look_up(struct pattern *p, const struct reached *r, int32_t **entries) {
  op2_set from = r->pair->rows->from;
  int64_t n = op2i_map_rows(r->pair->rows), all = from->ends[OP2I_NONEXEC];
  int64_t block = (int64_t)r->pair->rows->arity * r->pair->columns->arity;
  *entries = op2i_alloc_raw((size_t)(all * block) * sizeof **entries);
  if (!*entries) return op2i_error_nomem("a sparsity");
  p->entries = *entries;
  p->by = r;
  op2i_parallel(op2_workers(from->obj.ctx), n, LEAST, look_up_some, p);
  memset(*entries + n * block, 0, (size_t)((all - n) * block) * sizeof **entries);
  return OP2_SUCCESS;
}

/* ---- the interface --------------------------------------------------------------------------- */

static op2_status make_pattern(struct pattern *p, int32_t **entries) {
  op2_status status = OP2_SUCCESS;
  int n = p->sparsity->npairs;
  for (int k = 0; k < n && !status; k++) status = invert(p, &p->reached[k]);
  if (!status) status = count_rows(p);
  status = op2i_context_agree(p->sparsity->obj.ctx, status);
  if (!status) status = choose_layout(p);
  if (!status) status = fill_rows(p);
  for (int k = 0; k < n && !status; k++) status = look_up(p, &p->reached[k], &entries[k]);
  return status;
}

op2_status op2i_pattern_make(op2_sparsity sparsity, int32_t **entries) {
  struct pattern p = {.sparsity = sparsity};
  op2_status status = OP2_SUCCESS;
  sparsity->nrows = sparsity->rows->ends[OP2I_OWNED];
  sparsity->by_number = sparsity->obj.ctx->config.deterministic && sparsity->columns->halo;
  p.reached = op2i_calloc((size_t)sparsity->npairs, sizeof *p.reached);
  if (!p.reached) status = op2i_error_nomem("a sparsity");
  status = op2i_context_agree(sparsity->obj.ctx, status);
  for (int k = 0; k < sparsity->npairs && !status; k++) {
    p.reached[k].pair = &sparsity->pairs[k];
    status = op2i_map_absent(sparsity->pairs[k].rows, &p.reached[k].no_row);
    if (!status) status = op2i_map_absent(sparsity->pairs[k].columns, &p.reached[k].no_column);
  }
  status = op2i_context_agree(sparsity->obj.ctx, status);
  if (!status) status = make_pattern(&p, entries);
  for (int k = 0; p.reached && k < sparsity->npairs; k++) {
    op2i_free_data(p.reached[k].first);
    op2i_free_data(p.reached[k].elements);
  }
  op2i_free(p.reached);
  op2i_free(p.length);
  return status;
}
