/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_CANVAS_H
#define BENCH_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

/** @file canvas.h
 * Pixels, colours and letters for the pictures of the applications. */

typedef struct colour {
  uint8_t r, g, b;
} colour;

typedef struct canvas {
  int width, height;
  colour *pixel; /**< [height][width], top row first */
} canvas;

/** The colour for t; below 0 and above 1 it is that of the nearer end. */
typedef colour canvas_scale(double t);

canvas_scale canvas_rising;    /**< from dark blue over green to pale yellow, ever lighter, so that
                                    it also reads in grey */
canvas_scale canvas_diverging; /**< white in the middle, blue below, red above, ever darker */

/** The colour of text and lines. */
extern const colour canvas_ink;

/** Make a white canvas, to be freed with canvas_free(). Returns 0, or -1 with the reason in *error
 * and nothing in *c. */
int canvas_create(canvas *c, int width, int height, bench_error *error);
void canvas_free(canvas *c);

/** Fill a rectangle, as far as it lies on the canvas. */
void canvas_fill(canvas *c, int x, int y, int width, int height, colour with);

/** Pixels between the beginnings of two letters, and from the top of a capital letter to its foot.
 */
enum { CANVAS_ADVANCE = 12, CANVAS_CAPITAL = 14 };

/** Write a text, its top left corner at (x, y). It knows digits, small letters, some capital ones
 * and `.,:;-+()%=`; others leave a gap. */
void canvas_text(canvas *c, int x, int y, const char *text, colour with);

/** Draw a bar of the colours for the values from low to high, `height` pixels high, its top left
 * corner at (x, y), with round numbers beside it. Points at the ends say that there are values
 * beyond. */
void canvas_bar(canvas *c, int x, int y, int height, canvas_scale *scale, double low, double high);

/** Write a PNG file; fails when the program was built without libpng. Returns as canvas_create().
 */
int canvas_save(const canvas *c, const char *path, bench_error *error);

#endif
