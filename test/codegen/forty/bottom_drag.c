/* SPDX-License-Identifier: BSD-3-Clause */
#include "bottom_drag.h"

/* ---- the text ---- */
/* Friction at the sea bed; the function for the drag is in a header that the kernel's description
 * names. */
#include <math.h>

static void bottom_drag(const double *height, const double *u, const double *z0, double *tau) {
  double cd = wall_drag(*height, *z0), speed = sqrt(u[0] * u[0] + u[1] * u[1]);
  tau[0] = 1027.0 * cd * speed * u[0];
  tau[1] = 1027.0 * cd * speed * u[1];
}

/* ---- how it is run ---- */
#include "forty.h"

static void apply(void *const *p) { bottom_drag(p[0], p[1], p[2], p[3]); }
const struct forty_case forty_bottom_drag = {
    "bottom_drag",
    "a function of a header that `headers` names",
    apply,
    {{1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0.5, 5, {0}},
     {2, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
     {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 1e-3, 1e-2, {0}},
     {2, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}}},
    "bottom_drag.h",
    NULL};
