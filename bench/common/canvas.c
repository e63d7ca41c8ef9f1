/* SPDX-License-Identifier: BSD-3-Clause */
/* A canvas for pictures: colours, lines and letters. */
#include "canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const colour canvas_ink = {30, 30, 34};

int canvas_create(canvas *c, int width, int height, bench_error *error) {
  colour *pixel = malloc((size_t)width * (size_t)height * sizeof *pixel);
  if (!pixel) return bench_fail(error, "out of memory for a picture");
  memset(pixel, 255, (size_t)width * (size_t)height * sizeof *pixel);
  *c = (canvas){.width = width, .height = height, .pixel = pixel};
  return 0;
}

void canvas_free(canvas *c) {
  free(c->pixel);
  *c = (canvas){0};
}

/* ---- colours --------------------------------------------------------------------------------- */

static colour between(const colour *stops, int last, double t) {
  const double at = t > 0 ? (t < 1 ? t * last : last) : 0;
  const int k = at < last ? (int)at : last - 1;
  const double f = at - k;
  const colour a = stops[k], b = stops[k + 1];
  return (colour){(uint8_t)(a.r + f * (b.r - a.r) + 0.5), (uint8_t)(a.g + f * (b.g - a.g) + 0.5),
                  (uint8_t)(a.b + f * (b.b - a.b) + 0.5)};
}

colour canvas_rising(double t) {
  static const colour stops[] = {{18, 14, 60},   {38, 42, 122},  {38, 84, 160},
                                 {30, 124, 160}, {36, 158, 140}, {88, 186, 100},
                                 {160, 208, 70}, {226, 222, 84}, {254, 246, 190}};
  return between(stops, sizeof stops / sizeof *stops - 1, t);
}

colour canvas_diverging(double t) {
  static const colour stops[] = {{14, 38, 92},    {36, 88, 156},   {88, 150, 200},
                                 {166, 206, 228}, {246, 246, 244}, {248, 200, 162},
                                 {228, 134, 94},  {184, 62, 54},   {104, 14, 38}};
  return between(stops, sizeof stops / sizeof *stops - 1, t);
}

void canvas_fill(canvas *c, int x, int y, int width, int height, colour with) {
  for (int row = y < 0 ? 0 : y; row < y + height && row < c->height; row++)
    for (int col = x < 0 ? 0 : x; col < x + width && col < c->width; col++)
      c->pixel[row * c->width + col] = with;
}

/* ---- characters ------------------------------------------------------------------------------ */

/* Glyphs on a grid of 5 x 9 dots, the last two below the line; a row is a number of five bits, the
 * leftmost dot the highest. */
static const struct glyph {
  char letter;
  uint8_t row[9];
} glyphs[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}},
    {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 6, 8, 16, 31}},
    {'3', {14, 17, 1, 6, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},
    {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},
    {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}},
    {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},
    {',', {0, 0, 0, 0, 0, 12, 12, 4, 8}},
    {':', {0, 12, 12, 0, 0, 12, 12}},
    {';', {0, 12, 12, 0, 0, 12, 12, 4, 8}},
    {'-', {0, 0, 0, 14}},
    {'+', {0, 4, 4, 31, 4, 4}},
    {'(', {2, 4, 8, 8, 8, 4, 2}},
    {')', {8, 4, 2, 2, 2, 4, 8}},
    {'%', {24, 25, 2, 4, 8, 19, 3}},
    {'=', {0, 0, 31, 0, 31}},
    {'a', {0, 0, 14, 1, 15, 17, 15}},
    {'b', {16, 16, 30, 17, 17, 17, 30}},
    {'c', {0, 0, 14, 17, 16, 17, 14}},
    {'d', {1, 1, 15, 17, 17, 17, 15}},
    {'e', {0, 0, 14, 17, 31, 16, 14}},
    {'f', {6, 8, 30, 8, 8, 8, 8}},
    {'g', {0, 0, 15, 17, 17, 17, 15, 1, 14}},
    {'h', {16, 16, 22, 25, 17, 17, 17}},
    {'i', {4, 0, 12, 4, 4, 4, 14}},
    {'j', {2, 0, 6, 2, 2, 2, 2, 18, 12}},
    {'k', {16, 16, 18, 20, 24, 20, 18}},
    {'l', {12, 4, 4, 4, 4, 4, 14}},
    {'m', {0, 0, 26, 21, 21, 21, 21}},
    {'n', {0, 0, 22, 25, 17, 17, 17}},
    {'o', {0, 0, 14, 17, 17, 17, 14}},
    {'p', {0, 0, 30, 17, 17, 17, 30, 16, 16}},
    {'q', {0, 0, 15, 17, 17, 17, 15, 1, 1}},
    {'r', {0, 0, 22, 25, 16, 16, 16}},
    {'s', {0, 0, 15, 16, 14, 1, 30}},
    {'t', {8, 8, 30, 8, 8, 9, 6}},
    {'u', {0, 0, 17, 17, 17, 19, 13}},
    {'v', {0, 0, 17, 17, 17, 10, 4}},
    {'w', {0, 0, 17, 17, 21, 21, 10}},
    {'x', {0, 0, 17, 10, 4, 10, 17}},
    {'y', {0, 0, 17, 17, 17, 17, 15, 1, 14}},
    {'z', {0, 0, 31, 2, 4, 8, 31}},
    {'H', {17, 17, 17, 31, 17, 17, 17}},
    {'L', {16, 16, 16, 16, 16, 16, 31}},
    {'M', {17, 27, 21, 21, 17, 17, 17}},
    {'S', {15, 16, 16, 14, 1, 1, 30}},
};

