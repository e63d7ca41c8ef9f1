/* SPDX-License-Identifier: BSD-3-Clause */
#include "spline.h"

#include <stdlib.h>

/* Rows of the tridiagonal system for the slopes s. Inner rows say that the second derivative is
 * continuous. The end rows are the not-a-knot conditions with s[2] (s[n-3]) eliminated by the
 * neighbouring inner row. */
static void set_rows(int n, const double *x, const double *y, double *low, double *dia, double *up,
                     double *s) {
  for (int i = 1; i < n - 1; i++) {
    const double hl = x[i] - x[i - 1], hr = x[i + 1] - x[i];
    const double dl = (y[i] - y[i - 1]) / hl, dr = (y[i + 1] - y[i]) / hr;
    low[i] = hr;
    dia[i] = 2 * (hl + hr);
    up[i] = hl;
    s[i] = 3 * (hr * dl + hl * dr);
    if (i == 1) {
      dia[0] = hr;
      up[0] = hl + hr;
      s[0] = ((hl + 2 * (hl + hr)) * hr * dl + hl * hl * dr) / (hl + hr);
    }
    if (i == n - 2) {
      low[n - 1] = hl + hr;
      dia[n - 1] = hl;
      s[n - 1] = ((hr + 2 * (hl + hr)) * hl * dr + hr * hr * dl) / (hl + hr);
    }
  }
}

int spline_fit(int n, const double *x, const double *y, double *slope) {
  double *low = malloc(3 * (size_t)n * sizeof *low);
  if (!low) return -1;
  double *dia = low + n, *up = low + 2 * n;
  set_rows(n, x, y, low, dia, up, slope);
  for (int i = 1; i < n; i++) {
    const double f = low[i] / dia[i - 1];
    dia[i] -= f * up[i - 1];
    slope[i] -= f * slope[i - 1];
  }
  slope[n - 1] /= dia[n - 1];
  for (int i = n - 2; i >= 0; i--) slope[i] = (slope[i] - up[i] * slope[i + 1]) / dia[i];
  free(low);
  return 0;
}

double spline_at(int n, const double *x, const double *y, const double *slope, double t) {
  int lo = 0, hi = n - 1;
  while (hi - lo > 1) {
    const int mid = (lo + hi) / 2;
    if (x[mid] <= t)
      lo = mid;
    else
      hi = mid;
  }
  const double h = x[hi] - x[lo], u = t - x[lo], d = (y[hi] - y[lo]) / h;
  const double cube = (slope[lo] + slope[hi] - 2 * d) / (h * h);
  const double square = (d - slope[lo]) / h - cube * h;
  return y[lo] + u * (slope[lo] + u * (square + u * cube));
}
