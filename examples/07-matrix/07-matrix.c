/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 7 of doc/tutorial.md: a potential by linear finite elements: 07-matrix [FILE.msh] */
#include <math.h>
#include <op2.h>
#include <op2/meshfile.h>
#include <stdio.h>

#define CHECK(call)                                                                                \
  if (call) return fprintf(stderr, "line %d: %s\n", __LINE__, op2_error_message()), 1

/* The element matrix of a triangle: a[i][j] is the integral of grad i . grad j. */
OP2_KERNEL(stiffness, (const double *const *x, double (*a)[3]), {
  double b[3], c[3], area2 = 0;
  for (int i = 0; i < 3; i++) {
    const double *p = x[(i + 1) % 3], *q = x[(i + 2) % 3];
    b[i] = p[1] - q[1];
    c[i] = q[0] - p[0];
    area2 += x[i][0] * b[i];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] += (b[i] * b[j] + c[i] * c[j]) / (2 * area2);
});
OP2_KERNEL(fix, (double *u), { *u = 1; });
/* The channel is 2 long, and so the potential falls from 1 to 0 along a straight line. */
OP2_KERNEL(compare, (const double *x, const double *u, double *most),
           { *most = fmax(*most, fabs(*u - (1 - 0.5 * x[0]))); });

int main(int argc, char **argv) {
  double most = 0;
  op2_context ctx;
  op2_mesh mesh;
  op2_set inlet, outlet;
  op2_dat u, b;
  op2_gbl error;
  op2_sparsity pattern;
  op2_mat A;
  op2_solver solver;
  op2_kernel assemble, fixes, compares;
  CHECK(op2_init(NULL, &ctx));
  CHECK(op2_mesh_read(ctx, argc > 1 ? argv[1] : "channel.msh", &mesh));
  const op2_set cells = op2_mesh_cells(mesh), nodes = op2_mesh_nodes(mesh);
  const op2_map corners = op2_mesh_cell_nodes(mesh);
  const op2_dat x = op2_mesh_coordinates(mesh);
  CHECK(op2_mesh_group(mesh, "inlet", nodes, &inlet));
  CHECK(op2_mesh_group(mesh, "outlet", nodes, &outlet));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, NULL, "u", &u));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, NULL, "b", &b));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "error", &error));
  CHECK(op2_kernel_create(ctx, &stiffness_kernel, &assemble));
  CHECK(op2_kernel_create(ctx, &fix_kernel, &fixes));
  CHECK(op2_kernel_create(ctx, &compare_kernel, &compares));

  const op2_map_pair pair = {corners, corners};
  const op2_solver_options options = {.method = OP2_METHOD_CG, .rtol = 1e-10};
  CHECK(op2_sparsity_create(1, &pair, "pattern", &pattern));
  CHECK(op2_mat_create(pattern, 1, 1, OP2_F64, "A", &A));
  CHECK(op2_solver_create(ctx, &options, "potential", &solver));

  CHECK(op2_par_loop(assemble, cells, op2_arg_dat(x, OP2_ALL, corners, OP2_READ),
                     op2_arg_mat(A, corners, corners, OP2_INC)));
  CHECK(op2_par_loop(fixes, inlet, op2_arg_direct(u, OP2_WRITE)));
  CHECK(op2_mat_zero_rows_columns(A, inlet, 1.0, u, b));
  CHECK(op2_mat_zero_rows_columns(A, outlet, 1.0, u, b));
  CHECK(op2_solve(solver, A, u, b));
  CHECK(op2_par_loop(compares, nodes, op2_arg_direct(x, OP2_READ), op2_arg_direct(u, OP2_READ),
                     op2_arg_gbl(error, OP2_MAX)));
  CHECK(op2_gbl_get(error, &most));

  int64_t rows, nonzeros;
  op2_solve_result result;
  CHECK(op2_sparsity_size(pattern, &rows, &nonzeros));
  CHECK(op2_solver_result(solver, &result));
  printf("%d rows, %d nonzeros\n", (int)rows, (int)nonzeros);
  printf("solved: %s\n", result.reason > 0 ? "yes" : "no");
  printf("the largest error is %s 1e-8\n", most < 1e-8 ? "below" : "above");
  return op2_finalize(&ctx) != OP2_SUCCESS;
}
