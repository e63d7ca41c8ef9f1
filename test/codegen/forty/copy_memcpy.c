/* SPDX-License-Identifier: BSD-3-Clause */
/* A stage of a Runge-Kutta step that keeps the old state by memcpy. */
#include <string.h>
#define NVAR 4
static void copy_memcpy(const double *res, const double *vol, double *q, double *qold) {
  double w[NVAR];
  memcpy(w, q, sizeof(w));
  memcpy(qold, w, NVAR * sizeof(double));
  for (int v = 0; v < NVAR; v++) w[v] -= 0.25 / *vol * res[v];
  memcpy(q, w, sizeof w);
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(copy_memcpy, "memcpy", copy_memcpy(p[0], p[1], p[2], p[3]),
           {4, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0.5, 1, {0}},
           {4, OP2_F64, OP2_RW, FORTY_DIRECT, 0, -1, 1, {0}},
           {4, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
