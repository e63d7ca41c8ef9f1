/* SPDX-License-Identifier: BSD-3-Clause */
/* A system of one equation for each of two nodes, which PETSc solves.
 * modules: op2-petsc op2-mpi op2 */
#include <math.h>
#include <op2.h>

/* the page's definitions */
#include "must.h"

int main(int argc, char **argv) {
  const int32_t own[] = {0, 1};
  const double ones[] = {1, 1}, two[] = {2};
  double values[2];
  op2_context ctx;
  op2_set nodes;
  op2_map map;
  op2_sparsity pattern;
  op2_mat A;
  op2_dat u, b;
  op2_solver solver;
  MUST(op2_init(NULL, &ctx));
  MUST(op2_set_create(ctx, 2, "nodes", &nodes));
  MUST(op2_map_create(nodes, nodes, 1, own, "own", &map));
  const op2_map_pair pair = {map, map};
  MUST(op2_sparsity_create(1, &pair, "pattern", &pattern));
  MUST(op2_mat_create(pattern, 1, 1, OP2_F64, "A", &A));
  MUST(op2_dat_create(nodes, 1, OP2_F64, ones, "b", &b));
  MUST(op2_dat_create(nodes, 1, OP2_F64, NULL, "u", &u));
  MUST(op2_mat_zero_rows(A, nodes, two[0]));
  MUST(op2_solver_create(ctx, NULL, "solver", &solver));
  /* the page's statements */
  MUST(op2_dat_get(u, values));
  MUST(op2_finalize(&ctx));
  if (fabs(values[0] - 0.5) > 1e-6) printf("%g\n", values[0]);
  return fabs(values[0] - 0.5) > 1e-6;
}
