/* SPDX-License-Identifier: BSD-3-Clause */
/* Several functions of the math library in a kernel. */
#include <math.h>

#include "kernels.h"
#include "mvec.h"

/* ---- reactions ------------------------------------------------------------------------------- */

/* Eighteen reactions between six species, by Arrhenius' law: two species meet and two others come
 * of it. Temperatures are around 1500. */
OP2_KERNEL(chemistry, (double *c, double *t), {
  const double factor[18] = {2.1, 1.7, 0.9, 2.6, 1.2, 0.4, 1.9, 2.2, 0.7,
                             1.1, 0.3, 1.4, 2.0, 0.8, 1.6, 0.5, 1.3, 0.6};
  const double power[18] = {0.5, 0.0,  1.0, -0.5, 0.3, 0.0, 0.7, -0.8, 0.2,
                            0.0, -0.3, 0.4, 0.9,  0.1, 0.0, 0.6, -0.2, 0.5};
  const double energy[18] = {8400, 3100, 7200, 5600, 9100, 1200, 4300, 6600, 2500,
                             3700, 8800, 5100, 7700, 1900, 6200, 4600, 9500, 2900};
  const int from[18] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
  const int with[18] = {1, 2, 3, 4, 5, 0, 2, 3, 4, 5, 0, 1, 3, 4, 5, 0, 1, 2};
  double log_t = log(*t * 0.001);
  double per_t = 1.0 / *t;
  double change[6] = {0, 0, 0, 0, 0, 0};
  double heat = 0;
  for (int r = 0; r < 18; r++) {
    double rate = factor[r] * exp(power[r] * log_t - energy[r] * per_t) * c[from[r]] * c[with[r]];
    change[from[r]] -= rate;
    change[with[r]] -= rate;
    change[(from[r] + 2) % 6] += rate;
    change[(with[r] + 3) % 6] += rate;
    heat += rate * energy[r];
  }
  for (int s = 0; s < 6; s++) c[s] += 1e-6 * change[s];
  *t += 1e-9 * heat * sqrt(per_t);
});

static double temperature(const problem *p, int64_t i, int k) {
  return 1500 * problem_mixed(p, i, k) + 300;
}

static void make_chemistry(problem *p, int64_t n) {
  mesh_direct(p, n);
  problem_dat_add(p, 0, 6, OP2_F64, CHANGED, problem_mixed);
  problem_dat_add(p, 0, 1, OP2_F64, CHANGED, temperature);
}

static op2_status queue_chemistry(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_RW),
                      op2_arg_direct(o->dat[1], OP2_RW));
}

WHOLE static void chemistry_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, c, 0);
  FIELD(double, t, 1);
  for (int64_t i = first; i < last; i++) chemistry(c + 6 * i, t + i);
}

#ifdef BENCH_MVEC
MVEC_ONE(exp);
MVEC_ONE(log);
MVEC_ONE(sin);
MVEC_ONE(cos);
MVEC_TWO(pow);

static inline void react(lanes c[6], lanes *t) {
  static const double factor[18] = {2.1, 1.7, 0.9, 2.6, 1.2, 0.4, 1.9, 2.2, 0.7,
                                    1.1, 0.3, 1.4, 2.0, 0.8, 1.6, 0.5, 1.3, 0.6};
  static const double power[18] = {0.5, 0.0,  1.0, -0.5, 0.3, 0.0, 0.7, -0.8, 0.2,
                                   0.0, -0.3, 0.4, 0.9,  0.1, 0.0, 0.6, -0.2, 0.5};
  static const double energy[18] = {8400, 3100, 7200, 5600, 9100, 1200, 4300, 6600, 2500,
                                    3700, 8800, 5100, 7700, 1900, 6200, 4600, 9500, 2900};
  const lanes log_t = mvec_log(*t * 0.001), per_t = 1.0 / *t;
  lanes change[6] = {{0}}, heat = {0};
  for (int r = 0; r < 18; r++) {
    const int from = r % 6, with = (r + 1 + r / 6) % 6;
    const lanes rate =
        factor[r] * mvec_exp(power[r] * log_t - energy[r] * per_t) * c[from] * c[with];
    change[from] -= rate;
    change[with] -= rate;
    change[(from + 2) % 6] += rate;
    change[(with + 3) % 6] += rate;
    heat += rate * energy[r];
  }
  for (int s = 0; s < 6; s++) c[s] += 1e-6 * change[s];
  for (int l = 0; l < LANES; l++) (*t)[l] += 1e-9 * heat[l] * sqrt(per_t[l]);
}

WHOLE static void chemistry_mvec(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, c, 0);
  FIELD(double, t, 1);
  int64_t i = first;
  for (; i + LANES <= last; i += LANES) {
    lanes column[6], heat = lanes_load(t + i);
    for (int s = 0; s < 6; s++)
      for (int l = 0; l < LANES; l++) column[s][l] = c[6 * (i + l) + s];
    react(column, &heat);
    for (int s = 0; s < 6; s++)
      for (int l = 0; l < LANES; l++) c[6 * (i + l) + s] = column[s][l];
    lanes_store(t + i, heat);
  }
  chemistry_scalar(a, i, last);
}
/* clang-format off */
#define MVEC_ROW(name) {"libmvec", 0.8, {{name, 0, 0}}}
/* clang-format on */
#else
#define MVEC_ROW(name)
#endif

const yardstick yardstick_chemistry = {
    .name = "chemistry",
    .what = "18 reactions, with 20 functions",
    .make = make_chemistry,
    .kernel = {&chemistry_kernel},
    .queue = queue_chemistry,
    .flops = 245,
    .twins = {{"scalar", 1, {{chemistry_scalar, 0, 0}}}, MVEC_ROW(chemistry_mvec)},
};

/* ---- sin, cos, exp and pow ------------------------------------------------------------------- */

OP2_KERNEL(waves, (const double *x, double *y), {
  double s = sin(*x);
  double c = cos(*x);
  double e = exp(-*x);
  double p = pow(*x, 1.4);
  y[0] = s * e + c * p;
  y[1] = c * e - s * p;
});

static double above_zero(const problem *p, int64_t i, int k) {
  return 6 * problem_mixed(p, i, k) - 2.5;
}

static void make_waves(problem *p, int64_t n) {
  mesh_direct(p, n);
  problem_dat_add(p, 0, 1, OP2_F64, READ, above_zero);
  problem_dat_add(p, 0, 2, OP2_F64, WRITTEN, problem_zero);
}

static op2_status queue_waves(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_WRITE));
}

WHOLE static void waves_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, x, 0);
  FIELD(double, y, 1);
  for (int64_t i = first; i < last; i++) waves(x + i, y + 2 * i);
}

#ifdef BENCH_MVEC
WHOLE static void waves_mvec(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, x, 0);
  FIELD(double, y, 1);
  int64_t i = first;
  for (; i + LANES <= last; i += LANES) {
    const lanes v = lanes_load(x + i), s = mvec_sin(v), c = mvec_cos(v), e = mvec_exp(-v),
                p = mvec_pow(v, lanes_all(1.4)), y0 = s * e + c * p, y1 = c * e - s * p;
    lanes_store_pairs(y + 2 * i, y0, y1);
  }
  waves_scalar(a, i, last);
}
#endif

const yardstick yardstick_sincosexppow = {
    .name = "sincosexppow",
    .what = "sin, cos, exp and pow of one argument",
    .make = make_waves,
    .kernel = {&waves_kernel},
    .queue = queue_waves,
    .flops = 10,
    .twins = {{"scalar", 1, {{waves_scalar, 0, 0}}}, MVEC_ROW(waves_mvec)},
};
