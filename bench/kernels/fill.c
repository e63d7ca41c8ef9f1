/* SPDX-License-Identifier: BSD-3-Clause */
/* Contiguous narrow loops, as linear algebra has them. */
#include "common/lanes.h"
#include "kernels.h"

OP2_KERNEL(fill, (double *y), { *y = 1.25; });
OP2_KERNEL(axpy, (const double *x, double *y), { *y += 1e-9 * *x; });
OP2_KERNEL(update, (const double *old, const double *rate, double *res, double *q), {
  *q = *old - *rate * *res;
  *res = 0.0;
});

/* ---- fill ---- */

static void make_fill(problem *p, int64_t n) {
  mesh_direct(p, n);
  problem_dat_add(p, 0, 1, OP2_F64, WRITTEN, problem_zero);
}

static op2_status queue_fill(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_WRITE));
}

WHOLE static void fill_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, y, 0);
  for (int64_t i = first; i < last; i++) fill(&y[i]);
}

WHOLE static void fill_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, y, 0);
#pragma omp simd
  for (int64_t i = first; i < last; i++) fill(&y[i]);
}

/* Parts of a dat begin at whole vectors. */
WHOLE static void fill_stream(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, y, 0);
  int64_t i = first;
  for (; i + LANES <= last; i += LANES) lanes_stream(y + i, lanes_all(1.25));
  for (; i < last; i++) fill(&y[i]);
}

const yardstick yardstick_fill = {
    .name = "fill",
    .what = "a dat is set to a number",
    .make = make_fill,
    .kernel = {&fill_kernel},
    .queue = queue_fill,
    .twins = {{"scalar", 1, {{fill_scalar, 0, 0}}},
              {"simd", 1, {{fill_simd, 0, 0}}},
              {"stream", 0, {{fill_stream, 0, 0}}}},
};

/* ---- axpy ---- */

static void make_axpy(problem *p, int64_t n) {
  mesh_direct(p, n);
  problem_dat_add(p, 0, 1, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 1, OP2_F64, CHANGED, problem_mixed);
}

static op2_status queue_axpy(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_RW));
}

WHOLE static void axpy_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, x, 0);
  FIELD(double, y, 1);
  for (int64_t i = first; i < last; i++) axpy(&x[i], &y[i]);
}

WHOLE static void axpy_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, x, 0);
  FIELD(double, y, 1);
#pragma omp simd
  for (int64_t i = first; i < last; i++) axpy(&x[i], &y[i]);
}

const yardstick yardstick_axpy = {
    .name = "axpy",
    .what = "a multiple of one dat is added to another",
    .make = make_axpy,
    .kernel = {&axpy_kernel},
    .queue = queue_axpy,
    .flops = 2,
    .twins = {{"scalar", 1, {{axpy_scalar, 0, 0}}}, {"simd", 1, {{axpy_simd, 0, 0}}}},
};

/* ---- update ---- */

static void make_update(problem *p, int64_t n) {
  mesh_direct(p, n);
  problem_dat_add(p, 0, 1, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 1, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 1, OP2_F64, CHANGED, problem_mixed);
  problem_dat_add(p, 0, 1, OP2_F64, WRITTEN, problem_zero);
}

static op2_status queue_update(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_READ), op2_arg_direct(o->dat[2], OP2_RW),
                      op2_arg_direct(o->dat[3], OP2_WRITE));
}

WHOLE static void update_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, old, 0);
  FIELD(double, rate, 1);
  FIELD(double, res, 2);
  FIELD(double, q, 3);
  for (int64_t i = first; i < last; i++) update(&old[i], &rate[i], &res[i], &q[i]);
}

WHOLE static void update_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, old, 0);
  FIELD(double, rate, 1);
  FIELD(double, res, 2);
  FIELD(double, q, 3);
#pragma omp simd
  for (int64_t i = first; i < last; i++) update(&old[i], &rate[i], &res[i], &q[i]);
}

WHOLE static void update_stream(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, old, 0);
  FIELD(const double, rate, 1);
  FIELD(double, res, 2);
  FIELD(double, q, 3);
  int64_t i = first;
  for (; i + LANES <= last; i += LANES) {
    const lanes change = lanes_load(rate + i) * lanes_load(res + i);
    lanes_stream(q + i, lanes_load(old + i) - change);
    lanes_store(res + i, (lanes){0});
  }
  for (; i < last; i++) update(&old[i], &rate[i], &res[i], &q[i]);
}

const yardstick yardstick_update = {
    .name = "update",
    .what = "the end of a time step, which clears the residual",
    .make = make_update,
    .kernel = {&update_kernel},
    .queue = queue_update,
    .flops = 2,
    .twins = {{"scalar", 1, {{update_scalar, 0, 0}}},
              {"simd", 1, {{update_simd, 0, 0}}},
              {"stream", 0, {{update_stream, 0, 0}}}},
};
