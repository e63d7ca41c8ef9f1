/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EULER_KERNELS_LEVELS_H
#define EULER_KERNELS_LEVELS_H

#include "kernels.h"

/** @file kernels_levels.h
 * The kernels between the levels of a multigrid method, by the full approximation scheme: a coarse
 * level starts from the mean of the finer states, and its residual is changed by what makes it that
 * of the finer level there. */

OP2_KERNEL(clear, (double *sum, double *force), {
  for (int n = 0; n < 6; n++) sum[n] = 0.0;
  for (int n = 0; n < 5; n++) force[n] = 0.0;
});

/* Give half of a fine node's state and residual to each of its parents. */
OP2_KERNEL(collect,
           (const double *area, const double *q, double *res, double *sum1, double *sum2,
            double *force1, double *force2),
           {
             double half = 0.5 * *area;
             for (int n = 0; n < 5; n++) {
               sum1[n] += half * q[n];
               sum2[n] += half * q[n];
               force1[n] += 0.5 * res[n];
               force2[n] += 0.5 * res[n];
               res[n] = 0.0;
             }
             sum1[5] += half;
             sum2[5] += half;
           });

OP2_KERNEL(begin_level, (const double *sum, double *q, double *first), {
  double r = 1.0 / sum[5];
  for (int n = 0; n < 5; n++) {
    q[n] = r * sum[n];
    first[n] = q[n];
  }
});

/* Subtract the coarse level's own residual from that of the finer level. */
OP2_KERNEL(balance, (double *res, double *force), {
  for (int n = 0; n < 5; n++) {
    force[n] -= res[n];
    res[n] = 0.0;
  }
});

OP2_KERNEL(add_force, (const double *force, double *res), {
  for (int n = 0; n < 5; n++) res[n] += force[n];
});

/* Change a fine node's state by the mean change of its parents. */
OP2_KERNEL(prolong,
           (const double *q1, const double *q2, const double *first1, const double *first2,
            double *q),
           {
             for (int n = 0; n < 5; n++) q[n] += 0.5 * (q1[n] - first1[n] + q2[n] - first2[n]);
           });

#endif
