/* SPDX-License-Identifier: BSD-3-Clause */
/* The HLL flux of a tsunami code between two cells, in C89: all variables at the top. */
#include <math.h>

static void hll_c89(const double *geom, const double *left, const double *right, double *fluxl,
                    double *fluxr) {
  double zl, zr, zb, hl, hr, ul, ur, cl, cr, sl, sr, f[3], fl[3], fr[3], ql[3], qr[3];
  int i, wet;

  zl = left[3];
  zr = right[3];
  zb = zl > zr ? zl : zr;
  hl = left[0] + zl - zb;
  hr = right[0] + zr - zb;
  hl = hl > 0.0 ? hl : 0.0;
  hr = hr > 0.0 ? hr : 0.0;
  wet = hl > 1e-3 || hr > 1e-3;
  for (i = 0; i < 3; i++) f[i] = 0.0;
  if (wet) {
    ul = left[0] > 1e-3 ? (left[1] * geom[0] + left[2] * geom[1]) / left[0] : 0.0;
    ur = right[0] > 1e-3 ? (right[1] * geom[0] + right[2] * geom[1]) / right[0] : 0.0;
    cl = sqrt(9.81 * hl);
    cr = sqrt(9.81 * hr);
    sl = ul - cl < ur - cr ? ul - cl : ur - cr;
    sr = ul + cl > ur + cr ? ul + cl : ur + cr;
    ql[0] = hl;
    qr[0] = hr;
    for (i = 1; i < 3; i++) {
      ql[i] = left[0] > 1e-3 ? left[i] * hl / left[0] : 0.0;
      qr[i] = right[0] > 1e-3 ? right[i] * hr / right[0] : 0.0;
    }
    for (i = 0; i < 3; i++) {
      fl[i] = ul * ql[i];
      fr[i] = ur * qr[i];
    }
    fl[1] += 0.5 * 9.81 * hl * hl * geom[0];
    fr[1] += 0.5 * 9.81 * hr * hr * geom[0];
    fl[2] += 0.5 * 9.81 * hl * hl * geom[1];
    fr[2] += 0.5 * 9.81 * hr * hr * geom[1];
    for (i = 0; i < 3; i++) {
      if (sl >= 0.0)
        f[i] = fl[i];
      else if (sr <= 0.0)
        f[i] = fr[i];
      else
        f[i] = (sr * fl[i] - sl * fr[i] + sl * sr * (qr[i] - ql[i])) / (sr - sl);
    }
  }
  for (i = 0; i < 3; i++) {
    fluxl[i] -= f[i];
    fluxr[i] += f[i];
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(hll_c89, "a C89 counter of loops below an if", hll_c89(p[0], p[1], p[2], p[3], p[4]),
           {2, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {4, OP2_F64, OP2_READ, 0, 0, 0, 1, {-0.3, -0.5, -0.5, -1}},
           {4, OP2_F64, OP2_READ, 1, 2, 0, 0, {0}}, {3, OP2_F64, OP2_INC, 0, 0, 0, 1, {0}},
           {3, OP2_F64, OP2_INC, 1, 4, 0, 0, {0}})
