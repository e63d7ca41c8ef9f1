/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PETSC_COPY_H
#define OP2I_PETSC_COPY_H

#include "petsc_objects.h"

/* Values that are copied between this library and PETSc, and operators as matrices of PETSc. */

/* Copy the values of a matrix to PETSc, or from PETSc if `back`, in columns of this rank and of
 * others. Blocks are stored by rows or (BAIJ) by columns. */
struct op2i_petsc_values {
  PetscScalar *own, *other; /* `other` is null with one rank */
};
void op2i_petsc_copy(const struct op2_mat_s *mat, const struct op2i_petsc_layout *layout,
                     bool columns_first, void *values, struct op2i_petsc_values petsc, bool back);
/* Convert n values of a type to doubles, or back. */
void op2i_petsc_convert(op2_type type, int64_t n, void *values, PetscScalar *scalars, bool back);
/* petsc_local.c: give a Mat of a matrix the program's local numbers of rows and columns.
 * Collective. */
op2_status op2i_petsc_local_numbers(struct op2i_petsc_scope *scope, op2_mat mat, Mat A);
op2_status op2i_petsc_shell(struct op2i_petsc_scope *scope, op2_operator op, Mat *A);

#endif
