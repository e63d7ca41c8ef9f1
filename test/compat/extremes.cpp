/* SPDX-License-Identifier: BSD-3-Clause */
/* Minima and maxima into variables: of every type, of several values at once, of what a map leads
 * to, with std::min and std::max or with comparisons, and where the variable's own value wins. */
#include "op_seq.h"

#include <algorithm>

#include "compat_check.h"

/* The least and the largest of each of two values. */
#define BOTH(T, N)                                                                                 \
  void both_##N(const T *x, T *lo, T *hi) {                                                        \
    for (int k = 0; k < 2; k++) {                                                                  \
      if (x[k] < lo[k]) lo[k] = x[k];                                                              \
      hi[k] = hi[k] < x[k] ? x[k] : hi[k];                                                         \
    }                                                                                              \
  }
BOTH(double, double)
BOTH(float, float)
BOTH(int, int)
BOTH(uint, uint)
BOTH(ll, ll)
BOTH(ull, ull)
BOTH(short, short)

#define TRIED(T, N)                                                                                \
  {                                                                                                \
    std::vector<T> x(2 * (size_t)n);                                                               \
    for (T & v : x)                                                                                \
      v = (T)(std::is_signed<T>::value ? 200 * random_number() - 100 : 200 * random_number());     \
    op_dat dat = dat_of(set, 2, #T, x, "x");                                                       \
    T lo[2] = {5, 5}, hi[2] = {5, 5}, lo2[2] = {5, 5}, hi2[2] = {5, 5};                            \
    op_par_loop(both_##N, "both", set, op_arg_dat(dat, -1, OP_ID, 2, #T, OP_READ),                 \
                op_arg_gbl(lo, 2, #T, OP_MIN), op_arg_gbl(hi, 2, #T, OP_MAX));                     \
    for (int i = 0; i < n; i++) both_##N(&x[2 * i], lo2, hi2);                                     \
    check(std::equal(lo, lo + 2, lo2) && std::equal(hi, hi + 2, hi2), "extremes of " #T);          \
    lo[0] = lo2[0] = 0, hi[0] = hi2[0] = 120;                                                      \
    op_par_loop(both_##N, "both", set, op_arg_dat(dat, -1, OP_ID, 2, #T, OP_READ),                 \
                op_arg_gbl(lo, 2, #T, OP_MIN), op_arg_gbl(hi, 2, #T, OP_MAX));                     \
    for (int i = 0; i < n; i++) both_##N(&x[2 * i], lo2, hi2);                                     \
    check(std::equal(lo, lo + 2, lo2) && std::equal(hi, hi + 2, hi2), "values that are there");    \
  }

/* The range of a difference along an edge, and the sum of its squares. */
void range(const double *a, const double *b, double *lo, double *hi, double *sum) {
  double d = *a - *b;
  *lo = std::min(*lo, d);
  *hi = std::max(d, *hi);
  *sum += d * d;
}

int main(int argc, char **argv) {
  const int n = 300;
  std::vector<double> u(n);
  std::vector<int> ends;
  for (double &v : u) v = random_number() - 0.5;
  for (int i = 0; i < n; i++) ends.push_back(i), ends.push_back((11 * i + 5) % n);
  op_init(argc, argv, 1);
  op_set set = set_of(n, "set"), edges = set_of(n, "edges");
  op_map pedge = map_of(edges, set, 2, ends, "pedge");
  op_dat p_u = dat_of(set, 1, "double", u, "u");
  op_partition("PTSCOTCH", "KWAY", set, pedge, NULL);
  TRIED(double, double)
  TRIED(float, float)
  TRIED(int, int)
  TRIED(uint, uint)
  TRIED(ll, ll)
  TRIED(ull, ull)
  TRIED(short, short)
  double lo = 1, hi = -1, sum = 0, lo2 = 1, hi2 = -1, sum2 = 0;
  op_par_loop(range, "range", edges, op_arg_dat(p_u, 0, pedge, 1, "double", OP_READ),
              op_arg_dat(p_u, 1, pedge, 1, "double", OP_READ), op_arg_gbl(&lo, 1, "double", OP_MIN),
              op_arg_gbl(&hi, 1, "double", OP_MAX), op_arg_gbl(&sum, 1, "double", OP_INC));
  for (int e = 0; e < n; e++) range(&u[ends[2 * e]], &u[ends[2 * e + 1]], &lo2, &hi2, &sum2);
  check(lo == lo2 && hi == hi2, "extremes through a map");
  check(close_to(&sum, &sum2, 1, 1e-12), "a sum beside them");
  op_exit();
  return checked();
}
