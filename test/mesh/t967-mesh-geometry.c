/* SPDX-License-Identifier: BSD-3-Clause */
/* Volumes, centroids, normals and centres that the library computes are those that are known of the
 * meshes, and those of a computation from the corners of tetrahedra. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op2/meshfile.h"
#include "support.h"

enum { MOST = 200 };

static op2_mesh open_mesh(const char *name) {
  char path[600];
  op2_mesh mesh = NULL;
  snprintf(path, sizeof path, "%s/test/mesh/meshes/%s", source_root(), name);
  return CHECK(op2_mesh_read(test_ctx, path, &mesh)) ? mesh : NULL;
}

static bool near(double a, double b) { return fabs(a - b) < 1e-12; }

/* The sum of volumes, and the sum of volumes times centroids, are those of the whole. */
static bool whole(op2_mesh mesh, double total, const double *moment) {
  double v[MOST], c[3 * MOST], sum = 0, sums[3] = {0};
  op2_dat volume = NULL, centroid = NULL, alone = NULL;
  op2_mesh_info info = {0};
  bool good =
      CHECK(op2_mesh_info_get(mesh, &info)) &&
      CHECK(op2_dat_create(op2_mesh_cells(mesh), 1, OP2_F64, NULL, "v", &volume)) &&
      CHECK(op2_dat_create(op2_mesh_cells(mesh), 1, OP2_F64, NULL, "w", &alone)) &&
      CHECK(op2_dat_create(op2_mesh_cells(mesh), info.space, OP2_F64, NULL, "c", &centroid)) &&
      CHECK(op2_mesh_geometry(mesh, volume, centroid)) &&
      CHECK(op2_mesh_geometry(mesh, alone, NULL)) && CHECK(op2_dat_get(volume, v)) &&
      CHECK(op2_dat_get(centroid, c));
  for (int64_t e = 0; good && e < info.cells; e++) {
    good = v[e] > 0;
    sum += v[e];
    for (int k = 0; k < info.space; k++) sums[k] += v[e] * c[e * info.space + k];
  }
  good = good && near(sum, total) && CHECK(op2_dat_get(alone, c));
  for (int64_t e = 0; good && e < info.cells; e++) good = c[e] == v[e];
  for (int k = 0; k < info.space; k++) good = good && near(sums[k], moment[k]);
  if (!good) diag("%.17g: %.17g %.17g %.17g", sum, sums[0], sums[1], sums[2]);
  op2_dat_destroy(&volume);
  op2_dat_destroy(&alone);
  op2_dat_destroy(&centroid);
  return good;
}

/* Normals of the boundary have no sum; centre times normal adds up to the volume times dimension. */
static bool closed(op2_mesh mesh, double total) {
  double n[3 * MOST], c[3 * MOST], sums[3] = {0}, flux = 0;
  op2_faces faces = {0};
  op2_dat normal = NULL, centre = NULL, inner = NULL;
  op2_mesh_info info = {0};
  bool good = CHECK(op2_mesh_info_get(mesh, &info)) && CHECK(op2_faces_create(mesh, &faces)) &&
              CHECK(op2_dat_create(faces.boundary, info.space, OP2_F64, NULL, "n", &normal)) &&
              CHECK(op2_dat_create(faces.boundary, info.space, OP2_F64, NULL, "c", &centre)) &&
              CHECK(op2_dat_create(faces.interior, info.space, OP2_F64, NULL, "i", &inner)) &&
              CHECK(op2_faces_geometry(mesh, faces.boundary, normal, centre)) &&
              CHECK(op2_faces_geometry(mesh, faces.interior, inner, NULL)) &&
              CHECK(op2_dat_get(normal, n)) && CHECK(op2_dat_get(centre, c));
  for (int64_t f = 0; good && f < op2_set_size(faces.boundary); f++)
    for (int k = 0; k < info.space; k++) {
      sums[k] += n[f * info.space + k];
      flux += n[f * info.space + k] * c[f * info.space + k];
    }
  for (int k = 0; k < info.space; k++) good = good && near(sums[k], 0);
  good = good && near(flux, total * info.dimension);
  if (!good) diag("%.17g; %.17g %.17g %.17g", flux, sums[0], sums[1], sums[2]);
  if (CHECK(op2_dat_get(inner, n)))
    for (int64_t f = 0; f < op2_set_size(faces.interior); f++)
      good = good && fabs(n[f * info.space]) + fabs(n[f * info.space + 1]) +
                             (info.space == 3 ? fabs(n[3 * f + 2]) : 0) >
                         0.01;
  op2_dat_destroy(&normal);
  op2_dat_destroy(&centre);
  op2_dat_destroy(&inner);
  return good;
}

static void test_plane(void) {
  static const char *const files[] = {"plane-4.msh", "plane-order2.msh"};
  for (int f = 0; f < 2; f++) {
    op2_mesh mesh = open_mesh(files[f]);
    EXPECT(mesh && whole(mesh, 2, (const double[]){2, 1}));
    EXPECT(mesh && closed(mesh, 2));
    op2_mesh_destroy(&mesh);
  }
}

/* The tetrahedron beside the pyramid has the volume 1/4, the other one has 1/3. */
static void test_solid(void) {
  op2_mesh mesh = open_mesh("solid-4.msh");
  const double total = 1 + 1. / 3 + 0.5 + 0.25 + 1. / 3;
  const double x =
      0.5 + 0.5 / 3 + 0.5 * 4 / 3 + 0.25 * (1 + 1 + 0.5 + 1.5) / 4 + (1 + 2 + 2 + 1.5) / 4 / 3;
  const double y =
      0.5 + 0.5 / 3 + 0.5 * 0.5 + 0.25 * (0 + 1 + 0.5 + 0.5) / 4 + (0 + 0 + 1 + 0.5) / 4 / 3;
  const double z =
      0.5 + 1.25 / 3 + 0.5 * 2 / 3 + 0.25 * (1 + 1 + 2 + 3) / 4 + (1 + 1 + 1 + 3) / 4. / 3;
  EXPECT(mesh && whole(mesh, total, (const double[]){x, y, z}));
  EXPECT(mesh && closed(mesh, total));
  op2_mesh_destroy(&mesh);
}

static void test_errors(void) {
  op2_mesh mesh = open_mesh("plane-4.msh");
  op2_dat v = NULL;
  if (!mesh) return;
  EXPECT(op2_mesh_geometry(mesh, NULL, NULL) == OP2_ERR_ARG);
  EXPECT(op2_mesh_geometry(NULL, NULL, NULL) == OP2_ERR_ARG);
  EXPECT(op2_dat_create(op2_mesh_cells(mesh), 1, OP2_F64, NULL, "v", &v) == OP2_SUCCESS);
  EXPECT(op2_faces_geometry(mesh, op2_mesh_cells(mesh), v, NULL) == OP2_ERR_MISMATCH);
  op2_dat_destroy(&v);
  op2_mesh_destroy(&mesh);
}

int main(void) {
  static const struct test_case cases[] = {
      {"the plane", test_plane}, {"space", test_solid}, {"errors", test_errors}};
  return RUN(cases, RUN_ONE_BLOCK);
}
