/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_PANEL_H
#define BENCH_PANEL_H

#include "canvas.h"

/** @file panel.h
 * A field in the plane: triangles with a value at each corner, turned into samples, and these into
 * the pixels of a picture. */

enum { PANEL_FINE = 2 }; /**< samples across a pixel, which smooth the outlines */

/** Sample (0, 0) has its centre at (x, y) and samples are `step` apart, rows downwards. */
typedef struct panel {
  int cols, rows; /**< of samples: PANEL_FINE times the panel's pixels */
  double x, y, step;
  float *sample; /**< [rows][cols]; NaN where there is nothing */
} panel;

/** Make an empty panel of so many pixels that shows the rectangle from low to high. Where its shape
 * differs from that of the rectangle, it shows more on two opposite sides. Returns 0, or -1 with
 * the reason in *error and nothing in *p. */
int panel_create(panel *p, int width, int height, const double low[2], const double high[2],
                 bench_error *error);
void panel_free(panel *p);

/** Give the samples in a triangle, edges included, values that are linear between those of its
 * corners. */
void panel_triangle(panel *p, const double corner[3][2], const double value[3]);

/** The range that colours should cover: all samples of the panels but the two in a thousand lowest
 * and highest, so that single points do not determine the scale. */
void panel_range(const panel *p, int npanels, double *low, double *high);

/** Draw the panel with its top left corner at (x, y); `nothing` is the colour of samples without a
 * value. */
void panel_draw(const panel *p, canvas *c, int x, int y, canvas_scale *scale, double low,
                double high, colour nothing);

#endif
