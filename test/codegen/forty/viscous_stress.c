/* SPDX-License-Identifier: BSD-3-Clause */
/* Viscous stresses from gradients, with arrays that somebody aligned for an earlier compiler. */
static void viscous_stress(const double *grad, const double *mu, const double *vel, double *tau_n,
                           const double *n) {
  double tau[9] __attribute__((aligned(64)));
  __attribute__((aligned(32))) double div = grad[0] + grad[4] + grad[8];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      tau[3 * i + j] = *mu * (grad[3 * i + j] + grad[3 * j + i]) - (i == j) * 2. / 3. * *mu * div;
  tau_n[3] = 0;
  for (int i = 0; i < 3; i++) {
    tau_n[i] = tau[3 * i] * n[0] + tau[3 * i + 1] * n[1] + tau[3 * i + 2] * n[2];
    tau_n[3] += vel[i] * tau_n[i];
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(viscous_stress, "aligned attributes", viscous_stress(p[0], p[1], p[2], p[3], p[4]),
           {9, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0, 1, {0}},
           {3, OP2_F64, OP2_READ, 0, 0, -1, 1, {0}},
           {4, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {3, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}})
