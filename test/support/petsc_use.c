/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's program whose systems of equations PETSc solves, in C and in C++: t942 compiles it
 * outside of the build. It initialises neither MPI nor PETSc. */
#include <op2.h>
#include <op2/petsc.h>
#include <stdint.h>
#include <stdio.h>

OP2_KERNEL(two, (double a[1][1]), { a[0][0] += 2; });

static int failed(const char *what) {
  printf("%s: %s\n", what, op2_error_message());
  return 1;
}

int main(int argc, char **argv) {
  const int32_t self[3] = {0, 1, 2};
  const double right[3] = {2, 4, 6};
  double x[3] = {0, 0, 0};
  op2_context ctx;
  op2_set rows;
  op2_map map;
  op2_map_pair pair;
  op2_sparsity pattern;
  op2_mat a;
  op2_dat solution, b;
  op2_kernel kernel;
  op2_solver solver;
  Mat petsc = NULL;
  PetscInt n = 0;
  if (op2_init(NULL, &ctx) || op2_petsc_use(ctx, argc, argv) ||
      op2_set_create(ctx, 3, "rows", &rows) || op2_map_create(rows, rows, 1, self, "self", &map) ||
      op2_dat_create(rows, 1, OP2_F64, NULL, "x", &solution) ||
      op2_dat_create(rows, 1, OP2_F64, right, "b", &b) ||
      op2_kernel_create(ctx, &two_kernel, &kernel) ||
      op2_solver_create(ctx, NULL, "solver", &solver))
    return failed("declarations");
  pair.rows = pair.columns = map;
  if (op2_sparsity_create(1, &pair, "pattern", &pattern) ||
      op2_mat_create(pattern, 1, 1, OP2_F64, "A", &a))
    return failed("the matrix");
  if (op2_par_loop(kernel, rows, op2_arg_mat(a, map, map, OP2_INC)) ||
      op2_solve(solver, a, solution, b) || op2_dat_get(solution, x))
    return failed("the solution");
  if (op2_mat_petsc(a, OP2_READ, NULL, &petsc) || MatGetSize(petsc, &n, NULL) ||
      op2_mat_petsc_end(a, &petsc))
    return failed("PETSc's matrix");
  printf("%d %g %g %g\n", (int)n, x[0], x[1], x[2]);
  return op2_finalize(&ctx) != OP2_SUCCESS;
}
