/* SPDX-License-Identifier: BSD-3-Clause */
/* Two triangles with what a page about matrices names, some of which it makes itself.
 * modules: op2 */
#include <op2.h>

#include "must.h"

/* the page's definitions */
OP2_KERNEL(frame_stiffness, (double **x, double a[3][3]), {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] += (i == j ? 2.0 : -0.5) + 0 * x[0][0];
});
OP2_KERNEL(frame_masses, (double a[3][1]), {
  for (int i = 0; i < 3; i++) a[i][0] += 1;
});
OP2_KERNEL(frame_means, (double a[1][3]), {
  for (int i = 0; i < 3; i++) a[0][i] += 1;
});

int main(void) {
  const int32_t corners[] = {0, 1, 2, 1, 3, 2};
  const int64_t walls[] = {0};
  const double places[] = {0, 0, 1, 0, 0, 1, 1, 1};
  const op2_solver_options options = {.method = OP2_METHOD_GMRES, .allow_failure = 1};
  op2_context ctx;
  op2_set cells, nodes, boundary, single;
  op2_map cell_nodes, whole;
  op2_sparsity pattern, dense_row, dense_column;
  op2_mat A, C, D, G, K;
  op2_dat x, b, f, g, p, u;
  op2_kernel stiffness, masses, means;
  op2_solver solver;
  MUST(op2_init(NULL, &ctx));
  MUST(op2_set_create(ctx, 2, "cells", &cells));
  MUST(op2_set_create(ctx, 4, "nodes", &nodes));
  MUST(op2_subset_create(nodes, 1, walls, "boundary", &boundary));
  MUST(op2_map_create(cells, nodes, 3, corners, "cell_nodes", &cell_nodes));
  MUST(op2_dat_create(nodes, 2, OP2_F64, places, "x", &x));
  MUST(op2_dat_create(nodes, 1, OP2_F64, NULL, "u", &u));
  MUST(op2_dat_create(nodes, 1, OP2_F64, NULL, "b", &b));
  MUST(op2_dat_create(nodes, 1, OP2_F64, NULL, "f", &f));
  MUST(op2_kernel_create(ctx, &frame_stiffness_kernel, &stiffness));
  MUST(op2_kernel_create(ctx, &frame_masses_kernel, &masses));
  MUST(op2_kernel_create(ctx, &frame_means_kernel, &means));
  MUST(op2_solver_create(ctx, &options, "solver", &solver));
  const op2_map_pair own = {cell_nodes, cell_nodes};
  MUST(op2_sparsity_create(1, &own, "own", &pattern));
  MUST(op2_mat_create(pattern, 1, 1, OP2_F64, "K", &K));
  MUST(op2_par_loop(stiffness, cells, op2_arg_dat(x, OP2_ALL, cell_nodes, OP2_READ),
                    op2_arg_mat(K, cell_nodes, cell_nodes, OP2_INC)));
  /* the page's statements */
  MUST(op2_flush(ctx));
  MUST(op2_finalize(&ctx));
  return 0;
}
