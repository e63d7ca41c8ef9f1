/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SPARSE_H
#define OP2I_SPARSE_H

/* Sparsities and matrices. The nonzeros of a matrix are the elements of a set (`nonzeros`), its
 * values are a dat on this set, and a pair of maps to rows and columns becomes one map from
 * elements to nonzeros. A loop that adds to a matrix is thus a loop that adds to a dat through a
 * map. After the entries of the rows the set has one element that stays zero, to which no such map
 * leads, and then a spare one for each row, also for those of other ranks. Entries of a map that
 * lead nowhere, or to a row of another rank, lead to the spare element of their row: what is added
 * there is never read. Elements of a loop that share a row do not run at the same time, so no two
 * of them write to a spare element at once. Loops over the set leave spare elements out.
 *
 * A dense row, which is of a set with one element that all ranks share, would be written by all
 * elements. Its nonzeros are kept by columns instead: `flipped` is set, `rows` and the maps of pairs
 * to rows are those of the program's columns, and the other way round. Each rank has the nonzeros
 * of the columns that it owns, and elements are coloured by columns. Blocks are as the program has
 * them. */

#include "mesh.h"
#include "op2/matrix.h"

struct op2i_pair {
  op2_map rows, columns;
  op2_map nonzeros; /* [arity of rows][arity of columns] nonzeros of each element */
};

/* The nonzeros of the rows of a subset, those on the diagonal, and those of its rows and columns
 * together. They are subsets, so they remain correct when sets are renumbered. They exist until the
 * subset or the sparsity is freed. */
struct op2i_row_nonzeros {
  int64_t rows;  /* id of the subset, which is one of the columns where only `marked` is used */
  bool diagonal; /* true if `on_diagonal` has been requested */
  op2_set all, on_diagonal;
  op2_set cross; /* null: columns have not been requested */
  /* 1 for elements of the subset, in the halo as well, and 0 for others; null: not requested. */
  op2_dat marked;
};

/* A map like that of a pair to its nonzeros, in which rows or columns of a subset lead to spare
 * elements. It exists until the subset or the sparsity is freed. */
struct op2i_dropped {
  int64_t subset;   /* its id */
  int side;         /* an op2_side */
  op2_map of, drop; /* the map of the pair, and this one */
};

/* The columns of a matrix with their nonzeros, for products with the transpose. */
struct op2i_transpose {
  int32_t rows_per_slice; /* the layout of the columns; 0: not requested yet */
  /* Among ranks: a set with an element for each column that this rank knows, owned or in its halo,
   * at the column's place. In its halo are the elements of other ranks for columns of this one;
   * others[nothers] are the places of these columns. Null without ranks. */
  op2_set sums;
  int64_t nothers;
  int32_t *others;
  /* These maps start from the columns, or from `sums`, and are the row table, the nonzeros of a
   * column, and their rows. They are null until they are needed, also after rows or columns were
   * renumbered. */
  op2_map first, nonzeros, rows;
  op2_map gather_first, gather; /* from the columns to all their sums, or null without ranks */
};

struct op2_sparsity_s {
  struct op2i_object obj;
  op2_set rows, columns, nonzeros;
  bool flipped; /* nonzeros are kept by columns: `rows` are the columns of matrices */
  int npairs;
  struct op2i_pair *pairs;
  bool whole_diagonal;    /* every row has a nonzero on the diagonal, by a pair of null maps */
  int64_t nrows, nnz;     /* owned rows, and the nonzeros in them */
  int32_t rows_per_slice; /* 1: no slices; see op2i_row_entries() */
  bool by_number;         /* columns are ascending by their global numbers (op2i_sparsity_key()) */
  int64_t room;           /* entries reserved for the rows; the other elements follow */
  /* The row table, as op2i_row_entries() reads it, and the column of each entry, in the library's
   * numbers and ascending in each row. A padding entry of a slice has a column of its row, or of
   * another row of the slice if its row is empty; its value stays zero. */
  int32_t *table, *column; /* [op2i_row_table_size()], [room] */
  /* Maps for loops over rows: the row table, the nonzeros of a row, and their columns. `first` and
   * `across` share the memory of `table` and `column`. */
  op2_map first, entries, across;
  /* The map from rows to their nonzero on the diagonal or, if the columns have one element, to their
   * only nonzero. Rows without one lead to the element that is always zero. Null: not requested
   * yet. */
  op2_map diagonal;
  struct op2i_row_nonzeros *row_nonzeros; /* [nrow_nonzeros], with capacity row_nonzeros_capacity */
  int64_t nrow_nonzeros, row_nonzeros_capacity;
  struct op2i_transpose transpose;
  struct op2i_dropped *dropped; /* [ndropped], with capacity dropped_capacity */
  int64_t ndropped, dropped_capacity;
  int64_t renumberings;         /* how often its rows, columns or nonzeros have been renumbered */
  struct op2i_link link_of_all; /* link in the context's list of sparsities */
};

