/* SPDX-License-Identifier: BSD-3-Clause */
/* Viscosity and conductivity of air from a table, linear between its entries. */
static const double table[9][2] = {{1.716, 2.41}, {1.962, 2.76}, {2.181, 3.08},
                                   {2.385, 3.40}, {2.577, 3.71}, {2.760, 4.02},
                                   {2.934, 4.33}, {3.101, 4.63}, {3.261, 4.92}};

static void transport_table(const double *T, double *mu, double *kappa) {
  double s = (*T - 273.15) / 50.0;
  int i = (int)s;
  if (i < 0) i = 0;
  if (i > 7) i = 7;
  s -= i;
  *mu = (1.0 - s) * table[i][0] + s * table[i + 1][0];
  *kappa = (1.0 - s) * table[i][1] + s * table[i + 1][1];
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(transport_table, "rows of a table by gather", transport_table(p[0], p[1], p[2]),
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 250, 750, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
