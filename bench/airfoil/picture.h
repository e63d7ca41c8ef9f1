/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AIRFOIL_PICTURE_H
#define AIRFOIL_PICTURE_H

#include "mesh.h"

/** @file picture.h
 * A picture of the flow. */

/** Draw the Mach number of the states q[ncell][4] round the section as a PNG file, with a bar of
 * colours and a line that gives the number of time steps and the change in the last one. Returns as
 * the functions of mesh.h; fails if the program was built without libpng. */
int picture_write(const char *path, const mesh *m, const double *q, int steps, double rms,
                  bench_error *error);

#endif
