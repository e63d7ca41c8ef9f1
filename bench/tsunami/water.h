/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TSUNAMI_WATER_H
#define TSUNAMI_WATER_H

#include <stdint.h>
#include <stdio.h>

/** @file water.h
 * Constants of the scheme, and the output of the programs about the water. Lengths are in metres,
 * times in seconds. */

#define WATER_GRAVITY 9.81
#define WATER_DRY     1e-3 /**< depth up to which a cell counts as dry */
#define WATER_CFL     0.5
#define WATER_NO_STEP 1e30 /**< start value of the search for the least time step */

/** The water at one time. */
typedef struct water {
  double volume; /**< m^3 */
  double energy; /**< kinetic and potential, for a density of 1 kg/m^3, relative to the sea level */
  double depth;  /**< least depth of all cells */
  double speed;  /**< greatest speed of all cells */
} water;

static inline void water_print_header(void) {
  puts("step time volume energy least_depth greatest_speed");
}

static inline void water_print(int step, double time, const water *w) {
  printf("%d %.15e %.15e %.15e %.15e %.15e\n", step, time, w->volume, w->energy, w->depth,
         w->speed);
  fflush(stdout);
}

#endif
