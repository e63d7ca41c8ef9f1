/* SPDX-License-Identifier: BSD-3-Clause */
/* The pressure between two states of a gas, by Newton's method with a for and a break. */
#include <math.h>

extern double gam;

static double fk(double p, double rho, double pk, double *df) {
  double c = sqrt(gam * pk / rho);
  if (p > pk) {
    double a = 2.0 / ((gam + 1.0) * rho), b = (gam - 1.0) / (gam + 1.0) * pk;
    double q = sqrt(a / (p + b));
    *df = q * (1.0 - 0.5 * (p - pk) / (p + b));
    return (p - pk) * q;
  }
  *df = pow(p / pk, -(gam + 1.0) / (2.0 * gam)) / (rho * c);
  return 2.0 * c / (gam - 1.0) * (pow(p / pk, (gam - 1.0) / (2.0 * gam)) - 1.0);
}

static void riemann_newton(const double *l, const double *r, double *pstar, double *ustar) {
  double p = 0.5 * (l[2] + r[2]), fl = 0, fr = 0, dl, dr;
  for (int it = 0; it < 20; it++) {
    fl = fk(p, l[0], l[2], &dl);
    fr = fk(p, r[0], r[2], &dr);
    double dp = (fl + fr + r[1] - l[1]) / (dl + dr);
    p -= dp;
    if (p < 1e-6) p = 1e-6;
    if (fabs(dp) < 1e-10 * p) break;
  }
  *pstar = p;
  *ustar = 0.5 * (l[1] + r[1] + fr - fl);
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(riemann_newton, "Newton's method by for and break",
           riemann_newton(p[0], p[1], p[2], p[3]),
           {3, OP2_F64, OP2_READ, 0, 0, -0.5, 0.5, {1, 0, 1}},
           {3, OP2_F64, OP2_READ, 1, 1, 0, 0, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
