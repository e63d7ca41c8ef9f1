/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_METHODS_H
#define OP2I_METHODS_H

/* The methods and preconditioners of solvers, a row for each. */

#include <stdbool.h>

#include "op2/solve.h"

struct op2i_solve;

/* A method fails only if a loop fails; *result gives the reason why it ended. */
typedef op2_status op2i_solve_function(struct op2i_solve *solve, op2_solve_result *result);

#define METHOD(id_, name_, ...) op2i_solve_function op2i_solve_##name_;
#include "methods.def"

/* Show a residual in the timeline, if there is one. */
void op2i_solver_trace(const struct op2_solver_s *solver, double residual);

struct op2i_method_kind {
  const char *words; /* its name in messages */
  const char *petsc; /* PETSc's type of the same method (KSPType) */
  op2i_solve_function *solve;
  bool symmetric; /* it needs a symmetric matrix */
  bool definite;  /* it needs a definite preconditioner, though the matrix need not be definite */
};
/* Null for a number that is no op2_method. OP2_METHOD_DEFAULT is conjugate gradients. */
const struct op2i_method_kind *op2i_method_kind(op2_method method);

struct op2i_preconditioner_kind {
  bool none;         /* it does nothing */
  bool blocks;       /* it inverts diagonal blocks, not values */
  const char *petsc; /* PETSc's type of the same preconditioner (PCType) */
};
/* Null for a number that is no op2_preconditioner. OP2_PRECONDITIONER_DEFAULT is Jacobi. */
const struct op2i_preconditioner_kind *op2i_preconditioner_kind(op2_preconditioner preconditioner);

#endif
