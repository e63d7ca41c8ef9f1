/* SPDX-License-Identifier: BSD-3-Clause */
/* A stiffened gas behind a structure that functions get by its address. */
#include <math.h>
#define SQ(x) ((x) * (x))

typedef struct {
  double rho, u, v, p, c;
} Prim;

static void toPrim(const double *U, Prim *w) {
  const double g = 4.4, pinf = 6.0;
  w->rho = U[0];
  w->u = U[1] / U[0];
  w->v = U[2] / U[0];
  w->p = (g - 1.0) * (U[3] - 0.5 * w->rho * (SQ(w->u) + SQ(w->v))) - g * pinf;
  w->c = sqrt(g * (w->p + pinf) / w->rho);
}

static void eos_stiffened(const double *U, const double *dx, double *p, double *dt) {
  Prim w;
  toPrim(U, &w);
  *p = w.p;
  *dt = *dx / (fabs(w.u) + fabs(w.v) + w.c);
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(eos_stiffened, "a structure by pointer", eos_stiffened(p[0], p[1], p[2], p[3]),
           {4, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0, 1, {1, 0, 0, 12}},
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0.1, 1, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
