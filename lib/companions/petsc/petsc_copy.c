/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of the values of matrices and dats to PETSc's memory and back. */
#include "petsc_copy.h"
#include "petsc_objects.h"

static PetscScalar get(const struct op2_mat_s *mat, const void *values, int64_t at) {
  return mat->type == OP2_F64 ? ((const double *)values)[at] : (double)((const float *)values)[at];
}

static void put_value(const struct op2_mat_s *mat, void *values, int64_t at, PetscScalar value) {
  if (mat->type == OP2_F64)
    ((double *)values)[at] = value;
  else
    ((float *)values)[at] = (float)value;
}

/* One of the two parts of a row in PETSc: the number of its entries, and the address of its first
 * value. */
struct part {
  int64_t n;
  PetscScalar *first;
};

/* Copy one block: the k-th of a row in PETSc, and entry `at` of the matrix here. */
static void copy_block(const struct op2_mat_s *mat, struct part part, int64_t k, bool columns_first,
                       void *values, int64_t at, bool back) {
  const int32_t rows = op2i_mat_height(mat), columns = op2i_mat_width(mat);
  const bool flipped = mat->sparsity->flipped;
  for (int32_t i = 0; i < rows; i++)
    for (int32_t j = 0; j < columns; j++) {
      PetscScalar *there = part.first + (columns_first ? (k * columns + j) * rows + i
                                                       : (i * part.n + k) * columns + j);
      int64_t here = flipped ? (at * columns + j) * rows + i : (at * rows + i) * columns + j;
      if (back)
        put_value(mat, values, here, *there);
      else
        *there = get(mat, values, here);
    }
}

void op2i_petsc_copy(const struct op2_mat_s *mat, const struct op2i_petsc_layout *layout,
                     bool columns_first, void *values, struct op2i_petsc_values petsc, bool back) {
  const int64_t block = (int64_t)mat->row_dim * mat->column_dim;
  for (int64_t row = 0; row < layout->nrows; row++) {
    const struct op2i_entries entries = op2i_sparsity_row(mat->sparsity, row);
    const int64_t own = layout->own[row], other = layout->other[row];
    const struct part here = {layout->own[row + 1] - own, petsc.own + own * block};
    const struct part there = {layout->other[row + 1] - other,
                               petsc.other ? petsc.other + other * block : NULL};
    for (int64_t k = 0; k < here.n; k++)
      copy_block(mat, here, k, columns_first, values, op2i_entry(entries, k), back);
    for (int64_t k = 0; k < there.n; k++)
      copy_block(mat, there, layout->order[other + k], columns_first, values,
                 op2i_entry(entries, here.n + k), back);
  }
}

void op2i_petsc_convert(op2_type type, int64_t n, void *values, PetscScalar *scalars, bool back) {
  double *doubles = values;
  float *floats = values;
  for (int64_t i = 0; i < n && type == OP2_F64; i++)
    *(back ? &doubles[i] : &scalars[i]) = back ? scalars[i] : doubles[i];
  for (int64_t i = 0; i < n && type == OP2_F32; i++)
    if (back)
      floats[i] = (float)scalars[i];
    else
      scalars[i] = floats[i];
}
