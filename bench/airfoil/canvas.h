/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AIRFOIL_CANVAS_H
#define AIRFOIL_CANVAS_H

#include <stdint.h>

/** @file canvas.h
 * Pixels, colours and letters for picture.c. */

typedef struct colour {
  uint8_t r, g, b;
} colour;

typedef struct canvas {
  int width, height;
  colour *pixel; /**< [height][width], top row first */
} canvas;

/** The colour for t in [0, 1]: from dark blue over green to pale yellow, ever lighter, so that it
 * also reads in grey. */
colour canvas_scale(double t);

/** Fill a rectangle, as far as it lies on the canvas. */
void canvas_fill(canvas *c, int x, int y, int width, int height, colour with);

/** Write a text, 12 x 16 pixels to a letter, its top left corner at (x, y). It knows digits, the
 * point and the letters of "Mach number"; others leave a gap. */
void canvas_text(canvas *c, int x, int y, const char *text, colour with);

#endif
