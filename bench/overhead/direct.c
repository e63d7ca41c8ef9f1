/* SPDX-License-Identifier: BSD-3-Clause */
#include "direct.h"

#include "kernels.h"

/* The arrays are restrict as in generated code; the loops of each pair differ in their first line
 * only. */
#define FIELD(name, i) double *restrict const name = data[i]

static void relax_plain(int64_t n, double *const *data, double *sum) {
  FIELD(x, 0);
  (void)sum;
  for (int64_t i = 0; i < n; i++) relax(&x[i]);
}

static void relax_openmp(int64_t n, double *const *data, double *sum) {
  FIELD(x, 0);
  (void)sum;
#pragma omp parallel for
  for (int64_t i = 0; i < n; i++) relax(&x[i]);
}

static void combine_plain(int64_t n, double *const *data, double *sum) {
  FIELD(a, 0);
  FIELD(b, 1);
  FIELD(c, 2);
  double s = 0.0;
  for (int64_t i = 0; i < n; i++) combine(&a[i], &b[2 * i], &c[2 * i], &s);
  *sum += s;
}

static void combine_openmp(int64_t n, double *const *data, double *sum) {
  FIELD(a, 0);
  FIELD(b, 1);
  FIELD(c, 2);
  double s = 0.0;
#pragma omp parallel for reduction(+ : s)
  for (int64_t i = 0; i < n; i++) combine(&a[i], &b[2 * i], &c[2 * i], &s);
  *sum += s;
}

static void advance_plain(int64_t n, double *const *data, double *sum) {
  FIELD(a, 0);
  FIELD(b, 1);
  FIELD(c, 2);
  FIELD(d, 3);
  FIELD(e, 4);
  FIELD(f, 5);
  FIELD(g, 6);
  double s = 0.0;
  for (int64_t i = 0; i < n; i++)
    advance(&a[i], &b[2 * i], &c[4 * i], &d[i], &e[2 * i], &f[4 * i], &g[2 * i], &s);
  *sum += s;
}

static void advance_openmp(int64_t n, double *const *data, double *sum) {
  FIELD(a, 0);
  FIELD(b, 1);
  FIELD(c, 2);
  FIELD(d, 3);
  FIELD(e, 4);
  FIELD(f, 5);
  FIELD(g, 6);
  double s = 0.0;
#pragma omp parallel for reduction(+ : s)
  for (int64_t i = 0; i < n; i++)
    advance(&a[i], &b[2 * i], &c[4 * i], &d[i], &e[2 * i], &f[4 * i], &g[2 * i], &s);
  *sum += s;
}

direct_loop *const direct_plain[SHAPES] = {relax_plain, combine_plain, advance_plain};
direct_loop *const direct_openmp[SHAPES] = {relax_openmp, combine_openmp, advance_openmp};

#ifdef _OPENMP
const bool direct_has_openmp = true;
#else
const bool direct_has_openmp = false;
#endif
