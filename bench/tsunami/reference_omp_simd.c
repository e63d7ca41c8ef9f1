/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/lanes.h"
#include "common/pieces.h"
#include "common/reference.h"
#include "reference.h"

/* The shallow-water scheme by hand for OpenMP and vectors, with an edge or a cell in each lane.
 * Rows of four values are loaded whole and transposed in registers; conditions become masks. What a
 * cell gets from its edges is one row: inflow times area and the speed of the waves. A time step is
 * one parallel region. */

enum {
  AHEAD = 256, /* Edges whose rows are fetched early. */
  NEAR = 24,   /* Edges whose cells are fetched early, if they are far apart. */
};

static pieces edges;
static plan walls;
static double *sides;  /* [groups of LANES edges][3][LANES] unit normals and lengths */
static double *gains;  /* [ncell][4] inflow times area, and speed of the waves */
static double *fluxes; /* [nedge][2][4] gains of both cells if cells sum them up, or else null */

/* ---- edges ---- */

typedef struct side_lanes {
  lanes h, u, v, c;
  lane_mask dry;
} side_lanes;

static inline side_lanes make_side(lanes nx, lanes ny, const lanes *q, lanes ground) {
  const lanes none = {0}, height = q[0] + q[3] - ground, per_depth = 1.0 / q[0];
  const lane_mask dry = height <= WATER_DRY;
  const lanes h = lanes_select(dry, none, height);
  return (side_lanes){.h = h,
                      .u = lanes_select(dry, none, per_depth * (q[1] * nx + q[2] * ny)),
                      .v = lanes_select(dry, none, per_depth * (q[2] * nx - q[1] * ny)),
                      .c = lanes_sqrt(WATER_GRAVITY * h),
                      .dry = dry};
}

/* Compute the speeds of the slowest and the fastest wave, which are 0 if both sides are dry. */
static inline void make_waves(side_lanes a, side_lanes b, lanes *s1, lanes *s2) {
  const lanes u = 0.5 * (a.u + b.u) + a.c - b.c, c = 0.5 * (a.c + b.c) + 0.25 * (a.u - b.u);
  const lanes slow = lanes_select(b.dry, a.u - a.c, lanes_min(a.u - a.c, u - c));
  const lanes fast = lanes_select(b.dry, a.u + 2.0 * a.c, lanes_max(b.u + b.c, u + c));
  *s1 = lanes_select(a.dry, b.u - 2.0 * b.c, slow);
  *s2 = lanes_select(a.dry, b.u + b.c, fast);
}

/* The gain of a cell by an edge through which so much flows into it. */
static inline void set_gain(const lanes *normal, lanes mass, lanes push, lanes drag, lanes speed,
                            lanes *gain) {
  gain[0] = normal[2] * mass;
  gain[1] = normal[2] * (push * normal[0] - drag * normal[1]);
  gain[2] = normal[2] * (push * normal[1] + drag * normal[0]);
  gain[3] = normal[2] * speed;
}

/* Compute the gains of the first and of the second cells. */
static inline void flux(const lanes *normal, const lanes *q1, const lanes *q2, lanes *first,
                        lanes *second) {
  const lanes ground = lanes_max(q1[3], q2[3]);
  const side_lanes a = make_side(normal[0], normal[1], q1, ground);
  const side_lanes b = make_side(normal[0], normal[1], q2, ground);
  lanes s1, s2;
  make_waves(a, b, &s1, &s2);
  const lanes p1 = 0.5 * WATER_GRAVITY * a.h * a.h, p2 = 0.5 * WATER_GRAVITY * b.h * b.h;
  const lanes d1 = a.h * a.u, d2 = b.h * b.u, f1 = d1 * a.u + p1, f2 = d2 * b.u + p2;
  const lanes per_fan = 1.0 / (s2 - s1), s12 = s1 * s2;
  const lane_mask right = s1 >= 0.0, left = s2 <= 0.0;
  lanes mass = per_fan * (s2 * d1 - s1 * d2 + s12 * (b.h - a.h));
  lanes push = per_fan * (s2 * f1 - s1 * f2 + s12 * (d2 - d1));
  mass = lanes_select(right, d1, lanes_select(left, d2, mass));
  push = lanes_select(right, f1, lanes_select(left, f2, push));
  const lanes drag = mass * lanes_select(mass > 0.0, a.v, b.v);
  const lanes speed = lanes_max(lanes_abs(s1), lanes_abs(s2));
  set_gain(normal, -mass, p1 - push, -drag, speed, first);
  set_gain(normal, mass, push - p2, drag, speed, second);
}

static inline void load_states(const double *restrict q, const int32_t *restrict cell,
                               lanes *value) {
  lanes4 row[LANES];
  for (int k = 0; k < LANES; k++) row[k] = lanes4_load(q + 4 * (int64_t)cell[2 * k]);
  lanes_from_rows4(row, value);
}

