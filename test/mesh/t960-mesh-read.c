/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes of Gmsh, SU2, VTK, XDMF, Exodus and CGNS are read: the same mesh in each format has the same cells, areas and volumes
 * that are known, and the groups that it was made with. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2/meshfile.h"
#include "support.h"

static op2_context ctx;

static const char *mesh_path(const char *name) {
  static char path[600];
  snprintf(path, sizeof path, "%s/test/mesh/meshes/%s", source_root(), name);
  return path;
}

/* A mesh, copied out of its objects. */
struct copy {
  op2_mesh mesh;
  op2_mesh_info info;
  double *x;
  int32_t *nodes;
};

static bool open_copy(const char *name, struct copy *copy) {
  memset(copy, 0, sizeof *copy);
  if (!CHECK(op2_mesh_read(ctx, mesh_path(name), &copy->mesh)) ||
      !CHECK(op2_mesh_info_get(copy->mesh, &copy->info)))
    return false;
  copy->x = malloc(sizeof *copy->x * (size_t)(copy->info.nodes * copy->info.space));
  copy->nodes = malloc(sizeof *copy->nodes * (size_t)(copy->info.cells * copy->info.cell_nodes));
  return CHECK(op2_dat_get(op2_mesh_coordinates(copy->mesh), copy->x)) &&
         CHECK(op2_map_get(op2_mesh_cell_nodes(copy->mesh), copy->nodes));
}

static void close_copy(struct copy *copy) {
  op2_mesh_destroy(&copy->mesh);
  free(copy->x);
  free(copy->nodes);
}

static const int32_t *row(const struct copy *copy, int64_t cell) {
  return copy->nodes + cell * copy->info.cell_nodes;
}
static const double *point(const struct copy *copy, int64_t cell, int k) {
  return copy->x + copy->info.space * row(copy, cell)[k];
}
static int nodes_of(const struct copy *copy, int64_t cell) {
  int n = copy->info.cell_nodes; /* the last node fills the slots behind it */
  while (n > 1 && row(copy, cell)[n - 1] == row(copy, cell)[n - 2]) n--;
  return n;
}

/* ---- areas and volumes ----------------------------------------------------------------------- */

static double tet(const double *a, const double *b, const double *c, const double *d) {
  double u[3], v[3], w[3];
  for (int k = 0; k < 3; k++) {
    u[k] = b[k] - a[k];
    v[k] = c[k] - a[k];
    w[k] = d[k] - a[k];
  }
  return (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
          u[2] * (v[0] * w[1] - v[1] * w[0])) /
         6;
}

/* Cells are cut into these tetrahedra. */
static const struct {
  int nodes, tets, corner[6][4];
} cuts[] = {{4, 1, {{0, 1, 2, 3}}},
            {5, 2, {{0, 1, 2, 4}, {0, 2, 3, 4}}},
            {6, 3, {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}}},
            {8, 5, {{0, 1, 3, 4}, {1, 2, 3, 6}, {1, 4, 5, 6}, {3, 4, 6, 7}, {1, 3, 4, 6}}}};

static double measure(const struct copy *copy, int64_t cell, int corners) {
  double sum = 0;
  if (copy->info.space == 2)
    for (int k = 0; k < corners; k++) {
      const double *a = point(copy, cell, k), *b = point(copy, cell, (k + 1) % corners);
      sum += 0.5 * (a[0] * b[1] - b[0] * a[1]);
    }
  else
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++)
      for (int t = 0; cuts[c].nodes == corners && t < cuts[c].tets; t++) {
        const int *p = cuts[c].corner[t];
        sum += fabs(tet(point(copy, cell, p[0]), point(copy, cell, p[1]), point(copy, cell, p[2]),
                        point(copy, cell, p[3])));
      }
  return sum;
}

