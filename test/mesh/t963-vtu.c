/* SPDX-License-Identifier: BSD-3-Clause */
/* VTU files have the cells, points and values that they were written with, of the place in the queue
 * where they were asked for; series list their files; what cannot be written is an error. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "op2/algebra.h"
#include "op2/meshfile.h"
#include "support.h"
#include "vtu_case.h"

static op2_context ctx;

static const char *in_scratch(const char *name) {
  static char paths[4][600];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", test_scratch(), name);
  return path;
}

static op2_mesh open_mesh(const char *name) {
  char path[600];
  op2_mesh mesh = NULL;
  snprintf(path, sizeof path, "%s/test/mesh/meshes/%s", source_root(), name);
  return CHECK(op2_mesh_read(ctx, path, &mesh)) ? mesh : NULL;
}

static op2_dat make_dat(op2_set set, int dim, op2_type type, const void *values, const char *name) {
  op2_dat dat = NULL;
  return CHECK(op2_dat_create(set, dim, type, values, name, &dat)) ? dat : NULL;
}

/* True if the array has these bytes. */
static bool has_bytes(const struct vtu *vtu, const char *name, const void *want, size_t size) {
  size_t got;
  void *values = vtu_array(vtu, name, &got);
  const bool good = values && got == size && memcmp(values, want, size) == 0;
  free(values);
  return good;
}

/* The cells of a file have the nodes of the map, and the points the coordinates of the nodes. */
static int wrong_cells(op2_mesh mesh, const struct vtu *vtu) {
  op2_mesh_info info = {0};
  size_t nends, nconnected, npoints, ntypes;
  int64_t *ends = vtu_array(vtu, "offsets", &nends);
  int64_t *connected = vtu_array(vtu, "connectivity", &nconnected);
  double *points = vtu_array(vtu, "Points", &npoints), *x = NULL;
  uint8_t *types = vtu_array(vtu, "types", &ntypes);
  int32_t *nodes = NULL;
  int bad = !ends || !connected || !points || !types;
  if (!bad && CHECK(op2_mesh_info_get(mesh, &info))) {
    x = malloc(sizeof *x * (size_t)(info.nodes * info.space));
    nodes = malloc(sizeof *nodes * (size_t)(info.cells * info.cell_nodes));
    CHECK(op2_dat_get(op2_mesh_coordinates(mesh), x));
    CHECK(op2_map_get(op2_mesh_cell_nodes(mesh), nodes));
    bad += npoints != 24 * (size_t)info.nodes || nends != 8 * (size_t)info.cells ||
           ntypes != (size_t)info.cells;
    for (int64_t i = 0; i < info.nodes && !bad; i++)
      for (int s = 0; s < 3; s++)
        bad += points[3 * i + s] != (s < info.space ? x[i * info.space + s] : 0);
    for (int64_t c = 0, at = 0; c < info.cells && !bad; at = ends[c++])
      for (int64_t k = at; k < ends[c]; k++)
        bad += connected[k] != nodes[c * info.cell_nodes + k - at];
  }
  free(ends), free(connected), free(points), free(types), free(x), free(nodes);
  return bad;
}

/* A file of cells, with values on nodes and cells. */
static void test_values(const char *name) {
  enum { MOST = 300 };
  double depth[MOST], pairs[2 * MOST], triples[3 * MOST];
  int32_t marks[MOST];
  struct vtu vtu;
  op2_mesh mesh = open_mesh(name);
  if (!mesh) return;
  for (int i = 0; i < MOST; i++) {
    depth[i] = sqrt(i) - 3;
    marks[i] = 7 * i;
    for (int k = 0; k < 2; k++) pairs[2 * i + k] = triples[3 * i + k] = 10 * i + k;
    triples[3 * i + 2] = 0;
  }
  op2_dat dats[] = {make_dat(op2_mesh_cells(mesh), 1, OP2_F64, depth, "depth <m>"),
                    make_dat(op2_mesh_nodes(mesh), 2, OP2_F64, pairs, "velocity"),
                    make_dat(op2_mesh_cells(mesh), 1, OP2_I32, marks, "marks")};
  const op2_dat all[] = {dats[0], dats[1], dats[2], op2_mesh_coordinates(mesh), dats[0]};
  CHECK(op2_vtu_write(mesh, in_scratch("values.vtu"), 5, all));
  ok(access(in_scratch("values.vtu"), F_OK) != 0, "%s: nothing is written before the queue runs",
     name);
  CHECK(op2_flush(ctx));
  const size_t cells = (size_t)op2_set_size(op2_mesh_cells(mesh));
  const size_t nodes = (size_t)op2_set_size(op2_mesh_nodes(mesh));
  ok(vtu_open(in_scratch("values.vtu"), &vtu), "%s: the file is there", name);
  is_int(vtu_number(&vtu, "<Piece", "NumberOfCells"), cells, "%s: cells", name);
  is_int(vtu_number(&vtu, "<Piece", "NumberOfPoints"), nodes, "%s: points", name);
  is_int(wrong_cells(mesh, &vtu), 0, "%s: cells and points", name);
  ok(has_bytes(&vtu, "depth &#60;m&#62;", depth, cells * 8), "%s: values on cells", name);
  ok(has_bytes(&vtu, "velocity", triples, nodes * 24), "%s: vectors on nodes", name);
  ok(has_bytes(&vtu, "marks", marks, cells * 4), "%s: integers", name);
  size_t bytes = 0;
  double *points = vtu_array(&vtu, "Points", &bytes);
  ok(points && has_bytes(&vtu, "coordinates", points, bytes), "%s: coordinates as a dat", name);
  free(points);
  ok(access(in_scratch("values.vtu.op2-part"), F_OK) != 0, "%s: no part is left", name);
  vtu_close(&vtu);
  unlink(in_scratch("values.vtu"));
  for (int d = 0; d < 3; d++) op2_dat_destroy(&dats[d]);
  op2_mesh_destroy(&mesh);
}

