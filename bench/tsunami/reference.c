/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/dump.h"
#include "common/reference.h"

/* Move the arrays of the mesh that a time step reads to huge pages. */
static int move_mesh(mesh *m, bench_error *error) {
  if (reference_move(&m->ecell, 2 * (size_t)m->nedge * sizeof *m->ecell))
    return bench_fail(error, "out of memory for the mesh");
  return 0;
}

static void set_normals(const mesh *m, const int32_t *edge, int64_t n, double *normal) {
  for (int64_t e = 0; e < n; e++) {
    const double *a = m->x + 2 * (int64_t)edge[2 * e], *b = m->x + 2 * (int64_t)edge[2 * e + 1];
    const double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy);
    normal[3 * e] = dy / length;
    normal[3 * e + 1] = -dx / length;
    normal[3 * e + 2] = length;
  }
}

/* Return exp(-r^2 / 2), with r the distance of (x, y) from the centre, in widths. */
static double bell(double x, double y, double centre_x, double centre_y, double width) {
  const double dx = (x - centre_x) / width, dy = (y - centre_y) / width;
  return exp(-0.5 * (dx * dx + dy * dy));
}

/* Return the level of the ground; x and y are fractions of the sea's extent. */
static double ground_level(double x, double y) {
  const double shelf = -1000.0 + 475.0 * (1.0 + tanh((x - 0.6) / 0.08));
  const double beach = x > 0.85 ? 1000.0 * (x - 0.85) : 0.0;
  return shelf + beach + 1300.0 * bell(x, y, 0.45, 0.6, 0.1);
}

static void set_cells(const mesh *m, double hump, sea *s) {
  for (int64_t c = 0; c < m->ncell; c++) {
    const double *p[3];
    for (int k = 0; k < 3; k++) p[k] = m->x + 2 * (int64_t)m->cell[3 * c + k];
    s->area[c] = 0.5 * ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                        (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]));
    const double x = (p[0][0] + p[1][0] + p[2][0]) / (3.0 * MESH_EXTENT);
    const double y = (p[0][1] + p[1][1] + p[2][1]) / (3.0 * MESH_EXTENT);
    const double z = ground_level(x, y);
    s->q[4 * c] = z < 0.0 ? hump * bell(x, y, 0.25, 0.4, 0.06) - z : 0.0;
    s->q[4 * c + 3] = z;
  }
}

static void sea_free(sea *s) {
  free(s->area);
  free(s->edge_normal);
  free(s->wall_normal);
  free(s->q);
  free(s->ahead);
  free(s->res);
  free(s->rate);
}

static int sea_create(const mesh *m, double hump, sea *s, bench_error *error) {
  const size_t cells = (size_t)m->ncell * sizeof(double);
  const size_t edges = (size_t)m->nedge * sizeof(double);
  *s = (sea){.area = reference_alloc(cells),
             .edge_normal = reference_alloc(3 * edges),
             .wall_normal = reference_alloc(3 * (size_t)m->nbedge * sizeof(double)),
             .q = reference_alloc(4 * cells),
             .ahead = reference_alloc(4 * cells),
             .res = reference_alloc(3 * cells),
             .rate = reference_alloc(cells)};
  if (!s->area || !s->edge_normal || !s->wall_normal || !s->q || !s->ahead || !s->res || !s->rate) {
    sea_free(s);
    return bench_fail(error, "out of memory for the sea");
  }
  set_normals(m, m->edge, m->nedge, s->edge_normal);
  set_normals(m, m->bedge, m->nbedge, s->wall_normal);
  set_cells(m, hump, s);
  return 0;
}

static water survey(const sea *s, int64_t ncell) {
  water w = {.depth = INFINITY};
  for (int64_t c = 0; c < ncell; c++) {
    const double *q = s->q + 4 * c, area = s->area[c];
    w.volume += area * q[0];
    w.depth = ref_min(w.depth, q[0]);
    if (q[0] <= WATER_DRY) continue;
    const double square = (q[1] * q[1] + q[2] * q[2]) / (q[0] * q[0]), surface = q[0] + q[3];
    w.energy += 0.5 * area * (q[0] * square + WATER_GRAVITY * surface * surface);
    w.speed = ref_max(w.speed, sqrt(square));
  }
  return w;
}

static int run(const reference *r, const options *o, const mesh *m, bench_error *error) {
  sea s;
  if (sea_create(m, o->hump, &s, error)) return -1;
  const int warmup = option_warmup(&o->run, o->iterations);
  const double begin = clock_now();
  double timed = begin, time = 0;
  if (o->every > 0) water_print_header();
  for (int it = 1; it <= o->iterations; it++) {
    time += r->step(m, &s);
    if (o->every > 0 && it % o->every == 0) {
      const water w = survey(&s, m->ncell);
      water_print(it, time, &w);
    }
    if (it == warmup) timed = clock_now();
  }
  reference_times(begin, timed, o->iterations - warmup);
  const int rc = o->dump_q ? dump_write(o->dump_q, s.q, 4 * m->ncell, time, error) : 0;
  sea_free(&s);
  return rc;
}

int reference_main(int argc, char **argv, const reference *r) {
  options o;
  const int status = options_parse(argc, argv, r->program, &o);
  if (status >= 0) return status;
  mesh m = {0};
  bench_error error;
  int rc = options_mesh(&o, &m, &error);
  if (rc == 0) rc = move_mesh(&m, &error);
  if (rc == 0 && r->prepare) rc = r->prepare(&o, &m, &error);
  if (rc == 0) {
    rc = run(r, &o, &m, &error);
    if (r->finish) r->finish();
  }
  mesh_free(&m);
  if (rc) fprintf(stderr, "%s: %s\n", argv[0], error.text);
  return rc ? 1 : 0;
}
