/* SPDX-License-Identifier: BSD-3-Clause */
/* Newton's iterations, which end earlier for some elements than for others: the compressibility of a
 * gas by Redlich and Kwong's equation of state. */
#include <math.h>

#include "common/lanes.h"
#include "kernels.h"

OP2_KERNEL(newton, (const double *pressure, const double *temperature, double *z), {
  double a = 0.42748 * *pressure / (*temperature * *temperature * sqrt(*temperature));
  double b = 0.08664 * *pressure / *temperature;
  double c1 = a - b - b * b;
  double c0 = a * b;
  double x = 1.0 + b;
  double step = 1.0;
  int k = 0;
  while (fabs(step) > 1e-10 && k < 30) {
    step = (((x - 1.0) * x + c1) * x - c0) / ((3.0 * x - 2.0) * x + c1);
    x -= step;
    k++;
  }
  *z = x;
});

/* The same as it is written to have the same trip count for all elements. */
OP2_KERNEL(newton_trips, (const double *pressure, const double *temperature, double *z), {
  double a = 0.42748 * *pressure / (*temperature * *temperature * sqrt(*temperature));
  double b = 0.08664 * *pressure / *temperature;
  double c1 = a - b - b * b;
  double c0 = a * b;
  double x = 1.0 + b;
  double step = 1.0;
  for (int k = 0; k < 30; k++) {
    if (fabs(step) > 1e-10) {
      step = (((x - 1.0) * x + c1) * x - c0) / ((3.0 * x - 2.0) * x + c1);
      x -= step;
    }
  }
  *z = x;
});

/* Near the critical point, at 1, more iterations are needed. */
static double above_critical(const problem *p, int64_t i, int k) {
  return problem_mixed(p, i, k) + 0.55;
}

static void make(problem *p, int64_t n) {
  mesh_direct(p, n);
  problem_dat_add(p, 0, 1, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 1, OP2_F64, READ, above_critical);
  problem_dat_add(p, 0, 1, OP2_F64, WRITTEN, problem_zero);
}

static op2_status queue(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_READ), op2_arg_direct(o->dat[2], OP2_WRITE));
}

WHOLE static void newton_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, pressure, 0);
  FIELD(const double, temperature, 1);
  FIELD(double, z, 2);
  for (int64_t i = first; i < last; i++) newton(pressure + i, temperature + i, z + i);
}

static inline lane_mask beyond(lanes step) {
  return (step > lanes_all(1e-10)) | (step < lanes_all(-1e-10));
}

/* All lanes go on until none is left; those that have ended keep their values. */
static inline lanes solve(lanes pressure, lanes temperature) {
  lanes root;
  for (int l = 0; l < LANES; l++) root[l] = sqrt(temperature[l]);
  const lanes a = 0.42748 * pressure / (temperature * temperature * root),
              b = 0.08664 * pressure / temperature, c1 = a - b - b * b, c0 = a * b;
  lanes x = 1.0 + b, step = lanes_all(1);
  lane_mask left = beyond(step);
  for (int k = 0; k < 30 && lanes_any(left); k++) {
    const lanes next = (((x - 1.0) * x + c1) * x - c0) / ((3.0 * x - 2.0) * x + c1);
    step = lanes_select(left, next, step);
    x = lanes_select(left, x - next, x);
    left = beyond(step);
  }
  return x;
}

WHOLE static void newton_lanes(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, pressure, 0);
  FIELD(const double, temperature, 1);
  FIELD(double, z, 2);
  int64_t i = first;
  for (; i + LANES <= last; i += LANES)
    lanes_store(z + i, solve(lanes_load(pressure + i), lanes_load(temperature + i)));
  newton_scalar(a, i, last);
}

#define TWINS                                                                                      \
  {                                                                                                \
    {"scalar", 1, {{newton_scalar, 0, 0}}}, {                                                      \
      "lanes", 1, {                                                                                \
        { newton_lanes, 0, 0 }                                                                     \
      }                                                                                            \
    }                                                                                              \
  }

const yardstick yardstick_newton = {
    .name = "newton",
    .what = "an equation of state by Newton's iterations, with while",
    .make = make,
    .kernel = {&newton_kernel},
    .queue = queue,
    .flops = 80,
    .tolerance = 1e-10,
    .twins = TWINS,
};

const yardstick yardstick_newton_trips = {
    .name = "newton_trips",
    .what = "the same with 30 trips for each element",
    .make = make,
    .kernel = {&newton_trips_kernel},
    .queue = queue,
    .flops = 80,
    .tolerance = 1e-10,
    .twins = TWINS,
};
