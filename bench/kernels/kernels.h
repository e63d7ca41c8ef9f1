/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "yardstick.h"

/** @file kernels.h
 * All kernels: X(name) for each row of the table, in the order of the table. */

#define YARDSTICKS(X)                                                                              \
  X(fill)                                                                                          \
  X(axpy)                                                                                          \
  X(update) /* fill.c */                                                                           \
  X(dense12)                                                                                       \
  X(row144)                                                                                        \
  X(hex8)                                                                                          \
  X(row27) /* dense.c */                                                                           \
  X(chemistry)                                                                                     \
  X(waves)                                                     /* chemistry.c */                   \
      X(newton) X(newton_trips)                                /* newton.c */                      \
      X(lookup) X(ragged) X(hash)                              /* lookup.c */                      \
      X(heat)                                                  /* heat.c */                        \
      X(quadratic)                                             /* assembly.c */                    \
      X(euler) X(euler32) X(flux5) X(mixed)                    /* flux.c */                        \
      X(hllc) X(shallow) X(mhd)                                /* riemann.c */                     \
      X(elastic) X(stored)                                     /* solid.c */                       \
      X(lu5) X(limiter) X(lattice)                             /* cells.c */                       \
      X(particles)                                             /* particles.c */                   \
      X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) /* functions.c */                   \
      X(sin) X(cos) X(tan) X(sinh) X(cosh) X(tanh) X(asin) X(acos) X(atan) X(asinh) X(acosh)       \
          X(atanh) X(cbrt) X(erf) X(erfc) X(pow) X(atan2) X(hypot)

#define YARDSTICK_DECLARE(name) extern const yardstick yardstick_##name;
YARDSTICKS(YARDSTICK_DECLARE)

#endif
