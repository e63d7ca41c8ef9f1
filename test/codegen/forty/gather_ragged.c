/* SPDX-License-Identifier: BSD-3-Clause */
/* The mean over a node's neighbours; rows of a map are filled up, and what fills them is skipped. */
#define MAXNB 8
static void gather_ragged(const int *count, const double **value, double *mean) {
  double sum = 0.0;
  for (int k = 0; k < MAXNB; k++) {
    if (k >= *count) continue;
    sum += value[k][0] * value[k][1];
  }
  *mean = *count > 0 ? sum / *count : 0.0;
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(gather_ragged, "a ragged row by continue", gather_ragged(p[0], p[1], p[2]),
           {1, OP2_I32, OP2_READ, FORTY_DIRECT, 0, 0, 9, {0}},
           {2, OP2_F64, OP2_READ, FORTY_ALL, 0, -1, 1, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
