/* SPDX-License-Identifier: BSD-3-Clause */
#include "section.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "spline.h"

#ifndef M_PI_2
#define M_PI_2 1.57079632679489661923
#endif

/* The grid is built in the plane of w = sqrt(z), where the section and the wake behind it unfold
 * into the floor of a box: xi from -3 to 3, eta from the floor to 3. */
enum { SECTION = 100, FLOOR = 2 * SECTION - 1 };
static const double origin = 0.0077; /* x of the branch point, inside the nose */
static const double side = 3.0;      /* half width and height of the box */

static double section_y(double x) {
  return 0.594689181 * (0.298222773 * sqrt(x) - 0.127125232 * x - 0.357907906 * x * x +
                        0.291984971 * x * x * x - 0.105174696 * x * x * x * x);
}

/* The section in the root plane, lower side reflected to negative xi; xi increases. */
static void section_floor(double *xi, double *eta) {
  for (int k = 0; k < SECTION; k++) {
    const double s = sin(M_PI_2 * k / (SECTION - 1));
    const double x = s * s, y = k == SECTION - 1 ? 0.0 : section_y(x);
    const double complex z = csqrt(x - origin + I * y);
    xi[SECTION - 1 + k] = creal(z);
    eta[SECTION - 1 + k] = cimag(z);
    xi[SECTION - 1 - k] = -creal(z);
    eta[SECTION - 1 - k] = cimag(z);
  }
}

static double column_xi(int64_t ni, int64_t i) {
  return -side + 2 * side * (double)i / (double)(3 * ni);
}

/* v after printing with %f and reading back: the reference figures were computed from a text file.
 * The product is off by less than 1e-8 for coordinates of this grid, so only near ties need the
 * printed text. */
static double round_to_text(double v) {
  const double scaled = v * 1e6, whole = rint(scaled);
  if (fabs(fabs(scaled - whole) - 0.5) > 1e-4) return whole / 1e6;
  char text[64];
  snprintf(text, sizeof text, "%f", v);
  return strtod(text, NULL);
}

int section_grid(int64_t ni, int64_t nj, double *x, bench_error *error) {
  double xi[FLOOR], eta[FLOOR], slope[FLOOR];
  section_floor(xi, eta);
  if (spline_fit(FLOOR, xi, eta, slope))
    return bench_fail(error, "out of memory for the section's spline");
  for (int64_t i = 0; i < section_columns(ni); i++) {
    const double re = column_xi(ni, i);
    const double floor = i > ni && i < 2 * ni ? spline_at(FLOOR, xi, eta, slope, re) : 0.0;
    for (int64_t j = 0; j <= nj; j++) {
      const double im = floor + (side - floor) * (double)j / (double)nj;
      double *node = x + 2 * section_node(ni, i, j);
      node[0] = round_to_text(re * re - im * im);
      node[1] = round_to_text(2 * re * im);
    }
  }
  return 0;
}

int section_check(int64_t ni, int64_t nj, bench_error *error) {
  if (ni < SECTION_MIN_I || nj < SECTION_MIN_J)
    return bench_fail(error, "a mesh has at least %dx%d cells", SECTION_MIN_I, SECTION_MIN_J);
  /* 6 ni nj bounds the number of edges */
  if (ni > INT32_MAX / 6 || nj > INT32_MAX / (6 * ni) || section_columns(ni) > INT32_MAX / (nj + 1))
    return bench_fail(error, "the mesh would have more elements than a 32-bit index counts");
  return 0;
}
