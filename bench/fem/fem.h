/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FEM_FEM_H
#define FEM_FEM_H

#include "common/application.h"
#include "common/option.h"
#include "common/ranks.h"
#include "grid.h"
#include "op2.h"

/** @file fem.h
 * Problems of finite elements on the unit square, whose solutions are known: matrices are assembled by
 * loops, and systems solved by op2_solve(). */

typedef struct options {
  const char *problem, *element;
  int cells, levels, steps;
  bool petsc;
  run_options run;
} options;

/** A mesh as the library has it; of quadratic elements the pressures are at the corners. */
typedef struct space {
  op2_context ctx;
  op2_set nodes, cells, corners; /**< corners is null where nobody asks for them */
  op2_map cell_nodes, cell_corners;
  op2_dat x, inside; /**< coordinates; 0 at the boundary, else 1 */
  op2_set boundary;  /**< those nodes, as a subset */
  op2_solver solver;
} space;

/** Solve one, and give its errors in the norm of L2: how many there are is told by problem_errors.
 * Returns false after reporting an error. */
typedef bool problem_solve(space *s, const options *o, double *errors);
problem_solve poisson_solve, elasticity_solve, advection_solve, stokes_solve;

/** The iterations of solves since the last call. */
int space_iterations(int more);

/** A square matrix and dats like x and b on the nodes, with so many values each. */
typedef struct equations {
  op2_sparsity pattern;
  op2_mat a;
  op2_dat x, b;
} equations;
bool equations_make(space *s, int dim, equations *q);
void equations_free(equations *q);
/** x of A x = b, which runs here; false where it does not converge, having said so. */
bool equations_solve(space *s, const equations *q);
/** Kernels are made for one use: queue a loop over the cells of the space, or its nodes. */
bool space_loop(op2_set set, op2_context ctx, const op2_kernel_desc *desc, int nargs,
                const op2_arg *args);
#define LOOP(s, set, kernel, ...)                                                                  \
  space_loop(set, (s)->ctx, &kernel##_kernel,                                                      \
             (int)(sizeof((op2_arg[]){__VA_ARGS__}) / sizeof(op2_arg)), (op2_arg[]){__VA_ARGS__})
/** A global of n values, all zero. */
bool space_sum(space *s, int n, op2_gbl *sum);

#endif
