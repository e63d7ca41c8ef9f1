/* SPDX-License-Identifier: BSD-3-Clause */
/* Boundary conditions chosen by a flag, where a no-slip wall falls through to a wall. */
enum bc { INTERIOR, SYMMETRY, WALL, NOSLIP, OUTFLOW, FARFIELD };

static void wall_switch(const int *flag, const double *n, const double *q, const double *qinf,
                        double *ghost) {
  double un = q[1] * n[0] + q[2] * n[1], scale = 1.0;
  int i;
  for (i = 0; i < 4; i++) ghost[i] = q[i];
  switch (*flag) {
  case NOSLIP: scale = 0.0; /* fall through */
  case WALL:
  case SYMMETRY:
    ghost[1] = scale * (q[1] - 2.0 * un * n[0]);
    ghost[2] = scale * (q[2] - 2.0 * un * n[1]);
    break;
  case OUTFLOW: ghost[3] = qinf[3]; break;
  case FARFIELD:
    for (i = 0; i < 4; i++) ghost[i] = qinf[i];
    break;
  default: break;
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(wall_switch, "a switch with fall-through", wall_switch(p[0], p[1], p[2], p[3], p[4]),
           {1, OP2_I32, OP2_READ, FORTY_DIRECT, 0, 0, 7, {0}},
           {2, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {4, OP2_F64, OP2_READ, 0, 0, -1, 1, {0}},
           {4, OP2_F64, OP2_READ, FORTY_GLOBAL, 0, -1, 1, {0}},
           {4, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
