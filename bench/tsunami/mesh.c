/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh.h"

#include <stdlib.h>
#include <string.h>

#include "common/option.h"

int mesh_alloc(mesh *m, bench_error *error) {
  m->x = malloc((size_t)m->nnode * 2 * sizeof *m->x);
  m->cell = malloc((size_t)m->ncell * 3 * sizeof *m->cell);
  m->edge = malloc((size_t)m->nedge * 2 * sizeof *m->edge);
  m->ecell = malloc((size_t)m->nedge * 2 * sizeof *m->ecell);
  m->bedge = malloc((size_t)m->nbedge * 2 * sizeof *m->bedge);
  m->becell = malloc((size_t)m->nbedge * sizeof *m->becell);
  if (m->x && m->cell && m->edge && m->ecell && m->bedge && m->becell) return 0;
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
  *m = (mesh){0};
}

int mesh_open(const char *spec, mesh *m, bench_error *error) {
  int64_t ni, nj;
  if (strcmp(spec, "classic") == 0) return mesh_generate(500, 500, m, error);
  if (option_size(spec, &ni, &nj)) return mesh_generate(ni, nj, m, error);
  return bench_fail(error, "a mesh is classic or, say, 40x30, not %s", spec);
}
