/* SPDX-License-Identifier: BSD-3-Clause */
/* A step of three loops whose largest change the host looks at, as in bench/heat: sizes count
 * nodes. */
#include <math.h>

#include "kernels.h"

OP2_KERNEL(flow, (const double *weight, const double *ua, const double *ub, double *ga, double *gb),
           {
             double heat = *weight * (*ub - *ua);
             *ga += heat;
             *gb -= heat;
           });

OP2_KERNEL(advance, (const double *rate, const double *gain, double *u), { *u += *rate * *gain; });

OP2_KERNEL(measure, (const double *rate, double *gain, double *most), {
  double size = fabs(*rate * *gain);
  *most = size > *most ? size : *most;
  *gain = 0.0;
});

static double slow(const problem *p, int64_t i, int k) { return 0.05 * problem_mixed(p, i, k); }

static void make(problem *p, int64_t n) {
  mesh_triangles(p, n);
  problem_dat_add(p, 1, 1, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 1, OP2_F64, READ, slow);
  problem_dat_add(p, 0, 1, OP2_F64, CHANGED, problem_zero);
  problem_dat_add(p, 0, 1, OP2_F64, CHANGED, problem_mixed);
}

static op2_status queue(ours *o) {
  op2_status status = op2_gbl_set(o->most, (double[]){0});
  if (!status)
    status = op2_par_loop(o->kernel[0], o->set[1], op2_arg_direct(o->dat[0], OP2_READ),
                          op2_arg_dat(o->dat[3], 0, o->map[0], OP2_READ),
                          op2_arg_dat(o->dat[3], 1, o->map[0], OP2_READ),
                          op2_arg_dat(o->dat[2], 0, o->map[0], OP2_INC),
                          op2_arg_dat(o->dat[2], 1, o->map[0], OP2_INC));
  if (!status)
    status = op2_par_loop(o->kernel[1], o->set[0], op2_arg_direct(o->dat[1], OP2_READ),
                          op2_arg_direct(o->dat[2], OP2_READ), op2_arg_direct(o->dat[3], OP2_RW));
  if (!status)
    status = op2_par_loop(o->kernel[2], o->set[0], op2_arg_direct(o->dat[1], OP2_READ),
                          op2_arg_direct(o->dat[2], OP2_RW), op2_arg_gbl(o->most, OP2_MAX));
  return status ? status : op2_gbl_get(o->most, &o->found);
}

static void flow_by_hand(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, weight, 0);
  FIELD(double, gain, 2);
  FIELD(const double, u, 3);
  ROWS(ends, 0);
  for (int64_t e = first; e < last; e++) {
    const int32_t i = ends[2 * e], j = ends[2 * e + 1];
    const double heat = weight[e] * (u[j] - u[i]);
    gain[i] += heat;
    gain[j] -= heat;
  }
}

WHOLE static void nodes_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, rate, 1);
  FIELD(double, gain, 2);
  FIELD(double, u, 3);
  double most = *a->most;
  for (int64_t i = first; i < last; i++) {
    advance(rate + i, gain + i, u + i);
    measure(rate + i, gain + i, &most);
  }
  *a->most = most;
}

WHOLE static void nodes_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, rate, 1);
  FIELD(double, gain, 2);
  FIELD(double, u, 3);
  double most = *a->most;
#pragma omp simd reduction(max : most)
  for (int64_t i = first; i < last; i++) {
    const double change = rate[i] * gain[i], size = fabs(change);
    u[i] += change;
    most = size > most ? size : most;
    gain[i] = 0.0;
  }
  *a->most = most;
}

const yardstick yardstick_heat = {
    .name = "heat",
    .what = "a step of bench/heat, whose largest change the host reads",
    .make = make,
    .kernel = {&flow_kernel, &advance_kernel, &measure_kernel},
    .queue = queue,
    .flops = 17,
    .most = true,
    .twins = {{"scalar", 1, {{flow_by_hand, 1, 1}, {nodes_scalar, 0, 0}}},
              {"simd", 1, {{flow_by_hand, 1, 1}, {nodes_simd, 0, 0}}}},
};
