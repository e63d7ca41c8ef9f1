/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh.h"
#include "section.h"

static int32_t node_at(int64_t ni, int64_t i, int64_t j) { return (int32_t)section_node(ni, i, j); }
static int32_t cell_at(int64_t ni, int64_t i, int64_t j) { return (int32_t)(i + j * 3 * ni); }

static void set_cells(int64_t ni, int64_t nj, int32_t *cell) {
  for (int64_t j = 0; j < nj; j++)
    for (int64_t i = 0; i < 3 * ni; i++, cell += 4) {
      cell[0] = node_at(ni, i, j);
      cell[1] = node_at(ni, i + 1, j);
      cell[2] = node_at(ni, i + 1, j + 1);
      cell[3] = node_at(ni, i, j + 1);
    }
}

static int64_t add_edge(mesh *m, int64_t e, int32_t n1, int32_t n2, int32_t c1, int32_t c2) {
  m->edge[2 * e] = n1;
  m->edge[2 * e + 1] = n2;
  m->ecell[2 * e] = c1;
  m->ecell[2 * e + 1] = c2;
  return e + 1;
}

static void set_edges(int64_t ni, int64_t nj, mesh *m) {
  int64_t e = 0;
  for (int64_t j = 0; j < nj; j++)
    for (int64_t i = 0; i < 3 * ni; i++) {
      if (j == 0 && i < ni) /* the wake cut, where the cells below and above it meet */
        e = add_edge(m, e, node_at(ni, i, 0), node_at(ni, i + 1, 0), cell_at(ni, 3 * ni - 1 - i, 0),
                     cell_at(ni, i, 0));
      if (j < nj - 1)
        e = add_edge(m, e, node_at(ni, i, j + 1), node_at(ni, i + 1, j + 1), cell_at(ni, i, j),
                     cell_at(ni, i, j + 1));
      if (i < 3 * ni - 1)
        e = add_edge(m, e, node_at(ni, i + 1, j), node_at(ni, i + 1, j + 1), cell_at(ni, i + 1, j),
                     cell_at(ni, i, j));
    }
}

static int64_t add_boundary(mesh *m, int64_t b, int32_t n1, int32_t n2, int32_t c, int32_t kind) {
  m->bedge[2 * b] = n1;
  m->bedge[2 * b + 1] = n2;
  m->becell[b] = c;
  m->bound[b] = kind;
  return b + 1;
}

static void set_boundary(int64_t ni, int64_t nj, mesh *m) {
  int64_t b = 0;
  for (int64_t i = ni; i < 2 * ni; i++)
    b = add_boundary(m, b, node_at(ni, i + 1, 0), node_at(ni, i, 0), cell_at(ni, i, 0), MESH_WALL);
  for (int64_t j = 0; j < nj; j++)
    b = add_boundary(m, b, node_at(ni, 3 * ni, j + 1), node_at(ni, 3 * ni, j),
                     cell_at(ni, 3 * ni - 1, j), MESH_FAR_FIELD);
  for (int64_t i = 3 * ni - 1; i >= 0; i--)
    b = add_boundary(m, b, node_at(ni, i, nj), node_at(ni, i + 1, nj), cell_at(ni, i, nj - 1),
                     MESH_FAR_FIELD);
  for (int64_t j = nj - 1; j >= 0; j--)
    b = add_boundary(m, b, node_at(ni, 0, j), node_at(ni, 0, j + 1), cell_at(ni, 0, j),
                     MESH_FAR_FIELD);
}

int mesh_generate(int64_t ni, int64_t nj, mesh *m, bench_error *error) {
  if (section_check(ni, nj, error)) return -1;
  mesh made = {.nnode = section_columns(ni) * (nj + 1),
               .ncell = 3 * ni * nj,
               .nedge = ni + 3 * ni * (nj - 1) + (3 * ni - 1) * nj,
               .nbedge = 4 * ni + 2 * nj};
  if (mesh_alloc(&made, error)) return -1;
  if (section_grid(ni, nj, made.x, error)) {
    mesh_free(&made);
    return -1;
  }
  set_cells(ni, nj, made.cell);
  set_edges(ni, nj, &made);
  set_boundary(ni, nj, &made);
  *m = made;
  return 0;
}
