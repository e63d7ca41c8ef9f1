/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh.h"

#include <stdlib.h>
#include <string.h>

#include "airfoil/section.h"
#include "common/option.h"

int mesh_alloc(mesh *m, bench_error *error) {
  m->x = malloc((size_t)m->nnode * 2 * sizeof *m->x);
  m->cell = malloc((size_t)m->ncell * 4 * sizeof *m->cell);
  m->far = malloc(((size_t)m->nfar + 1) * sizeof *m->far);
  if (m->x && m->cell && m->far) return 0;
  mesh_free(m);
  return bench_fail(error, "out of memory for the mesh");
}

void mesh_free(mesh *m) {
  free(m->x);
  free(m->cell);
  free(m->far);
  *m = (mesh){0};
}

int mesh_open(const char *spec, mesh *m, bench_error *error) {
  int64_t ni, nj;
  if (strcmp(spec, "classic") == 0) return mesh_generate(400, 600, m, error);
  if (option_size(spec, &ni, &nj)) return mesh_generate(ni, nj, m, error);
  return mesh_read(spec, m, error);
}

/* ---- the generator ---- */

/* The first row's nodes below the wake are the same as those above it; the other rows follow. */
static int32_t node_at(int64_t ni, int64_t i, int64_t j) {
  const int64_t at = section_node(ni, i, j) - (ni + 1);
  return (int32_t)(at < 0 ? 2 * ni - 1 - i : at);
}

static void set_nodes(int64_t ni, int64_t nj, const double *grid, mesh *m) {
  for (int64_t j = 0; j <= nj; j++)
    for (int64_t i = j == 0 ? ni + 1 : 0; i < section_columns(ni); i++)
      memcpy(m->x + 2 * (int64_t)node_at(ni, i, j), grid + 2 * section_node(ni, i, j),
             2 * sizeof *grid);
}

static void set_cells(int64_t ni, int64_t nj, int32_t *cell) {
  for (int64_t j = 0; j < nj; j++)
    for (int64_t i = 0; i < 3 * ni; i++)
      for (int k = 0; k < 4; k++) *cell++ = node_at(ni, i + k % 2, j + k / 2);
}

/* The far-field nodes come in ascending order, as the nodes do. */
static void set_far(int64_t ni, int64_t nj, int32_t *far) {
  for (int64_t j = 0; j <= nj; j++)
    for (int64_t i = j == 0 ? ni + 1 : 0; i <= 3 * ni; i++)
      if (i == 0 || i == 3 * ni || j == nj) *far++ = node_at(ni, i, j);
}

int mesh_generate(int64_t ni, int64_t nj, mesh *m, bench_error *error) {
  if (section_check(ni, nj, error)) return -1;
  const int64_t points = section_columns(ni) * (nj + 1);
  mesh made = {.nnode = points - (ni + 1), .ncell = 3 * ni * nj, .nfar = 3 * ni + 2 * nj};
  double *grid = malloc((size_t)points * 2 * sizeof *grid);
  int rc =
      grid ? section_grid(ni, nj, grid, error) : bench_fail(error, "out of memory for the grid");
  if (rc == 0) rc = mesh_alloc(&made, error);
  if (rc == 0) {
    set_nodes(ni, nj, grid, &made);
    set_cells(ni, nj, made.cell);
    set_far(ni, nj, made.far);
    *m = made;
  }
  free(grid);
  return rc;
}
