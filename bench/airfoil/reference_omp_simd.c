/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/lanes.h"
#include "common/pieces.h"
#include "common/reference.h"
#include "reference.h"

/* The airfoil scheme by hand for OpenMP and vectors, with an edge or a cell in each lane. Rows of
 * four values are loaded whole and transposed in registers. The vectors along edges are computed
 * once. Update, copy and time steps are one pass over cells, so that a half step is a pass over
 * edges and one over cells. An edge's flux is added to its cells lane by lane, so that edges of one
 * vector may share cells. */

enum {
  AHEAD = 256, /* Edges whose rows are fetched early. */
  NEAR = 24,   /* Edges whose cells are fetched early, if they are far apart. */
};

static pieces edges;
static plan bedges;
static double *along;  /* [groups of LANES edges][2][LANES] x and y of the vectors */
static double *fluxes; /* [nedge][4] if cells sum them up, or else null */
static bool begun;     /* True if qold and adt belong to q. */

/* ---- edges ---- */

static inline lanes pressure(lanes r, const lanes *q) {
  return GAS_GM1 * (q[3] - 0.5 * r * (q[1] * q[1] + q[2] * q[2]));
}

/* The flux from states a to states b through edges with the vectors (x, y). */
static inline void flux(lanes x, lanes y, const lanes *a, const lanes *b, lanes mu, lanes *f) {
  const lanes ra = 1.0 / a[0], rb = 1.0 / b[0];
  const lanes pa = pressure(ra, a), pb = pressure(rb, b), p = pa + pb;
  const lanes va = ra * (a[1] * y - a[2] * x), vb = rb * (b[1] * y - b[2] * x);
  f[0] = 0.5 * (va * a[0] + vb * b[0]) + mu * (a[0] - b[0]);
  f[1] = 0.5 * (va * a[1] + vb * b[1] + p * y) + mu * (a[1] - b[1]);
  f[2] = 0.5 * (va * a[2] + vb * b[2] - p * x) + mu * (a[2] - b[2]);
  f[3] = 0.5 * (va * (a[3] + pa) + vb * (b[3] + pb)) + mu * (a[3] - b[3]);
}

static inline void load_states(const double *restrict q, const int32_t *restrict cell,
                               lanes *value) {
  lanes4 row[LANES];
  for (int k = 0; k < LANES; k++) row[k] = lanes4_load(q + 4 * (int64_t)cell[2 * k]);
  lanes_from_rows4(row, value);
}

/* The fluxes of LANES edges, one in each row, with xy their vectors and `cell` their cells. */
static inline __attribute__((always_inline)) void
edge_fluxes(const double *restrict xy, const int32_t *restrict cell, const double *restrict q,
            const double *restrict adt, lanes4 row[LANES]) {
  lanes a[4], b[4], value[4];
  load_states(q, cell, a);
  load_states(q, cell + 1, b);
  const lanes sum = lanes_gather(adt, cell, 2) + lanes_gather(adt, cell + 1, 2);
  flux(lanes_load(xy), lanes_load(xy + LANES), a, b, 0.5 * GAS_EPS * sum, value);
  lanes_to_rows4(value, row);
}

/* The flux of one edge, for the last ones, which do not fill a vector. */
static inline lanes4 edge_flux(const mesh *m, const flow *f, int64_t e) {
  const double *x1 = m->x + 2 * (int64_t)m->edge[2 * e];
  const double *x2 = m->x + 2 * (int64_t)m->edge[2 * e + 1];
  const int64_t c1 = m->ecell[2 * e], c2 = m->ecell[2 * e + 1];
  double value[4];
  ref_flux(x1[0] - x2[0], x1[1] - x2[1], f->q + 4 * c1, f->q + 4 * c2,
           0.5 * (f->adt[c1] + f->adt[c2]) * GAS_EPS, value);
  return lanes4_load(value);
}

static inline void add_flux(double *restrict res, const int32_t *restrict cell, lanes4 value) {
  double *to = res + 4 * (int64_t)cell[0], *from = res + 4 * (int64_t)cell[1];
  lanes4_store(to, lanes4_load(to) + value);
  lanes4_store(from, lanes4_load(from) - value);
}

static void add_fluxes(const mesh *m, const flow *f, int64_t begin, int64_t end) {
  const int32_t *restrict cell = m->ecell;
  const double *restrict xy = along, *restrict q = f->q, *restrict adt = f->adt;
  double *restrict res = f->res;
  int64_t e = begin;
  for (; e + LANES <= end; e += LANES) {
    lanes4 row[LANES];
    __builtin_prefetch(cell + 2 * (e + AHEAD));
    __builtin_prefetch(xy + 2 * (e + AHEAD));
    __builtin_prefetch(xy + 2 * (e + AHEAD) + LANES);
    edge_fluxes(xy + 2 * e, cell + 2 * e, q, adt, row);
    for (int k = 0; k < LANES; k++) add_flux(res, cell + 2 * (e + k), row[k]);
  }
  for (; e < end; e++) add_flux(res, cell + 2 * e, edge_flux(m, f, e));
}

