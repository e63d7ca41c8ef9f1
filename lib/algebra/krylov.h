/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_KRYLOV_H
#define OP2I_KRYLOV_H

/* Methods that solve systems of equations, made of loops: they queue, and look at the residual once an
 * iteration. */

#include "solve.h"

/* Each fails where loops fail; how it ended is in *result. */
typedef op2_status op2i_method(struct op2i_solve *solve, op2_solve_result *result);
op2i_method op2i_solve_cg, op2i_solve_minres, op2i_solve_gmres, op2i_solve_bicgstab;

/* ---- krylov.c: what they have in common -------------------------------------------------------- */

/* Kernels that all have, before their own: r = b - r and b.b; d = 1 / d, or 1. In their texts T stands
 * for the type and N for the dim. What is done with one or two vectors is op2/algebra.h's. */
enum { OP2I_RESIDUAL, OP2I_INVERT, OP2I_OWN };
struct op2i_kernel_source {
  const char *name, *text;
};
/* Have them, so many dats like x and so many globals of one value in double precision. */
op2_status op2i_workspace_make(struct op2i_solve *solve, int ndats, int ngbls, int nown,
                               const struct op2i_kernel_source *own);
void op2i_workspace_free(struct op2i_workspace *work);

/* y = A x, as the program's function queues it. */
op2_status op2i_operator_apply(op2_operator op, op2_dat x, op2_dat y);
/* y = A x */
op2_status op2i_solve_apply(struct op2i_solve *solve, op2_dat x, op2_dat y);
/* r = b - A x, and bb = b.b */
op2_status op2i_solve_residual(struct op2i_solve *solve, op2_dat r, op2_gbl bb);
/* The same, and before that d is the preconditioner, as factors, and x is zero where that is asked for. */
op2_status op2i_solve_begin(struct op2i_solve *solve, op2_dat d, op2_dat r, op2_gbl bb);
/* The global is zero. */
op2_status op2i_solve_zero(op2_gbl gbl);
/* The square root of a global. */
op2_status op2i_solve_norm(op2_gbl gbl, double *value);
/* Whether an iteration is the last one, and why, by the norms of the residual and of b. */
bool op2i_solve_ends(const struct op2i_solve *solve, double residual, double b, int iterations,
                     op2_solve_result *result);

#endif
