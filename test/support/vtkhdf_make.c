/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes results of a mesh: vtkhdf_make RANKS MESH STEM TIMES (ranks are threads; 0: alone). STEM.hdf has
 * values on nodes and cells at each time, STEM-boundary.hdf those on boundary faces at one; STEM.pvd are the
 * same values on nodes and cells as VTU, and STEM.xdmf those in files of HDF5. Values are functions of the place and the time:
 *
 *     u       on nodes, u = x + 100 t
 *     place   on nodes, the coordinates
 *     corner  on cells, the coordinates of the first node
 *     number  on cells, an integer: 1000 times the time
 *     start   on boundary faces, the coordinates of the first node */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "op2/algebra.h"
#include "op2/call.h"
#include "op2/meshfile.h"
#include "op2/ranks.h"
#include "op2/vtkhdf.h"
#include "op2/xdmf.h"
#include "rank_case.h"
#include "support.h"

struct asked {
  const char *mesh, *stem;
  int times;
  char error[1000];
};

OP2_KERNEL(copy2, (const double *x, double *y), {
  y[0] = x[0];
  y[1] = x[1];
});
OP2_KERNEL(copy3, (const double *x, double *y), {
  y[0] = x[0];
  y[1] = x[1];
  y[2] = x[2];
});
OP2_KERNEL(first, (const double *x, const double *t, double *u), { u[0] = x[0] + 100 * t[0]; });
OP2_KERNEL(count, (const int *t, int *n), { n[0] = t[0]; });

struct fields {
  op2_dat u, place, corner, number, start;
};

static op2_status make(op2_mesh mesh, int space, const op2_faces *faces, struct fields *made) {
  const op2_set nodes = op2_mesh_nodes(mesh), cells = op2_mesh_cells(mesh);
  op2_status status = op2_dat_create(nodes, 1, OP2_F64, NULL, "u", &made->u);
  if (!status) status = op2_dat_create(nodes, space, OP2_F64, NULL, "place", &made->place);
  if (!status) status = op2_dat_create(cells, space, OP2_F64, NULL, "corner", &made->corner);
  if (!status) status = op2_dat_create(cells, 1, OP2_I32, NULL, "number", &made->number);
  if (!status)
    status = op2_dat_create(faces->boundary, space, OP2_F64, NULL, "start", &made->start);
  return status;
}

static op2_status fill(op2_context ctx, op2_mesh mesh, int space, const op2_faces *faces, double t,
                       const struct fields *to) {
  op2_kernel copy = NULL, set_u = NULL, set_number = NULL;
  const op2_dat x = op2_mesh_coordinates(mesh);
  const int thousands = (int)(1000 * t);
  op2_status status = op2_kernel_create(ctx, space == 2 ? &copy2_kernel : &copy3_kernel, &copy);
  if (!status) status = op2_kernel_create(ctx, &first_kernel, &set_u);
  if (!status) status = op2_kernel_create(ctx, &count_kernel, &set_number);
  if (!status)
    status = op2_par_loop(copy, op2_mesh_nodes(mesh), op2_arg_direct(x, OP2_READ),
                          op2_arg_direct(to->place, OP2_WRITE));
  if (!status)
    status = op2_par_loop(set_u, op2_mesh_nodes(mesh), op2_arg_direct(x, OP2_READ),
                          op2_arg_val(&t, 1, OP2_F64), op2_arg_direct(to->u, OP2_WRITE));
  if (!status)
    status = op2_par_loop(copy, op2_mesh_cells(mesh),
                          op2_arg_dat(x, 0, op2_mesh_cell_nodes(mesh), OP2_READ),
                          op2_arg_direct(to->corner, OP2_WRITE));
  if (!status)
    status = op2_par_loop(set_number, op2_mesh_cells(mesh), op2_arg_val(&thousands, 1, OP2_I32),
                          op2_arg_direct(to->number, OP2_WRITE));
  if (!status)
    status = op2_par_loop(copy, faces->boundary, op2_arg_dat(x, 0, faces->boundary_nodes, OP2_READ),
                          op2_arg_direct(to->start, OP2_WRITE));
  op2_kernel_destroy(&copy);
  op2_kernel_destroy(&set_u);
  op2_kernel_destroy(&set_number);
  return status;
}

