/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes over ranks: blocks of a file, faces and groups before and after a partition give each cell
 * the area that it has alone, each face is on one rank, and the pieces of a file of results are the
 * whole mesh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "op2/meshfile.h"
#include "op2/ranks.h"
#include "rank_case.h"
#include "support.h"
#include "vtu_case.h"

enum { CELLS_MOST = 100, WORDS = 8 };

/* Sums over ranks, and the areas of cells by global number. */
struct shared {
  const char *mesh, *results;
  int64_t sums[WORDS];
  double area[CELLS_MOST];
  int64_t cells;
  bool damaged;
};

OP2_KERNEL(add_face, (const double *a, const double *b, double *left, double *right), {
  const double part = 0.5 * (a[0] * b[1] - b[0] * a[1]);
  *left += part;
  *right -= part;
});
OP2_KERNEL(add_boundary, (const double *a, const double *b, double *cell),
           { *cell += 0.5 * (a[0] * b[1] - b[0] * a[1]); });

/* Areas by sums over the edges of each cell. */
static op2_status compute(op2_context ctx, op2_mesh mesh, const op2_faces *faces, op2_dat area) {
  op2_kernel inner = NULL, outer = NULL;
  const op2_dat x = op2_mesh_coordinates(mesh);
  op2_status status = op2_kernel_create(ctx, &add_face_kernel, &inner);
  if (!status) status = op2_kernel_create(ctx, &add_boundary_kernel, &outer);
  if (!status)
    status = op2_par_loop(inner, faces->interior, op2_arg_dat(x, 0, faces->nodes, OP2_READ),
                          op2_arg_dat(x, 1, faces->nodes, OP2_READ),
                          op2_arg_dat(area, 0, faces->cells, OP2_INC),
                          op2_arg_dat(area, 1, faces->cells, OP2_INC));
  if (!status)
    status =
        op2_par_loop(outer, faces->boundary, op2_arg_dat(x, 0, faces->boundary_nodes, OP2_READ),
                     op2_arg_dat(x, 1, faces->boundary_nodes, OP2_READ),
                     op2_arg_dat(area, 0, faces->boundary_cell, OP2_INC));
  op2_kernel_destroy(&inner);
  op2_kernel_destroy(&outer);
  return status;
}

static void add(int64_t *sum, int64_t n) { __atomic_fetch_add(sum, n, __ATOMIC_SEQ_CST); }

static op2_status on_mesh(op2_context ctx, op2_mesh mesh, struct shared *shared) {
  op2_faces faces;
  op2_set walls = NULL, later = NULL, right = NULL;
  op2_dat area = NULL, measured = NULL;
  double all[CELLS_MOST], more[CELLS_MOST];
  op2_status status = op2_faces_create(mesh, &faces);
  const op2_partition_options how = {.method = OP2_PARTITION_COORDINATES,
                                     .set = op2_mesh_nodes(mesh),
                                     .coordinates = op2_mesh_coordinates(mesh)};
  const int64_t cells = op2_set_global_size(op2_mesh_cells(mesh));
  if (!status) status = op2_mesh_group(mesh, "walls", faces.boundary, &walls);
  if (!status) status = op2_dat_create(op2_mesh_cells(mesh), 1, OP2_F64, NULL, "area", &area);
  if (!status && op2_ranks(ctx) > 1 &&
      op2_vtu_write(mesh, shared->results, 1, &area) == OP2_SUCCESS)
    status = OP2_ERR_KERNEL; /* it must be refused before the partition */
  if (!status) status = op2_partition(ctx, &how, NULL);
  if (!status) status = op2_mesh_group(mesh, "walls", faces.boundary, &later);
  if (!status) status = op2_mesh_group(mesh, "right", op2_mesh_cells(mesh), &right);
  if (!status) status = compute(ctx, mesh, &faces, area);
  if (!status) status = op2_vtu_write(mesh, shared->results, 1, &area);
  if (!status)
    status = op2_dat_create(op2_mesh_cells(mesh), 1, OP2_F64, NULL, "measured", &measured);
  if (!status) status = op2_mesh_geometry(mesh, measured, NULL);
  if (!status) status = op2_dat_get_block(measured, 0, cells, more);
  if (!status) status = op2_dat_get_block(area, 0, cells, all);
  for (int64_t c = 0; c < cells && !status; c++)
    if (!(fabs(all[c] - more[c]) < 1e-15)) status = OP2_ERR_KERNEL;
  if (status) return status;
  const op2_set sets[WORDS] = {op2_mesh_cells(mesh),
                               op2_mesh_nodes(mesh),
                               faces.interior,
                               faces.boundary,
                               walls,
                               later,
                               right};
  for (int s = 0; s < WORDS; s++)
    if (sets[s]) add(&shared->sums[s], op2_set_size(sets[s]));
  if (op2_rank(ctx) == 0) {
    memcpy(shared->area, all, sizeof *all * (size_t)cells);
    shared->cells = cells;
  }
  op2_set_destroy(&walls);
  op2_set_destroy(&later);
  op2_set_destroy(&right);
  op2_dat_destroy(&area);
  op2_dat_destroy(&measured);
  return OP2_SUCCESS;
}

