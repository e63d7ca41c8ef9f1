/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_MAT_CASE_H
#define OP2_TEST_MAT_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "op2.h"

/* Matrices of random meshes, and the same as dense ones. All values are whole numbers, which sums
 * and products keep exact, in float as well. */

struct pattern_case {
  int nrows, ncolumns; /* elements of the sets */
  op2_set cells, rows, columns;
  int32_t *row_idx, *column_idx; /* [PATTERN_CELLS][3] and [PATTERN_CELLS][column_arity] */
  int column_arity;
  op2_map to_rows, to_columns; /* the same map for a square pattern */
  op2_sparsity sparsity;
};
enum { PATTERN_CELLS = 60 };

/* Rows and columns of one set, which every row has a nonzero on the diagonal of, or of two sets,
 * where some rows have no nonzero at all. */
struct pattern_case new_pattern(uint64_t *seed, bool square);
void end_pattern(struct pattern_case *pattern);

struct mat_case {
  const struct pattern_case *pattern;
  int row_dim, column_dim;
  op2_type type;
  op2_mat mat;
  op2_kernel add;
  double *dense; /* [nrows * row_dim][ncolumns * column_dim] */
};
struct mat_case new_mat(const struct pattern_case *pattern, int row_dim, int column_dim,
                        op2_type type, const char *name);
/* Set a matrix to zero, and assemble it with values that depend on `salt`. */
void fill_mat(struct mat_case *m, int salt);
/* Add to it once more, with other values. */
void add_to_mat(struct mat_case *m, int salt);
/* Such an addition leaves out the rows or columns (an op2_side, or 0 for nothing) of a subset; in[i]
 * is true for the elements of the subset. */
struct drop_case {
  int side;
  op2_set subset;
  const bool *in;
};
void add_dropping(struct mat_case *m, int salt, const struct drop_case *drop);
void end_mat(struct mat_case *m);
int mat_rows(const struct mat_case *m);
int mat_columns(const struct mat_case *m);
/* The matrix has the values of the dense one, and nonzeros wherever that is not zero. */
void expect_mat(const struct mat_case *m);
/* A dat on the rows, or on the columns, with small whole numbers, which are returned in *values. */
op2_dat new_vector(const struct mat_case *m, bool of_rows, uint64_t *seed, double **values,
                   const char *name);
/* The dat has these values. */
void expect_vector(const struct mat_case *m, op2_dat dat, int n, const double *values);
/* The value of a matrix's type in memory. */
double mat_value(const struct mat_case *m, const void *values, int64_t i);
/* Runs a function for square patterns and others, several blocks and types, in rows and in
 * slices. */
void each_mat(void (*body)(uint64_t *seed, const struct pattern_case *pattern, int row_dim,
                           int column_dim, op2_type type));

#endif
