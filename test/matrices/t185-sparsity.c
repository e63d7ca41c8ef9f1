/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparsity patterns: known meshes, and random ones with several pairs of maps, rows that no element
 * reaches, targets that occur twice in a row, and entries that lead nowhere, compared with a table
 * of all pairs of rows and columns; also after renumbering; and every error. */
#include <stdio.h>
#include <string.h>

#include "support.h"

enum { MESHES = 500, PAIRS = 3, ARITY = 4, SIZE = 40 };

static bool same(op2_sparsity sparsity, int64_t n, const int64_t *starts, const int64_t *columns) {
  int64_t rows = -1, places = -1;
  int64_t *got_starts = scratch((size_t)n + 1, sizeof *got_starts);
  int64_t *got = scratch((size_t)starts[n] + 1, sizeof *got);
  MUST(op2_sparsity_size(sparsity, &rows, &places));
  if (!EXPECT(rows == n && places == starts[n])) return false;
  MUST(op2_sparsity_get(sparsity, got_starts, got));
  return EXPECT(!memcmp(got_starts, starts, ((size_t)n + 1) * sizeof *starts)) &&
         EXPECT(!memcmp(got, columns, (size_t)starts[n] * sizeof *columns));
}

/* ---- known meshes ---------------------------------------------------------------------------- */

static void triangles(void) {
  static const int32_t nodes[] = {0, 4, 3, 0, 1, 4, 1, 2, 4, 2, 3, 4};
  static const int64_t starts[] = {0, 4, 8, 12, 16, 21};
  static const int64_t columns[] = {0, 1, 3, 4, 0, 1, 2, 4, 1, 2, 3, 4, 0, 2, 3, 4, 0, 1, 2, 3, 4};
  op2_set cells = new_set(4, "cells"), points = new_set(5, "points");
  op2_map map = new_map(cells, points, 3, nodes, "nodes");
  op2_map_pair pair[] = {{map, map}, {map, map}};
  op2_sparsity sparsity;
  for (int npairs = 1; npairs <= 2; npairs++) {
    MUST(op2_sparsity_create(npairs, pair, "mass", &sparsity));
    same(sparsity, 5, starts, columns);
    MUST(op2_sparsity_get(sparsity, NULL, NULL));
    op2_sparsity_destroy(&sparsity);
    EXPECT(!sparsity);
  }
}

static void mixed(void) {
  static const int32_t self[] = {0, 1, 2}, nodes[] = {0, 1, 1, 2, 2, 3};
  static const int64_t starts[][5] = {
      {0, 1, 2, 3}, {0, 2, 4, 6}, {0, 1, 3, 5, 6}, {0, 2, 5, 8, 10}};
  static const int64_t columns[][10] = {
      {0, 1, 2}, {0, 1, 1, 2, 2, 3}, {0, 0, 1, 1, 2, 2}, {0, 1, 0, 1, 2, 1, 2, 3, 2, 3}};
  op2_set cells = new_set(3, "cells"), points = new_set(4, "points");
  op2_map maps[] = {new_map(cells, cells, 1, self, "self"),
                    new_map(cells, points, 2, nodes, "nodes")};
  for (int b = 0; b < 4; b++) {
    const op2_map_pair pair = {maps[b / 2], maps[b % 2]};
    op2_sparsity sparsity;
    MUST(op2_sparsity_create(1, &pair, "block", &sparsity));
    same(sparsity, b < 2 ? 3 : 4, starts[b], columns[b]);
    op2_sparsity_destroy(&sparsity);
  }
}

static void nothing(void) {
  static const int64_t starts[] = {0, 0, 0};
  op2_set none = new_set(0, "none"), two = new_set(2, "two");
  op2_map to_two = new_map(none, two, 3, NULL, "to two"),
          to_none = new_map(none, none, 2, NULL, "to none");
  const op2_map_pair pairs[] = {{to_two, to_none}, {to_none, to_two}, {to_none, to_none}};
  for (int p = 0; p < 3; p++) {
    op2_sparsity sparsity;
    MUST(op2_sparsity_create(1, &pairs[p], "empty", &sparsity));
    same(sparsity, p ? 0 : 2, starts, starts);
    op2_sparsity_destroy(&sparsity);
  }
}

/* ---- random meshes --------------------------------------------------------------------------- */

struct side {
  int arity;
  op2_map map;
  int32_t *idx;
};

/* Every third map has entries that lead nowhere, and some targets are reached by few elements or
 * none. */
