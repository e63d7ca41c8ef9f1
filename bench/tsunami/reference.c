/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "dump.h"

/* Zeroed memory on huge pages where the system gives them, as the library's own; null when there is
 * none. */
static void *allocate(size_t bytes) {
  const size_t page = (size_t)1 << 21, size = (bytes / page + 1) * page;
  void *p = aligned_alloc(page, size);
  if (!p) return NULL;
  madvise(p, size, MADV_HUGEPAGE);
  return memset(p, 0, size);
}

/* The same numbers on huge pages; null when there is no memory. */
static int32_t *moved(int32_t *from, int64_t n) {
  int32_t *to = allocate((size_t)n * sizeof *to);
  if (to) memcpy(to, from, (size_t)n * sizeof *to);
  return to;
}

/* What a time step reads of the mesh goes to huge pages. */
static int move_mesh(mesh *m, mesh_error *error) {
  int32_t *ecell = moved(m->ecell, 2 * m->nedge);
  if (!ecell) return mesh_fail(error, "out of memory for the mesh");
  free(m->ecell);
  m->ecell = ecell;
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

/* exp(-r^2 / 2) with r the distance of (x, y) from the centre, in widths. */
static double bell(double x, double y, double centre_x, double centre_y, double width) {
  const double dx = (x - centre_x) / width, dy = (y - centre_y) / width;
  return exp(-0.5 * (dx * dx + dy * dy));
}

/* Level of the ground; x and y are parts of the sea's extent. */
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

static int sea_create(const mesh *m, double hump, sea *s, mesh_error *error) {
  const size_t cells = (size_t)m->ncell * sizeof(double);
  const size_t edges = (size_t)m->nedge * sizeof(double);
  *s = (sea){.area = allocate(cells),
             .edge_normal = allocate(3 * edges),
             .wall_normal = allocate(3 * (size_t)m->nbedge * sizeof(double)),
             .q = allocate(4 * cells),
             .ahead = allocate(4 * cells),
             .res = allocate(3 * cells),
             .rate = allocate(cells)};
  if (!s->area || !s->edge_normal || !s->wall_normal || !s->q || !s->ahead || !s->res || !s->rate) {
    sea_free(s);
    return mesh_fail(error, "out of memory for the sea");
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

static int run(const reference *r, const options *o, const mesh *m, mesh_error *error) {
  sea s;
  if (sea_create(m, o->hump, &s, error)) return -1;
  const int warmup = options_warmup(o);
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
  const double end = clock_now();
  printf("time_loop_s %.6f\n", end - begin);
  if (o->iterations > 0)
    printf("time_per_iteration_ms %.6f\n", 1e3 * (end - timed) / (o->iterations - warmup));
  const int rc = o->dump_q ? dump_write(o->dump_q, s.q, 4 * m->ncell, time, error) : 0;
  sea_free(&s);
  return rc;
}

int reference_main(int argc, char **argv, const reference *r) {
  options o;
  const int status = options_parse(argc, argv, r->program, &o);
  if (status >= 0) return status;
  mesh m = {0};
  mesh_error error;
  int rc = options_mesh(&o, &m, &error);
  if (rc == 0) rc = move_mesh(&m, &error);
  if (rc == 0) rc = r->prepare(&o, &m, &error);
  if (rc == 0) {
    rc = run(r, &o, &m, &error);
    r->finish();
  }
  mesh_free(&m);
  if (rc) fprintf(stderr, "%s: %s\n", argv[0], error.text);
  return rc ? 1 : 0;
}
