/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EULER_CHANNEL_H
#define EULER_CHANNEL_H

#include <math.h>

/** @file channel.h
 * The channel with a bump on its floor, as an image of the rectangle [0, 3] x [0, 1]. */

enum { CHANNEL_LENGTH = 3 };

#define CHANNEL_BUMP 0.1

/** Move a point of the rectangle to its place in the channel. */
static inline void channel_place(double *x) {
  const double s = x[0] > 1 && x[0] < 2 ? sin(acos(-1.0) * (x[0] - 1)) : 0;
  const double floor = CHANNEL_BUMP * s * s;
  x[1] = floor + (1 - floor) * x[1];
}

#endif