static struct side random_side(uint64_t *seed, op2_set from, int64_t n, op2_set to,
                               int64_t targets) {
  struct side side = {.arity = 1 + draw_below(seed, ARITY)};
  bool partial = draw_below(seed, 3) == 0;
  int64_t reached = 1 + draw_below(seed, (int)targets);
  side.idx = scratch((size_t)(n * side.arity) + 1, sizeof *side.idx);
  for (int64_t i = 0; i < n * side.arity; i++)
    side.idx[i] = partial && draw_below(seed, 4) == 0 ? -1 - draw_below(seed, 9)
                                                      : (int32_t)draw_below(seed, (int)reached);
  if (!partial) {
    side.map = new_map(from, to, side.arity, side.idx, "whole");
  } else {
    MUST(op2_map_create_partial(from, to, side.arity, side.idx, "partial", &side.map));
    own_map(side.map);
  }
  return side;
}

static void expect_table(op2_sparsity sparsity, int64_t rows, int64_t columns, const bool *table) {
  int64_t *starts = scratch((size_t)rows + 1, sizeof *starts);
  int64_t *column = scratch((size_t)(rows * columns) + 1, sizeof *column);
  for (int64_t r = 0; r < rows; r++) {
    starts[r + 1] = starts[r];
    for (int64_t c = 0; c < columns; c++)
      if (table[r * columns + c]) column[starts[r + 1]++] = c;
  }
  same(sparsity, rows, starts, column);
}

/* A map of one slot gives no neighbours. */
static void renumber_by(op2_map map, int arity) {
  op2_status status = arity > 1 ? op2_renumber(map) : OP2_SUCCESS;
  if (status != OP2_ERR_UNAVAILABLE) MUST(status);
}

static void random_mesh(uint64_t *seed, bool renumber) {
  int64_t nrows = 1 + draw_below(seed, SIZE), ncolumns = 1 + draw_below(seed, SIZE);
  op2_set rows = new_set(nrows, "rows"), columns = new_set(ncolumns, "columns");
  int npairs = 1 + draw_below(seed, PAIRS);
  op2_map_pair pairs[PAIRS];
  int arity[2 * PAIRS];
  bool *table = scratch((size_t)(nrows * ncolumns), sizeof *table);
  for (int p = 0; p < npairs; p++) {
    int64_t n = draw_below(seed, SIZE);
    op2_set cells = new_set(n, "cells");
    struct side r = random_side(seed, cells, n, rows, nrows);
    struct side c = random_side(seed, cells, n, columns, ncolumns);
    pairs[p] = (op2_map_pair){r.map, c.map};
    arity[2 * p] = r.arity, arity[2 * p + 1] = c.arity;
    for (int64_t e = 0; e < n; e++)
      for (int i = 0; i < r.arity; i++)
        for (int j = 0; j < c.arity; j++) {
          int32_t row = r.idx[e * r.arity + i], column = c.idx[e * c.arity + j];
          if (row >= 0 && column >= 0) table[row * ncolumns + column] = true;
        }
  }
  if (renumber)
    for (int p = 0; p < npairs; p++) {
      renumber_by(pairs[p].rows, arity[2 * p]);
      renumber_by(pairs[p].columns, arity[2 * p + 1]);
    }
  op2_sparsity sparsity;
  MUST(op2_sparsity_create(npairs, pairs, "random", &sparsity));
  expect_table(sparsity, nrows, ncolumns, table);
  op2_sparsity_destroy(&sparsity);
}

static void random_meshes(void) {
  uint64_t seed = 185;
  for (int m = 0; m < MESHES; m++) random_mesh(&seed, false);
}

static void renumbered(void) {
  uint64_t seed = 186;
  for (int m = 0; m < MESHES / 5; m++) random_mesh(&seed, true);
}

