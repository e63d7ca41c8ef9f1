/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums into variables of every type, with results that are there when the call returns, or
 * later with OP_LAZY; and scratch memory of kernels. */
#include "op_seq.h"

#include "compat_check.h"

#ifndef OP_LAZY
#define OP_LAZY(variable) (&(variable))
#endif

#define KERNELS(T, N)                                                                              \
  void sum_##N(const T *x, T *s) { s[0] += x[0], s[1] += x[1]; }
KERNELS(double, double)
KERNELS(float, float)
KERNELS(int, int)
KERNELS(uint, uint)
KERNELS(ll, ll)
KERNELS(ull, ull)
KERNELS(short, short)

void scaled(const double *a, const double *x, double *y) { *y = *a * *x; }
void total(const double *x, double *s) { *s += *x; }
/* Sorts three values in its scratch memory, and takes the middle one. */
void middle(const double *x, double *work, double *y) {
  work[0] = *x;
  work[1] = 0.5;
  work[2] = *y;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2 - i; k++)
      if (work[k] > work[k + 1]) {
        double larger = work[k];
        work[k] = work[k + 1];
        work[k + 1] = larger;
      }
  *y = work[1];
}

/* The sums of both values of a dat, by a kernel that a variable leads to. */
template <class T>
void by_variable(op_set set, const char *type, void (*sum)(const T *, T *), const char *name) {
  int n = op_get_size(set);
  std::vector<T> x(2 * (size_t)n);
  for (T &v : x) v = (T)(100 * random_number() + 1);
  op_dat dat = dat_of(set, 2, type, x, "x");
  T s[2] = {3, 4}, s2[2] = {3, 4};
  op_par_loop(sum, "sum", set, op_arg_dat(dat, -1, OP_ID, 2, type, OP_READ),
              op_arg_gbl(s, 2, type, OP_INC));
  for (int i = 0; i < n; i++) sum(&x[2 * i], s2);
  check(close_to(s, s2, 2, std::is_floating_point<T>::value ? 1e-12 : 0), name);
}

/* The same by name, so that the kernels can be found as text. */
#define BY_NAME(T, N)                                                                              \
  {                                                                                                \
    std::vector<T> x(2 * (size_t)n);                                                               \
    for (T & v : x) v = (T)(100 * random_number() + 1);                                            \
    op_dat dat = dat_of(set, 2, #T, x, "x");                                                       \
    T s[2] = {3, 4}, s2[2] = {3, 4};                                                               \
    op_par_loop(sum_##N, "sum", set, op_arg_dat(dat, -1, OP_ID, 2, #T, OP_READ),                   \
                op_arg_gbl(s, 2, #T, OP_INC));                                                     \
    for (int i = 0; i < n; i++) sum_##N(&x[2 * i], s2);                                            \
    double most_off = !std::is_floating_point<T>::value ? 0 : sizeof(T) == 8 ? 1e-12 : 1e-5;       \
    check(close_to(s, s2, 2, most_off), "sums of " #T);                                            \
  }

int main(int argc, char **argv) {
  const int n = 1000;
  op_init(argc, argv, 1);
  op_set set = set_of(n, "set");
  BY_NAME(double, double)
  BY_NAME(float, float)
  BY_NAME(int, int)
  BY_NAME(uint, uint)
  BY_NAME(ll, ll)
  BY_NAME(ull, ull)
  BY_NAME(short, short)
  by_variable<double>(set, "double", sum_double, "a kernel from a variable");
  by_variable<ll>(set, "ll", sum_ll, "a kernel of ll from a variable");

  std::vector<double> x(n), y(n);
  for (double &v : x) v = random_number();
  op_dat p_x = dat_of(set, 1, "double", x, "x");
  op_dat p_y = dat_of(set, 1, "double", y, "y");
  double a = 2, s = 0, expected = 1;
  for (double v : x) expected += 2 * v + 3 * v;
  s = 1;
  op_par_loop(scaled, "scaled", set, op_arg_gbl(&a, 1, "double", OP_READ),
              op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_WRITE));
  a = 3; /* the loop has the 2 */
  op_par_loop(total, "total", set, op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(OP_LAZY(s), 1, "double", OP_INC));
  check(s != s, "a result that is put off is not there");
  op_par_loop(scaled, "scaled", set, op_arg_gbl(&a, 1, "double", OP_READ),
              op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(total, "total", set, op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(OP_LAZY(s), 1, "double", OP_INC));
  op_lazy_get(&s);
  check(close_to(&s, &expected, 1, 1e-12), "op_lazy_get brings the sum of both loops");
  s = 0;
  op_par_loop(total, "total", set, op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(OP_LAZY(s), 1, "double", OP_INC));
  op_lazy_get(&s);
  expected = (expected - 1) * 3 / 5;
  check(close_to(&s, &expected, 1, 1e-12), "a value that the program gives counts");
  double twice = 0;
  s = 0;
  op_par_loop(total, "total", set, op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(OP_LAZY(s), 1, "double", OP_INC));
  op_par_loop(scaled, "scaled", set, op_arg_gbl(OP_LAZY(s), 1, "double", OP_READ),
              op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(total, "total", set, op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&twice, 1, "double", OP_INC));
  check(s != s, "a result that another loop reads need not be there");
  expected *= expected / 3;
  check(close_to(&twice, &expected, 1, 1e-12), "another loop reads a result that is put off");
  std::vector<double> wanted(set->declared), got(set->declared);
  op_fetch_data(p_y, wanted.data());
  double scratch[3];
  for (int i = 0; i < set->declared; i++) middle(&x[set->first + i], scratch, &wanted[i]);
  op_par_loop(middle, "middle", set, op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(scratch, 3, "double", OP_WORK),
              op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_RW));
  op_fetch_data(p_y, got.data());
  check(got == wanted, "scratch memory of a kernel");
  op_exit();
  return checked();
}
