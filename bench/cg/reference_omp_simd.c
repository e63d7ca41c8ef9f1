/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/lanes.h"
#include "common/pieces.h"
#include "common/reference.h"
#include "reference.h"

/* Conjugate gradients by hand for OpenMP and vectors, with a cell in each lane: element matrices and
 * numbers of nodes are stored for whole vectors of cells. p.v is summed up over cells, since it is
 * the sum of what each cell adds to it; so an iteration is a pass over cells and two over nodes. An
 * iteration is one parallel region. */

enum {
  AHEAD = 8 * LANES, /* Cells whose matrices are fetched early. */
  NEAR = 4 * LANES   /* Cells whose nodes are fetched early, if they are far apart. */
};

static pieces cells;
static double *matrix;  /* [groups of LANES cells][10][LANES], zero beyond the last cell */
static int32_t *nodes;  /* [groups of LANES cells][4][LANES] */
static double *forces;  /* [cells of whole groups][4] if nodes sum them up, or else null */
static double *partial; /* [threads][LANES] sums of the threads, one in each line */

/* ---- cells ---- */

/* Compute K p for LANES cells; returns what they add to p.v. */
static inline __attribute__((always_inline)) lanes cell_forces(const double *restrict k,
                                                               const int32_t *restrict node,
                                                               const double *restrict p,
                                                               lanes f[4]) {
  lanes m[10], x[4];
  for (int i = 0; i < 10; i++) m[i] = lanes_load(k + i * LANES);
  for (int i = 0; i < 4; i++) x[i] = lanes_gather(p, node + i * LANES, 1);
  f[0] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2] + m[3] * x[3];
  f[1] = m[1] * x[0] + m[4] * x[1] + m[5] * x[2] + m[6] * x[3];
  f[2] = m[2] * x[0] + m[5] * x[1] + m[7] * x[2] + m[8] * x[3];
  f[3] = m[3] * x[0] + m[6] * x[1] + m[8] * x[2] + m[9] * x[3];
  return f[0] * x[0] + f[1] * x[1] + f[2] * x[2] + f[3] * x[3];
}

/* Add K p of the cells from `begin` to before `end`, which is whole groups; returns their part of
 * p.v. */
static lanes add_forces(const double *restrict p, double *restrict v, int64_t begin, int64_t end) {
  lanes sum = {0};
  for (int64_t c = begin; c < end; c += LANES) {
    const int32_t *restrict node = nodes + 4 * c;
    double value[4 * LANES];
    lanes f[4];
    for (int i = 0; i < 10; i++) __builtin_prefetch(matrix + 10 * (c + AHEAD) + i * LANES);
    for (int i = 0; i < 2; i++) __builtin_prefetch(nodes + 4 * (c + AHEAD) + 2 * i * LANES);
    sum += cell_forces(matrix + 10 * c, node, p, f);
    for (int i = 0; i < 4; i++) lanes_store(value + i * LANES, f[i]);
#pragma GCC unroll 32
    for (int i = 0; i < 4 * LANES; i++) v[node[i]] += value[i];
  }
  return sum;
}

static lanes store_forces(const double *restrict p, int64_t begin, int64_t end) {
  lanes sum = {0};
  for (int64_t c = begin; c < end; c += LANES) {
    lanes f[4];
    lanes4 row[LANES];
    for (int64_t i = 4 * (c + NEAR); i < 4 * (c + NEAR + LANES) && i < 4 * end; i++)
      __builtin_prefetch(p + nodes[i]);
    sum += cell_forces(matrix + 10 * c, nodes + 4 * c, p, f);
    lanes_to_rows4(f, row);
    for (int k = 0; k < LANES; k++) lanes4_store(forces + 4 * (c + k), row[k]);
  }
  return sum;
}

static int64_t whole_groups(int64_t n) { return (n + LANES - 1) / LANES * LANES; }

/* Compute v = K p; returns this thread's part of p.v. */
static double apply(const cg_system *s) {
  const plan *p = &cells.plan;
  lanes sum = {0};
  for (int64_t k = 0; k < p->ncolour; k++) {
#pragma omp for schedule(static)
    for (int64_t i = p->start[k]; i < p->start[k + 1]; i++) {
      const int64_t begin = p->order[i] * p->size;
      const int64_t end = whole_groups(plan_block_end(p, p->order[i]));
      sum += forces ? store_forces(s->p, begin, end) : add_forces(s->p, s->v, begin, end);
    }
  }
  return lanes_sum(sum);
}

