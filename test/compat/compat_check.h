/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the programs of this folder, which compare loops with the same kernels called one
 * element after the other. */
#ifndef COMPAT_CHECK_H
#define COMPAT_CHECK_H

#include <math.h>
#include <stdio.h>
#include <vector>

static int checks, failures;

static inline void check(bool good, const char *name) {
  checks++;
  failures += !good;
  printf("%sok %d - %s\n", good ? "" : "not ", checks, name);
}

/* The largest difference is at most `most` of the largest value. */
template <class T> bool close_to(const T *a, const T *b, size_t n, double most) {
  double scale = 0, worst = 0;
  for (size_t i = 0; i < n; i++) {
    if (a[i] != a[i] || b[i] != b[i]) return false;
    scale = fmax(scale, fabs((double)b[i]));
    worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
  }
  if (worst > most * scale) printf("# %g of %g\n", worst, scale);
  return worst <= most * scale;
}

/* A dat has the values of an array. */
template <class T> bool holds(op_dat dat, const std::vector<T> &values, double most = 1e-12) {
  std::vector<T> got(values.size());
  op_fetch_data(dat, got.data());
  return close_to(got.data(), values.data(), values.size(), most);
}

static inline int checked() {
  printf("1..%d\n", checks);
  return failures != 0;
}

/* Numbers in [0, 1) that are the same everywhere. */
static inline double random_number() {
  static unsigned long long state = 88172645463325252ull;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0;
}

#endif
