/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid.h"

#include <math.h>
#include <stdlib.h>

/* Compute the position of a corner; the sides of the square do not move. */
static void place(double s, double t, double *x) {
  const double pi = 3.14159265358979323846, bend = sin(2 * pi * s) * sin(2 * pi * t);
  x[0] = s + 0.04 * bend;
  x[1] = t - 0.03 * bend;
}

/* Nodes between corners are the midpoints of straight sides. */
static void place_nodes(mesh *m, int64_t side, int step) {
  for (int64_t j = 0; j < side; j++)
    for (int64_t i = 0; i < side; i++) {
      double a[2], b[2], *x = m->x + 2 * (j * side + i);
      const int64_t di = i % step, dj = j % step;
      /* the diagonal goes from the lower left to the upper right */
      place((double)(i - di) / step / m->n, (double)(j - dj) / step / m->n, a);
      place((double)(i + di) / step / m->n, (double)(j + dj) / step / m->n, b);
      x[0] = 0.5 * (a[0] + b[0]);
      x[1] = 0.5 * (a[1] + b[1]);
      m->inside[j * side + i] = i > 0 && j > 0 && i < side - 1 && j < side - 1;
    }
}

static void join_quadrilaterals(mesh *m) {
  const int32_t side = m->n + 1;
  int32_t *cell = m->cell;
  for (int32_t j = 0; j < m->n; j++)
    for (int32_t i = 0; i < m->n; i++, cell += 4) {
      const int32_t at = j * side + i;
      cell[0] = at, cell[1] = at + 1, cell[2] = at + side + 1, cell[3] = at + side;
    }
}

/* Make the two triangles of each cell, with nodes between the corners if `step` is 2. */
static void join_triangles(mesh *m, int32_t side, int32_t step) {
  int32_t *cell = m->cell;
  for (int32_t j = 0; j < m->n; j++)
    for (int32_t i = 0; i < m->n; i++) {
      const int32_t at = (j * side + i) * step, right = at + step, up = at + step * side;
      const int32_t across = up + step, half = step / 2;
      const int32_t corners[2][3] = {{at, right, across}, {at, across, up}};
      const int32_t middles[2][3] = {{at + half, right + half * side, at + half * (side + 1)},
                                     {at + half * (side + 1), up + half, at + half * side}};
      for (int t = 0; t < 2; t++) {
        for (int k = 0; k < 3; k++) *cell++ = corners[t][k];
        for (int k = 0; k < 3 && step == 2; k++) *cell++ = middles[t][k];
      }
    }
}

static void join_corners(mesh *m) {
  const int32_t side = m->n + 1;
  int32_t *corner = m->corner;
  for (int32_t j = 0; j < m->n; j++)
    for (int32_t i = 0; i < m->n; i++) {
      const int32_t at = j * side + i;
      const int32_t corners[6] = {at, at + 1, at + side + 1, at, at + side + 1, at + side};
      for (int k = 0; k < 6; k++) *corner++ = corners[k];
    }
}

int grid_make(grid_element element, int n, mesh *m, bench_error *error) {
  const int step = element == GRID_P2 ? 2 : 1;
  const int64_t side = (int64_t)step * n + 1;
  *m = (mesh){.element = element,
              .n = n,
              .arity = element == GRID_P1   ? 3
                       : element == GRID_Q1 ? 4
                                            : 6,
              .nnode = side * side,
              .ncell = (int64_t)n * n * (element == GRID_Q1 ? 1 : 2),
              .ncorner = (int64_t)(n + 1) * (n + 1)};
  m->x = malloc((size_t)m->nnode * 2 * sizeof *m->x);
  m->inside = malloc((size_t)m->nnode * sizeof *m->inside);
  m->cell = malloc((size_t)(m->ncell * m->arity) * sizeof *m->cell);
  if (element == GRID_P2) m->corner = malloc((size_t)m->ncell * 3 * sizeof *m->corner);
  if (!m->x || !m->inside || !m->cell || (element == GRID_P2 && !m->corner)) {
    mesh_free(m);
    return bench_fail(error, "out of memory for %d * %d cells", n, n);
  }
  place_nodes(m, side, step);
  if (element == GRID_Q1)
    join_quadrilaterals(m);
  else
    join_triangles(m, (int32_t)side, step);
  if (m->corner) join_corners(m);
  return 0;
}

void mesh_free(mesh *m) {
  free(m->x);
  free(m->inside);
  free(m->cell);
  free(m->corner);
  *m = (mesh){0};
}
