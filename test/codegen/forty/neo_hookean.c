/* SPDX-License-Identifier: BSD-3-Clause */
/* Stresses of a compressible neo-Hookean solid, with types of matrices. */
#include <math.h>

typedef double Scalar;
typedef Scalar Mat[3][3];

static Scalar det3(const Mat F) {
  return F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) -
         F[0][1] * (F[1][0] * F[2][2] - F[1][2] * F[2][0]) +
         F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
}

static void neo_hookean(const Scalar *gradu, const Scalar *lame, Scalar *sigma) {
  Mat F, b = {{0}};
  int i, j, k;
  for (i = 0; i < 3; ++i)
    for (j = 0; j < 3; ++j) F[i][j] = gradu[3 * i + j] + (i == j ? 1.0 : 0.0);
  for (i = 0; i < 3; ++i)
    for (j = 0; j < 3; ++j)
      for (k = 0; k < 3; ++k) b[i][j] += F[i][k] * F[j][k];
  const Scalar J = det3((const Scalar(*)[3])F), lnJ = log(J);
  for (i = 0; i < 3; ++i)
    for (j = 0; j < 3; ++j)
      sigma[3 * i + j] = (lame[1] * (b[i][j] - (i == j)) + (i == j ? lame[0] * lnJ : 0.0)) / J;
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(neo_hookean, "types of arrays and a cast of one", neo_hookean(p[0], p[1], p[2]),
           {9, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -0.2, 0.2, {0}},
           {2, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0.5, 1, {0}},
           {9, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
