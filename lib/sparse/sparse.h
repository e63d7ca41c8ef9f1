/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SPARSE_H
#define OP2I_SPARSE_H

/* Sparsities and matrices. The places where a matrix may have values are the elements of a set, the
 * values a dat on it, and a pair of maps to rows and columns becomes one map from elements to places:
 * so a loop that adds to a matrix is one that adds to a dat through a map. Behind the places the set has
 * others, each for one entry of a map that leads nowhere, or to a row that another rank owns: what is
 * added there nobody looks at, and nobody meets. The last of all is led to by none: it stays zero. */

#include "mesh.h"
#include "op2/matrix.h"

struct op2i_pair {
  op2_map rows, columns;
  op2_map places; /* [arity of rows][arity of columns] for each element */
};

/* The places of the rows of a subset, those on the diagonal, and those of its rows and columns
 * together; as subsets they follow when sets are renumbered. They stay until the subset or the
 * sparsity goes. */
struct op2i_row_places {
  int64_t rows;  /* the subset's id */
  bool diagonal; /* whether that was asked for */
  op2_set all, on_diagonal;
  op2_set cross;  /* null: columns were not asked for */
  op2_dat marked; /* with it: 1 for the subset's elements, in the halo as well, and 0 for others */
};

struct op2_sparsity_s {
  struct op2i_object obj;
  op2_set rows, columns, places;
  int npairs;
  struct op2i_pair *pairs;
  int64_t nrows, nplaces; /* rows that are owned, and places in them */
  int32_t slice;          /* rows side by side: see op2i_row_entries() */
  int64_t room;           /* entries that the rows may take, before what is beyond */
  /* By op2i_row_entries(), and for each entry its column: by the library's numbers, ascending in a row.
   * Entries of slices that are none have one that its row has, or its slice, and stay zero. */
  int32_t *table, *column; /* [op2i_row_table_size()], [room] */
  /* What loops over rows go through: which entries a row has, their places, and their columns. The first
   * and the last have table and column as their entries. */
  op2_map first, entries, across;
  op2_map
      diagonal; /* from rows to their places on it, or to one that is always zero; null: not asked for */
  struct op2i_row_places *row_places; /* [nrow_places], of room for row_places_room */
  int64_t nrow_places, row_places_room;
  int64_t renumberings;         /* so often have its rows, columns or places got other numbers */
  struct op2i_link link_of_all; /* in the context's list */
};

struct op2_mat_s {
  struct op2i_object obj;
  op2_sparsity sparsity;
  int32_t row_dim, column_dim;
  op2_type type;
  op2_dat values;                                   /* on the places */
  op2_kernel set_diagonal, get_diagonal, get_block; /* null: not asked for yet */
  op2_kernel mult; /* that multiplies an entry by a value; null: not asked for yet */
  op2_kernel zero; /* that makes them zero; null: not asked for yet */
  /* For op2_mat_zero_rows_columns(): kernels that sum up what columns contribute and that correct a
   * right-hand side, and the sum. */
  op2_kernel lift, eliminate;
  op2_dat lifted;
  /* Since op2_mat_zero() was queued last, rows were made zero without their columns, which leaves
   * no matrix symmetric; and whether that was warned of. */
  bool rows_zeroed, warned_of_rows;
  struct op2i_kept kept;
};

/* pattern.c: fill in the rows of a sparsity that has its pairs, from nrows to column, and give the entries of
 * the map to places of each pair, of memory of op2i_alloc_raw(). Returns how many places there are
 * behind those of rows by *beyond. */
op2_status op2i_pattern_make(op2_sparsity sparsity, int32_t **entries, int64_t *beyond);
/* The map to the places of a pair of maps; null: it is not one of the sparsity. */
op2_map op2i_sparsity_places(const struct op2_sparsity_s *sparsity, op2_map rows, op2_map columns);
/* diagonal.c: have the map to the diagonal. Rows and columns are of one set. */
op2_status op2i_sparsity_diagonal(op2_sparsity sparsity);
/* row_places.c: the places of a subset of the rows; with those on the diagonal, where each row has
 * one; and with those of its columns, where rows and columns are of one set. `call` is named in
 * messages. *places is valid until the next call. Collective. */
struct op2i_row_request {
  const char *call;
  op2_set rows;
  bool diagonal, columns;
};
op2_status op2i_sparsity_row_places(op2_sparsity sparsity, const struct op2i_row_request *request,
                                    const struct op2i_row_places **places);
void op2i_sparsity_free_row_places(op2_sparsity sparsity);
/* diagonal.c: where a column stands in its row; -1: nowhere. */
int64_t op2i_sparsity_place(const struct op2_sparsity_s *sparsity, int64_t row, int32_t column);
/* Copy values of so many bytes each, from the order in which the places were made, which is that of
 * their set for the program, to the one that the program sees: rows and columns by its numbers. */
op2_status op2i_sparsity_copy(const struct op2_sparsity_s *sparsity, size_t bytes, const void *data,
                              void *values);
/* Forget what was worked out from the numbers of rows. */
void op2i_sparsity_renumbered(op2_sparsity sparsity);
static inline struct op2i_entries op2i_sparsity_row(const struct op2_sparsity_s *sparsity,
                                                    int64_t row) {
  return op2i_row_entries(sparsity->table, sparsity->slice, row);
}

/* slices.c: how rows are laid out. */
/* The entries that rows of these lengths take in slices, padding included; -1: one is too long. */
int64_t op2i_slices_size(int64_t nrows, const int32_t *length);
/* Whether slices pay for a sparsity whose rows have nplaces places, and size entries in slices. */
bool op2i_slices_pay(op2_context ctx, int64_t nplaces, int64_t size);
/* The entries that are set aside for slices of this size, so that they fit in any order of rows. */
int64_t op2i_slices_room(int64_t nplaces, int64_t size);
void op2i_row_table_fill(int32_t slice, int64_t nrows, const int32_t *length, int32_t *table);
/* Give entries that are none a column, where the others have theirs. */
void op2i_slices_pad(int64_t nrows, const int32_t *table, int32_t *column);

#endif
