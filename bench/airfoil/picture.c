/* SPDX-License-Identifier: BSD-3-Clause */
#include "picture.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/panel.h"
#include "gas.h"

enum {
  WIDTH = 1280, /* of the picture */
  HEIGHT = 760, /* of the picture */
  FIELD = 1120, /* width of the flow's part of it; the rest shows the scale */
  CAPTION = 40, /* height of the line below */
  BAR = HEIGHT - 130
};

/* Show the wall in the middle, with as much flow again before it and after it, or the whole mesh if
 * there is no wall. */
static int make_panel(panel *p, const mesh *m, bench_error *error) {
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
  for (int d = 0; d < 2 && wall; d++) {
    const double margin = 0.6 * (high[d] - low[d]);
    low[d] -= margin;
    high[d] += margin;
  }
  return panel_create(p, FIELD, HEIGHT - CAPTION, low, high, error);
}

/* Compute the Mach number in every node as the mean of the cells round it. */
static double *mach_in_nodes(const mesh *m, const double *q) {
  double *mach = calloc((size_t)m->nnode, sizeof *mach);
  int *cells = calloc((size_t)m->nnode, sizeof *cells);
  if (mach && cells) {
    for (int64_t k = 0; k < 4 * m->ncell; k++) {
      mach[m->cell[k]] += gas_mach(q + k / 4 * 4);
      cells[m->cell[k]]++;
    }
    for (int64_t n = 0; n < m->nnode; n++) mach[n] /= cells[n] ? cells[n] : 1;
  } else {
    free(mach);
    mach = NULL;
  }
  free(cells);
  return mach;
}

static void draw_cells(panel *p, const mesh *m, const double *mach) {
  static const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
  for (int64_t half = 0; half < 2 * m->ncell; half++) {
    double corner[3][2], value[3];
    for (int k = 0; k < 3; k++) {
      const int32_t node = m->cell[half / 2 * 4 + halves[half % 2][k]];
      corner[k][0] = m->x[2 * (int64_t)node];
      corner[k][1] = m->x[2 * (int64_t)node + 1];
      value[k] = mach[node];
    }
    panel_triangle(p, corner, value);
  }
}

static void draw_words(canvas *c, const mesh *m, int steps, double rms, double low, double high) {
  char text[128];
  canvas_text(c, FIELD + 16, 24, "Mach number", canvas_ink);
  canvas_bar(c, FIELD + 20, 60, BAR, canvas_rising, low, high);
  snprintf(text, sizeof text, "%" PRId64 " cells, %d time steps; the last one changed %.1e (rms)",
           m->ncell, steps, rms);
  canvas_text(c, 16, HEIGHT - CAPTION + 12, text, canvas_ink);
}

int picture_write(const char *path, const mesh *m, const double *q, int steps, double rms,
                  bench_error *error) {
  static const colour solid = {70, 70, 74};
  panel p = {0};
  canvas c = {0};
  int rc = -1;
  double low, high, *mach = mach_in_nodes(m, q);
  if (!mach) {
    bench_fail(error, "%s: out of memory for the picture", path);
  } else if (!make_panel(&p, m, error) && !canvas_create(&c, WIDTH, HEIGHT, error)) {
    draw_cells(&p, m, mach);
    panel_range(&p, 1, &low, &high);
    panel_draw(&p, &c, 0, 0, canvas_rising, low, high, solid);
    draw_words(&c, m, steps, rms, low, high);
    rc = canvas_save(&c, path, error);
  }
  free(mach);
  panel_free(&p);
  canvas_free(&c);
  return rc;
}
