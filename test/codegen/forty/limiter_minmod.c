/* SPDX-License-Identifier: BSD-3-Clause */
/* Slopes limited by minmod, with the sign function that everybody writes. */
#include <math.h>

static inline double sgn(double x) { return (double)((x > 0) - (x < 0)); }

static inline double minmod(double a, double b) {
  return 0.5 * (sgn(a) + sgn(b)) * fmin(fabs(a), fabs(b));
}

static inline void limiter_minmod(const double *um, const double *u0, const double *up,
                                  double *slope) {
  for (int v = 0; v < 4; ++v) slope[v] = minmod(u0[v] - um[v], up[v] - u0[v]);
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(limiter_minmod, "inline functions in each other", limiter_minmod(p[0], p[1], p[2], p[3]),
           {4, OP2_F64, OP2_READ, 0, 0, -1, 1, {0}}, {4, OP2_F64, OP2_READ, 1, 1, 0, 0, {0}},
           {4, OP2_F64, OP2_READ, 2, 1, 0, 0, {0}},
           {4, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
