/* SPDX-License-Identifier: BSD-3-Clause */
#include "picture.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef AIRFOIL_PNG
#include <png.h>
#endif

#include "canvas.h"
#include "gas.h"

enum {
  WIDTH = 1280,        /* of the picture */
  HEIGHT = 760,        /* of the picture */
  FIELD = 1120,        /* width of the flow's part of it; the rest shows the scale */
  FINE = 2,            /* samples across a pixel, to smooth the section's outline */
  COLS = FIELD * FINE, /* of samples */
  ROWS = HEIGHT * FINE /* of samples */
};

/* What the picture shows: sample (0, 0) has its centre at (x, y), and samples are `step` apart,
 * rows downwards. */
typedef struct view {
  double x, y, step;
} view;

/* The wall in the middle, with as much flow again before it and behind it, or the whole mesh if
 * there is no wall. */
static view choose_view(const mesh *m) {
  double low[2] = {DBL_MAX, DBL_MAX}, high[2] = {-DBL_MAX, -DBL_MAX};
  bool wall = false;
  for (int64_t b = 0; b < m->nbedge && !wall; b++) wall = m->bound[b] == MESH_WALL;
  for (int64_t b = 0; b < m->nbedge; b++)
    for (int k = 0; k < 4; k++) {
      if (wall && m->bound[b] != MESH_WALL) continue;
      const double v = m->x[2 * (int64_t)m->bedge[2 * b + k / 2] + k % 2];
      low[k % 2] = fmin(low[k % 2], v);
      high[k % 2] = fmax(high[k % 2], v);
    }
  const double margin = wall ? 2.2 : 1.0;
  const double across = margin * (high[0] - low[0]) / COLS,
               down = margin * (high[1] - low[1]) / ROWS;
  const double step = fmax(fmax(across, down), DBL_MIN);
  return (view){.x = 0.5 * (low[0] + high[0]) - 0.5 * (COLS - 1) * step,
                .y = 0.5 * (low[1] + high[1]) + 0.5 * (ROWS - 1) * step,
                .step = step};
}

