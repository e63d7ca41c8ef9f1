/* SPDX-License-Identifier: BSD-3-Clause */
/* The area of a triangle and a flux through it, with vectors that functions take and return by
 * value. */
#include <math.h>

struct vec3 {
  double x, y, z;
};

static struct vec3 sub(struct vec3 a, struct vec3 b) {
  struct vec3 c = {a.x - b.x, a.y - b.y, a.z - b.z};
  return c;
}
static struct vec3 cross(struct vec3 a, struct vec3 b) {
  struct vec3 c;
  c.x = a.y * b.z - a.z * b.y;
  c.y = a.z * b.x - a.x * b.z;
  c.z = a.x * b.y - a.y * b.x;
  return c;
}
static double dot(struct vec3 a, struct vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static struct vec3 load(const double *x) { return (struct vec3){x[0], x[1], x[2]}; }

static void cross_value(const double *a, const double *b, const double *c, const double *u,
                        double *area, double *flux) {
  const struct vec3 pa = load(a), pb = load(b), pc = load(c);
  struct vec3 n = cross(sub(pb, pa), sub(pc, pa));
  *area = 0.5 * sqrt(dot(n, n));
  *flux = 0.5 * dot(n, load(u));
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(cross_value, "structures by value", cross_value(p[0], p[1], p[2], p[3], p[4], p[5]),
           {3, OP2_F64, OP2_READ, 0, 0, -1, 1, {0}}, {3, OP2_F64, OP2_READ, 1, 1, 0, 0, {0}},
           {3, OP2_F64, OP2_READ, 2, 1, 0, 0, {0}},
           {3, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
