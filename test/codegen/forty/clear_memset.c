/* SPDX-License-Identifier: BSD-3-Clause */
/* The mass matrix of a triangle in a code that clears its matrices by memset. */
#include <string.h>
static void clear_memset(const double *x0, const double *x1, const double *x2, double *mass,
                         int *counts) {
  double m[3][3], area;
  int i, j;
  memset(m, 0, sizeof m);
  memset(counts, 0, 2 * sizeof *counts);
  area = 0.5 * ((x1[0] - x0[0]) * (x2[1] - x0[1]) - (x2[0] - x0[0]) * (x1[1] - x0[1]));
  if (area < 0) {
    area = -area;
    counts[1] = 1;
  }
  for (i = 0; i < 3; i++)
    for (j = 0; j < 3; j++) m[i][j] += area * (i == j ? 2.0 : 1.0) / 12.0;
  memset(mass, 0, 9 * sizeof(double));
  for (i = 0; i < 3; i++)
    for (j = 0; j < 3; j++) mass[i * 3 + j] += m[i][j];
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(clear_memset, "memset", clear_memset(p[0], p[1], p[2], p[3], p[4]),
           {2, OP2_F64, OP2_READ, 0, 0, -1, 1, {0}}, {2, OP2_F64, OP2_READ, 1, 1, 0, 0, {0}},
           {2, OP2_F64, OP2_READ, 2, 1, 0, 0, {0}},
           {9, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {2, OP2_I32, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