static double total(const struct copy *copy) {
  double sum = 0;
  for (int64_t c = 0; c < copy->info.cells; c++) {
    const int n = nodes_of(copy, c);
    sum += measure(copy, c, copy->info.space == 3 ? n : n == 6 ? 3 : n == 9 ? 4 : n);
  }
  return sum;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static double cell_key(const struct copy *copy, int64_t cell) {
  double key = 0;
  for (int k = 0; k < nodes_of(copy, cell); k++)
    for (int s = 0; s < copy->info.space; s++)
      key += (k + 1) * (s + 0.37) * point(copy, cell, k)[s];
  return key;
}

/* True if both have the same cells, in the same order. */
static bool same_cells(const struct copy *a, const struct copy *b) {
  if (a->info.cells != b->info.cells) return false;
  for (int64_t c = 0; c < a->info.cells; c++)
    if (fabs(cell_key(a, c) - cell_key(b, c)) > 1e-9) return false;
  return true;
}

static int64_t group_size(const struct copy *copy, const char *name, op2_set of) {
  op2_set subset = NULL;
  int64_t n = -1;
  if (CHECK(op2_mesh_group(copy->mesh, name, of, &subset))) n = op2_set_size(subset);
  op2_set_destroy(&subset);
  return n;
}

static int64_t type_size(const struct copy *copy, op2_cell_type type) {
  op2_set subset = NULL;
  int64_t n = -1;
  if (CHECK(op2_mesh_cells_of(copy->mesh, type, &subset))) n = op2_set_size(subset);
  op2_set_destroy(&subset);
  return n;
}

static int64_t group_elements(const struct copy *copy, const char *name, int dimension) {
  op2_mesh_group_info info;
  for (int i = 0; i < copy->info.groups; i++)
    if (CHECK(op2_mesh_group_get(copy->mesh, i, &info)) && !strcmp(info.name, name) &&
        info.dimension == dimension)
      return info.elements;
  return -1;
}

static void plane_groups(const struct copy *copy, const char *file) {
  const op2_set cells = op2_mesh_cells(copy->mesh), nodes = op2_mesh_nodes(copy->mesh);
  if (strstr(file, ".msh")) is_int(copy->info.groups, 7, "%s: groups", file);
  is_int(group_elements(copy, "walls", 1), 12, "%s: elements of walls", file);
  is_int(group_elements(copy, "lower walls", 1), 6, "%s: elements of two groups", file);
  is_int(group_elements(copy, "12", 1), 3, "%s: elements of a group without a name", file);
  is_int(group_size(copy, "walls", nodes), 14, "%s: nodes of walls", file);
  is_int(group_size(copy, "corner", nodes), 1, "%s: nodes of a point", file);
  is_int(group_size(copy, "right", cells), 9, "%s: cells of a group", file);
  is_int(group_size(copy, "all water", cells), copy->info.cells, "%s: cells of another", file);
  is_int(group_size(copy, NULL, cells), 0, "%s: cells in no group", file);
  is_int(group_size(copy, "inlet", cells), 0, "%s: no cells in a group of edges", file);
}

/* True if this build reads a file; else the error says what is lacking. */
static bool is_read(const char *name) {
  const char *lacking = NULL;
  op2_mesh mesh = NULL;
#if !defined OP2_MESHFILE_ZLIB && !defined OP2_MESHFILE_LIBDEFLATE
  if (strcmp(name, "plane-b.vtu") == 0) lacking = "zlib1g-dev";
#endif
#ifndef OP2_TEST_HDF5
  if (strcmp(name, "plane-h.xdmf") == 0 || strcmp(name, "plane.cgns") == 0)
    lacking = "libop2-hdf5-1";
#endif
#ifndef OP2_MESHFILE_EXPAT
  if (strstr(name, "vtu") || strstr(name, "xdmf")) lacking = "libexpat1-dev";
#endif
  if (!lacking) return true;
  ok(op2_mesh_read(ctx, mesh_path(name), &mesh) && strstr(op2_error_message(), lacking), "%s: %s",
     name, op2_error_message());
  return false;
}

static void test_plane(void) {
  static const char *const files[] = {"plane-4.msh", "plane-4b.msh", "plane-2.msh", "plane-2b.msh",
                                      "plane.su2",   "plane.vtu",    "plane-b.vtu", "plane.pvtu",
                                      "plane.xdmf",  "plane-h.xdmf", "plane.e",     "plane.cgns"};
  struct copy first = {0}, copy;
  for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
    if (!is_read(files[f])) continue;
    if (!open_copy(files[f], &copy)) return;
    if (f == 0) first = copy;
    is_int(copy.info.dimension, 2, "%s: dimension", files[f]);
    is_int(copy.info.space, 2, "%s: two coordinates", files[f]);
    is_int(copy.info.cells_of[OP2_CELL_QUADRILATERAL], 9, "%s: quadrilaterals", files[f]);
    is_int(copy.info.cells_of[OP2_CELL_TRIANGLE], copy.info.cells - 9, "%s: triangles", files[f]);
    is_int(type_size(&copy, OP2_CELL_QUADRILATERAL), 9, "%s: their subset", files[f]);
    is_int(type_size(&copy, OP2_CELL_PRISM), 0, "%s: an empty subset", files[f]);
    is_int(copy.info.unused_nodes, 0, "%s: all nodes are used", files[f]);
    ok(fabs(total(&copy) - 2) < 1e-12, "%s: the area is 2", files[f]);
    ok(same_cells(&first, &copy), "%s: the cells of the first file", files[f]);
    if (strstr(files[f], ".msh") || strstr(files[f], ".cgns")) plane_groups(&copy, files[f]);
    if (f) close_copy(&copy);
  }
  close_copy(&first);
}

