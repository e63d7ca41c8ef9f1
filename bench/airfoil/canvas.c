/* SPDX-License-Identifier: BSD-3-Clause */
#include "canvas.h"

#include <string.h>

colour canvas_scale(double t) {
  static const colour stops[] = {{18, 14, 60},   {38, 42, 122},  {38, 84, 160},
                                 {30, 124, 160}, {36, 158, 140}, {88, 186, 100},
                                 {160, 208, 70}, {226, 222, 84}, {254, 246, 190}};
  enum { LAST = sizeof stops / sizeof *stops - 1 };
  const double at = t > 0 ? (t < 1 ? t * LAST : LAST) : 0;
  const int k = at < LAST ? (int)at : LAST - 1;
  const double f = at - k;
  const colour a = stops[k], b = stops[k + 1];
  return (colour){(uint8_t)(a.r + f * (b.r - a.r) + 0.5), (uint8_t)(a.g + f * (b.g - a.g) + 0.5),
                  (uint8_t)(a.b + f * (b.b - a.b) + 0.5)};
}

void canvas_fill(canvas *c, int x, int y, int width, int height, colour with) {
  for (int row = y < 0 ? 0 : y; row < y + height && row < c->height; row++)
    for (int col = x < 0 ? 0 : x; col < x + width && col < c->width; col++)
      c->pixel[row * c->width + col] = with;
}

/* Letters on a grid of 5 x 7 dots; a row is a number of five bits, the leftmost dot the highest. */
static const struct glyph {
  char letter;
  uint8_t row[7];
} glyphs[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 6, 8, 16, 31}},    {'3', {14, 17, 1, 6, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {'M', {17, 27, 21, 21, 17, 17, 17}},
    {'a', {0, 0, 14, 1, 15, 17, 15}},    {'c', {0, 0, 14, 17, 16, 17, 14}},
    {'h', {16, 16, 22, 25, 17, 17, 17}}, {'n', {0, 0, 22, 25, 17, 17, 17}},
    {'u', {0, 0, 17, 17, 17, 19, 13}},   {'m', {0, 0, 26, 21, 21, 21, 21}},
    {'b', {16, 16, 30, 17, 17, 17, 30}}, {'e', {0, 0, 14, 17, 31, 16, 14}},
    {'r', {0, 0, 22, 25, 16, 16, 16}},
};

void canvas_text(canvas *c, int x, int y, const char *text, colour with) {
  for (; *text; text++, x += 12)
    for (size_t g = 0; g < sizeof glyphs / sizeof *glyphs; g++) {
      if (glyphs[g].letter != *text) continue;
      for (int row = 0; row < 7; row++)
        for (int col = 0; col < 5; col++)
          if (glyphs[g].row[row] >> (4 - col) & 1)
            canvas_fill(c, x + 2 * col, y + 2 * row, 2, 2, with);
    }
}
