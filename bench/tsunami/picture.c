/* SPDX-License-Identifier: BSD-3-Clause */
/* The sea at a few times, side by side, with one scale. */
#include "picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "water.h"

enum {
  SIDE = 500,   /* of a frame */
  GAP = 14,     /* between frames, and around them */
  TITLE = 30,   /* height of the line above a frame */
  CAPTION = 36, /* height of the line at the bottom */
  BAR = 150,    /* width of the scale's part */
  WIDTH = 2 * SIDE + 3 * GAP + BAR,
  HEIGHT = 2 * (SIDE + TITLE) + 2 * GAP + CAPTION
};

/* Give every corner of a cell the mean of the cells round it, either all of them or only wet ones;
 * in the second case dry cells are omitted from the panel. */
static int draw_cells(panel *p, const mesh *m, const double *q, bool ground, bench_error *error) {
  double *sum = calloc((size_t)m->nnode, sizeof *sum);
  int *cells = calloc((size_t)m->nnode, sizeof *cells);
  int rc = sum && cells ? 0 : bench_fail(error, "out of memory for a picture");
  for (int64_t k = 0; k < 3 * m->ncell && !rc; k++) {
    const double *state = q + k / 3 * 4;
    if (!ground && state[0] <= WATER_DRY) continue;
    sum[m->cell[k]] += ground ? state[3] : state[0] + state[3];
    cells[m->cell[k]]++;
  }
  for (int64_t c = 0; c < m->ncell && !rc; c++) {
    double corner[3][2], value[3];
    if (!ground && q[4 * c] <= WATER_DRY) continue;
    for (int k = 0; k < 3; k++) {
      const int32_t node = m->cell[3 * c + k];
      corner[k][0] = m->x[2 * (int64_t)node];
      corner[k][1] = m->x[2 * (int64_t)node + 1];
      value[k] = sum[node] / cells[node];
    }
    panel_triangle(p, corner, value);
  }
  free(sum);
  free(cells);
  return rc;
}

int picture_add(picture *p, const mesh *m, const double *q, double time, bench_error *error) {
  static const double low[] = {0, 0}, high[] = {MESH_EXTENT, MESH_EXTENT};
  if (p->frames == PICTURE_FRAMES) return 0;
  if (!p->ground.sample && (panel_create(&p->ground, SIDE, SIDE, low, high, error) ||
                            draw_cells(&p->ground, m, q, true, error)))
    return -1;
  panel *frame = &p->surface[p->frames];
  if (panel_create(frame, SIDE, SIDE, low, high, error) || draw_cells(frame, m, q, false, error))
    return -1;
  p->m = m;
  p->time[p->frames++] = time;
  return 0;
}

void picture_free(picture *p) {
  for (int k = 0; k < PICTURE_FRAMES; k++) panel_free(&p->surface[k]);
  panel_free(&p->ground);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static float sample_at(const panel *p, int x, int y) {
  return p->sample[y * PANEL_FINE * p->cols + x * PANEL_FINE];
}

/* True if the pixel and one of its neighbours are on different sides of the shore, or of a
 * depth. */
static bool on_shore(const panel *surface, int x, int y) {
  const bool dry = isnan(sample_at(surface, x, y));
  return dry != isnan(sample_at(surface, x + 1, y)) || dry != isnan(sample_at(surface, x, y + 1));
}

static bool on_contour(const panel *ground, int x, int y, float level) {
  const bool below = sample_at(ground, x, y) < level;
  return below != (sample_at(ground, x + 1, y) < level) ||
         below != (sample_at(ground, x, y + 1) < level);
}

static void draw_lines(const picture *p, const panel *surface, canvas *c, int left, int top) {
  static const colour depth = {150, 150, 154};
  for (int y = 0; y < SIDE - 1; y++)
    for (int x = 0; x < SIDE - 1; x++) {
      if (on_contour(&p->ground, x, y, -100) || on_contour(&p->ground, x, y, -500))
        canvas_fill(c, left + x, top + y, 1, 1, depth);
      if (on_shore(surface, x, y)) canvas_fill(c, left + x, top + y, 2, 2, canvas_ink);
    }
}

/* ---- the picture ----------------------------------------------------------------------------- */

static void draw_frame(const picture *p, int k, canvas *c, double most) {
  static const colour land = {198, 184, 150};
  const int left = GAP + k % 2 * (SIDE + GAP), top = k / 2 * (SIDE + TITLE + GAP) + TITLE;
  char text[48];
  snprintf(text, sizeof text, "after %.0f seconds", p->time[k]);
  canvas_text(c, left, top - TITLE + 10, text, canvas_ink);
  panel_draw(&p->surface[k], c, left, top, canvas_diverging, -most, most, land);
  draw_lines(p, &p->surface[k], c, left, top);
}

int picture_write(const picture *p, const char *path, int steps, bench_error *error) {
  canvas c;
  double low, high;
  char text[128];
  if (p->frames == 0) return bench_fail(error, "%s: no picture without a time step", path);
  if (canvas_create(&c, WIDTH, HEIGHT, error)) return -1;
  panel_range(p->surface, p->frames, &low, &high);
  const double most = fmax(fmax(-low, high), 1e-6);
  for (int k = 0; k < p->frames; k++) draw_frame(p, k, &c, most);
  canvas_text(&c, WIDTH - BAR, 10, "metres above", canvas_ink);
  canvas_text(&c, WIDTH - BAR, 30, "or below", canvas_ink);
  canvas_text(&c, WIDTH - BAR, 50, "rest", canvas_ink);
  canvas_bar(&c, WIDTH - BAR + 8, 80, HEIGHT - 80 - CAPTION - GAP, canvas_diverging, -most, most);
  snprintf(text, sizeof text,
           "%" PRId64 " cells, %d time steps; lines: shore, 100 and 500 metres deep", p->m->ncell,
           steps);
  canvas_text(&c, GAP, HEIGHT - CAPTION + 8, text, canvas_ink);
  const int rc = canvas_save(&c, path, error);
  canvas_free(&c);
  return rc;
}
