/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

/* Conjugate gradients for OpenMP in the structure of OP2's aero: cells in blocks, blocks coloured
 * so that two of one colour share no node, a parallel loop for every colour; then one for every
 * operation on vectors, with u, r and the clearing of v in one. */

enum { MASK = 64 }; /* colours that are given out together */

/* The blocks in order of colour; those of colour k are order[start[k]] to order[start[k + 1] - 1].
 */
static struct plan {
  int64_t size, nblock, ncolour;
  int64_t *order, *start;
} plan;

static int64_t block_end(const cg_system *s, int64_t b) {
  const int64_t end = (b + 1) * plan.size;
  return end < s->ncell ? end : s->ncell;
}

/* The lowest of the 64 colours that no node of the block has in `taken`, which it then has; 64 when
 * there is none. */
static int take_colour(const cg_system *s, int64_t b, uint64_t *taken) {
  const int64_t first = 4 * b * plan.size, end = 4 * block_end(s, b);
  uint64_t seen = 0;
  for (int64_t i = first; i < end; i++) seen |= taken[s->cell[i]];
  int colour = 0;
  while (colour < MASK && seen >> colour & 1) colour++;
  if (colour < MASK)
    for (int64_t i = first; i < end; i++) taken[s->cell[i]] |= UINT64_C(1) << colour;
  return colour;
}

/* Gives every block a colour, 64 colours at a time, lowest first. */
static void colour_blocks(const cg_system *s, int64_t *colour, uint64_t *taken) {
  int64_t left = plan.nblock;
  for (int64_t b = 0; b < plan.nblock; b++) colour[b] = -1;
  for (int64_t base = 0; left > 0; base += MASK) {
    memset(taken, 0, (size_t)s->nnode * sizeof *taken);
    for (int64_t b = 0; b < plan.nblock; b++) {
      if (colour[b] >= 0) continue;
      const int got = take_colour(s, b, taken);
      if (got == MASK) continue;
      colour[b] = base + got;
      left--;
      if (colour[b] >= plan.ncolour) plan.ncolour = colour[b] + 1;
    }
  }
}

/* Counting sort; there are no more colours than blocks. */
static void order_blocks(const int64_t *colour) {
  for (int64_t b = 0; b < plan.nblock; b++) plan.start[colour[b] + 1]++;
  for (int64_t k = 0; k < plan.ncolour; k++) plan.start[k + 1] += plan.start[k];
  for (int64_t b = plan.nblock; b-- > 0;) plan.order[--plan.start[colour[b] + 1]] = b;
  memmove(plan.start, plan.start + 1, (size_t)plan.ncolour * sizeof *plan.start);
  plan.start[plan.ncolour] = plan.nblock;
}

static void finish(void) {
  free(plan.order);
  free(plan.start);
}

static int prepare(const cg_options *o, const cg_system *s, mesh_error *error) {
  if (o->threads > 0) omp_set_num_threads(o->threads);
  plan.size = o->block_size;
  plan.nblock = (s->ncell + plan.size - 1) / plan.size;
  plan.order = malloc((size_t)plan.nblock * sizeof *plan.order);
  plan.start = calloc((size_t)plan.nblock + 2, sizeof *plan.start);
  int64_t *colour = malloc((size_t)plan.nblock * sizeof *colour);
  uint64_t *taken = malloc((size_t)s->nnode * sizeof *taken);
  const bool good = plan.order && plan.start && colour && taken;
  if (good) {
    colour_blocks(s, colour, taken);
    order_blocks(colour);
    printf("threads %d, block size %d, colours %lld\n", omp_get_max_threads(), o->block_size,
           (long long)plan.ncolour);
  } else {
    finish();
  }
  free(colour);
  free(taken);
  return good ? 0 : mesh_fail(error, "out of memory for the plan");
}

static void apply(const cg_system *s) {
  for (int64_t k = 0; k < plan.ncolour; k++) {
#pragma omp parallel for schedule(static)
    for (int64_t i = plan.start[k]; i < plan.start[k + 1]; i++) {
      const int64_t b = plan.order[i], end = block_end(s, b);
      for (int64_t c = b * plan.size; c < end; c++)
        ref_spmv(s->k + 10 * c, s->cell + 4 * c, s->p, s->v);
    }
  }
  for (int64_t i = 0; i < s->nfixed; i++) s->v[s->fixed[i]] = 0.0;
}

static double dot(int64_t n, const double *restrict a, const double *restrict b) {
  double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void update(int64_t n, double step, double *restrict u, double *restrict r,
                   const double *restrict p, double *restrict v) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; i++) {
    u[i] += step * p[i];
    r[i] -= step * v[i];
    v[i] = 0.0;
  }
}

static void turn(int64_t n, double step, double *restrict p, const double *restrict r) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; i++) p[i] = r[i] + step * p[i];
}

static double iterate(const cg_system *s, double rr) {
  apply(s);
  update(s->nnode, ref_quotient(rr, dot(s->nnode, s->p, s->v)), s->u, s->r, s->p, s->v);
  const double next = dot(s->nnode, s->r, s->r);
  turn(s->nnode, ref_quotient(next, rr), s->p, s->r);
  return next;
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){CG_OMP, prepare, iterate, finish});
}
