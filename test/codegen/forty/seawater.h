/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of seawater that several kernels share. */
#ifndef SEAWATER_H
#define SEAWATER_H

#include <math.h>

#include "seawater_types.h"

#define RHO0 1027.0

/* The density of fresh water at the surface, by a polynomial. */
static inline real sw_fresh(real t) {
  return 999.842594 +
         t * (6.793952e-2 + t * (-9.095290e-3 + t * (1.001685e-4 + t * (-1.120083e-6))));
}

static inline real sw_density(real t, real s) {
  const real a = 8.24493e-1 + t * (-4.0899e-3 + t * 7.6438e-5), b = -5.72466e-3 + 1.0227e-4 * t;
  return sw_fresh(t) + s * (a + b * sqrt(s) + 4.8314e-4 * s);
}

#endif
