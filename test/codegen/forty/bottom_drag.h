/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BOTTOM_DRAG_H
#define BOTTOM_DRAG_H

#include <math.h>

/* Drag by the law of the wall over a bed of roughness z0. */
static double wall_drag(double height, double z0) {
  double k = 0.4 / log(height / z0);
  return k * k > 2.5e-3 ? k * k : 2.5e-3;
}

#endif
