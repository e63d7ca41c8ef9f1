/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AIRFOIL_SPLINE_H
#define AIRFOIL_SPLINE_H

/** @file spline.h
 * Cubic spline with not-a-knot ends: the third derivative does not jump at the second and the last
 * but one knot, so the first two pieces are one cubic, and so are the last two. */

/** Slopes at the knots of the spline through (x[i], y[i]); x increases strictly and n >= 4. Returns
 * 0, or -1 when memory ran out. */
int spline_fit(int n, const double *x, const double *y, double *slope);

/** Value of the spline at t; outside the knots the end pieces are continued. */
double spline_at(int n, const double *x, const double *y, const double *slope, double t);

#endif
