/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEAT_KERNELS_H
#define HEAT_KERNELS_H

#include <math.h>

#include "op2.h"

/** @file kernels.h
 * The three loops of a time step: the flow along the edges, the new temperatures, and the largest
 * change of any temperature. */

OP2_KERNEL(flow, (const double *weight, const double *ua, const double *ub, double *ga, double *gb),
           {
             double heat = *weight * (*ub - *ua);
             *ga += heat;
             *gb -= heat;
           });

OP2_KERNEL(advance, (const double *rate, const double *gain, double *u), { *u += *rate * *gain; });

/* The largest change; the gains are set to zero for the next time step. */
OP2_KERNEL(measure, (const double *rate, double *gain, double *change), {
  double size = fabs(*rate * *gain);
  *change = size > *change ? size : *change;
  *gain = 0.0;
});

#endif
