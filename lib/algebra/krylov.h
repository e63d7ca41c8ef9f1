/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_KRYLOV_H
#define OP2I_KRYLOV_H

/* Methods that solve systems of equations, made of loops: they queue, and look at the residual once an
 * iteration. */

#include "solve.h"

/* cg.c: conjugate gradients. Fails where loops fail; how it ended is in *result. */
op2_status op2i_solve_cg(struct op2i_solve *solve, op2_solve_result *result);

/* krylov.c: have what a method works with: dats like x, globals of one value in double precision, and
 * kernels by `sources`, in which T stands for the type and N for the dim. */
struct op2i_kernel_source {
  const char *name, *text;
};
op2_status op2i_workspace_make(struct op2i_solve *solve, int ndats, int ngbls, int nkernels,
                               const struct op2i_kernel_source *sources);
void op2i_workspace_free(struct op2i_workspace *work);
/* Whether an iteration is the last one, and why, by the norms of the residual and of b. */
bool op2i_solve_ends(const op2_solver_options *options, double residual, double b, int iterations,
                     op2_solve_result *result);

#endif
