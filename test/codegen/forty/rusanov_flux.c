/* SPDX-License-Identifier: BSD-3-Clause */
/* Rusanov's flux over an edge, in the style of a code that has a macro for everything. */
#include <math.h>

#define NVAR        5
#define GAMMA       1.4
#define PRESSURE(q) ((GAMMA - 1.0) * ((q)[4] - 0.5 * DOT(&(q)[1], &(q)[1]) / (q)[0]))
#define DOT(a, b)   ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])
#define MAX(a, b)   ((a) > (b) ? (a) : (b))
#define FLUX(q, p, un, f)                                                                          \
  do {                                                                                             \
    for (int v = 0; v < NVAR; v++) (f)[v] = (un) * (q)[v];                                         \
    for (int d = 0; d < 3; d++) (f)[1 + d] += (p)*n[d];                                            \
    (f)[4] += (p) * (un);                                                                          \
  } while (0)

static void rusanov_flux(const double *n, const double *ql, const double *qr, double *rl,
                         double *rr) {
  double fl[NVAR], fr[NVAR];
  const double pl = PRESSURE(ql), pr = PRESSURE(qr);
  const double ul = DOT(&ql[1], n) / ql[0], ur = DOT(&qr[1], n) / qr[0];
  const double area = sqrt(DOT(n, n));
  const double lambda =
      MAX(fabs(ul) + area * sqrt(GAMMA * pl / ql[0]), fabs(ur) + area * sqrt(GAMMA * pr / qr[0]));
  FLUX(ql, pl, ul, fl);
  FLUX(qr, pr, ur, fr);
  for (int v = 0; v < NVAR; v++) {
    const double f = 0.5 * (fl[v] + fr[v]) - 0.5 * lambda * (qr[v] - ql[v]);
    rl[v] -= f;
    rr[v] += f;
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(rusanov_flux, "macros", rusanov_flux(p[0], p[1], p[2], p[3], p[4]),
           {3, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {5, OP2_F64, OP2_READ, 0, 0, 0, 1, {1, 0, 0, 0, 5}},
           {5, OP2_F64, OP2_READ, 1, 2, 0, 0, {0}}, {5, OP2_F64, OP2_INC, 0, 0, 0, 1, {0}},
           {5, OP2_F64, OP2_INC, 1, 4, 0, 0, {0}})