/* ---- nodes ---- */

static void sum_forces(double *restrict v, share mine) {
  for (int64_t i = mine.begin; i < mine.end; i++) {
    double sum = 0.0;
    for (int64_t at = cells.first[i]; at < cells.first[i + 1]; at++) sum += forces[cells.at[at]];
    v[i] = sum;
  }
}

/* Update r and clear v; returns this thread's part of r.r. */
static double update(double step, double *restrict r, double *restrict v, share mine) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = mine.begin; i < mine.end; i++) {
    r[i] -= step * v[i];
    sum += r[i] * r[i];
    v[i] = 0.0;
  }
  return sum;
}

/* Update u by the direction, and turn the direction. */
static void turn(double step, double factor, double *restrict u, double *restrict p,
                 const double *restrict r, share mine) {
#pragma omp simd
  for (int64_t i = mine.begin; i < mine.end; i++) {
    u[i] += step * p[i];
    p[i] = r[i] + factor * p[i];
  }
}

/* ---- an iteration ---- */

/* Return the sum over all threads, in their order. */
static double sum_up(double mine) {
  double sum = 0.0;
  partial[LANES * omp_get_thread_num()] = mine;
#pragma omp barrier
  for (int k = 0; k < omp_get_num_threads(); k++) sum += partial[LANES * k];
#pragma omp barrier
  return sum;
}

static double iterate(const cg_system *s, double rr) {
  double next = 0.0;
#pragma omp parallel
  {
    const share mine = share_of(s->nnode, LANES, omp_get_thread_num(), omp_get_num_threads());
    const double pv = sum_up(apply(s));
    if (forces) sum_forces(s->v, mine);
#pragma omp barrier
#pragma omp for schedule(static)
    for (int64_t i = 0; i < s->nfixed; i++) s->v[s->fixed[i]] = 0.0;
    const double step = ref_quotient(rr, pv);
    const double sum = sum_up(update(step, s->r, s->v, mine));
    turn(step, ref_quotient(sum, rr), s->u, s->p, s->r, mine);
#pragma omp single nowait
    next = sum;
  }
  return next;
}

/* ---- preparation ---- */

static void finish(void) {
  pieces_free(&cells);
  free(matrix);
  free(nodes);
  free(forces);
  free(partial);
}

/* The place of value i of a cell among `n` for each. */
static size_t place(int64_t cell, int n, int i) {
  return (size_t)(n * (cell - cell % LANES) + i * LANES + cell % LANES);
}

static void set_cells(const cg_system *s) {
  for (int64_t c = 0; c < s->ncell; c++)
    for (int i = 0; i < 10; i++) matrix[place(c, 10, i)] = s->k[10 * c + i];
  for (int64_t c = 0; c < whole_groups(s->ncell); c++) {
    const int64_t from = c < s->ncell ? c : s->ncell - 1;
    for (int i = 0; i < 4; i++) nodes[place(c, 4, i)] = s->cell[4 * from + i];
  }
}

static int set_arrays(const cg_system *s, int threads, bench_error *error) {
  const size_t n = (size_t)whole_groups(s->ncell);
  matrix = reference_alloc(10 * (n + AHEAD) * sizeof *matrix);
  nodes = reference_alloc(4 * (n + AHEAD) * sizeof *nodes);
  partial = reference_alloc((size_t)threads * LANES * sizeof *partial);
  if (cells.first) forces = reference_alloc(4 * n * sizeof *forces);
  if (!matrix || !nodes || !partial || (cells.first && !forces))
    return bench_fail(error, "out of memory for vectors of cells");
  set_cells(s);
  return 0;
}

static int prepare(const options *o, const cg_system *s, bench_error *error) {
  if (o->run.threads > 0) omp_set_num_threads(o->run.threads);
  const int threads = omp_get_max_threads();
  const int64_t size = o->run.block_size != OPTION_BLOCK_SIZE ? o->run.block_size : 0;
  if (pieces_create(&cells, s->cell, s->ncell, 4, s->nnode, size, threads, LANES, error) ||
      set_arrays(s, threads, error)) {
    finish();
    return -1;
  }
  printf("threads %d, lanes %d, block size %lld, colours %lld%s\n", threads, LANES,
         (long long)cells.plan.size, (long long)cells.plan.ncolour,
         forces ? ", sums by nodes" : "");
  return 0;
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){PROGRAM_OMP, prepare, iterate, finish});
}
