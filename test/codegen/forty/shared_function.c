/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions beside the kernel that several kernels call, one of them by way of the other. */
#include "forty.h"

#include <math.h>

/* ---- the text ---- */
OP2_FUNCTION(pressure, double, (const double *q),
             { return 0.4 * (q[3] - 0.5 * (q[1] * q[1] + q[2] * q[2]) / q[0]); });

OP2_FUNCTION(sound_speed, double, (const double *q), {
  const double p = pressure(q);
  if (p < 0) return 0;
  return sqrt(1.4 * p / q[0]);
});

OP2_KERNEL(shared_function, (const double *q, const double *area, double *adt), {
  const double c = sound_speed(q);
  *adt = (fabs(q[1] / q[0]) + c) / *area;
});

/* ---- how it is run ---- */
static void apply(void *const *p) { shared_function(p[0], p[1], p[2]); }
const struct forty_case forty_shared_function = {
    "shared_function",
    "a function by OP2_FUNCTION",
    apply,
    {{4, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0, 1, {1, 0, 0, 6}},
     {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0.5, 1, {0}},
     {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}}},
    NULL,
    &shared_function_kernel};