static void store_fluxes(const mesh *m, const flow *f, int64_t begin, int64_t end) {
  const int32_t *restrict cell = m->ecell;
  const double *restrict q = f->q, *restrict adt = f->adt;
  int64_t e = begin;
  for (; e + LANES <= end; e += LANES) {
    lanes4 row[LANES];
    for (int64_t i = 2 * (e + NEAR); i < 2 * (e + NEAR + LANES) && i < 2 * end; i++) {
      __builtin_prefetch(q + 4 * (int64_t)cell[i]);
      __builtin_prefetch(adt + cell[i]);
    }
    edge_fluxes(along + 2 * e, cell + 2 * e, q, adt, row);
    for (int k = 0; k < LANES; k++) lanes4_store(fluxes + 4 * (e + k), row[k]);
  }
  for (; e < end; e++) lanes4_store(fluxes + 4 * e, edge_flux(m, f, e));
}

static void boundary(const mesh *m, const flow *f, const double *far_field, int64_t begin,
                     int64_t end) {
  for (int64_t b = begin; b < end; b++) {
    const int32_t *n = m->bedge + 2 * b;
    const int64_t c = m->becell[b];
    ref_bres(m->x + 2 * (int64_t)n[0], m->x + 2 * (int64_t)n[1], f->q + 4 * c, f->adt[c],
             f->res + 4 * c, m->bound[b], far_field);
  }
}

/* ---- cells ---- */

