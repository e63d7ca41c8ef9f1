/* SPDX-License-Identifier: BSD-3-Clause */
/* A quadrature whose loop ends where sizeof says that the table does. */
#include <stddef.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
static const double xi[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                            0.8611363115940526};
static const double wt[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                            0.3478548451374538};

static void norm_sizeof(const double *ua, const double *ub, double *norm) {
  *norm = 0;
  for (unsigned g = 0; g < sizeof xi / sizeof *xi; g++) {
    const double u = 0.5 * ((1 - xi[g]) * *ua + (1 + xi[g]) * *ub);
    *norm += 0.5 * wt[g] * u * u;
  }
  for (size_t g = 0; g < COUNT(wt); g++) *norm += 1e-3 * wt[g];
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(norm_sizeof, "sizeof of arrays", norm_sizeof(p[0], p[1], p[2]),
           {1, OP2_F64, OP2_READ, 0, 0, -1, 1, {0}}, {1, OP2_F64, OP2_READ, 1, 1, 0, 0, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