/* Values that compression makes no smaller are written as they are: several blocks of them, and a
 * part of one, with a block of zeros between them, which is compressed. */
static void test_dense(const char *name) {
  enum { DIM = 17001, BLOCK = 1 << 20 };
  struct vtu vtu;
  struct stat st;
  op2_mesh mesh = open_mesh(name);
  if (!mesh) return;
  const size_t n = (size_t)op2_set_size(op2_mesh_cells(mesh)) * DIM;
  uint32_t *values = malloc(n * sizeof *values);
  uint64_t state = 5;
  for (size_t i = 0; i < n; i++) values[i] = (uint32_t)draw(&state);
  memset((char *)values + BLOCK, 0, BLOCK);
  op2_dat dat = make_dat(op2_mesh_cells(mesh), DIM, OP2_U32, values, "noise");
  CHECK(op2_vtu_write(mesh, in_scratch("dense.vtu"), 1, &dat));
  CHECK(op2_flush(ctx));
  ok(vtu_open(in_scratch("dense.vtu"), &vtu) && has_bytes(&vtu, "noise", values, n * 4),
     "%s: values without pattern, %zu bytes", name, n * 4);
  const size_t compressed = vtu_has(&vtu, "vtkZLibDataCompressor") ? BLOCK : 0;
  ok(stat(in_scratch("dense.vtu"), &st) == 0 &&
         (size_t)st.st_size + compressed < n * 4 + n / 100 + 50000,
     "%s: the file is hardly larger than those without pattern", name);
  vtu_close(&vtu);
  unlink(in_scratch("dense.vtu"));
  free(values);
  op2_dat_destroy(&dat);
  op2_mesh_destroy(&mesh);
}

static bool all_are(const char *path, const char *name, double value) {
  struct vtu vtu;
  size_t size = 0;
  double *values = vtu_open(path, &vtu) ? vtu_array(&vtu, name, &size) : NULL;
  bool good = values && size > 0;
  for (size_t i = 0; good && i < size / 8; i++) good = values[i] == value;
  free(values);
  vtu_close(&vtu);
  return good;
}

/* Files of a series have the values of their place, though the queue runs once. */
static void test_series(void) {
  struct vtu list;
  struct stat st;
  op2_vtu_series series = NULL;
  op2_mesh mesh = open_mesh("plane-4.msh");
  if (!mesh || !CHECK(op2_vtu_series_create(mesh, in_scratch("wave.pvd"), &series))) return;
  op2_dat u = make_dat(op2_mesh_nodes(mesh), 1, OP2_F64, NULL, "u");
  for (int i = 0; i < 3; i++) {
    CHECK(op2_dat_fill(u, op2_scalar_value(i + 0.5)));
    CHECK(op2_vtu_series_write(series, 0.1 * i, 1, &u));
  }
  op2_vtu_series_destroy(&series);
  op2_dat_destroy(&u);
  op2_mesh_destroy(&mesh);
  ok(stat(in_scratch("wave-0000.vtu"), &st) != 0, "nothing is written yet");
  CHECK(op2_flush(ctx));
  ok(all_are(in_scratch("wave-0000.vtu"), "u", 0.5), "the first file");
  ok(all_are(in_scratch("wave-0001.vtu"), "u", 1.5), "the second file");
  ok(all_are(in_scratch("wave-0002.vtu"), "u", 2.5), "the third file");
  ok(vtu_open(in_scratch("wave.pvd"), &list), "the list of files");
  ok(vtu_has(&list, "<DataSet timestep=\"0\" file=\"wave-0000.vtu\"/>") &&
         vtu_has(&list, "timestep=\"0.20000000000000001\" file=\"wave-0002.vtu\"/>"),
     "times and names");
  vtu_close(&list);
}

/* Names of files have characters that have a meaning in XML. */
static void test_series_name(void) {
  struct vtu list;
  op2_vtu_series series = NULL;
  op2_mesh mesh = open_mesh("plane-4.msh");
  if (!mesh || !CHECK(op2_vtu_series_create(mesh, in_scratch("u<v & w"), &series))) return;
  CHECK(op2_vtu_series_write(series, 0, 0, NULL));
  CHECK(op2_flush(ctx));
  op2_vtu_series_destroy(&series);
  op2_mesh_destroy(&mesh);
  ok(vtu_open(in_scratch("u<v & w.pvd"), &list), "the list of files");
  ok(vtu_has(&list, "file=\"u&#60;v &#38; w-0000.vtu\"/>"), "the name of the file in XML");
  vtu_close(&list);
}

