/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TSUNAMI_DUMP_H
#define TSUNAMI_DUMP_H

#include "mesh.h"

/** Write q[n] and then the simulated time as binary doubles. Returns as the functions of mesh.h. */
int dump_write(const char *path, const double *q, int64_t n, double time, mesh_error *error);

#endif
