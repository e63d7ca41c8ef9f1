/* SPDX-License-Identifier: BSD-3-Clause */
/* A product of a small matrix and a vector in a code from before optimising compilers. */
static void walk_pointers(const double *a, const double *x, double *y) {
  register const double *pa = a;
  register const double *px;
  double *end = y + 4, s;
  for (; y != end; y++) {
    px = x;
    s = *pa++ * *px++;
    s += *pa++ * *px++;
    s += *pa++ * *px++;
    s += *pa++ * *px;
    *y = s;
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(walk_pointers, "pointers that walk", walk_pointers(p[0], p[1], p[2]),
           {16, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {4, OP2_F64, OP2_READ, 0, 0, -1, 1, {0}},
           {4, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