/* The gains of LANES edges, those of the first cells before those of the second ones. */
static inline __attribute__((always_inline)) void edge_gains(const double *restrict face,
                                                             const int32_t *restrict cell,
                                                             const double *restrict q,
                                                             lanes4 row[2][LANES]) {
  lanes normal[3], a[4], b[4], first[4], second[4];
  for (int d = 0; d < 3; d++) normal[d] = lanes_load(face + d * LANES);
  load_states(q, cell, a);
  load_states(q, cell + 1, b);
  flux(normal, a, b, first, second);
  lanes_to_rows4(first, row[0]);
  lanes_to_rows4(second, row[1]);
}

static inline void add_row(double *to, lanes4 gain) { lanes4_store(to, lanes4_load(to) + gain); }

/* Add the gains of one edge, for the last edges, which do not fill a vector. */
static inline void add_gain(const sea *s, const double *q, int64_t e, int64_t c1, int64_t c2,
                            double *first, double *second) {
  ref_flux(s->edge_normal + 3 * e, q + 4 * c1, q + 4 * c2, first, second, first + 3, second + 3);
}

static void add_gains(const int32_t *restrict cell, const sea *s, const double *restrict q,
                      int64_t begin, int64_t end) {
  double *restrict to = gains;
  const double *restrict face = sides;
  int64_t e = begin;
  for (; e + LANES <= end; e += LANES) {
    lanes4 row[2][LANES];
    __builtin_prefetch(cell + 2 * (e + AHEAD));
    for (int d = 0; d < 3; d++) __builtin_prefetch(face + 3 * (e + AHEAD) + d * LANES);
    edge_gains(face + 3 * e, cell + 2 * e, q, row);
    for (int k = 0; k < LANES; k++) {
      add_row(to + 4 * (int64_t)cell[2 * (e + k)], row[0][k]);
      add_row(to + 4 * (int64_t)cell[2 * (e + k) + 1], row[1][k]);
    }
  }
  for (; e < end; e++) {
    const int64_t c1 = cell[2 * e], c2 = cell[2 * e + 1];
    add_gain(s, q, e, c1, c2, to + 4 * c1, to + 4 * c2);
  }
}

static void store_gains(const int32_t *restrict cell, const sea *s, const double *restrict q,
                        int64_t begin, int64_t end) {
  int64_t e = begin;
  for (; e + LANES <= end; e += LANES) {
    lanes4 row[2][LANES];
    for (int64_t i = 2 * (e + NEAR); i < 2 * (e + NEAR + LANES) && i < 2 * end; i++)
      __builtin_prefetch(q + 4 * (int64_t)cell[i]);
    edge_gains(sides + 3 * e, cell + 2 * e, q, row);
    for (int k = 0; k < 2 * LANES; k++) lanes4_store(fluxes + 8 * e + 4 * k, row[k % 2][k / 2]);
  }
  for (; e < end; e++) {
    double *to = fluxes + 8 * e;
    for (int n = 0; n < 8; n++) to[n] = 0.0;
    add_gain(s, q, e, cell[2 * e], cell[2 * e + 1], to, to + 4);
  }
}

static void add_wall(const mesh *m, const sea *s, const double *q, int64_t b) {
  const int64_t c = m->becell[b];
  ref_wall(s->wall_normal + 3 * b, q + 4 * c, gains + 4 * c, gains + 4 * c + 3);
}

/* ---- cells ---- */

/* Add up the gains of the cells' edges, besides those that they have from walls. */
static void sum_gains(share mine) {
  for (int64_t c = mine.begin; c < mine.end; c++) {
    lanes4 sum = lanes4_load(gains + 4 * c);
    for (int64_t i = edges.first[c]; i < edges.first[c + 1]; i++)
      sum += lanes4_load(fluxes + 4 * (int64_t)edges.at[i]);
    lanes4_store(gains + 4 * c, sum);
  }
}

/* Load the rows of LANES successive cells. */
static inline void load_cells(const double *from, lanes *value) {
  lanes4 row[LANES];
  for (int k = 0; k < LANES; k++) row[k] = lanes4_load(from + 4 * k);
  lanes_from_rows4(row, value);
}

static inline void store_cells(double *to, const lanes *value) {
  lanes4 row[LANES];
  lanes_to_rows4(value, row);
  for (int k = 0; k < LANES; k++) lanes4_store(to + 4 * k, row[k]);
}

static double least_time_step(const double *restrict area, share mine) {
  lanes least = lanes_all(WATER_NO_STEP);
  int64_t c = mine.begin;
  for (; c + LANES <= mine.end; c += LANES) {
    lanes gain[4];
    load_cells(gains + 4 * c, gain);
    const lanes dt = WATER_CFL * lanes_load(area + c) / gain[3];
    least = lanes_min(least, lanes_select(gain[3] > 0.0, dt, lanes_all(WATER_NO_STEP)));
  }
  double dt = WATER_NO_STEP;
  for (int k = 0; k < LANES; k++) dt = ref_min(dt, least[k]);
  for (; c < mine.end; c++) dt = ref_min(dt, ref_time_step(area[c], gains[4 * c + 3]));
  return dt;
}

/* Change states by the gains, which are cleared. The second stage takes the mean of the state
 * before the time step and what the predicted one becomes. */
