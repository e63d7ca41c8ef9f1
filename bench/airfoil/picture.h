/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AIRFOIL_PICTURE_H
#define AIRFOIL_PICTURE_H

#include "mesh.h"

/** @file picture.h
 * A picture of the flow. */

/** Draw the Mach number of the states q[ncell][4] round the section, with a colour bar, as a PNG
 * file. Returns as the functions of mesh.h; fails when the program was built without libpng. */
int picture_write(const char *path, const mesh *m, const double *q, bench_error *error);

#endif