/* Sum up the fluxes of a cell's edges, besides the residual that it has from the boundary. */
static inline lanes4 sum_fluxes(const double *res, int64_t c) {
  lanes4 sum = lanes4_load(res + 4 * c);
  for (int64_t i = edges.first[c]; i < edges.first[c + 1]; i++) {
    const lanes4 value = lanes4_load(fluxes + 4 * (int64_t)(edges.at[i] / 2));
    sum = edges.at[i] % 2 ? sum - value : sum + value;
  }
  return sum;
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

static inline void load_residuals(const double *res, int64_t c, lanes *value) {
  lanes4 row[LANES];
  if (!fluxes) {
    load_cells(res + 4 * c, value);
    return;
  }
  for (int k = 0; k < LANES; k++) row[k] = sum_fluxes(res, c + k);
  lanes_from_rows4(row, value);
}

/* Update the cells from c on, to the states q. */
static inline void update(const flow *f, int64_t c, lanes *q, lanes *squares) {
  const lanes per_adt = 1.0 / lanes_load(f->adt + c);
  lanes res[4];
  load_residuals(f->res, c, res);
  load_cells(f->qold + 4 * c, q);
  for (int n = 0; n < 4; n++) {
    const lanes change = per_adt * res[n];
    q[n] -= change;
    *squares += change * change;
    lanes_store(f->res + 4 * c + LANES * n, (lanes){0});
  }
  store_cells(f->q + 4 * c, q);
}

static inline lanes time_step(const lanes *q, const double *x, const int32_t *node) {
  lanes px[5], py[5];
  for (int k = 0; k < 4; k++) lanes_gather_pairs(x, node + k, 4, px + k, py + k);
  px[4] = px[0];
  py[4] = py[0];
  const lanes r = 1.0 / q[0], u = r * q[1], v = r * q[2];
  const lanes c = lanes_sqrt(GAS_GAMMA * GAS_GM1 * (r * q[3] - 0.5 * (u * u + v * v)));
  lanes sum = {0};
  for (int k = 0; k < 4; k++) {
    const lanes dx = px[k + 1] - px[k], dy = py[k + 1] - py[k];
    sum += lanes_abs(u * dy - v * dx) + c * lanes_sqrt(dx * dx + dy * dy);
  }
  return (1.0 / GAS_CFL) * sum;
}

typedef struct cell_pass {
  bool update, copy;
} cell_pass;

/* The pass over one cell, for the last ones, which do not fill a vector. */
static inline void pass_one(const mesh *m, const flow *f, int64_t c, cell_pass p, double *squares) {
  const int32_t *n = m->cell + 4 * c;
  const double *x = m->x;
  if (p.update && fluxes) lanes4_store(f->res + 4 * c, sum_fluxes(f->res, c));
  if (p.update) ref_update(f->qold + 4 * c, f->q + 4 * c, f->res + 4 * c, f->adt[c], squares);
  if (p.copy) ref_save(f->q + 4 * c, f->qold + 4 * c);
  ref_adt(x + 2 * (int64_t)n[0], x + 2 * (int64_t)n[1], x + 2 * (int64_t)n[2],
          x + 2 * (int64_t)n[3], f->q + 4 * c, f->adt + c);
}

/* The pass over cells from `begin` to before `end`; returns the sum of the squares of updates. */
static inline double pass(const mesh *m, const flow *given, int64_t begin, int64_t end,
                          cell_pass p) {
  const flow copy = *given, *f = &copy; /* No store can change what it points to. */
  const double *restrict x = m->x;
  const int32_t *restrict node = m->cell;
  lanes squares = {0};
  int64_t c = begin;
  for (; c + LANES <= end; c += LANES) {
    lanes q[4];
    if (fluxes && p.update && c + 3 * LANES <= m->ncell)
      for (int64_t i = edges.first[c + 2 * LANES]; i < edges.first[c + 3 * LANES]; i++)
        __builtin_prefetch(fluxes + 4 * (int64_t)(edges.at[i] / 2));
    if (p.update)
      update(f, c, q, &squares);
    else
      load_cells(f->q + 4 * c, q);
    if (p.copy) store_cells(f->qold + 4 * c, q);
    lanes_store(f->adt + c, time_step(q, x, node + 4 * c));
  }
  double sum = lanes_sum(squares);
  for (; c < end; c++) pass_one(m, f, c, p, &sum);
  return sum;
}

/* ---- a time step ---- */

static void all_edges(const mesh *m, const flow *f) {
  const plan *p = &edges.plan;
  for (int64_t k = 0; k < p->ncolour; k++) {
#pragma omp for schedule(static)
    for (int64_t i = p->start[k]; i < p->start[k + 1]; i++) {
      const int64_t begin = p->order[i] * p->size, end = plan_block_end(p, p->order[i]);
      if (fluxes)
        store_fluxes(m, f, begin, end);
      else
        add_fluxes(m, f, begin, end);
    }
  }
}

static void all_bedges(const mesh *m, const flow *f, const double *far_field) {
  const plan *p = &bedges;
  for (int64_t k = 0; k < p->ncolour; k++) {
#pragma omp for schedule(static)
    for (int64_t i = p->start[k]; i < p->start[k + 1]; i++)
      boundary(m, f, far_field, p->order[i] * p->size, plan_block_end(p, p->order[i]));
  }
}

static double step(const mesh *m, flow *f, const double *far_field) {
  double rms = 0;
#pragma omp parallel reduction(+ : rms)
  {
    const share s = share_of(m->ncell, LANES, omp_get_thread_num(), omp_get_num_threads());
    if (!begun) pass(m, f, s.begin, s.end, (cell_pass){.copy = true});
    for (int k = 0; k < 2; k++) {
#pragma omp barrier
      all_edges(m, f);
      all_bedges(m, f, far_field);
      rms = k == 0 ? pass(m, f, s.begin, s.end, (cell_pass){.update = true})
                   : pass(m, f, s.begin, s.end, (cell_pass){.update = true, .copy = true});
    }
  }
  begun = true;
  return rms;
}

/* ---- preparation ---- */

static void finish(void) {
  pieces_free(&edges);
  plan_free(&bedges);
  free(along);
  free(fluxes);
}

static int set_along(const mesh *m, bench_error *error) {
  along = reference_alloc(2 * ((size_t)m->nedge + AHEAD) * sizeof *along);
  if (!along) return bench_fail(error, "out of memory for the vectors of edges");
  for (int64_t e = 0; e < m->nedge; e++)
    for (int d = 0; d < 2; d++)
      along[2 * (e - e % LANES) + d * LANES + e % LANES] =
          m->x[2 * (int64_t)m->edge[2 * e] + d] - m->x[2 * (int64_t)m->edge[2 * e + 1] + d];
  return 0;
}

static int set_pieces(const options *o, const mesh *m, bench_error *error) {
  const int threads = omp_get_max_threads();
  const int64_t size = o->run.block_size != OPTION_BLOCK_SIZE ? o->run.block_size : 0;
  if (pieces_create(&edges, m->ecell, m->nedge, 2, m->ncell, size, threads, LANES, error) ||
      plan_create(&bedges, m->becell, m->nbedge, 1, m->ncell, m->nbedge / threads + 1, error))
    return -1;
  if (!edges.first) return 0;
  fluxes = reference_alloc(4 * (size_t)m->nedge * sizeof *fluxes);
  return fluxes ? 0 : bench_fail(error, "out of memory for the fluxes of edges");
}

static int prepare(const options *o, const mesh *m, bench_error *error) {
  if (o->run.threads > 0) omp_set_num_threads(o->run.threads);
  if (set_along(m, error) || set_pieces(o, m, error)) {
    finish();
    return -1;
  }
  printf("threads %d, lanes %d, block size %lld, colours %lld%s\n", omp_get_max_threads(), LANES,
         (long long)edges.plan.size, (long long)edges.plan.ncolour,
         fluxes ? ", sums by cells" : "");
  return 0;
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){PROGRAM_OMP, prepare, step, finish});
}
