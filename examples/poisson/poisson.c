/* SPDX-License-Identifier: BSD-3-Clause */
/* Poisson's equation by linear finite elements on triangles of Gmsh: poisson [FILE.msh [FILE.vtu]]
 *
 *     -div grad u = 2 cos(x) cos(y)      u = cos(x) cos(y) on the boundary
 *
 * whose solution is known, so the program prints how far it is from that, and writes a file for
 * ParaView. */
#include <math.h>
#include <op2.h>
#include <op2/meshfile.h>
#include <stdio.h>

#define CHECK(call)                                                                                \
  if (call) return fprintf(stderr, "line %d: %s\n", __LINE__, op2_error_message()), 1

/* Gradients of the three hat functions of a triangle, and twice its area. */
OP2_FUNCTION(gradients, double, (const double *const *x, double (*g)[2]), {
  const double area2 =
      (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);
  for (int i = 0; i < 3; i++) {
    const double *p = x[(i + 1) % 3], *q = x[(i + 2) % 3];
    g[i][0] = (p[1] - q[1]) / area2;
    g[i][1] = (q[0] - p[0]) / area2;
  }
  return area2;
});
OP2_KERNEL(stiffness, (const double *const *x, double (*a)[3]), {
  double g[3][2];
  const double area = 0.5 * gradients(x, g);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] += area * (g[i][0] * g[j][0] + g[i][1] * g[j][1]);
});
/* The right side, by the rule that takes the middles of the edges. */
OP2_KERNEL(load, (const double *const *x, double **b), {
  double g[3][2];
  const double third = gradients(x, g) / 6;
  for (int i = 0; i < 3; i++) {
    const double *p = x[i], *q = x[(i + 1) % 3];
    const double f = 2 * cos(0.5 * (p[0] + q[0])) * cos(0.5 * (p[1] + q[1]));
    b[i][0] += 0.5 * third * f;
    b[(i + 1) % 3][0] += 0.5 * third * f;
  }
});
OP2_KERNEL(known, (const double *x, double *u), { *u = cos(x[0]) * cos(x[1]); });
OP2_KERNEL(compare, (const double *x, const double *u, double *most),
           { *most = fmax(*most, fabs(*u - cos(x[0]) * cos(x[1]))); });

int main(int argc, char **argv) {
  double most = 0;
  op2_context ctx;
  op2_mesh mesh;
  op2_faces faces;
  op2_set boundary;
  op2_dat u, b;
  op2_gbl error;
  op2_sparsity pattern;
  op2_mat A;
  op2_solver solver;
  op2_kernel assemble, loads, knows, compares;
  CHECK(op2_init(NULL, &ctx));
  CHECK(op2_mesh_read(ctx, argc > 1 ? argv[1] : "channel.msh", &mesh));
  CHECK(op2_faces_create(mesh, &faces));
  const op2_set cells = op2_mesh_cells(mesh), nodes = op2_mesh_nodes(mesh);
  const op2_map corners = op2_mesh_cell_nodes(mesh);
  const op2_dat x = op2_mesh_coordinates(mesh);

  /* The boundary is where the mesh ends: the union of all groups of nodes there. */
  static const char *const names[] = {"walls", "inlet", "outlet"};
  op2_set group[3], both;
  for (int g = 0; g < 3; g++) CHECK(op2_mesh_group(mesh, names[g], nodes, &group[g]));
  CHECK(op2_subset_create_union(group[0], group[1], "walls and inlet", &both));
  CHECK(op2_subset_create_union(both, group[2], "boundary", &boundary));

  CHECK(op2_dat_create(nodes, 1, OP2_F64, NULL, "u", &u));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, NULL, "b", &b));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "error", &error));
  CHECK(op2_kernel_create(ctx, &stiffness_kernel, &assemble));
  CHECK(op2_kernel_create(ctx, &load_kernel, &loads));
  CHECK(op2_kernel_create(ctx, &known_kernel, &knows));
  CHECK(op2_kernel_create(ctx, &compare_kernel, &compares));
  const op2_map_pair pair = {corners, corners};
  const op2_solver_options options = {
      .method = OP2_METHOD_CG, .preconditioner = OP2_PRECONDITIONER_JACOBI, .rtol = 1e-10};
  CHECK(op2_sparsity_create(1, &pair, "pattern", &pattern));
  CHECK(op2_mat_create(pattern, 1, 1, OP2_F64, "A", &A));
  CHECK(op2_solver_create(ctx, &options, "poisson", &solver));

  CHECK(op2_par_loop(assemble, cells, op2_arg_dat(x, OP2_ALL, corners, OP2_READ),
                     op2_arg_mat(A, corners, corners, OP2_INC)));
  CHECK(op2_par_loop(loads, cells, op2_arg_dat(x, OP2_ALL, corners, OP2_READ),
                     op2_arg_dat(b, OP2_ALL, corners, OP2_INC)));
  CHECK(op2_par_loop(knows, boundary, op2_arg_direct(x, OP2_READ), op2_arg_direct(u, OP2_WRITE)));
  CHECK(op2_mat_zero_rows_columns(A, boundary, 1.0, u, b));
  CHECK(op2_solve(solver, A, u, b));
  CHECK(op2_par_loop(compares, nodes, op2_arg_direct(x, OP2_READ), op2_arg_direct(u, OP2_READ),
                     op2_arg_gbl(error, OP2_MAX)));
  CHECK(op2_vtu_write(mesh, argc > 2 ? argv[2] : "poisson.vtu", 1, &u));
  CHECK(op2_gbl_get(error, &most));

  op2_solve_result result;
  CHECK(op2_solver_result(solver, &result));
  printf("%s, the largest error is %.1e\n", result.reason > 0 ? "solved" : "not solved", most);
  return op2_finalize(&ctx) != OP2_SUCCESS;
}
