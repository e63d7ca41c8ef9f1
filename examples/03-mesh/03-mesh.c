/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 3 of doc/tutorial.md: a mesh of Gmsh, its faces and boundaries: 03-mesh [FILE.msh] */
#include <math.h>
#include <op2.h>
#include <op2/meshfile.h>
#include <stdio.h>

#define CHECK(call)                                                                                \
  if (call) return fprintf(stderr, "line %d: %s\n", __LINE__, op2_error_message()), 1

OP2_KERNEL(add, (const double *x, double *sum), { *sum += *x; });
OP2_KERNEL(add_length, (const double *normal, double *sum),
           { *sum += sqrt(normal[0] * normal[0] + normal[1] * normal[1]); });

int main(int argc, char **argv) {
  static const char *const names[] = {"walls", "inlet", "outlet"};
  const double zero = 0;
  double found;
  op2_context ctx;
  op2_mesh mesh;
  op2_mesh_info info;
  op2_faces faces;
  op2_dat area, normal;
  op2_gbl sum;
  op2_kernel adds, adds_length;
  CHECK(op2_init(NULL, &ctx));
  CHECK(op2_mesh_read(ctx, argc > 1 ? argv[1] : "channel.msh", &mesh));
  CHECK(op2_faces_create(mesh, &faces));
  CHECK(op2_mesh_info_get(mesh, &info));
  const op2_set cells = op2_mesh_cells(mesh);
  printf("%d nodes, %d cells\n", (int)info.nodes, (int)info.cells);
  printf("%d faces inside, %d at the boundary\n", (int)op2_set_size(faces.interior),
         (int)op2_set_size(faces.boundary));

  CHECK(op2_dat_create(cells, 1, OP2_F64, NULL, "area", &area));
  CHECK(op2_dat_create(faces.boundary, 2, OP2_F64, NULL, "normal", &normal));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &sum));
  CHECK(op2_kernel_create(ctx, &add_kernel, &adds));
  CHECK(op2_kernel_create(ctx, &add_length_kernel, &adds_length));
  CHECK(op2_mesh_geometry(mesh, area, NULL));
  CHECK(op2_faces_geometry(mesh, faces.boundary, normal, NULL));

  CHECK(op2_par_loop(adds, cells, op2_arg_direct(area, OP2_READ), op2_arg_gbl(sum, OP2_INC)));
  CHECK(op2_gbl_get(sum, &found));
  printf("area: %g\n", found);
  for (int g = 0; g < 3; g++) {
    op2_set group;
    CHECK(op2_mesh_group(mesh, names[g], faces.boundary, &group));
    CHECK(op2_gbl_set(sum, &zero));
    CHECK(op2_par_loop(adds_length, group, op2_arg_direct(normal, OP2_READ),
                       op2_arg_gbl(sum, OP2_INC)));
    CHECK(op2_gbl_get(sum, &found));
    printf("%s: %g long\n", names[g], found);
  }
  return op2_finalize(&ctx) != OP2_SUCCESS;
}
