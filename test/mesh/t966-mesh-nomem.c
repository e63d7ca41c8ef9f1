/* SPDX-License-Identifier: BSD-3-Clause */
/* Wherever memory runs out while a mesh is read, its faces and groups are made and results are
 * written, that is an error, nothing is left behind, and the same calls succeed afterwards. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "op2/meshfile.h"
#include "support.h"

static op2_context ctx;
static char mesh_path[600], results[600];

/* All calls, up to the first that fails; *queued is true if that is the run of the queue. */
static op2_status make_all(bool *queued) {
  op2_mesh mesh = NULL;
  op2_faces faces;
  op2_set walls = NULL, cells = NULL;
  op2_dat u = NULL;
  op2_vtu_series series = NULL;
  op2_status status = op2_mesh_read(ctx, mesh_path, &mesh);
  if (!status) status = op2_faces_create(mesh, &faces);
  if (!status) status = op2_mesh_group(mesh, NULL, faces.boundary, &walls);
  if (!status) status = op2_mesh_cells_of(mesh, OP2_CELL_TRIANGLE, &cells);
  if (!status) status = op2_dat_create(op2_mesh_cells(mesh), 2, OP2_F64, NULL, "u", &u);
  if (!status) status = op2_vtu_series_create(mesh, results, &series);
  if (!status) status = op2_vtu_series_write(series, 0.5, 1, &u);
  if (!status) {
    *queued = true;
    status = op2_flush(ctx);
  }
  op2_vtu_series_destroy(&series);
  op2_dat_destroy(&u);
  op2_set_destroy(&walls);
  op2_set_destroy(&cells);
  op2_mesh_destroy(&mesh);
  return status;
}

static void test_file(const char *name) {
  int64_t n = 0, made = 0;
  int wrong = 0, failed = 0;
  snprintf(mesh_path, sizeof mesh_path, "%s/test/mesh/meshes/%s", source_root(), name);
  while (made >= n) {
    bool queued = false;
    op2i_mem_fail_here_at(++n);
    const op2_status status = make_all(&queued);
    made = op2i_mem_fail_here_at(0);
    /* A function of the queue reports its own number: ENOMEM. */
    const bool good = status == OP2_ERR_NOMEM ||
                      (queued && status == OP2_ERR_CALL && strstr(op2_error_message(), "12")) ||
                      status == OP2_SUCCESS;
    if (!good) diag("allocation %d: status %d: %s", (int)n, status, op2_error_message());
    wrong += !good;
    failed += status != OP2_SUCCESS;
  }
  is_int(wrong, 0, "%s: %d allocations fail, %d times with an error", name, (int)n - 1, failed);
  ok(failed > 30, "%s: the calls need memory", name);
  bool queued = false;
  char part[700];
  CHECK(make_all(&queued)); /* with what a flush that lacked memory has left in the queue */
  snprintf(part, sizeof part, "%.*s-0000.vtu.op2-part", (int)strlen(results) - 4, results);
  ok(access(part, F_OK) != 0, "%s: no part of a file is left", name);
}

int main(void) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  test_environment();
  snprintf(results, sizeof results, "%s/results.pvd", test_scratch());
  if (!CHECK(op2_init(&options, &ctx))) return done();
  test_file("plane-4.msh");
  test_file("plane-2b.msh");
  test_file("solid.su2");
#if defined OP2_MESHFILE_EXPAT && (defined OP2_MESHFILE_ZLIB || defined OP2_MESHFILE_LIBDEFLATE)
  test_file("plane-b.vtu");
#endif
#if defined OP2_MESHFILE_EXPAT && defined OP2_TEST_HDF5
  test_file("plane-h.xdmf");
#endif
  test_file("plane.e");
#ifdef OP2_TEST_HDF5
  test_file("plane.cgns");
#endif
  CHECK(op2_finalize(&ctx));
  return done();
}
