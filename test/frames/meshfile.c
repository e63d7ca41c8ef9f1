/* SPDX-License-Identifier: BSD-3-Clause */
/* The mesh channel.msh, with what a page about meshes names.
 * modules: op2-hdf5 op2-meshfile op2 */
#include <op2.h>
#include <op2/meshfile.h>

#include "must.h"

/* the page's definitions */
OP2_KERNEL(frame_sum, (const double *const *x, double *area), { *area = x[0][0]; });
OP2_KERNEL(frame_flux,
           (const double *const *x, const double *q, const double *p, double *r, double *s), {
             *r += *q - *p + x[0][0];
             *s -= *q - *p;
           });
OP2_KERNEL(frame_wall, (const double *q), { (void)*q; });
OP2_KERNEL(frame_three, (const double *a, const double *b, const double *c),
           { (void)(*a + *b + *c); });

int main(void) {
  op2_context ctx;
  op2_mesh mesh;
  op2_faces faces;
  op2_set triangles;
  op2_map cell_nodes;
  op2_dat area, centre, centroid, depth, normal, q, r, velocity, volume, x;
  op2_kernel kernel, flux, wall, k;
  double t = 0, dt = 1, end = 250;
  int step = 0;
  MUST(op2_init(NULL, &ctx));
  MUST(op2_mesh_read(ctx, "channel.msh", &mesh));
  MUST(op2_faces_create(mesh, &faces));
  op2_set cells = op2_mesh_cells(mesh);
  MUST(op2_mesh_cells_of(mesh, OP2_CELL_TRIANGLE, &triangles));
  cell_nodes = op2_mesh_cell_nodes(mesh);
  x = op2_mesh_coordinates(mesh);
  MUST(op2_dat_create(cells, 1, OP2_F64, NULL, "area", &area));
  MUST(op2_dat_create(cells, 1, OP2_F64, NULL, "depth", &depth));
  MUST(op2_dat_create(cells, 2, OP2_F64, NULL, "velocity", &velocity));
  MUST(op2_dat_create(cells, 1, OP2_F64, NULL, "q", &q));
  MUST(op2_dat_create(cells, 1, OP2_F64, NULL, "r", &r));
  MUST(op2_dat_create(cells, 1, OP2_F64, NULL, "volume", &volume));
  MUST(op2_dat_create(cells, 2, OP2_F64, NULL, "centroid", &centroid));
  MUST(op2_dat_create(faces.interior, 2, OP2_F64, NULL, "normal", &normal));
  MUST(op2_dat_create(faces.interior, 2, OP2_F64, NULL, "centre", &centre));
  MUST(op2_kernel_create(ctx, &frame_sum_kernel, &kernel));
  MUST(op2_kernel_create(ctx, &frame_flux_kernel, &flux));
  MUST(op2_kernel_create(ctx, &frame_wall_kernel, &wall));
  MUST(op2_kernel_create(ctx, &frame_three_kernel, &k));
  /* the page's statements */
  MUST(op2_flush(ctx));
  MUST(op2_finalize(&ctx));
  return 0;
}
