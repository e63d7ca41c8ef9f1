/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells whose corners are in the order of negative area or volume. */
#include "meshfile_raw.h"

/* Twice the area vector of a face with its corners in order, times a vector from `origin` to the
 * face: six times the volume that it adds to a cell. */
static double volume_below(const double *origin, int n, const double *const p[4]) {
  double u[3], v[3], w[3];
  const double *last = p[n - 1];
  for (int k = 0; k < 3; k++) {
    u[k] = p[2][k] - p[0][k];
    v[k] = n == 4 ? last[k] - p[1][k] : p[2][k] - p[1][k];
    w[k] = (p[0][k] + p[1][k] + p[2][k] + (n == 4 ? last[k] : 0)) / n - origin[k];
  }
  return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
         w[2] * (u[0] * v[1] - u[1] * v[0]);
}

static double area_below(const double *origin, const double *a, const double *b) {
  return (a[0] - origin[0]) * (b[1] - origin[1]) - (b[0] - origin[0]) * (a[1] - origin[1]);
}

static bool is_turned(const struct op2i_raw *raw, const int64_t *node, int shape) {
  const struct op2i_cell_sides *sides = &op2i_cell_sides[shape];
  const double *origin = raw->x + 3 * node[0], *p[4] = {0};
  double sum = 0;
  if (raw->dimension == 2 && raw->space == 3) return false;
  for (int s = 0; s < sides->n; s++) {
    int n = 0;
    for (; n < 4 && sides->corner[s][n] >= 0; n++) p[n] = raw->x + 3 * node[sides->corner[s][n]];
    sum += raw->dimension == 2 ? area_below(origin, p[0], p[1]) : volume_below(origin, n, p);
  }
  return sum < 0;
}

op2_status op2i_raw_find_turned(struct op2i_raw *raw) {
  const struct op2i_elements *cells = &raw->of[raw->dimension];
  raw->turned = raw->op2->calloc((size_t)cells->n + 1, 1);
  if (!raw->turned) return raw->op2->error_nomem("marks of cells");
  for (int64_t e = 0; e < cells->n && raw->dimension > 1; e++)
    raw->turned[e] = is_turned(raw, cells->node + op2i_element_begin(cells, e),
                               op2i_cell_kinds[cells->kind[e]].shape);
  return OP2_SUCCESS;
}
