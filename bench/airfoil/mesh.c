/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/option.h"

/* A mesh may have no edges of one kind, and malloc(0) may return null. */
static void *array(int64_t n, size_t width) { return malloc((size_t)(n > 0 ? n : 1) * width); }

int mesh_alloc(mesh *m, bench_error *error) {
  m->x = array(2 * m->nnode, sizeof *m->x);
  m->cell = array(4 * m->ncell, sizeof *m->cell);
  m->edge = array(2 * m->nedge, sizeof *m->edge);
  m->ecell = array(2 * m->nedge, sizeof *m->ecell);
  m->bedge = array(2 * m->nbedge, sizeof *m->bedge);
  m->becell = array(m->nbedge, sizeof *m->becell);
  m->bound = array(m->nbedge, sizeof *m->bound);
  if (m->x && m->cell && m->edge && m->ecell && m->bedge && m->becell && m->bound) return 0;
  mesh_free(m);
  return bench_fail(error, "out of memory for the mesh");
}

void mesh_free(mesh *m) {
  free(m->x);
  free(m->cell);
  free(m->edge);
  free(m->ecell);
  free(m->bedge);
  free(m->becell);
  free(m->bound);
  *m = (mesh){0};
}

const mesh_format *mesh_hdf5;

static bool is_hdf5(const char *path) {
  const size_t length = strlen(path);
  return length > 3 && strcmp(path + length - 3, ".h5") == 0;
}

static int no_hdf5(const char *path, bench_error *error) {
  return bench_fail(error, "%s: HDF5 files are not for this program, or it was built without HDF5",
                    path);
}

int mesh_save(const mesh *m, const char *path, bench_error *error) {
  if (!is_hdf5(path)) return mesh_write(m, path, error);
  return mesh_hdf5 ? mesh_hdf5->write(m, path, error) : no_hdf5(path, error);
}

int mesh_open(const char *spec, mesh *m, bench_error *error) {
  int64_t ni, nj;
  if (strcmp(spec, "classic") == 0) return mesh_generate(400, 600, m, error);
  if (option_size(spec, &ni, &nj)) return mesh_generate(ni, nj, m, error);
  if (!is_hdf5(spec)) return mesh_read(spec, m, error);
  return mesh_hdf5 ? mesh_hdf5->read(spec, m, error) : no_hdf5(spec, error);
}

int mesh_open_shuffled(const char *spec, const char *seed, mesh *m, bench_error *error) {
  if (mesh_open(spec, m, error)) return -1;
  if (!seed || !mesh_shuffle(m, strtoull(seed, NULL, 10), error)) return 0;
  mesh_free(m);
  return -1;
}
