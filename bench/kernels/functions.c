/* SPDX-License-Identifier: BSD-3-Clause */
/* Single functions of the math library, each in a loop of its own. */
#include <math.h>

#include "kernels.h"
#include "mvec.h"

/* ---- arguments at the start ---- */

static double positive(const problem *p, int64_t i, int k) {
  return 20 * problem_mixed(p, i, k) - 9.5;
}

static double above_one(const problem *p, int64_t i, int k) {
  return 20 * problem_mixed(p, i, k) - 8.5;
}

static double small(const problem *p, int64_t i, int k) { return 3 * problem_unit(p, i, k); }

/* ---- one function of one argument ---- */

static void make_one(problem *p, int64_t n, op2_type type, problem_value *value) {
  mesh_direct(p, n);
  problem_dat_add(p, 0, 1, type, READ, value);
  problem_dat_add(p, 0, 1, type, WRITTEN, problem_zero);
}

static op2_status queue_one(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_WRITE));
}

#ifdef BENCH_MVEC
#define MVEC_TWIN_ONE(name, declare, T, width, load, store)                                        \
  declare(name);                                                                                   \
  WHOLE static void name##_mvec(const arrays *a, int64_t first, int64_t last) {                    \
    FIELD(const T, x, 0);                                                                          \
    FIELD(T, y, 1);                                                                                \
    int64_t i = first;                                                                             \
    for (; i + width <= last; i += width) store(y + i, mvec_##name(load(x + i)));                  \
    for (; i < last; i++) one_##name(x + i, y + i);                                                \
  }
/* clang-format off */
#define MVEC_ROW(name) {"libmvec", 0.65, {{name##_mvec, 0, 0}}}
/* clang-format on */
#else
#define MVEC_TWIN_ONE(name, declare, T, width, load, store)
#define MVEC_ROW(name)
#endif

#define FUNCTION_KERNEL(name_, T, type, domain)                                                    \
  OP2_KERNEL(one_##name_, (const T *x, T *y), { *y = name_(*x); });                                \
  static void make_##name_(problem *p, int64_t n) { make_one(p, n, type, domain); }                \
  WHOLE static void name_##_scalar(const arrays *a, int64_t first, int64_t last) {                 \
    FIELD(const T, x, 0);                                                                          \
    FIELD(T, y, 1);                                                                                \
    for (int64_t i = first; i < last; i++) one_##name_(x + i, y + i);                              \
  }

#define FUNCTION_ROW(name_, make_, kernel_, queue_, near)                                          \
  const yardstick yardstick_##name_ = {                                                            \
      .name = #name_,                                                                              \
      .what = "the function alone",                                                                \
      .make = make_,                                                                               \
      .kernel = {&kernel_},                                                                        \
      .queue = queue_,                                                                             \
      .flops = 1,                                                                                  \
      .tolerance = near,                                                                           \
      .twins = {{"scalar", 1, {{name_##_scalar, 0, 0}}}, MVEC_ROW(name_)},                         \
  };

#define FUNCTION(name, domain)                                                                     \
  FUNCTION_KERNEL(name, double, OP2_F64, domain)                                                   \
  MVEC_TWIN_ONE(name, MVEC_ONE, double, LANES, lanes_load, lanes_store)                            \
  FUNCTION_ROW(name, make_##name, one_##name##_kernel, queue_one, 1e-12)

#define FUNCTION32(name, domain)                                                                   \
  FUNCTION_KERNEL(name, float, OP2_F32, domain)                                                    \
  MVEC_TWIN_ONE(name, MVEC_ONE32, float, LANES32, lanes_load_f32, lanes_store_f32)                 \
  FUNCTION_ROW(name, make_##name, one_##name##_kernel, queue_one, 1e-6)

FUNCTION(exp, problem_wide)
FUNCTION(exp2, problem_wide)
FUNCTION(expm1, small)
FUNCTION(log, positive)
FUNCTION(log2, positive)
FUNCTION(log10, positive)
FUNCTION(log1p, positive)
FUNCTION(sin, problem_wide)
FUNCTION(cos, problem_wide)
FUNCTION(tan, problem_wide)
FUNCTION(sinh, small)
FUNCTION(cosh, small)
FUNCTION(tanh, small)
FUNCTION(asin, problem_unit)
FUNCTION(acos, problem_unit)
FUNCTION(atan, small)
FUNCTION(asinh, small)
FUNCTION(acosh, above_one)
FUNCTION(atanh, problem_unit)
FUNCTION(cbrt, problem_wide)
FUNCTION(erf, small)
FUNCTION(erfc, small)
FUNCTION32(expf, problem_wide)
FUNCTION32(logf, positive)
FUNCTION32(sinf, problem_wide)
FUNCTION32(cosf, problem_wide)
FUNCTION32(tanhf, small)

/* ---- one function of two arguments ---- */

static void make_two(problem *p, int64_t n, problem_value *value) {
  mesh_direct(p, n);
  problem_dat_add(p, 0, 1, OP2_F64, READ, value);
  problem_dat_add(p, 0, 1, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 1, OP2_F64, WRITTEN, problem_zero);
}

static op2_status queue_two(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_READ), op2_arg_direct(o->dat[2], OP2_WRITE));
}

#ifdef BENCH_MVEC
#define MVEC_TWIN_TWO(name)                                                                        \
  MVEC_TWO(name);                                                                                  \
  static void name##_mvec(const arrays *a, int64_t first, int64_t last) {                          \
    FIELD(const double, x, 0);                                                                     \
    FIELD(const double, z, 1);                                                                     \
    FIELD(double, y, 2);                                                                           \
    int64_t i = first;                                                                             \
    for (; i + LANES <= last; i += LANES)                                                          \
      lanes_store(y + i, mvec_##name(lanes_load(x + i), lanes_load(z + i)));                       \
    for (; i < last; i++) two_##name(x + i, z + i, y + i);                                         \
  }
#else
#define MVEC_TWIN_TWO(name)
#endif

#define FUNCTION_TWO(name_, domain)                                                                \
  OP2_KERNEL(two_##name_, (const double *x, const double *z, double *y), { *y = name_(*x, *z); }); \
  static void make_##name_(problem *p, int64_t n) { make_two(p, n, domain); }                      \
  static void name_##_scalar(const arrays *a, int64_t first, int64_t last) {                       \
    FIELD(const double, x, 0);                                                                     \
    FIELD(const double, z, 1);                                                                     \
    FIELD(double, y, 2);                                                                           \
    for (int64_t i = first; i < last; i++) two_##name_(x + i, z + i, y + i);                       \
  }                                                                                                \
  MVEC_TWIN_TWO(name_)                                                                             \
  FUNCTION_ROW(name_, make_##name_, two_##name_##_kernel, queue_two, 1e-12)

FUNCTION_TWO(pow, positive)
FUNCTION_TWO(atan2, problem_unit)
FUNCTION_TWO(hypot, problem_wide)
