/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdlib.h>

#include "reference.h"

/* The airfoil scheme for OpenMP as OP2 does it: edges in blocks, blocks coloured so that two of one
 * colour add to no common cell, one parallel loop for every colour. Scalar code, one loop at a
 * time. */

/* Blocks of one set in order of colour; colour k has blocks order[start[k]] to order[start[k + 1] -
 * 1]. */
typedef struct plan {
  int64_t n;    /* elements of the set */
  int64_t size; /* elements of a block */
  int64_t nblock, ncolour;
  int64_t *order, *start;
} plan;

static plan edges, bedges;

/* Colours that no element of the block sees taken, among the 64 from `base` on. */
static uint64_t free_colours(const int32_t *cell, int64_t n, const uint64_t *taken) {
  uint64_t mask = 0;
  for (int64_t i = 0; i < n; i++) mask |= taken[cell[i]];
  return ~mask;
}

/* Greedy, 64 colours at a time: blocks for which all 64 are taken wait for the next 64. Returns the
 * number of colours, or -1 when memory ran out. */
static int64_t colour_blocks(const plan *p, const int32_t *cell, int width, int64_t ncell,
                             int64_t *colour) {
  uint64_t *taken = malloc((size_t)ncell * sizeof *taken);
  if (!taken) return -1;
  int64_t ncolour = 0, left = p->nblock;
  for (int64_t b = 0; b < p->nblock; b++) colour[b] = -1;
  for (int64_t base = 0; left > 0; base += 64) {
    for (int64_t c = 0; c < ncell; c++) taken[c] = 0;
    for (int64_t b = 0; b < p->nblock; b++) {
      if (colour[b] >= 0) continue;
      const int64_t first = b * p->size, last = first + p->size < p->n ? first + p->size : p->n;
      const int32_t *at = cell + width * first;
      const uint64_t open = free_colours(at, width * (last - first), taken);
      if (!open) continue;
      const int bit = __builtin_ctzll(open);
      for (int64_t i = 0; i < width * (last - first); i++) taken[at[i]] |= UINT64_C(1) << bit;
      colour[b] = base + bit;
      left--;
      if (colour[b] >= ncolour) ncolour = colour[b] + 1;
    }
  }
  free(taken);
  return ncolour;
}

static int sort_blocks(plan *p, const int64_t *colour) {
  p->order = malloc(((size_t)p->nblock + 1) * sizeof *p->order);
  p->start = malloc(((size_t)p->ncolour + 1) * sizeof *p->start);
  if (!p->order || !p->start) return -1;
  int64_t at = 0;
  for (int64_t k = 0; k < p->ncolour; k++) {
    p->start[k] = at;
    for (int64_t b = 0; b < p->nblock; b++)
      if (colour[b] == k) p->order[at++] = b;
  }
  p->start[p->ncolour] = at;
  return 0;
}

/* A plan for n elements that add to `width` cells each. */
static int plan_create(plan *p, int64_t n, const int32_t *cell, int width, int64_t ncell,
                       int64_t size) {
  *p = (plan){.n = n, .size = size, .nblock = (n + size - 1) / size};
  int64_t *colour = malloc(((size_t)p->nblock + 1) * sizeof *colour);
  if (!colour) return -1;
  p->ncolour = colour_blocks(p, cell, width, ncell, colour);
  const int rc = p->ncolour < 0 ? -1 : sort_blocks(p, colour);
  free(colour);
  return rc;
}

static void adt_loop(const mesh *m, const flow *f) {
  const double *x = m->x;
  const int64_t ncell = m->ncell;
#pragma omp parallel for schedule(static)
  for (int64_t c = 0; c < ncell; c++) {
    const int32_t *n = m->cell + 4 * c;
    ref_adt(x + 2 * (int64_t)n[0], x + 2 * (int64_t)n[1], x + 2 * (int64_t)n[2],
            x + 2 * (int64_t)n[3], f->q + 4 * c, f->adt + c);
  }
}

static void res_block(const mesh *m, const flow *f, int64_t first, int64_t last) {
  const double *x = m->x;
  for (int64_t e = first; e < last; e++) {
    const int32_t *n = m->edge + 2 * e;
    const int64_t c1 = m->ecell[2 * e], c2 = m->ecell[2 * e + 1];
    ref_res(x + 2 * (int64_t)n[0], x + 2 * (int64_t)n[1], f->q + 4 * c1, f->q + 4 * c2, f->adt[c1],
            f->adt[c2], f->res + 4 * c1, f->res + 4 * c2);
  }
}

static void bres_block(const mesh *m, const flow *f, int64_t first, int64_t last,
                       const double *far_field) {
  const double *x = m->x;
  for (int64_t b = first; b < last; b++) {
    const int32_t *n = m->bedge + 2 * b;
    const int64_t c = m->becell[b];
    ref_bres(x + 2 * (int64_t)n[0], x + 2 * (int64_t)n[1], f->q + 4 * c, f->adt[c], f->res + 4 * c,
             m->bound[b], far_field);
  }
}

static void coloured_loop(const plan *p, const mesh *m, const flow *f, const double *far_field) {
  for (int64_t k = 0; k < p->ncolour; k++) {
#pragma omp parallel for schedule(static)
    for (int64_t i = p->start[k]; i < p->start[k + 1]; i++) {
      const int64_t first = p->order[i] * p->size,
                    last = first + p->size < p->n ? first + p->size : p->n;
      if (p == &edges)
        res_block(m, f, first, last);
      else
        bres_block(m, f, first, last, far_field);
    }
  }
}

static double update_loop(const flow *f, int64_t ncell) {
  double rms = 0;
#pragma omp parallel for schedule(static) reduction(+ : rms)
  for (int64_t c = 0; c < ncell; c++)
    ref_update(f->qold + 4 * c, f->q + 4 * c, f->res + 4 * c, f->adt[c], &rms);
  return rms;
}

static double step(const mesh *m, flow *f, const double *far_field) {
  const int64_t ncell = m->ncell;
  double rms = 0;
#pragma omp parallel for schedule(static)
  for (int64_t c = 0; c < ncell; c++) ref_save(f->q + 4 * c, f->qold + 4 * c);
  for (int k = 0; k < 2; k++) {
    adt_loop(m, f);
    coloured_loop(&edges, m, f, far_field);
    coloured_loop(&bedges, m, f, far_field);
    rms = update_loop(f, ncell);
  }
  return rms;
}

static void finish(void) {
  free(edges.order);
  free(edges.start);
  free(bedges.order);
  free(bedges.start);
}

static int prepare(const options *o, const mesh *m, mesh_error *error) {
  if (o->threads > 0) omp_set_num_threads(o->threads);
  if (plan_create(&edges, m->nedge, m->ecell, 2, m->ncell, o->block_size) ||
      plan_create(&bedges, m->nbedge, m->becell, 1, m->ncell, o->block_size)) {
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