/* Twice the area of the triangle a, b, (x, y), positive when they go round to the left. */
static double side_of(const double *a, const double *b, double x, double y) {
  return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

static int clamp(double v, int high) { return v < 0 ? 0 : v > high ? high : (int)v; }

/* Gives `value` to the samples in a triangle of sample coordinates, edges included. */
static void fill_triangle(float *sample, const double *a, const double *b, const double *c,
                          float value) {
  const int left = clamp(ceil(fmin(a[0], fmin(b[0], c[0]))), COLS);
  const int top = clamp(ceil(fmin(a[1], fmin(b[1], c[1]))), ROWS);
  const int right = clamp(floor(fmax(a[0], fmax(b[0], c[0]))) + 1, COLS);
  const int bottom = clamp(floor(fmax(a[1], fmax(b[1], c[1]))) + 1, ROWS);
  for (int row = top; row < bottom; row++)
    for (int col = left; col < right; col++) {
      const double s1 = side_of(a, b, col, row), s2 = side_of(b, c, col, row),
                   s3 = side_of(c, a, col, row);
      if ((s1 >= 0 && s2 >= 0 && s3 >= 0) || (s1 <= 0 && s2 <= 0 && s3 <= 0))
        sample[row * COLS + col] = value;
    }
}

/* The Mach number in every sample, NaN where there is no cell. */
static void draw_cells(const mesh *m, const double *q, float *sample) {
  const view v = choose_view(m);
  for (int i = 0; i < COLS * ROWS; i++) sample[i] = NAN;
  for (int64_t c = 0; c < m->ncell; c++) {
    double corner[4][2];
    for (int k = 0; k < 4; k++) {
      const double *x = m->x + 2 * (int64_t)m->cell[4 * c + k];
      corner[k][0] = (x[0] - v.x) / v.step;
      corner[k][1] = (v.y - x[1]) / v.step;
    }
    const float mach = (float)gas_mach(q + 4 * c);
    fill_triangle(sample, corner[0], corner[1], corner[2], mach);
    fill_triangle(sample, corner[0], corner[2], corner[3], mach);
  }
}

/* The range that the colours cover: all but the two in a thousand highest and lowest samples, or
 * else the stagnation point alone takes half of the scale. */
static void find_range(const float *sample, double *low, double *high) {
  enum { BINS = 2000, CUT = 500 };
  int64_t count[BINS] = {0}, seen = 0, below = 0, above = 0;
  double least = DBL_MAX, most = -DBL_MAX;
  for (int i = 0; i < COLS * ROWS; i++) {
    if (!isfinite(sample[i])) continue;
    least = fmin(least, sample[i]);
    most = fmax(most, sample[i]);
    seen++;
  }
  if (seen == 0) least = most = 0;
  const double bin = fmax((most - least) / (BINS - 1), 1e-9);
  for (int i = 0; i < COLS * ROWS; i++)
    if (isfinite(sample[i])) count[(int)((sample[i] - least) / bin)]++;
  int first = 0, last = BINS - 1;
  while (first < last && (below += count[first]) * CUT < seen) first++;
  while (last > first && (above += count[last]) * CUT < seen) last--;
  *low = least + first * bin;
  *high = least + (last + 1) * bin;
}

static colour average(const float *sample, int x, int y, double low, double high) {
  static const colour solid = {70, 70, 74};
  int r = 0, g = 0, b = 0;
  for (int k = 0; k < FINE * FINE; k++) {
    const float v = sample[(y * FINE + k / FINE) * COLS + x * FINE + k % FINE];
    const colour c = isfinite(v) ? canvas_scale((v - low) / (high - low)) : solid;
    r += c.r;
    g += c.g;
    b += c.b;
  }
  const int n = FINE * FINE;
  return (colour){(uint8_t)(r / n), (uint8_t)(g / n), (uint8_t)(b / n)};
}

static void draw_scale(canvas *c, double low, double high) {
  static const colour ink = {30, 30, 34};
  const int left = FIELD + 20, top = 60, width = 34, height = HEIGHT - 100, ticks = 9;
  canvas_text(c, FIELD + 16, 24, "Mach number", ink);
  canvas_fill(c, left - 2, top - 2, width + 4, height + 4, ink);
  for (int y = 0; y < height; y++)
    canvas_fill(c, left, top + y, width, 1, canvas_scale(1 - (double)y / (height - 1)));
  for (int k = 0; k < ticks; k++) {
    const int y = top + (height - 1) * k / (ticks - 1);
    char text[32];
    snprintf(text, sizeof text, "%.4f", high - (high - low) * k / (ticks - 1));
    canvas_fill(c, left + width, y - 1, 10, 2, ink);
    canvas_text(c, left + width + 14, y - 7, text, ink);
  }
}

#ifdef AIRFOIL_PNG
static int save(const char *path, const canvas *c, bench_error *error) {
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)c->width,
                     .height = (png_uint_32)c->height,
                     .format = PNG_FORMAT_RGB};
  if (png_image_write_to_file(&image, path, 0, c->pixel, 0, NULL)) return 0;
  return bench_fail(error, "%s: %s", path, image.message);
}
#else
static int save(const char *path, const canvas *c, bench_error *error) {
  (void)c;
  return bench_fail(error, "%s: no picture: this program was built without libpng", path);
}
#endif

int picture_write(const char *path, const mesh *m, const double *q, bench_error *error) {
  float *sample = malloc((size_t)COLS * ROWS * sizeof *sample);
  canvas c = {
      .width = WIDTH, .height = HEIGHT, .pixel = malloc((size_t)WIDTH * HEIGHT * sizeof(colour))};
  int rc = -1;
  if (sample && c.pixel) {
    double low, high;
    draw_cells(m, q, sample);
    find_range(sample, &low, &high);
    canvas_fill(&c, 0, 0, WIDTH, HEIGHT, (colour){255, 255, 255});
    for (int i = 0; i < FIELD * HEIGHT; i++)
      c.pixel[i / FIELD * WIDTH + i % FIELD] = average(sample, i % FIELD, i / FIELD, low, high);
    draw_scale(&c, low, high);
    rc = save(path, &c, error);
  } else {
    bench_fail(error, "%s: out of memory for the picture", path);
  }
  free(sample);
  free(c.pixel);
  return rc;
}
