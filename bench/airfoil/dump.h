/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AIRFOIL_DUMP_H
#define AIRFOIL_DUMP_H

#include "mesh.h"

/** Write q[n] and then the rms as binary doubles, for bitwise comparisons. Returns as the functions
 * of mesh.h. */
int dump_write(const char *path, const double *q, int64_t n, double rms, mesh_error *error);

#endif