struct op2_mat_s {
  struct op2i_object obj;
  op2_sparsity sparsity;
  int32_t row_dim, column_dim;
  op2_type type;
  op2_dat values;                                   /* on the nonzeros */
  op2_kernel set_diagonal, get_diagonal, get_block; /* null: not requested yet */
  op2_kernel mult; /* multiplies an entry by a value; null: not requested yet */
  /* The same for the transpose. Among ranks also the kernel that adds up the sums of a column, and
   * the dat of these. */
  op2_kernel mult_transpose, add_sums;
  op2_dat column_sums;
  op2_kernel zero; /* sets the values to zero; null: not requested yet */
  /* Kernels for op2_mat_zero_rows_columns(), which sum up the contributions of columns and correct
   * a right-hand side, and the dat of the sum. */
  op2_kernel lift, eliminate;
  op2_dat lifted;
  /* The sum of the absolute values in each row: its kernel, and the dat of the sums, in double
   * precision; null: not requested yet. */
  op2_kernel add_amounts;
  op2_dat row_sums;
  /* rows_zeroed: since op2_mat_zero() was last queued, rows were zeroed without their columns,
   * which leaves no matrix symmetric. warned_of_rows: a warning of this has been printed. */
  bool rows_zeroed, warned_of_rows;
  /* For sums over all rows of a matrix whose columns have one element (mat_single.c): the kernels
   * that add up products and absolute values, the global that they are added to, in double
   * precision, and the kernels that copy it to a dat; null: not requested yet. */
  op2_kernel single_products, single_amounts, single_store, single_store_amounts;
  op2_gbl single_sum;
  struct op2i_kept kept;
};

/* The sets of a matrix's rows and columns, as the program sees them. */
static inline op2_set op2i_sparsity_row_set(const struct op2_sparsity_s *sparsity) {
  return sparsity->flipped ? sparsity->columns : sparsity->rows;
}
static inline op2_set op2i_sparsity_column_set(const struct op2_sparsity_s *sparsity) {
  return sparsity->flipped ? sparsity->rows : sparsity->columns;
}
/* The number of rows of which this rank has nonzeros: those that it owns, and a dense row. */
static inline int64_t op2i_sparsity_nrows(const struct op2_sparsity_s *sparsity) {
  return sparsity->flipped ? 1 : sparsity->nrows;
}
/* The extents of a block, along the rows of the sparsity and along its columns. */
static inline int32_t op2i_mat_height(const struct op2_mat_s *mat) {
  return mat->sparsity->flipped ? mat->column_dim : mat->row_dim;
}
static inline int32_t op2i_mat_width(const struct op2_mat_s *mat) {
  return mat->sparsity->flipped ? mat->row_dim : mat->column_dim;
}
/* pattern.c: compute the rows of a sparsity whose pairs are set: all fields from nrows to column.
 * For each pair, return the entries of its map to nonzeros, in memory of op2i_alloc_raw(). */
op2_status op2i_pattern_make(op2_sparsity sparsity, int32_t **entries);
/* The map from elements to nonzeros of a pair of maps, as the program gives them; null if the
 * sparsity lacks the pair. */
op2_map op2i_sparsity_nonzeros(const struct op2_sparsity_s *sparsity, op2_map rows,
                               op2_map columns);
/* sparsity.c: make a map from elements to nonzeros for a pair, with these entries, which it takes
 * over, even on failure. No set lists it. */
op2_status op2i_sparsity_make_map(op2_sparsity sparsity, const struct op2i_pair *pair,
                                  int32_t *entries, op2_map *map);
/* Make a map from the rows, or the columns, with these n numbers as entries, which it takes over,
 * even on failure. No set lists it. `what` says what it leads to. */
op2_status op2i_sparsity_make_row_map(op2_sparsity sparsity, op2_set from, op2_set to, int32_t *idx,
                                      int64_t n, const char *what, op2_map *map);
/* Map k of all that lead from elements to nonzeros, or null behind the last one. */
op2_map op2i_sparsity_map(const struct op2_sparsity_s *sparsity, int64_t k);
/* diagonal.c: make the map to the diagonal, unless there is one. Rows and columns are of one set, or
 * the columns have one element. */
op2_status op2i_sparsity_diagonal(op2_sparsity sparsity);
/* diagonal.c: the nonzero of a column in a row; -1 if there is none. */
int64_t op2i_sparsity_nonzero(const struct op2_sparsity_s *sparsity, int64_t row, int32_t column);
/* As op2_sparsity_get(), also if the program has given up the sparsity. */
op2_status op2i_sparsity_get(const struct op2_sparsity_s *sparsity, int64_t *starts,
                             int64_t *columns);
/* Copy values of `bytes` bytes each, from the original order of the nonzeros, which is the
 * program's order of their set, to the order that the program sees: rows and columns by its
 * numbers; and back. */
op2_status op2i_sparsity_copy(const struct op2_sparsity_s *sparsity, size_t bytes, const void *data,
                              void *values);
op2_status op2i_sparsity_store(const struct op2_sparsity_s *sparsity, size_t bytes,
                               const void *values, void *data);
/* Columns are ascending in each row, by this: their own numbers, in deterministic mode those that do
 * not depend on ranks, since products add up a row in this order. */
static inline int64_t op2i_sparsity_key(const struct op2_sparsity_s *sparsity, int32_t column) {
  return sparsity->by_number ? op2i_set_number(sparsity->columns, column) : column;
}
/* Discard what was computed from the numbers of rows. */
void op2i_sparsity_renumbered(op2_sparsity sparsity);
/* The spare element of a row, of this rank or another one. It is found by the program's number of
 * the row, so that it stays the same when rows are renumbered. */
static inline int32_t op2i_sparsity_spare(const struct op2_sparsity_s *sparsity, int32_t row) {
  return (int32_t)(sparsity->room + 1 + op2i_set_place(sparsity->rows, row));
}
static inline struct op2i_entries op2i_sparsity_row(const struct op2_sparsity_s *sparsity,
                                                    int64_t row) {
  return op2i_row_entries(sparsity->table, sparsity->rows_per_slice, row);
}

#endif
