/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SPARSE_H
#define OP2I_SPARSE_H

/* Sparsities and matrices. The places where a matrix may have values are the elements of a set, the
 * values a dat on it, and a pair of maps to rows and columns becomes one map from elements to places:
 * so a loop that adds to a matrix is one that adds to a dat through a map. Behind the places the set has
 * others, each for one entry of a map that leads nowhere, or to a row that another rank owns: what is
 * added there nobody looks at, and nobody meets. */

#include "mesh.h"
#include "op2/matrix.h"

struct op2i_pair {
  op2_map rows, columns;
  op2_map places; /* [arity of rows][arity of columns] for each element */
};

struct op2_sparsity_s {
  struct op2i_object obj;
  op2_set rows, columns, places;
  int npairs;
  struct op2i_pair *pairs;
  int64_t nrows;           /* owned */
  int32_t *start, *column; /* [nrows + 1], [start[nrows]]: by the library's numbers, ascending */
  /* What loops over rows go through: where the entries of a row begin, their places, and their columns.
   * The first and the last have start and column as their entries. */
  op2_map first, entries, across;
  struct op2i_link link_of_all; /* in the context's list */
  /* [start[nrows]] where what the program sees is in the order of the places when they were made, which
   * is that of their set for it; null: the same. */
  int32_t *order;
};

struct op2_mat_s {
  struct op2i_object obj;
  op2_sparsity sparsity;
  int32_t row_dim, column_dim;
  op2_type type;
  op2_dat values;  /* on the places */
  op2_kernel mult; /* that multiplies an entry by a value; null: not asked for yet */
  op2_kernel zero; /* that makes them zero; null: not asked for yet */
};

/* pattern.c: fill in nrows, start and column of a sparsity that has its pairs, and give the entries of
 * the map to places of each pair, of memory of op2i_alloc_raw(). Returns how many places there are
 * behind those of rows by *beyond. */
op2_status op2i_pattern_make(op2_sparsity sparsity, int32_t **entries, int64_t *beyond);
/* The map to the places of a pair of maps; null: it is not one of the sparsity. */
op2_map op2i_sparsity_places(const struct op2_sparsity_s *sparsity, op2_map rows, op2_map columns);
static inline int64_t op2i_sparsity_size(const struct op2_sparsity_s *sparsity) {
  return sparsity->start[sparsity->nrows];
}

#endif
