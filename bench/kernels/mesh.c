/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh.h"

#include <math.h>

/* Choose sides of a grid, each of at least `least` points, which has about n points. */
static void cube(problem *p, double n, int64_t least) {
  const int64_t side = (int64_t)llround(cbrt(n));
  for (int k = 0; k < 3; k++) p->points[k] = side < least ? least : side;
}

static void square(problem *p, double n) {
  const int64_t side = (int64_t)llround(sqrt(n));
  for (int k = 0; k < 2; k++) p->points[k] = side < 3 ? 3 : side;
  p->points[2] = 1;
}

static int64_t number(const problem *p, int64_t x, int64_t y, int64_t z) {
  return (z * p->points[1] + y) * p->points[0] + x;
}

static int64_t points(const problem *p) { return p->points[0] * p->points[1] * p->points[2]; }

static int64_t cells(const problem *p) {
  return (p->points[0] - 1) * (p->points[1] - 1) * (p->points[2] - 1);
}

double mesh_point(const problem *p, int64_t i, int k) {
  const int64_t at[3] = {i % p->points[0], i / p->points[0] % p->points[1],
                         i / (p->points[0] * p->points[1])};
  return (double)at[k] + 0.2 * (problem_mixed(p, i, k) - 1);
}

void mesh_direct(problem *p, int64_t n) { problem_set(p, n); }

/* ---- cells ---- */

/* Corner k of a cell, with x in the lowest bit of k. */
static int32_t corner(const problem *p, int64_t x, int64_t y, int64_t z, int k) {
  return (int32_t)number(p, x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
}

/* Add the rows of a cell to `rows`; returns their end. */
typedef int32_t *cell_rows(const problem *p, int64_t x, int64_t y, int64_t z, int32_t *rows);

static void each_cell(const problem *p, int32_t *rows, cell_rows *add) {
  for (int64_t z = 0; rows && z + 1 < p->points[2]; z++)
    for (int64_t y = 0; y + 1 < p->points[1]; y++)
      for (int64_t x = 0; x + 1 < p->points[0]; x++) rows = add(p, x, y, z, rows);
}

/* Six tetrahedra, which share the diagonal. */
static int32_t *tet_rows(const problem *p, int64_t x, int64_t y, int64_t z, int32_t *rows) {
  static const int way[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
  for (int t = 0; t < 6; t++)
    for (int k = 0; k < 4; k++) *rows++ = corner(p, x, y, z, way[t][k]);
  return rows;
}

static int32_t *hex_rows(const problem *p, int64_t x, int64_t y, int64_t z, int32_t *rows) {
  for (int k = 0; k < 8; k++) *rows++ = corner(p, x, y, z, k);
  return rows;
}

static void mesh_cells(problem *p, double n, int each, int arity, cell_rows *add) {
  cube(p, n, 1);
  for (int k = 0; k < 3; k++) p->points[k]++;
  problem_set(p, each * cells(p));
  problem_set(p, points(p));
  each_cell(p, problem_map_rows(p, 0, 1, arity), add);
}

void mesh_tets(problem *p, int64_t n) { mesh_cells(p, (double)n / 6, 6, 4, tet_rows); }
void mesh_hexes(problem *p, int64_t n) { mesh_cells(p, (double)n, 1, 8, hex_rows); }

void mesh_quadratic(problem *p, int64_t n) {
  cube(p, (double)n, 1);
  const int64_t side = p->points[0];
  for (int k = 0; k < 3; k++) p->points[k] = 2 * side + 1;
  problem_set(p, side * side * side);
  problem_set(p, points(p));
  int32_t *rows = problem_map_rows(p, 0, 1, 27);
  for (int64_t c = 0; rows && c < p->size[0]; c++)
    for (int k = 0; k < 27; k++)
      *rows++ = (int32_t)number(p, 2 * (c % side) + k % 3, 2 * (c / side % side) + k / 3 % 3,
                                2 * (c / (side * side)) + k / 9);
}

/* ---- edges ---- */

/* Call for each edge from a point into one of the directions: those of bits 0 to 2. Returns the
 * number of edges; null: counts only. */
static int64_t edges(const problem *p, const int *way, int ways, int32_t *rows) {
  int64_t n = 0;
  for (int64_t i = 0; i < points(p); i++) {
    const int64_t x = i % p->points[0], y = i / p->points[0] % p->points[1],
                  z = i / (p->points[0] * p->points[1]);
    for (int w = 0; w < ways; w++) {
      if (x + (way[w] & 1) >= p->points[0] || y + (way[w] >> 1 & 1) >= p->points[1] ||
          z + (way[w] >> 2) >= p->points[2])
        continue;
      if (rows) rows[2 * n] = (int32_t)i, rows[2 * n + 1] = corner(p, x, y, z, way[w]);
      n++;
    }
  }
  return n;
}

void mesh_edges(problem *p, int64_t n) {
  static const int way[7] = {1, 2, 3, 4, 5, 6, 7};
  cube(p, (double)n / 7, 2);
  problem_set(p, edges(p, way, 7, NULL));
  problem_set(p, points(p));
  edges(p, way, 7, problem_map_rows(p, 0, 1, 2));
}

void mesh_faces(problem *p, int64_t n) {
  static const int way[2] = {1, 2};
  square(p, (double)n / 2);
  problem_set(p, edges(p, way, 2, NULL));
  problem_set(p, points(p));
  edges(p, way, 2, problem_map_rows(p, 0, 1, 2));
}

void mesh_triangles(problem *p, int64_t n) {
  static const int way[3] = {1, 2, 3};
  square(p, (double)n);
  problem_set(p, points(p));
  problem_set(p, edges(p, way, 3, NULL));
  edges(p, way, 3, problem_map_rows(p, 1, 0, 2));
}
