/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves a system with the method that method.patch adds, steepest descent: a chain of elements,
 * each with the matrix (2 -1; -1 2). */
#include <math.h>

#include "addition.h"

enum { N = 20 };

int main(void) {
  int32_t ends[2 * N];
  double x[N + 1], b[N + 1];
  op2_context ctx;
  op2_set cells, nodes;
  op2_map map;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_dat u, f;
  op2_kernel assemble;
  op2_solver solver;
  op2_solve_result result;
  const op2_kernel_desc desc = {.name = "assemble",
                                .source = "void assemble(double m[2][2]) {\n"
                                          "  m[0][0] += 2; m[0][1] -= 1;\n"
                                          "  m[1][0] -= 1; m[1][1] += 2;\n}\n"};
  const op2_solver_options options = {.method = OP2_METHOD_DESCENT, .rtol = 1e-9};
  for (int i = 0; i < N; i++) ends[2 * i] = i, ends[2 * i + 1] = i + 1;
  for (int i = 0; i <= N; i++) b[i] = 1;
  DO(op2_init(&(op2_options){.backend = "sequential"}, &ctx));
  DO(op2_set_create(ctx, N, "cells", &cells));
  DO(op2_set_create(ctx, N + 1, "nodes", &nodes));
  DO(op2_map_create(cells, nodes, 2, ends, "ends", &map));
  DO(op2_sparsity_create(1, &(op2_map_pair){map, map}, "pattern", &sparsity));
  DO(op2_mat_create(sparsity, 1, 1, OP2_F64, "matrix", &mat));
  DO(op2_dat_create(nodes, 1, OP2_F64, NULL, "u", &u));
  DO(op2_dat_create(nodes, 1, OP2_F64, b, "f", &f));
  DO(op2_kernel_create(ctx, &desc, &assemble));
  DO(op2_par_loop(assemble, cells, op2_arg_mat(mat, map, map, OP2_INC)));
  DO(op2_solver_create(ctx, &options, "solver", &solver));
  DO(op2_solve(solver, mat, u, f));
  DO(op2_solver_result(solver, &result));
  DO(op2_dat_get(u, x));
  if (result.reason <= 0 || result.iterations < 2) return 2;
  for (int i = 0; i <= N; i++) {
    double own = (i == 0 || i == N ? 2 : 4) * x[i];
    if (i > 0) own -= x[i - 1];
    if (i < N) own -= x[i + 1];
    if (!(fabs(own - 1) < 1e-7)) return 3;
  }
  return op2_finalize(&ctx) ? 4 : 0;
}
