/* SPDX-License-Identifier: BSD-3-Clause */
/* Gradients and a limiter on squares, with all variables declared at the beginning of a block as in
 * C89, counters that run under a condition, and macros for constants. */
#include "op_seq.h"

#include "compat_check.h"

#define EPS   1e-9
#define SIDES 4

double wet;

/* A cell's gradient by differences to the cells that face its sides. */
void gradient(const double *q, const double **near, double *grad) {
  grad[0] = 0.5 * (near[1][0] - near[0][0]);
  grad[1] = 0.5 * (near[3][0] - near[2][0]);
  if (q[0] <= wet) grad[0] = grad[1] = 0.0;
}

/* The least and the largest value around. */
void bounds(const double *q, const double **near, double *range) {
  int k;
  range[0] = q[0];
  range[1] = q[0];
  for (k = 0; k < SIDES; k++) {
    range[0] = MIN(range[0], near[k][0]);
    range[1] = MAX(range[1], near[k][0]);
  }
}

/* The part of the gradient that keeps values at the sides within the range. */
void limit(const double *const q, const double *grad, const double *range, double *lim) {
  int i, j;
  double value[SIDES], part, y;
  static const double sides[SIDES][2] = {{-0.5, 0.0}, {0.5, 0.0}, {0.0, -0.5}, {0.0, 0.5}};
  lim[0] = 1.0;
  if (q[0] > wet) {
    for (i = 0; i < SIDES; i++) {
      value[i] = q[0];
      for (j = 0; j < 2; j++) value[i] += sides[i][j] * grad[j];
    }
    for (i = 0; i < SIDES; i++) {
      part = value[i] - q[0];
      y = 1.0;
      if (part > EPS)
        y = (range[1] - q[0]) / part;
      else if (part < -EPS)
        y = (range[0] - q[0]) / part;
      lim[0] = lim[0] < y ? lim[0] : y;
    }
    lim[0] = MAX(lim[0], 0.0);
  }
}

/* A step downwind, with limited values at both sides, and how many gradients were cut. */
void transport(const double *lim, const double *grad, double *q, int *cut) {
  double flow;
  flow = lim[0] * grad[0] + 0.5 * lim[0] * grad[1];
  q[0] -= 0.1 * flow;
  if (lim[0] < 1.0) *cut += 1;
}

int main(int argc, char **argv) {
  const int N = 16, n = N * N;
  std::vector<double> q(n), grad(2 * n), range(2 * n), lim(n);
  std::vector<int> near;
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      q[j * N + i] = 2 * random_number() * (i > N / 3);
      near.push_back(j * N + (i + N - 1) % N), near.push_back(j * N + (i + 1) % N);
      near.push_back((j + N - 1) % N * N + i), near.push_back((j + 1) % N * N + i);
    }
  op_init(argc, argv, 1);
  op_set cells = set_of(n, "cells");
  op_map pnear = map_of(cells, cells, SIDES, near, "near");
  op_dat p_q = dat_of(cells, 1, "double", q, "q");
  op_dat p_grad = dat_of(cells, 2, "double", grad, "grad");
  op_dat p_range = dat_of(cells, 2, "double", range, "range");
  op_dat p_lim = dat_of(cells, 1, "double", lim, "lim");
  wet = 1e-3;
  op_decl_const(1, "double", &wet);
  op_partition("PTSCOTCH", "KWAY", cells, pnear, NULL);
  int cut = 0, cut2 = 0;
  for (int step = 0; step < 4; step++) {
    op_par_loop(gradient, "gradient", cells, op_arg_dat(p_q, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(p_q, -SIDES, pnear, 1, "double", OP_READ),
                op_arg_dat(p_grad, -1, OP_ID, 2, "double", OP_WRITE));
    op_par_loop(bounds, "bounds", cells, op_arg_dat(p_q, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(p_q, -SIDES, pnear, 1, "double", OP_READ),
                op_arg_dat(p_range, -1, OP_ID, 2, "double", OP_WRITE));
    op_par_loop(limit, "limit", cells, op_arg_dat(p_q, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(p_grad, -1, OP_ID, 2, "double", OP_READ),
                op_arg_dat(p_range, -1, OP_ID, 2, "double", OP_READ),
                op_arg_dat(p_lim, -1, OP_ID, 1, "double", OP_WRITE));
    op_par_loop(transport, "transport", cells, op_arg_dat(p_lim, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(p_grad, -1, OP_ID, 2, "double", OP_READ),
                op_arg_dat(p_q, -1, OP_ID, 1, "double", OP_RW), op_arg_gbl(&cut, 1, "int", OP_INC));
    for (int c = 0; c < n; c++) {
      const double *around[SIDES];
      for (int k = 0; k < SIDES; k++) around[k] = &q[near[SIDES * c + k]];
      gradient(&q[c], around, &grad[2 * c]);
      bounds(&q[c], around, &range[2 * c]);
    }
    for (int c = 0; c < n; c++) limit(&q[c], &grad[2 * c], &range[2 * c], &lim[c]);
    for (int c = 0; c < n; c++) transport(&lim[c], &grad[2 * c], &q[c], &cut2);
  }
  check(holds(p_q, q), "values");
  check(holds(p_lim, lim), "what the limiter leaves");
  check(cut == cut2 && cut > n, "how many gradients were cut");
  op_exit();
  return checked();
}
