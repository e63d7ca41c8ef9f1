/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 8 of doc/tutorial.md: shallow water on ranks of MPI: 08-ranks [FILE.msh [end [FILE.pvd]]] */
#include <math.h>
#include <op2.h>
#include <op2/meshfile.h>
#include <op2/mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define READ(dat)  op2_arg_direct(dat, OP2_READ)
#define WRITE(dat) op2_arg_direct(dat, OP2_WRITE)
#define CHECK(call)                                                                                \
  if (call) return fprintf(stderr, "line %d: %s\n", __LINE__, op2_error_message()), 1

/* The state q is depth and momentum; the water is at rest at first. The size h is twice the area over the longest side. */
OP2_KERNEL(start, (const double *const *x, const double *in, double *area, double *h, double *q), {
  double longest = 0, sum = 0;
  for (int k = 0; k < 3; k++) {
    const double *a = x[k], *b = x[(k + 1) % 3], u = b[0] - a[0], v = b[1] - a[1];
    longest = fmax(longest, sqrt(u * u + v * v));
    sum += 0.5 * (a[0] * b[1] - b[0] * a[1]);
    q[k] = k == 0 ? in[k] : 0;
  }
  *area = sum;
  *h = 2 * sum / longest;
});
OP2_KERNEL(time_step, (const double *q, const double *h, double *dt),
           { *dt = fmin(*dt, *h / (sqrt(q[1] * q[1] + q[2] * q[2]) / q[0] + sqrt(9.81 * q[0]))); });
/* Rusanov's flux through an edge, out of the cell on its left. */
OP2_FUNCTION(rusanov, void, (const double *const *x, const double *l, const double *r, double *f), {
  const double n[3] = {0, x[1][1] - x[0][1], x[0][0] - x[1][0]};
  const double size = sqrt(n[1] * n[1] + n[2] * n[2]);
  const double ul = (l[1] * n[1] + l[2] * n[2]) / l[0], ur = (r[1] * n[1] + r[2] * n[2]) / r[0];
  const double al = fabs(ul) + size * sqrt(9.81 * l[0]), ar = fabs(ur) + size * sqrt(9.81 * r[0]);
  const double p = 0.5 * 9.81 * (l[0] * l[0] + r[0] * r[0]);
  for (int k = 0; k < 3; k++)
    f[k] = 0.5 * (l[k] * ul + r[k] * ur + p * n[k] - fmax(al, ar) * (r[k] - l[k]));
});
OP2_KERNEL(edge, (const double *const *x, const double *l, const double *r, double *a, double *b), {
  double f[3];
  rusanov(x, l, r, f);
  for (int k = 0; k < 3; k++) a[k] -= f[k], b[k] += f[k];
});
/* The group g of the boundary is 0 at walls, 1 at the inlet, and 2 at the outlet. */
OP2_KERNEL(outer, (const double *const *x, int g, const double *in, const double *q, double *r), {
  const double p = 0.5 * 9.81 * q[0] * q[0];
  double f[3], out[3];
  for (int k = 0; k < 3; k++) out[k] = g == 1 ? in[k] : q[k];
  rusanov(x, q, out, f);
  r[0] -= g == 0 ? 0 : f[0];
  r[1] -= g == 0 ? p * (x[1][1] - x[0][1]) : f[1];
  r[2] -= g == 0 ? p * (x[0][0] - x[1][0]) : f[2];
});
OP2_KERNEL(update, (const double *area, double dt, double *r, double *q), {
  for (int k = 0; k < 3; k++) q[k] += dt / *area * r[k], r[k] = 0;
});
OP2_KERNEL(show, (const double *q, const double *area, double *depth, double *u, double *sums), {
  *depth = q[0];
  for (int k = 0; k < 2; k++) u[k] = q[1 + k] / q[0], sums[k] += *area * q[k];
});
enum { START, TIME_STEP, EDGE, OUTER, UPDATE, SHOW, KERNELS };

