/* SPDX-License-Identifier: BSD-3-Clause */
/* An element type that is a structure of numbers. */
typedef struct {
  double x, y;
} point;
typedef struct {
  double rho, mom[2], energy;
} state;

static void point_type(const point *a, const point *b, const state *q, state *res) {
  const double nx = b->y - a->y, ny = a->x - b->x;
  const double un = (q->mom[0] * nx + q->mom[1] * ny) / q->rho;
  const double p =
      0.4 * (q->energy - 0.5 * (q->mom[0] * q->mom[0] + q->mom[1] * q->mom[1]) / q->rho);
  res->rho += un * q->rho;
  res->mom[0] += un * q->mom[0] + p * nx;
  res->mom[1] += un * q->mom[1] + p * ny;
  res->energy += un * (q->energy + p);
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(point_type, "a structure as the type of elements", point_type(p[0], p[1], p[2], p[3]),
           {2, OP2_F64, OP2_READ, 0, 0, -1, 1, {0}}, {2, OP2_F64, OP2_READ, 1, 1, 0, 0, {0}},
           {4, OP2_F64, OP2_READ, 2, 0, 0, 1, {1, 0, 0, 3}}, {4, OP2_F64, OP2_INC, 3, 0, 0, 1, {0}})
