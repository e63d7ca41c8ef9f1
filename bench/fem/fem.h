/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FEM_FEM_H
#define FEM_FEM_H

#include "common/application.h"
#include "common/option.h"
#include "common/ranks.h"
#include "grid.h"
#include "op2.h"

/** @file fem.h
 * Finite element problems on the unit square with known solutions: matrices are assembled by loops,
 * and systems are solved by op2_solve(). */

typedef struct options {
  const char *problem, *element, *dump_x;
  int cells, levels, steps;
  bool petsc;
  run_options run;
} options;

/** A mesh declared to the library; for quadratic elements the pressures are at the corners. */
typedef struct space {
  op2_context ctx;
  op2_set nodes, cells, corners; /**< corners is null if it is not needed */
  op2_map cell_nodes, cell_corners;
  op2_dat x, inside; /**< coordinates; 0 at the boundary, else 1 */
  op2_set boundary;  /**< the nodes at the boundary, as a subset */
  op2_solver solver;
} space;

/** Solve a problem and compute its errors in the L2 norm; their number is in the table `problems`
 * of fem.c. Returns false after reporting an error. */
typedef bool problem_solve(space *s, const options *o, double *errors);
problem_solve poisson_solve, elasticity_solve, advection_solve, stokes_solve;

/** Return the number of iterations of solves since the last call. */
int space_iterations(int more);

/** A square matrix, and dats such as x and b on the nodes, with a given number of values each. */
typedef struct equations {
  op2_sparsity pattern;
  op2_mat a;
  op2_dat x, b;
} equations;
bool equations_make(space *s, int dim, equations *q);
void equations_free(equations *q);
/** Solve A x = b, which runs here; returns false, after reporting it, if the solver does not
 * converge. */
bool equations_solve(space *s, const equations *q);
/** Queue a loop over the cells of the space, or its nodes, with a kernel that is made for this use
 * only. */
bool space_loop(op2_set set, op2_context ctx, const op2_kernel_desc *desc, int nargs,
                const op2_arg *args);
#define LOOP(s, set, kernel, ...)                                                                  \
  space_loop(set, (s)->ctx, &kernel##_kernel,                                                      \
             (int)(sizeof((op2_arg[]){__VA_ARGS__}) / sizeof(op2_arg)), (op2_arg[]){__VA_ARGS__})
/** Make a global of n values, all zero. */
bool space_sum(space *s, int n, op2_gbl *sum);

#endif
