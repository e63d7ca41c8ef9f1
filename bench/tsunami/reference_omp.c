/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "reference.h"

/* The shallow-water scheme for OpenMP as OP2 does it: edges in blocks, blocks coloured so that two
 * of one colour add to no common cell, one parallel loop for every colour. Scalar code, one loop at
 * a time. */

/* The blocks of one set, colour after colour; those of colour k begin at order[start[k]]. */
typedef struct plan {
  int64_t n, size; /* elements of the set, and of a block */
  int64_t nblock, ncolour;
  int64_t *order, *start;
} plan;

static plan edges, walls;

static int64_t block_end(const plan *p, int64_t block) {
  const int64_t end = (block + 1) * p->size;
  return end < p->n ? end : p->n;
}

/* Gives the block the least colour from `base` to `base` + 63 that no cell of its has; false when
 * there is none. `width` cells for every element. */
static bool colour_block(const plan *p, int64_t block, const int32_t *cell, int width, int64_t base,
                         uint64_t *taken, int64_t *colour) {
  const int64_t first = width * block * p->size, last = width * block_end(p, block);
  uint64_t seen = 0;
  for (int64_t i = first; i < last; i++) seen |= taken[cell[i]];
  if (seen == UINT64_MAX) return false;
  const int bit = __builtin_ctzll(~seen);
  for (int64_t i = first; i < last; i++) taken[cell[i]] |= UINT64_C(1) << bit;
  *colour = base + bit;
  return true;
}

/* Greedy; blocks that find none of 64 colours free wait for the next 64. */
static int colour_blocks(plan *p, const int32_t *cell, int width, int64_t ncell, int64_t *colour) {
  uint64_t *taken = malloc((size_t)ncell * sizeof *taken);
  if (!taken) return -1;
  int64_t left = p->nblock;
  for (int64_t b = 0; b < p->nblock; b++) colour[b] = -1;
  for (int64_t base = 0; left > 0; base += 64) {
    for (int64_t c = 0; c < ncell; c++) taken[c] = 0;
    for (int64_t b = 0; b < p->nblock; b++) {
      if (colour[b] >= 0 || !colour_block(p, b, cell, width, base, taken, &colour[b])) continue;
      left--;
      if (colour[b] >= p->ncolour) p->ncolour = colour[b] + 1;
    }
  }
  free(taken);
  return 0;
}

/* Counting sort, stable within a colour. */
static int sort_blocks(plan *p, const int64_t *colour) {
  p->order = malloc(((size_t)p->nblock + 1) * sizeof *p->order);
  p->start = calloc((size_t)p->ncolour + 2, sizeof *p->start);
  if (!p->order || !p->start) return -1;
  for (int64_t b = 0; b < p->nblock; b++) p->start[colour[b] + 2]++;
  for (int64_t k = 2; k < p->ncolour + 2; k++) p->start[k] += p->start[k - 1];
  for (int64_t b = 0; b < p->nblock; b++) p->order[p->start[colour[b] + 1]++] = b;
  return 0;
}

static int plan_create(plan *p, int64_t n, const int32_t *cell, int width, int64_t ncell,
                       int64_t size) {
  *p = (plan){.n = n, .size = size, .nblock = (n + size - 1) / size};
  int64_t *colour = malloc(((size_t)p->nblock + 1) * sizeof *colour);
  if (!colour) return -1;
  int rc = colour_blocks(p, cell, width, ncell, colour);
  if (rc == 0) rc = sort_blocks(p, colour);
  free(colour);
  return rc;
}

static void flux_block(const mesh *m, const sea *s, const double *q, int64_t first, int64_t last) {
  const int32_t *restrict ecell = m->ecell;
  for (int64_t e = first; e < last; e++) {
    const int64_t c1 = ecell[2 * e], c2 = ecell[2 * e + 1];
    ref_flux(s->edge_normal + 3 * e, q + 4 * c1, q + 4 * c2, s->res + 3 * c1, s->res + 3 * c2,
             s->rate + c1, s->rate + c2);
  }
}

static void wall_block(const mesh *m, const sea *s, const double *q, int64_t first, int64_t last) {
  for (int64_t b = first; b < last; b++) {
    const int64_t c = m->becell[b];
    ref_wall(s->wall_normal + 3 * b, q + 4 * c, s->res + 3 * c, s->rate + c);
  }
}

static void fluxes(const mesh *m, const sea *s, const double *q) {
  for (int64_t k = 0; k < edges.ncolour; k++) {
#pragma omp parallel for schedule(static)
    for (int64_t i = edges.start[k]; i < edges.start[k + 1]; i++) {
      const int64_t block = edges.order[i];
      flux_block(m, s, q, block * edges.size, block_end(&edges, block));
    }
  }
  for (int64_t k = 0; k < walls.ncolour; k++) {
#pragma omp parallel for schedule(static)
    for (int64_t i = walls.start[k]; i < walls.start[k + 1]; i++) {
      const int64_t block = walls.order[i];
      wall_block(m, s, q, block * walls.size, block_end(&walls, block));
    }
  }
}

static double least_time_step(int64_t n, const double *restrict area, const double *restrict rate) {
  double dt = WATER_NO_STEP;
#pragma omp parallel for schedule(static) reduction(min : dt)
  for (int64_t c = 0; c < n; c++) dt = ref_min(dt, ref_time_step(area[c], rate[c]));
  return dt;
}

static void predict(int64_t n, double dt, const sea *s) {
#pragma omp parallel for schedule(static)
  for (int64_t c = 0; c < n; c++)
    ref_predict(dt, s->area[c], s->q + 4 * c, s->res + 3 * c, s->rate + c, s->ahead + 4 * c);
}

static void correct(int64_t n, double dt, const sea *s) {
#pragma omp parallel for schedule(static)
  for (int64_t c = 0; c < n; c++)
    ref_correct(dt, s->area[c], s->ahead + 4 * c, s->res + 3 * c, s->rate + c, s->q + 4 * c);
}

static double step(const mesh *m, sea *s) {
  fluxes(m, s, s->q);
  const double dt = least_time_step(m->ncell, s->area, s->rate);
  predict(m->ncell, dt, s);
  fluxes(m, s, s->ahead);
  correct(m->ncell, dt, s);
  return dt;
}

static void finish(void) {
  free(edges.order);
  free(edges.start);
  free(walls.order);
  free(walls.start);
}

static int prepare(const options *o, const mesh *m, mesh_error *error) {
  if (o->threads > 0) omp_set_num_threads(o->threads);
  if (plan_create(&edges, m->nedge, m->ecell, 2, m->ncell, o->block_size) ||
      plan_create(&walls, m->nbedge, m->becell, 1, m->ncell, o->block_size)) {
    finish();
    return mesh_fail(error, "out of memory for the plans");
  }
  printf("threads %d, block size %d, colours %lld\n", omp_get_max_threads(), o->block_size,
         (long long)edges.ncolour);
  return 0;
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){PROGRAM_OMP, prepare, step, finish});
}
