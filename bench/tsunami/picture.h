/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TSUNAMI_PICTURE_H
#define TSUNAMI_PICTURE_H

#include <stdbool.h>

#include "common/panel.h"
#include "mesh.h"

/** @file picture.h
 * A picture of the wave: the surface of the sea at four times.
 *
 * Functions return as those of mesh.h. */

enum { PICTURE_FRAMES = 4 };

typedef struct picture {
  const mesh *m;
  int frames;                    /**< frames drawn so far */
  panel surface[PICTURE_FRAMES]; /**< metres above the sea at rest; nothing on dry land */
  panel ground;                  /**< its level in metres */
  double time[PICTURE_FRAMES];   /**< seconds */
} picture;

/** Draw one more time, from the state q[ncell][4]; once all frames are drawn, further times are
 * omitted. The mesh must outlive the picture. */
int picture_add(picture *p, const mesh *m, const double *q, double time, bench_error *error);

/** Write the frames as a PNG file, with one bar of colours for all of them; `steps` is the number
 * of time steps at the last one. */
int picture_write(const picture *p, const char *path, int steps, bench_error *error);

void picture_free(picture *p);

#endif
