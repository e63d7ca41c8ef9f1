/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>

#include "common/shuffle.h"
#include "mesh.h"

/* Nodes move by at most this fraction of the grid's spacing, along x and along y: triangles keep
 * their orientation up to a quarter. */
static const double jitter = 0.2;

static int32_t node_at(int64_t ni, int64_t i, int64_t j) { return (int32_t)(i + j * (ni + 1)); }

/* True if the diagonal of the rectangle goes up to the right. */
static bool rising(int64_t i, int64_t j) { return (i + j) % 2 == 0; }

static int32_t lower(int64_t ni, int64_t i, int64_t j) { return (int32_t)(2 * (i + j * ni)); }
static int32_t upper(int64_t ni, int64_t i, int64_t j) { return lower(ni, i, j) + 1; }

/* Return the triangle on the left, or on the right, of a rectangle. */
static int32_t left(int64_t ni, int64_t i, int64_t j) {
  return rising(i, j) ? upper(ni, i, j) : lower(ni, i, j);
}
static int32_t right(int64_t ni, int64_t i, int64_t j) {
  return rising(i, j) ? lower(ni, i, j) : upper(ni, i, j);
}

/* Return a uniform number in [-jitter, jitter]. */
static double shift(uint64_t *state) {
  return jitter * ((double)(shuffle_random(state) >> 11) * 0x1p-52 - 1.0);
}

static void set_nodes(int64_t ni, int64_t nj, double *x) {
  for (int64_t j = 0; j <= nj; j++)
    for (int64_t i = 0; i <= ni; i++, x += 2) {
      uint64_t state = (uint64_t)j << 32 | (uint64_t)i;
      const bool inner = i > 0 && i < ni && j > 0 && j < nj;
      x[0] = MESH_EXTENT * ((double)i + (inner ? shift(&state) : 0.0)) / (double)ni;
      x[1] = MESH_EXTENT * ((double)j + (inner ? shift(&state) : 0.0)) / (double)nj;
    }
}

static void set_triangle(int32_t *cell, int32_t a, int32_t b, int32_t c) {
  cell[0] = a;
  cell[1] = b;
  cell[2] = c;
}

static void set_cells(int64_t ni, int64_t nj, int32_t *cell) {
  for (int64_t j = 0; j < nj; j++)
    for (int64_t i = 0; i < ni; i++, cell += 6) {
      const int32_t sw = node_at(ni, i, j), se = node_at(ni, i + 1, j);
      const int32_t nw = node_at(ni, i, j + 1), ne = node_at(ni, i + 1, j + 1);
      set_triangle(cell, sw, se, rising(i, j) ? ne : nw);
      set_triangle(cell + 3, ne, nw, rising(i, j) ? sw : se);
    }
}

static int64_t add_edge(mesh *m, int64_t e, int32_t n1, int32_t n2, int32_t c1, int32_t c2) {
  m->edge[2 * e] = n1;
  m->edge[2 * e + 1] = n2;
  m->ecell[2 * e] = c1;
  m->ecell[2 * e + 1] = c2;
  return e + 1;
}

/* Every rectangle contributes its diagonal, its right side and its upper side. */
static void set_edges(int64_t ni, int64_t nj, mesh *m) {
  int64_t e = 0;
  for (int64_t j = 0; j < nj; j++)
    for (int64_t i = 0; i < ni; i++) {
      const int32_t sw = node_at(ni, i, j), se = node_at(ni, i + 1, j);
      const int32_t nw = node_at(ni, i, j + 1), ne = node_at(ni, i + 1, j + 1);
      e = rising(i, j) ? add_edge(m, e, ne, sw, lower(ni, i, j), upper(ni, i, j))
                       : add_edge(m, e, se, nw, lower(ni, i, j), upper(ni, i, j));
      if (i < ni - 1) e = add_edge(m, e, se, ne, right(ni, i, j), left(ni, i + 1, j));
      if (j < nj - 1) e = add_edge(m, e, ne, nw, upper(ni, i, j), lower(ni, i, j + 1));
    }
}

static int64_t add_boundary(mesh *m, int64_t b, int32_t n1, int32_t n2, int32_t c) {
  m->bedge[2 * b] = n1;
  m->bedge[2 * b + 1] = n2;
  m->becell[b] = c;
  return b + 1;
}

static void set_boundary(int64_t ni, int64_t nj, mesh *m) {
  int64_t b = 0;
  for (int64_t i = 0; i < ni; i++)
    b = add_boundary(m, b, node_at(ni, i, 0), node_at(ni, i + 1, 0), lower(ni, i, 0));
  for (int64_t j = 0; j < nj; j++)
    b = add_boundary(m, b, node_at(ni, ni, j), node_at(ni, ni, j + 1), right(ni, ni - 1, j));
  for (int64_t i = ni - 1; i >= 0; i--)
    b = add_boundary(m, b, node_at(ni, i + 1, nj), node_at(ni, i, nj), upper(ni, i, nj - 1));
  for (int64_t j = nj - 1; j >= 0; j--)
    b = add_boundary(m, b, node_at(ni, 0, j + 1), node_at(ni, 0, j), left(ni, 0, j));
}

int mesh_generate(int64_t ni, int64_t nj, mesh *m, bench_error *error) {
  if (ni < 1 || nj < 1) return bench_fail(error, "a mesh has at least 1x1 rectangles");
  /* the 6 ni nj numbers of the edges' nodes are the largest count */
  if (ni > INT32_MAX / 6 || nj > INT32_MAX / (6 * ni))
    return bench_fail(error, "the mesh would have more elements than a 32-bit index counts");
  mesh made = {.nnode = (ni + 1) * (nj + 1),
               .ncell = 2 * ni * nj,
               .nedge = 3 * ni * nj - ni - nj,
               .nbedge = 2 * (ni + nj)};
  if (mesh_alloc(&made, error)) return -1;
  set_nodes(ni, nj, made.x);
  set_cells(ni, nj, made.cell);
  set_edges(ni, nj, &made);
  set_boundary(ni, nj, &made);
  *m = made;
  return 0;
}
