/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels whose text is wrong by a unit in the last place if FAULTS is defined, as t873 does for the
 * text that the library gets and not for the compiled function. */
#include "op_seq.h"

#include "compat_check.h"

#ifdef FAULTS
#define FACTOR 1.0000000000000002
#else
#define FACTOR 1
#endif

void last_place(const double *x, double *y) { y[0] = (x[0] * x[1] + x[2]) * FACTOR; }
void sum(const double *x, double *total) { *total += (x[0] * x[1] + x[2]) * FACTOR; }
void rounded(const double *x, double *y) { y[0] = exp(x[0]) * FACTOR; }
/* Right, with much to contract. */
void right(const double *x, double *y) {
  double t = x[0] * x[1] - x[1] * x[2];
  for (int k = 0; k < 5; k++) t = t * x[0] + (x[2] - t) * x[1];
  y[1] = t + x[2] * x[2];
}

static const int n = 100;

int main(int argc, char **argv) {
  std::vector<double> x(3 * n), y(2 * n);
  double total = 0, wanted = 0;
  for (double &v : x) v = random_number();
  op_init(argc, argv, 2);
  op_set set = set_of(n, "set");
  op_dat p_x = dat_of(set, 3, "double", x, "x"), p_y = dat_of(set, 2, "double", y, "y");
  op_arg in = op_arg_dat(p_x, -1, OP_ID, 3, "double", OP_READ);
  op_arg out = op_arg_dat(p_y, -1, OP_ID, 2, "double", OP_RW);
  op_par_loop(last_place, "last_place", set, in, out);
  op_par_loop(right, "right", set, in, out);
  for (int e = 0; e < n; e++) last_place(&x[3 * e], &y[2 * e]), right(&x[3 * e], &y[2 * e]);
  check(holds(p_y, y, 1e-14), "a dat");
  op_par_loop(sum, "sum", set, in, op_arg_gbl(&total, 1, "double", OP_INC));
  op_par_loop(rounded, "rounded", set, in, out);
  for (int e = 0; e < n; e++) sum(&x[3 * e], &wanted), rounded(&x[3 * e], &y[2 * e]);
  check(holds(p_y, y, 1e-14) && close_to(&total, &wanted, 1, 1e-14), "a dat and a sum");
  op_diagnostic_output();
  op_exit();
  return checked();
}
