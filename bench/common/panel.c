/* SPDX-License-Identifier: BSD-3-Clause */
/* Values on triangles as a smooth picture: sampled finer than pixels, then averaged. */
#include "panel.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int panel_create(panel *p, int width, int height, const double low[2], const double high[2],
                 bench_error *error) {
  const int cols = width * PANEL_FINE, rows = height * PANEL_FINE;
  float *sample = malloc((size_t)cols * (size_t)rows * sizeof *sample);
  if (!sample) return bench_fail(error, "out of memory for a picture");
  for (int i = 0; i < cols * rows; i++) sample[i] = NAN;
  const double across = (high[0] - low[0]) / cols, down = (high[1] - low[1]) / rows;
  const double step = fmax(fmax(across, down), DBL_MIN);
  *p = (panel){.cols = cols,
               .rows = rows,
               .x = 0.5 * (low[0] + high[0]) - 0.5 * (cols - 1) * step,
               .y = 0.5 * (low[1] + high[1]) + 0.5 * (rows - 1) * step,
               .step = step,
               .sample = sample};
  return 0;
}

void panel_free(panel *p) {
  free(p->sample);
  *p = (panel){0};
}

/* Return twice the area of the triangle a, b, (x, y), positive if they are counter-clockwise. */
static double side_of(const double *a, const double *b, double x, double y) {
  return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

static int clamp(double v, int high) { return v < 0 ? 0 : v > high ? high : (int)v; }

void panel_triangle(panel *p, const double corner[3][2], const double value[3]) {
  double a[3][2]; /* in samples */
  for (int k = 0; k < 3; k++) {
    a[k][0] = (corner[k][0] - p->x) / p->step;
    a[k][1] = (p->y - corner[k][1]) / p->step;
  }
  const int left = clamp(ceil(fmin(a[0][0], fmin(a[1][0], a[2][0]))), p->cols);
  const int top = clamp(ceil(fmin(a[0][1], fmin(a[1][1], a[2][1]))), p->rows);
  const int right = clamp(floor(fmax(a[0][0], fmax(a[1][0], a[2][0]))) + 1, p->cols);
  const int bottom = clamp(floor(fmax(a[0][1], fmax(a[1][1], a[2][1]))) + 1, p->rows);
  const double area = side_of(a[0], a[1], a[2][0], a[2][1]);
  if (area == 0) return;
  for (int row = top; row < bottom; row++)
    for (int col = left; col < right; col++) {
      const double s[] = {side_of(a[1], a[2], col, row) / area,
                          side_of(a[2], a[0], col, row) / area,
                          side_of(a[0], a[1], col, row) / area};
      if (s[0] >= 0 && s[1] >= 0 && s[2] >= 0)
        p->sample[row * p->cols + col] =
            (float)(s[0] * value[0] + s[1] * value[1] + s[2] * value[2]);
    }
}

void panel_range(const panel *p, int npanels, double *low, double *high) {
  enum { BINS = 2000, CUT = 500 };
  int64_t count[BINS] = {0}, seen = 0, below = 0, above = 0;
  double least = DBL_MAX, most = -DBL_MAX;
  for (int k = 0; k < npanels; k++)
    for (int i = 0; i < p[k].cols * p[k].rows; i++) {
      if (!isfinite(p[k].sample[i])) continue;
      least = fmin(least, p[k].sample[i]);
      most = fmax(most, p[k].sample[i]);
      seen++;
    }
  if (seen == 0) least = most = 0;
  const double bin = fmax((most - least) / (BINS - 1), 1e-9);
  for (int k = 0; k < npanels; k++)
    for (int i = 0; i < p[k].cols * p[k].rows; i++)
      if (isfinite(p[k].sample[i])) count[(int)((p[k].sample[i] - least) / bin)]++;
  int first = 0, last = BINS - 1;
  while (first < last && (below += count[first]) * CUT < seen) first++;
  while (last > first && (above += count[last]) * CUT < seen) last--;
  *low = least + first * bin;
  *high = least + (last + 1) * bin;
}

/* Return the mean colour of a pixel's samples. */
static colour mean_colour(const panel *p, int x, int y, canvas_scale *scale, double low,
                          double high, colour nothing) {
  enum { N = PANEL_FINE * PANEL_FINE };
  int r = 0, g = 0, b = 0;
  for (int k = 0; k < N; k++) {
    const float v =
        p->sample[(y * PANEL_FINE + k / PANEL_FINE) * p->cols + x * PANEL_FINE + k % PANEL_FINE];
    const colour c = isfinite(v) ? scale((v - low) / (high - low)) : nothing;
    r += c.r;
    g += c.g;
    b += c.b;
  }
  return (colour){(uint8_t)(r / N), (uint8_t)(g / N), (uint8_t)(b / N)};
}

void panel_draw(const panel *p, canvas *c, int x, int y, canvas_scale *scale, double low,
                double high, colour nothing) {
  for (int row = 0; row < p->rows / PANEL_FINE; row++)
    for (int col = 0; col < p->cols / PANEL_FINE; col++)
      canvas_fill(c, x + col, y + row, 1, 1, mean_colour(p, col, row, scale, low, high, nothing));
}