/* Values on boundary faces are a file of these. */
static void test_faces(const char *name, int type) {
  struct vtu vtu;
  op2_faces faces;
  size_t size = 0;
  op2_mesh mesh = open_mesh(name);
  if (!mesh || !CHECK(op2_faces_create(mesh, &faces))) return;
  op2_dat p = make_dat(faces.boundary, 1, OP2_F64, NULL, "p");
  op2_dat q = make_dat(op2_mesh_cells(mesh), 1, OP2_F64, NULL, "q");
  const op2_dat both[] = {p, q};
  FAILS(op2_vtu_write(mesh, in_scratch("both"), 2, both), OP2_ERR_MISMATCH);
  CHECK(op2_vtu_write(mesh, in_scratch("faces"), 1, &p));
  CHECK(op2_flush(ctx));
  ok(vtu_open(in_scratch("faces.vtu"), &vtu), "%s: the suffix is added", name);
  is_int(vtu_number(&vtu, "<Piece", "NumberOfCells"), op2_set_size(faces.boundary), "%s: faces",
         name);
  uint8_t *types = vtu_array(&vtu, "types", &size);
  int found = 0;
  for (size_t i = 0; i < size; i++) found += types[i] == type;
  ok(found > 0, "%s: faces of type %d", name, type);
  free(types);
  vtu_close(&vtu);
  op2_dat_destroy(&p);
  op2_dat_destroy(&q);
  op2_mesh_destroy(&mesh);
}

static void test_errors(void) {
  op2_set other = NULL;
  op2_vtu_series none = NULL;
  op2_mesh mesh = open_mesh("plane-4.msh");
  if (!mesh || !CHECK(op2_set_create(ctx, 4, "other", &other))) return;
  op2_dat far = make_dat(other, 1, OP2_F64, NULL, "far");
  FAILS(op2_vtu_write(mesh, in_scratch("a.vtu"), 1, &far), OP2_ERR_MISMATCH);
  FAILS(op2_vtu_write(mesh, in_scratch("none/a.vtu"), 0, NULL), OP2_ERR_IO);
  FAILS(op2_vtu_write(mesh, NULL, 0, NULL), OP2_ERR_ARG);
  FAILS(op2_vtu_write(mesh, "", 0, NULL), OP2_ERR_ARG);
  FAILS(op2_vtu_write(mesh, in_scratch("a.vtu"), 1, NULL), OP2_ERR_ARG);
  FAILS(op2_vtu_write(NULL, in_scratch("a.vtu"), 0, NULL), OP2_ERR_ARG);
  FAILS(op2_vtu_series_write(NULL, 0, 0, NULL), OP2_ERR_ARG);
  FAILS(op2_vtu_series_create(mesh, NULL, &none), OP2_ERR_ARG);
  ok(!none && access(in_scratch("a.vtu.op2-part"), F_OK) != 0, "nothing was made");
  /* The folder goes while the file waits in the queue. */
  mkdir(in_scratch("gone"), 0700);
  CHECK(op2_vtu_write(mesh, in_scratch("gone/a.vtu"), 0, NULL));
  unlink(in_scratch("gone/a.vtu.op2-part"));
  rmdir(in_scratch("gone"));
  FAILS(op2_flush(ctx), OP2_ERR_CALL);
  /* The file is written beside the loops, and cannot get its name. */
  CHECK(op2_vtu_write(mesh, in_scratch("taken.vtu"), 0, NULL));
  mkdir(in_scratch("taken.vtu"), 0700);
  FAILS(op2_flush(ctx), OP2_ERR_CALL);
  ok(strstr(op2_error_message(), "taken.vtu: cannot be written"), "%s", op2_error_message());
  ok(access(in_scratch("taken.vtu.op2-part"), F_OK) != 0, "no part of it is left");
  CHECK(op2_flush(ctx));
  CHECK(op2_vtu_write(mesh, in_scratch("taken.vtu"), 0, NULL));
  rmdir(in_scratch("taken.vtu"));
  CHECK(op2_flush(ctx));
  ok(access(in_scratch("taken.vtu"), F_OK) == 0, "later files are written");
  op2_dat_destroy(&far);
  op2_set_destroy(&other);
  op2_vtu_series_destroy(&none);
  op2_mesh_destroy(&mesh);
}

int main(void) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  test_environment();
  if (!CHECK(op2_init(&options, &ctx))) return done();
  test_values("plane-4b.msh");
  test_values("solid-4.msh");
  test_values("plane-order2.msh");
  test_dense("plane-4b.msh");
  test_series();
  test_series_name();
  test_faces("plane-4.msh", 3);
  test_faces("solid-4.msh", 9);
  test_errors();
  CHECK(op2_finalize(&ctx));
  return done();
}