static inline void change(const lanes *gain, lanes factor, const lanes *from, lanes *to,
                          bool mean) {
  const lanes none = {0};
  for (int n = 0; n < 3; n++) {
    const lanes changed = from[n] + factor * gain[n];
    to[n] = mean ? 0.5 * (to[n] + changed) : changed;
  }
  to[3] = from[3];
  const lane_mask dry = to[0] <= WATER_DRY;
  to[1] = lanes_select(dry, none, to[1]);
  to[2] = lanes_select(dry, none, to[2]);
}

static inline void stage(double dt, const double *restrict area, const double *restrict from,
                         double *restrict to, share mine, bool mean) {
  double *restrict gained = gains;
  int64_t c = mine.begin;
  for (; c + LANES <= mine.end; c += LANES) {
    lanes gain[4], a[4], b[4];
    load_cells(gained + 4 * c, gain);
    load_cells(from + 4 * c, a);
    if (mean) load_cells(to + 4 * c, b);
    change(gain, dt / lanes_load(area + c), a, b, mean);
    store_cells(to + 4 * c, b);
    for (int n = 0; n < 4; n++) lanes_store(gained + 4 * c + n * LANES, (lanes){0});
  }
  for (; c < mine.end; c++) {
    double *gain = gained + 4 * c;
    if (mean)
      ref_correct(dt, area[c], from + 4 * c, gain, gain + 3, to + 4 * c);
    else
      ref_predict(dt, area[c], from + 4 * c, gain, gain + 3, to + 4 * c);
  }
}

/* ---- a time step ---- */

static void all_gains(const mesh *m, const sea *s, const double *q, share mine) {
  const plan *p = &edges.plan;
  for (int64_t k = 0; k < p->ncolour; k++) {
#pragma omp for schedule(static)
    for (int64_t i = p->start[k]; i < p->start[k + 1]; i++) {
      const int64_t begin = p->order[i] * p->size, end = plan_block_end(p, p->order[i]);
      if (fluxes)
        store_gains(m->ecell, s, q, begin, end);
      else
        add_gains(m->ecell, s, q, begin, end);
    }
  }
  for (int64_t k = 0; k < walls.ncolour; k++) {
#pragma omp for schedule(static)
    for (int64_t i = walls.start[k]; i < walls.start[k + 1]; i++) {
      const int64_t end = plan_block_end(&walls, walls.order[i]);
      for (int64_t b = walls.order[i] * walls.size; b < end; b++) add_wall(m, s, q, b);
    }
  }
  if (fluxes) sum_gains(mine);
}

static double step(const mesh *m, sea *s) {
  double dt = WATER_NO_STEP;
#pragma omp parallel
  {
    const share mine = share_of(m->ncell, LANES, omp_get_thread_num(), omp_get_num_threads());
    all_gains(m, s, s->q, mine);
    const double least = least_time_step(s->area, mine);
#pragma omp critical
    dt = ref_min(dt, least);
#pragma omp barrier
    stage(dt, s->area, s->q, s->ahead, mine, false);
#pragma omp barrier
    all_gains(m, s, s->ahead, mine);
    stage(dt, s->area, s->ahead, s->q, mine, true);
  }
  return dt;
}

/* ---- preparation ---- */

static void finish(void) {
  pieces_free(&edges);
  plan_free(&walls);
  free(sides);
  free(gains);
  free(fluxes);
}

static void set_sides(const mesh *m) {
  for (int64_t e = 0; e < m->nedge; e++) {
    const double *a = m->x + 2 * (int64_t)m->edge[2 * e];
    const double *b = m->x + 2 * (int64_t)m->edge[2 * e + 1];
    const double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy);
    double *to = sides + 3 * (e - e % LANES) + e % LANES;
    to[0] = dy / length;
    to[LANES] = -dx / length;
    to[2 * LANES] = length;
  }
}

static int set_arrays(const mesh *m, bench_error *error) {
  sides = reference_alloc(3 * ((size_t)m->nedge + AHEAD) * sizeof *sides);
  gains = reference_alloc(4 * (size_t)m->ncell * sizeof *gains);
  if (edges.first) fluxes = reference_alloc(8 * (size_t)m->nedge * sizeof *fluxes);
  if (!sides || !gains || (edges.first && !fluxes))
    return bench_fail(error, "out of memory for the gains of cells");
  set_sides(m);
  return 0;
}

static int prepare(const options *o, const mesh *m, bench_error *error) {
  if (o->run.threads > 0) omp_set_num_threads(o->run.threads);
  const int threads = omp_get_max_threads();
  const int64_t size = o->run.block_size != OPTION_BLOCK_SIZE ? o->run.block_size : 0;
  if (pieces_create(&edges, m->ecell, m->nedge, 2, m->ncell, size, threads, LANES, error) ||
      plan_create(&walls, m->becell, m->nbedge, 1, m->ncell, m->nbedge / threads + 1, error) ||
      set_arrays(m, error)) {
    finish();
    return -1;
  }
  printf("threads %d, lanes %d, block size %lld, colours %lld%s\n", threads, LANES,
         (long long)edges.plan.size, (long long)edges.plan.ncolour,
         fluxes ? ", sums by cells" : "");
  return 0;
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){PROGRAM_OMP, prepare, step, finish});
}