int main(int argc, char **argv) {
  static const op2_kernel_desc *const texts[] = {&start_kernel, &time_step_kernel, &edge_kernel,
                                                 &outer_kernel, &update_kernel,    &show_kernel};
  static const char *const names[] = {"walls", "inlet", "outlet"};
  const double inflow[] = {1.0, 1.5, 0.0}, large = 1e30, end = argc > 2 ? atof(argv[2]) : 2;
  double t = 0, dt, totals[2] = {0, 0};
  op2_context ctx;
  op2_mesh mesh;
  op2_faces faces;
  op2_set group[3];
  op2_dat q, r, area, h, shown[2];
  op2_gbl least, sums;
  op2_kernel kernel[KERNELS];
  op2_vtu_series series;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  CHECK(op2_init_mpi(NULL, MPI_COMM_WORLD, &ctx));
  CHECK(op2_mesh_read(ctx, argc > 1 ? argv[1] : "channel.msh", &mesh));
  CHECK(op2_faces_create(mesh, &faces));
  const op2_partition_options how = {.method = OP2_PARTITION_KWAY, .map = faces.cells};
  op2_partition_report report;
  CHECK(op2_partition(ctx, &how, &report));
  CHECK(op2_vtu_series_create(mesh, argc > 3 ? argv[3] : "wave.pvd", &series));
  for (int g = 0; g < 3; g++) CHECK(op2_mesh_group(mesh, names[g], faces.boundary, &group[g]));
  for (int k = 0; k < KERNELS; k++) CHECK(op2_kernel_create(ctx, texts[k], &kernel[k]));
  const op2_set cells = op2_mesh_cells(mesh);
  const op2_dat x = op2_mesh_coordinates(mesh);
  const op2_map lr = faces.cells, inside = faces.boundary_cell;
  CHECK(op2_dat_create(cells, 3, OP2_F64, NULL, "q", &q));
  CHECK(op2_dat_create(cells, 3, OP2_F64, NULL, "r", &r));
  CHECK(op2_dat_create(cells, 1, OP2_F64, NULL, "area", &area));
  CHECK(op2_dat_create(cells, 1, OP2_F64, NULL, "h", &h));
  CHECK(op2_dat_create(cells, 1, OP2_F64, NULL, "depth", &shown[0]));
  CHECK(op2_dat_create(cells, 2, OP2_F64, NULL, "velocity", &shown[1]));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "least", &least));
  CHECK(op2_gbl_create(ctx, 2, OP2_F64, NULL, "sums", &sums));
  const op2_arg in = op2_arg_val(inflow, 3, OP2_F64);
  const op2_arg corners = op2_arg_dat(x, OP2_ALL, op2_mesh_cell_nodes(mesh), OP2_READ);
  CHECK(op2_par_loop(kernel[START], cells, corners, in, WRITE(area), WRITE(h), WRITE(q)));
  for (int step = 1; t < end; step++) {
    CHECK(op2_gbl_set(least, &large));
    CHECK(op2_par_loop(kernel[TIME_STEP], cells, READ(q), READ(h), op2_arg_gbl(least, OP2_MIN)));
    CHECK(op2_par_loop(kernel[EDGE], faces.interior, op2_arg_dat(x, OP2_ALL, faces.nodes, OP2_READ),
                       op2_arg_dat(q, 0, lr, OP2_READ), op2_arg_dat(q, 1, lr, OP2_READ),
                       op2_arg_dat(r, 0, lr, OP2_INC), op2_arg_dat(r, 1, lr, OP2_INC)));
    for (int g = 0; g < 3; g++)
      CHECK(op2_par_loop(kernel[OUTER], group[g],
                         op2_arg_dat(x, OP2_ALL, faces.boundary_nodes, OP2_READ),
                         op2_arg_val(&g, 1, OP2_I32), in, op2_arg_dat(q, 0, inside, OP2_READ),
                         op2_arg_dat(r, 0, inside, OP2_INC)));
    CHECK(op2_gbl_get(least, &dt));
    dt = fmin(0.45 * dt, end - t);
    CHECK(op2_par_loop(kernel[UPDATE], cells, READ(area), op2_arg_val(&dt, 1, OP2_F64),
                       op2_arg_direct(r, OP2_RW), op2_arg_direct(q, OP2_RW)));
    t += dt;
    if (step % 500 && t < end) continue;
    CHECK(op2_gbl_set(sums, (double[]){0, 0}));
    CHECK(op2_par_loop(kernel[SHOW], cells, READ(q), READ(area), WRITE(shown[0]), WRITE(shown[1]),
                       op2_arg_gbl(sums, OP2_INC)));
    CHECK(op2_vtu_series_write(series, t, 2, shown));
  }
  CHECK(op2_gbl_get(sums, totals));
  if (op2_rank(ctx) == 0) printf("volume %.9f, momentum %.9f\n", totals[0], totals[1]);
  if (op2_rank(ctx) == 0) fprintf(stderr, "%d ranks, %s\n", op2_ranks(ctx), op2_backend_name(ctx));
  if (op2_finalize(&ctx)) return 1;
  return MPI_Finalize() != MPI_SUCCESS;
}