static op2_status write_all(op2_context ctx, op2_mesh mesh, const struct asked *asked) {
  char path[700], boundary[700], text[700];
  op2_mesh_info info;
  op2_faces faces;
  op2_vtkhdf file = NULL, of_faces = NULL;
  op2_vtu_series series = NULL;
  op2_xdmf xdmf = NULL;
  struct fields f = {0};
  const op2_partition_options how = {.method = OP2_PARTITION_COORDINATES,
                                     .set = op2_mesh_nodes(mesh),
                                     .coordinates = op2_mesh_coordinates(mesh)};
  snprintf(path, sizeof path, "%s.hdf", asked->stem);
  snprintf(text, sizeof text, "%s.xdmf", asked->stem);
  snprintf(boundary, sizeof boundary, "%s-boundary.hdf", asked->stem);
  op2_status status = op2_mesh_info_get(mesh, &info);
  if (!status) status = op2_faces_create(mesh, &faces);
  if (!status && op2_ranks(ctx) > 1) status = op2_partition(ctx, &how, NULL);
  if (!status) status = make(mesh, info.space, &faces, &f);
  if (!status) status = op2_vtkhdf_create(mesh, path, &file);
  if (!status) status = op2_vtkhdf_create(mesh, boundary, &of_faces);
  if (!status) status = op2_vtu_series_create(mesh, asked->stem, &series);
  if (!status) status = op2_xdmf_create(mesh, text, &xdmf);
  const op2_dat all[] = {f.u, f.place, f.corner, f.number};
  for (int t = 0; t < asked->times && !status; t++) {
    status = fill(ctx, mesh, info.space, &faces, 0.5 * t, &f);
    if (!status) status = op2_vtkhdf_write(file, 0.5 * t, 4, all);
    if (!status) status = op2_vtu_series_write(series, 0.5 * t, 4, all);
    if (!status) status = op2_xdmf_write(xdmf, 0.5 * t, 4, all);
  }
  if (!status) status = op2_vtkhdf_write(of_faces, 0, 1, &f.start);
  op2_vtkhdf_destroy(&file);
  op2_vtkhdf_destroy(&of_faces);
  op2_vtu_series_destroy(&series);
  op2_xdmf_destroy(&xdmf);
  op2_dat *const dats[] = {&f.u, &f.place, &f.corner, &f.number, &f.start};
  for (int d = 0; d < 5; d++) op2_dat_destroy(dats[d]);
  return status;
}

static int on_rank(struct op2i_comm *comm, void *data) {
  struct asked *asked = data;
  const op2_options options = rank_options("sequential", false);
  op2_context ctx = NULL;
  op2_mesh mesh = NULL;
  if (op2i_init_ranks(&options, comm, &ctx)) return 100;
  op2_status status = op2_mesh_read(ctx, asked->mesh, &mesh);
  if (!status) status = write_all(ctx, mesh, asked);
  op2_mesh_destroy(&mesh); /* the files are written without it */
  if (!status) status = op2_flush(ctx);
  if (status && op2_rank(ctx) == 0)
    snprintf(asked->error, sizeof asked->error, "%s", op2_error_message());
  return (status != OP2_SUCCESS) + (op2_finalize(&ctx) != OP2_SUCCESS);
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  struct asked asked = {argv[2], argv[3], atoi(argv[4]), ""};
  const int ranks = atoi(argv[1]);
  test_environment();
  setlocale(LC_NUMERIC, ""); /* the caller may want a locale whose decimal point is a comma */
  const int failed = ranks ? run_contexts(ranks, on_rank, &asked) : on_rank(NULL, &asked);
  if (failed) fprintf(stderr, "%s\n", asked.error);
  return failed != 0;
}