static int on_rank(struct op2i_comm *comm, void *data) {
  struct shared *shared = data;
  const op2_options options = rank_options("sequential", false);
  op2_context ctx = NULL;
  op2_mesh mesh = NULL;
  if (op2i_init_ranks(&options, comm, &ctx)) return 100;
  op2_status status = op2_mesh_read(ctx, shared->mesh, &mesh);
  if (shared->damaged) {
    const bool good = status == OP2_ERR_IO && !mesh;
    return !good + (op2_finalize(&ctx) != OP2_SUCCESS);
  }
  if (!status) status = on_mesh(ctx, mesh, shared);
  if (!status) status = op2_flush(ctx);
  if (status) diag("%s", op2_error_message());
  op2_mesh_destroy(&mesh);
  return (status != OP2_SUCCESS) + (op2_finalize(&ctx) != OP2_SUCCESS);
}

/* Add up the areas and the number of the cells of a piece. */
static void add_piece(const char *path, double *area, long *cells) {
  struct vtu vtu;
  size_t size = 0;
  double *values = NULL;
  if (vtu_open(path, &vtu)) {
    *cells += vtu_number(&vtu, "<Piece", "NumberOfCells");
    values = vtu_array(&vtu, "area", &size);
  }
  for (size_t i = 0; values && i < size / 8; i++) *area += values[i];
  free(values);
  vtu_close(&vtu);
}

/* The files are read again and give the same mesh, whose pieces share their nodes. */
static void read_back(int ranks, const char *results, const struct shared *alone) {
#ifdef OP2_MESHFILE_EXPAT
  const op2_options options = rank_options("sequential", false);
  op2_context ctx = NULL;
  op2_mesh mesh = NULL;
  op2_faces faces = {0};
  char path[700];
  snprintf(path, sizeof path, "%s.%s", results, ranks > 1 ? "pvtu" : "vtu");
  if (!CHECK(op2_init(&options, &ctx))) return;
  if (CHECK(op2_mesh_read(ctx, path, &mesh)) && CHECK(op2_faces_create(mesh, &faces))) {
    is_int(op2_set_size(op2_mesh_cells(mesh)), alone->sums[0], "%d ranks: cells again", ranks);
    is_int(op2_set_size(op2_mesh_nodes(mesh)), alone->sums[1], "%d ranks: nodes again", ranks);
    is_int(op2_set_size(faces.interior), alone->sums[2], "%d ranks: faces again", ranks);
    is_int(op2_set_size(faces.boundary), alone->sums[3], "%d ranks: the boundary again", ranks);
  }
  op2_mesh_destroy(&mesh);
  CHECK(op2_finalize(&ctx));
#else
  (void)ranks, (void)results, (void)alone;
#endif
}

static void compare(int ranks, const struct shared *alone, const struct shared *got) {
  static const char *const what[] = {"cells",           "nodes", "faces",
                                     "boundary faces",  "walls", "walls after the partition",
                                     "cells of a group"};
  char path[700];
  double area = 0;
  long cells = 0;
  int bad = 0;
  for (int s = 0; s < 7; s++)
    is_int(got->sums[s], alone->sums[s], "%d ranks: %s, each on one", ranks, what[s]);
  for (int64_t c = 0; c < alone->cells; c++) bad += !(fabs(got->area[c] - alone->area[c]) < 1e-15);
  is_int(bad, 0, "%d ranks: cells of another area than alone", ranks);
  for (int r = 0; r < ranks; r++) {
    snprintf(path, sizeof path, "%s-r%d.vtu", got->results, r);
    if (ranks == 1) snprintf(path, sizeof path, "%s.vtu", got->results);
    add_piece(path, &area, &cells);
  }
  is_int(cells, alone->cells, "%d ranks: cells in the pieces", ranks);
  ok(fabs(area - 2) < 1e-12, "%d ranks: the area of the pieces is %.15g", ranks, area);
  if (ranks > 1) {
    struct vtu vtu;
    snprintf(path, sizeof path, "%s.pvtu", got->results);
    ok(vtu_open(path, &vtu) && vtu_has(&vtu, "-r1.vtu\"/>") &&
           vtu_has(&vtu, "<PDataArray type=\"Float64\" Name=\"area\""),
       "%d ranks: the file that refers to the pieces", ranks);
    vtu_close(&vtu);
  }
  read_back(ranks, got->results, alone);
}

int main(void) {
  static struct shared alone, got;
  static char mesh[600], results[600], cut[600];
  test_environment();
  snprintf(mesh, sizeof mesh, "%s/test/mesh/meshes/plane-4b.msh", source_root());
  snprintf(cut, sizeof cut, "%s/test/mesh/meshes/make.py", source_root());
  for (int ranks = 0; ranks <= 4; ranks++) {
    memset(&got, 0, sizeof got);
    got.mesh = mesh;
    got.results = results;
    snprintf(results, sizeof results, "%s/results%d", test_scratch(), ranks);
    is_int(ranks ? run_contexts(ranks, on_rank, &got) : on_rank(NULL, &got), 0,
           "%d ranks: no failures", ranks);
    if (ranks == 0) alone = got;
    compare(ranks ? ranks : 1, &alone, &got);
  }
  got.mesh = cut;
  got.damaged = true;
  is_int(run_contexts(3, on_rank, &got), 0, "a file that is no mesh is an error on all ranks");
  return done();
}
