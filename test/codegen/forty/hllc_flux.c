/* SPDX-License-Identifier: BSD-3-Clause */
/* The HLLC flux in one direction, as the four cases of Toro's book. */
#include <math.h>

static void hllc_flux(const double *wl, const double *wr, double *flux) {
  const double gamma = 1.4;
  double rl = wl[0], ul = wl[1], pl = wl[2];
  double rr = wr[0], ur = wr[1], pr = wr[2];
  double al = sqrt(gamma * pl / rl), ar = sqrt(gamma * pr / rr);
  double el = pl / (gamma - 1) + 0.5 * rl * ul * ul, er = pr / (gamma - 1) + 0.5 * rr * ur * ur;
  double sl = fmin(ul - al, ur - ar), sr = fmax(ul + al, ur + ar);
  double sm =
      (pr - pl + rl * ul * (sl - ul) - rr * ur * (sr - ur)) / (rl * (sl - ul) - rr * (sr - ur));

  if (sl >= 0) {
    flux[0] = rl * ul;
    flux[1] = rl * ul * ul + pl;
    flux[2] = ul * (el + pl);
  } else if (sm >= 0) {
    double f = rl * (sl - ul) / (sl - sm);
    flux[0] = rl * ul + sl * (f - rl);
    flux[1] = rl * ul * ul + pl + sl * (f * sm - rl * ul);
    flux[2] = ul * (el + pl) + sl * (f * (el / rl + (sm - ul) * (sm + pl / (rl * (sl - ul)))) - el);
  } else if (sr > 0) {
    double f = rr * (sr - ur) / (sr - sm);
    flux[0] = rr * ur + sr * (f - rr);
    flux[1] = rr * ur * ur + pr + sr * (f * sm - rr * ur);
    flux[2] = ur * (er + pr) + sr * (f * (er / rr + (sm - ur) * (sm + pr / (rr * (sr - ur)))) - er);
  } else {
    flux[0] = rr * ur;
    flux[1] = rr * ur * ur + pr;
    flux[2] = ur * (er + pr);
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(hllc_flux, "branches", hllc_flux(p[0], p[1], p[2]),
           {3, OP2_F64, OP2_READ, 0, 0, -2, 2, {3, 0, 3}}, {3, OP2_F64, OP2_READ, 1, 1, 0, 0, {0}},
           {3, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
