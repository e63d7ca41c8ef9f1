/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in each of which something else stands if FAULTS is defined. The test defines it for the
 * text that the library gets, and not for the compiled function, so that the text is wrong in a way
 * in which a translation may be. */
#include "op_seq.h"

#include <algorithm>

#include "compat_check.h"

#ifdef FAULTS
#define FAULT(right, wrong) wrong
#else
#define FAULT(right, wrong) right
#endif
#define KERNEL(name) void name(const double *x, const float *f, const int *i, double *y, int *n)

typedef long long wide;
constexpr double table[] = {0.5, FAULT(1.25, 1.2500000001), 2.5};
inline void add_to(double FAULT(&sum, sum), double value) { sum += value; }

KERNEL(constant) { y[0] = FAULT(0.5, 0.25) * x[0]; }
KERNEL(entry_of_table) { y[0] = table[1] * x[0]; }
KERNEL(dropped_statement) {
  y[0] = x[0];
  FAULT(y[1] = x[1], );
}
KERNEL(swapped_operands) { y[0] = FAULT(x[0] - x[1], x[1] - x[0]); }
KERNEL(sign) { y[0] = x[0] FAULT(+, -) x[1]; }
KERNEL(precedence) { y[0] = FAULT((x[0] + x[1]), x[0] + x[1]) * x[2]; }
KERNEL(float_for_double) {
  FAULT(double, float) t = x[0] * x[1];
  y[0] = t;
}
KERNEL(double_for_float) { y[0] = FAULT(sqrt(*f), sqrt((double)*f)); }
KERNEL(lost_cast) { y[0] = FAULT(double(i[0]), i[0]) / 7; }
KERNEL(real_division) { y[0] = i[0] / FAULT(2, 2.0); }
KERNEL(narrow_integer) {
  wide product = FAULT((wide), ) i[0] * 1000003;
  n[0] = (int)(product >> 20);
}
KERNEL(unsigned_comparison) { n[0] = i[1] < FAULT(7, 7u) ? 1 : 2; }
KERNEL(least_for_most) { y[0] = std::FAULT(min, max)(x[0], x[1]); }
KERNEL(integer_abs) { y[0] = FAULT(fabs(x[0] - 1), abs((int)(x[0] - 1))); }
KERNEL(index) { y[0] = x[FAULT(1, 2)] + y[FAULT(1, 0)]; }
KERNEL(short_loop) {
  y[0] = 0;
  for (int k = 0; k < FAULT(3, 2); k++) y[0] += x[k];
}
KERNEL(condition) {
  if (x[0] FAULT(<, >) 0.5) n[0] = 3;
}
KERNEL(value_for_reference) {
  double sum = x[0];
  add_to(sum, x[1]);
  y[0] = sum;
}
KERNEL(inner_scope) {
  double t = x[0];
  {
    FAULT(double, ) t = x[1];
    y[1] = t;
  }
  y[0] = t;
}
KERNEL(fall_through) {
  switch (i[0] % 3) {
  case 0: n[0] = 5; FAULT(break, );
  case 1: n[0] = 6; break;
  default: n[0] = 7;
  }
}

static const int n = 100;
static op_set set;
static op_dat p_x, p_f, p_i, p_y, p_n;
static std::vector<double> x(3 * n), y(2 * n);
static std::vector<float> f(n);
static std::vector<int> i(2 * n), m(n);

#define TRIED(name)                                                                                \
  op_par_loop(name, #name, set, op_arg_dat(p_x, -1, OP_ID, 3, "double", OP_READ),                  \
              op_arg_dat(p_f, -1, OP_ID, 1, "float", OP_READ),                                     \
              op_arg_dat(p_i, -1, OP_ID, 2, "int", OP_READ),                                       \
              op_arg_dat(p_y, -1, OP_ID, 2, "double", OP_RW),                                      \
              op_arg_dat(p_n, -1, OP_ID, 1, "int", OP_RW));                                        \
  for (int e = 0; e < n; e++) name(&x[3 * e], &f[e], &i[2 * e], &y[2 * e], &m[e]);                 \
  check(holds(p_y, y, 1e-14) && holds(p_n, m, 0), #name);

int main(int argc, char **argv) {
  for (double &v : x) v = random_number();
  for (float &v : f) v = (float)random_number();
  for (int &v : i) v = (int)(200000 * random_number()) - 100000;
  op_init(argc, argv, 1);
  set = set_of(n, "set");
  p_x = dat_of(set, 3, "double", x, "x"), p_f = dat_of(set, 1, "float", f, "f");
  p_i = dat_of(set, 2, "int", i, "i"), p_y = dat_of(set, 2, "double", y, "y");
  p_n = dat_of(set, 1, "int", m, "n");
  TRIED(constant)
  TRIED(entry_of_table)
  TRIED(dropped_statement)
  TRIED(swapped_operands)
  TRIED(sign)
  TRIED(precedence)
  TRIED(float_for_double)
  TRIED(double_for_float)
  TRIED(lost_cast)
  TRIED(real_division)
  TRIED(narrow_integer)
  TRIED(unsigned_comparison)
  TRIED(least_for_most)
  TRIED(integer_abs)
  TRIED(index)
  TRIED(short_loop)
  TRIED(condition)
  TRIED(value_for_reference)
  TRIED(inner_scope)
  TRIED(fall_through)
  op_exit();
  return checked();
}
