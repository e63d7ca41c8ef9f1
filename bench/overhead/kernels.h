/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVERHEAD_KERNELS_H
#define OVERHEAD_KERNELS_H

#include "op2.h"

/** @file kernels.h
 * Kernels that do little, so that the cost of queueing and running them shows. Repeating one drives
 * no value to infinity. */

/* clang-format off */
OP2_KERNEL(relax, (double *x), { x[0] = 0.5 * x[0] + 1.0; });

OP2_KERNEL(combine, (const double *a, const double *b, double *c, double *sum), {
  c[0] = a[0] * b[0] + b[1];
  c[1] = a[0] * b[1] - b[0];
  sum[0] += c[0] + c[1];
});

OP2_KERNEL(advance,
           (const double *a, const double *b, const double *c, double *d, double *e, double *f,
            double *g, double *sum),
           {
             e[0] = a[0] * b[0] + c[0];
             e[1] = a[0] * b[1] + c[1];
             f[0] = b[0] * c[2];
             f[1] = b[1] * c[3];
             f[2] = c[0] - c[2];
             f[3] = c[1] - c[3];
             d[0] = 0.5 * d[0] + f[2];
             g[0] = 0.5 * g[0] + e[0];
             g[1] = 0.5 * g[1] + e[1];
             sum[0] += d[0];
           });
/* clang-format on */

#endif
