/* SPDX-License-Identifier: BSD-3-Clause */
/* A row of a sparse matrix whose length is a value of the element. */
static void gather_count(const int *n, const double *a, const double **x, double *y) {
  int k;
  *y = 0.0;
  for (k = 0; k < *n; k++) *y += a[k] * *x[k];
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(gather_count, "a ragged row by its count", gather_count(p[0], p[1], p[2], p[3]),
           {1, OP2_I32, OP2_READ, FORTY_DIRECT, 0, 0, 9, {0}},
           {8, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {1, OP2_F64, OP2_READ, FORTY_ALL, 0, -1, 1, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