static void test_solid(void) {
  static const char *const files[] = {"solid-4.msh", "solid-4b.msh", "solid-2.msh", "solid-2b.msh",
                                      "solid.su2"};
  struct copy first = {0}, copy;
  for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
    if (!open_copy(files[f], &copy)) return;
    if (f == 0) first = copy;
    is_int(copy.info.dimension, 3, "%s: dimension", files[f]);
    is_int(copy.info.cell_nodes, 8, "%s: nodes of the largest cell", files[f]);
    is_int(copy.info.cells_of[OP2_CELL_TETRAHEDRON], 2, "%s: tetrahedra", files[f]);
    is_int(copy.info.cells_of[OP2_CELL_PYRAMID], 1, "%s: pyramids", files[f]);
    is_int(copy.info.cells_of[OP2_CELL_PRISM], 1, "%s: prisms", files[f]);
    is_int(copy.info.cells_of[OP2_CELL_HEXAHEDRON], 1, "%s: hexahedra", files[f]);
    ok(fabs(total(&copy) - (1 + 1. / 3 + 0.5 + 0.25 + 1. / 3)) < 1e-12, "%s: the volume", files[f]);
    ok(fabs(total(&first) - total(&copy)) < 1e-12, "%s: that of the first file", files[f]);
    is_int(group_size(&copy, "fixed", op2_mesh_nodes(copy.mesh)), 7, "%s: nodes of a group",
           files[f]);
    if (f) close_copy(&copy);
  }
  close_copy(&first);
}

/* Each node behind the corners is in the middle of an edge, or of the cell. */
static void test_order_two(void) {
  struct copy copy;
  int bad = 0;
  if (!open_copy("plane-order2.msh", &copy)) return;
  is_int(copy.info.cell_nodes, 9, "order 2: nodes of a quadrilateral");
  ok(fabs(total(&copy) - 2) < 1e-12, "order 2: the area is 2");
  for (int64_t c = 0; c < copy.info.cells; c++) {
    const int n = nodes_of(&copy, c), corners = n == 9 ? 4 : 3;
    if (n != 9 && n != 6) bad++;
    for (int k = 0; k < corners; k++)
      for (int s = 0; s < 2; s++) {
        const double middle = 0.5 * (point(&copy, c, k)[s] + point(&copy, c, (k + 1) % corners)[s]);
        bad += !(fabs(point(&copy, c, corners + k)[s] - middle) < 1e-12);
      }
  }
  is_int(bad, 0, "order 2: nodes that are not in the middle of their edge");
  close_copy(&copy);
}

/* SU2's files have names in any alphabet, and sections that a mesh needs nothing of. */
static void test_su2(void) {
  static const char text[] =
      "NDIME= 2\nFFD_NBOX= 1\nFFD_CORNER_POINTS= 2\n0 0\n1 0\nNELEM= 1\n5 0 1 2\nNPOIN= 3\n0 0\n"
      "1 0\n0 1\nNMARK= 1\nMARKER_TAG= w\303\244nde\nMARKER_ELEMS= 1\n3 0 1\nNPERIODIC= 1\n"
      "PERIODIC_INDEX= 0\n0 0 0\n0 0 0\n0 0 0\n";
  char path[600];
  op2_mesh mesh = NULL;
  op2_mesh_group_info group = {0};
  snprintf(path, sizeof path, "%s/names.su2", test_scratch());
  FILE *file = fopen(path, "wb");
  if (!CHECK(!file || fputs(text, file) < 0 || fclose(file) ? OP2_ERR_IO : OP2_SUCCESS)) return;
  if (!CHECK(op2_mesh_read(ctx, path, &mesh)) || !CHECK(op2_mesh_group_get(mesh, 0, &group)))
    return;
  is_int(op2_set_size(op2_mesh_cells(mesh)), 1, "one cell");
  ok(strcmp(group.name, "w\303\244nde") == 0, "the marker's name: %s", group.name);
  op2_mesh_destroy(&mesh);
}