static void draw_glyph(canvas *c, int x, int y, const struct glyph *glyph, colour with) {
  for (int row = 0; row < 9; row++)
    for (int col = 0; col < 5; col++)
      if (glyph->row[row] >> (4 - col) & 1) canvas_fill(c, x + 2 * col, y + 2 * row, 2, 2, with);
}

void canvas_text(canvas *c, int x, int y, const char *text, colour with) {
  for (; *text; text++, x += CANVAS_ADVANCE)
    for (size_t g = 0; g < sizeof glyphs / sizeof *glyphs; g++)
      if (glyphs[g].letter == *text) draw_glyph(c, x, y, &glyphs[g], with);
}

/* ---- the bar of colours ---------------------------------------------------------------------- */

enum { BAR_WIDTH = 34, BAR_POINT = 16 };

/* Return 1, 2 or 5 times a power of ten, so that there are five to twelve steps in the range. */
static double round_step(double range) {
  const double power = pow(10, floor(log10(range / 5)));
  const double times = range / 5 / power;
  return power * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}

/* Draw the end of the bar, so many pixels wider on all sides. */
static void draw_point(canvas *c, int x, int y, bool down, int wider, colour with) {
  for (int k = 0; k < BAR_POINT + wider; k++) {
    const int half = (BAR_WIDTH / 2 + wider) * (BAR_POINT + wider - k) / (BAR_POINT + wider);
    canvas_fill(c, x + BAR_WIDTH / 2 - half, down ? y + k : y - 1 - k, 2 * half, 1, with);
  }
}

void canvas_bar(canvas *c, int x, int y, int height, canvas_scale *scale, double low, double high) {
  const double range = fmax(high - low, 1e-12), step = round_step(range);
  const int decimals = (int)fmax(0, -floor(log10(step) + 1e-9));
  const int top = y + BAR_POINT, rows = height - 2 * BAR_POINT;
  canvas_fill(c, x - 2, top, BAR_WIDTH + 4, rows, canvas_ink);
  for (int wider = 2; wider >= 0; wider -= 2) {
    draw_point(c, x, top, false, wider, wider ? canvas_ink : scale(1));
    draw_point(c, x, top + rows, true, wider, wider ? canvas_ink : scale(0));
  }
  for (int row = 0; row < rows; row++)
    canvas_fill(c, x, top + row, BAR_WIDTH, 1, scale(1 - (row + 0.5) / rows));
  for (double k = ceil(low / step - 1e-9); k <= high / step + 1e-9; k++) {
    const int at = top + (int)lround((rows - 1) * (high - k * step) / range);
    char text[32];
    snprintf(text, sizeof text, "%.*f", decimals, k * step);
    canvas_fill(c, x + BAR_WIDTH, at - 1, 8, 2, canvas_ink);
    canvas_text(c, x + BAR_WIDTH + 14, at - CANVAS_CAPITAL / 2, text, canvas_ink);
  }
}