/* Rows that are long: all elements reach one of them. */
static void long_row(void) {
  enum { N = 700 };
  int64_t starts[] = {0, N, N};
  int64_t *columns = scratch(N, sizeof *columns);
  int32_t *to_row = scratch(N, sizeof *to_row), *to_column = scratch(N, sizeof *to_column);
  for (int i = 0; i < N; i++) columns[i] = i, to_column[i] = (i * 211 + 5) % N;
  op2_set cells = new_set(N, "cells"), rows = new_set(2, "rows"), all = new_set(N, "all");
  const op2_map_pair pair = {new_map(cells, rows, 1, to_row, "to row"),
                             new_map(cells, all, 1, to_column, "to column")};
  op2_sparsity sparsity;
  MUST(op2_sparsity_create(1, &pair, "long", &sparsity));
  same(sparsity, 2, starts, columns);
  op2_sparsity_destroy(&sparsity);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void refused_maps(void) {
  static const int32_t idx[] = {0, 1, 1, 0};
  op2_set a = new_set(2, "a"), b = new_set(2, "b"), none = new_set(0, "none");
  op2_map ab = new_map(a, b, 2, idx, "ab"), ba = new_map(b, a, 2, idx, "ba"), partial = NULL;
  op2_map empty = new_map(a, b, 2, NULL, "empty"), null = NULL;
  op2_map_pair pairs[] = {{ab, ab}, {ab, ab}};
  op2_sparsity sparsity = NULL;
  REFUSED(OP2_ERR_ARG, op2_sparsity_create(0, pairs, "s", &sparsity), "no pairs");
  REFUSED(OP2_ERR_ARG, op2_sparsity_create(1, NULL, "s", &sparsity), "no pairs");
  REFUSED(OP2_ERR_ARG, op2_sparsity_create(1, pairs, "s", NULL), "null");
  pairs[1].columns = null;
  REFUSED(OP2_ERR_ARG, op2_sparsity_create(2, pairs, "s", &sparsity), "columns", "null");
  pairs[1] = (op2_map_pair){ab, ba};
  REFUSED(OP2_ERR_MISMATCH, op2_sparsity_create(2, pairs, "s", &sparsity), "'s'", "'ba'", "'a'",
          "'b'");
  pairs[0] = (op2_map_pair){ab, ba};
  REFUSED(OP2_ERR_MISMATCH, op2_sparsity_create(1, pairs, "s", &sparsity), "starts from", "'ab'",
          "'ba'");
  pairs[0] = (op2_map_pair){empty, ab};
  REFUSED(OP2_ERR_MISMATCH, op2_sparsity_create(1, pairs, "s", &sparsity), "'empty'",
          "without values");
  REFUSED(OP2_ERR_ARG, op2_map_create_partial(a, b, 2, NULL, "p", &partial), "'p'", "null");
  REFUSED(OP2_ERR_ARG, op2_map_create_partial(a, b, 2, idx, "p", NULL), "null");
  REFUSED(OP2_ERR_RANGE, op2_map_create_partial(a, none, 2, idx, "p", &partial), "'p'", "'none'");
  static const int32_t far[] = {0, -1, 2, 0};
  REFUSED(OP2_ERR_RANGE, op2_map_create_partial(a, b, 2, far, "p", &partial), "'p'", "entry 2",
          "row 1");
  op2_mat mat = NULL;
  pairs[0] = (op2_map_pair){ab, ab};
  REFUSED(OP2_ERR_ARG, op2_mat_create(NULL, 1, 1, OP2_F64, "m", &mat), "op2_mat_create", "null");
  MUST(op2_sparsity_create(1, pairs, "s", &sparsity));
  REFUSED(OP2_ERR_ARG, op2_mat_create(sparsity, 0, 1, OP2_F64, "m", &mat), "'m'", "0 rows");
  REFUSED(OP2_ERR_ARG, op2_mat_create(sparsity, 1, -1, OP2_F64, "m", &mat), "'m'");
  REFUSED(OP2_ERR_TYPE, op2_mat_create(sparsity, 1, 1, OP2_I32, "m", &mat), "'m'", "OP2_I32");
  REFUSED(OP2_ERR_TYPE, op2_mat_create(sparsity, 1, 1, (op2_type)99, "m", &mat), "'m'", "99");
  REFUSED(OP2_ERR_ARG, op2_mat_create(sparsity, 1, 1, OP2_F64, "m", NULL), "null");
  EXPECT(!mat);
  op2_sparsity copy = sparsity;
  op2_sparsity_destroy(&sparsity);
  int64_t rows;
  REFUSED(OP2_ERR_ARG, op2_sparsity_size(copy, &rows, NULL), "destroyed");
  op2_sparsity_destroy(&sparsity);
  op2_mat_destroy(&mat);
}

/* Rows whose columns come in order are counted fast, and more than 2^31 nonzeros are refused before
 * any memory is allocated for them. Later calls work as usual. */
static void too_many(void) {
  enum { N = 256, ROWS = 1 << 24, WIDE = 128 };
  if (strcmp(test_config.backend, "openmp") != 0) return;
  if (quick()) {
    skip("2^31 places take seconds");
    return;
  }
  int32_t *to_row = scratch(ROWS, sizeof *to_row), *to_column = scratch(N * WIDE, sizeof *to_row);
  for (int i = 0; i < ROWS; i++) to_row[i] = i;
  for (int i = 0; i < N * WIDE; i++) to_column[i] = i % WIDE;
  op2_set cells = new_set(N, "cells"), rows = new_set(ROWS, "rows"),
          columns = new_set(WIDE, "columns");
  const op2_map_pair pair = {new_map(cells, rows, ROWS / N, to_row, "to rows"),
                             new_map(cells, columns, WIDE, to_column, "to columns")};
  op2_sparsity sparsity = NULL;
  REFUSED(OP2_ERR_RANGE, op2_sparsity_create(1, &pair, "vast", &sparsity), "sparsity 'vast'",
          "more than 2^31 places", "32 bits");
  EXPECT(!sparsity);
  triangles();
}

static const struct test_case cases[] = {
    {"triangles", triangles},          {"two sets of rows and columns", mixed},
    {"empty sets", nothing},           {"random meshes", random_meshes},
    {"renumbered", renumbered},        {"a long row", long_row},
    {"what is refused", refused_maps}, {"2^31 places", too_many},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK | RUN_LAZY_ONLY); }