/* Solid cells have three coordinates, even if the file has two. */
static void test_flat_solid(void) {
#ifdef OP2_MESHFILE_EXPAT
  static const char text[] =
      "<Xdmf Version='3.0'><Domain><Grid><Topology TopologyType='Tetrahedron'><DataItem "
      "Dimensions='4' Format='XML'>0 1 2 3</DataItem></Topology><Geometry GeometryType='XY'>"
      "<DataItem Dimensions='4 2' Format='XML'>0 0 1 0 0 1 1 1</DataItem></Geometry></Grid>"
      "</Domain></Xdmf>";
  char path[600];
  op2_mesh mesh = NULL;
  op2_mesh_info info = {0};
  snprintf(path, sizeof path, "%s/flat.xdmf", test_scratch());
  FILE *file = fopen(path, "wb");
  if (!CHECK(!file || fputs(text, file) < 0 || fclose(file) ? OP2_ERR_IO : OP2_SUCCESS)) return;
  if (!CHECK(op2_mesh_read(ctx, path, &mesh)) || !CHECK(op2_mesh_info_get(mesh, &info))) return;
  is_int(info.dimension, 3, "a flat tetrahedron: the dimension");
  is_int(info.space, 3, "a flat tetrahedron: coordinates of a node");
  op2_mesh_destroy(&mesh);
#endif
}

static void test_calls(void) {
  struct copy copy;
  op2_mesh none = NULL;
  op2_mesh_info info;
  op2_mesh_group_info group;
  op2_set subset = NULL, other = NULL;
  op2_mesh_destroy(&none);
  op2_mesh_destroy(NULL);
  FAILS(op2_mesh_read(ctx, mesh_path("none.msh"), &none), OP2_ERR_IO);
  FAILS(op2_mesh_read(ctx, mesh_path("make.py"), &none), OP2_ERR_IO);
  FAILS(op2_mesh_read(ctx, source_root(), &none), OP2_ERR_IO);
  FAILS(op2_mesh_read(ctx, NULL, &none), OP2_ERR_ARG);
  FAILS(op2_mesh_read(NULL, mesh_path("plane.su2"), &none), OP2_ERR_STATE);
  FAILS(op2_mesh_info_get(NULL, &info), OP2_ERR_ARG);
  ok(!none && !op2_mesh_nodes(NULL) && !op2_mesh_cells(NULL), "nothing for a null mesh");
  if (!open_copy("plane-4.msh", &copy) || !CHECK(op2_set_create(ctx, 3, "other", &other))) return;
  FAILS(op2_mesh_group(copy.mesh, "wals", op2_mesh_cells(copy.mesh), &subset), OP2_ERR_NAME);
  ok(strstr(op2_error_message(), "no group 'wals'") && strstr(op2_error_message(), "'lower walls'"),
     "the message has the names that there are: %s", op2_error_message());
  FAILS(op2_mesh_group(copy.mesh, "walls", other, &subset), OP2_ERR_MISMATCH);
  FAILS(op2_mesh_group(copy.mesh, "walls", NULL, &subset), OP2_ERR_ARG);
  FAILS(op2_mesh_group_get(copy.mesh, 7, &group), OP2_ERR_RANGE);
  FAILS(op2_mesh_group_get(copy.mesh, -1, &group), OP2_ERR_RANGE);
  FAILS(op2_mesh_cells_of(copy.mesh, (op2_cell_type)99, &subset), OP2_ERR_ARG);
  ok(!subset, "nothing was made");
  op2_set_destroy(&other);
  close_copy(&copy);
}

int main(void) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  test_environment();
  if (!CHECK(op2_init(&options, &ctx))) return done();
  test_plane();
  test_solid();
  test_order_two();
  test_su2();
  test_flat_solid();
  test_calls();
  CHECK(op2_finalize(&ctx));
  return done();
}
