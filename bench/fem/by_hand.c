/* SPDX-License-Identifier: BSD-3-Clause */
/* Eight cells are computed at a time, one in each lane of vectors; their blocks are then added cell
 * by cell. */
#include "by_hand.h"

#include <stdlib.h>
#include <string.h>

#include "common/reference.h"
#include "kernels_assembly.h"

enum { LANES = 8 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* ---- positions of values in the rows --------------------------------------------------------- */

static int32_t find(const by_hand *h, int32_t row, int32_t column) {
  int32_t p = h->start[row];
  while (h->column[p] != column) p++;
  return p;
}

static void find_rows(by_hand *h, const mesh *m) {
  const int32_t side = m->n + 1;
  int32_t n = 0;
  for (int32_t j = 0; j < side; j++)
    for (int32_t i = 0; i < side; i++) {
      h->start[j * side + i] = n;
      for (int32_t l = j - 1; l <= j + 1; l++)
        for (int32_t k = i - 1; k <= i + 1; k++)
          if (k >= 0 && l >= 0 && k < side && l < side) h->column[n++] = l * side + k;
    }
  h->start[m->nnode] = n;
  h->nplace = n;
}

bool by_hand_prepare(by_hand *h, const mesh *m, int dim) {
  const size_t nodes = (size_t)m->nnode, cells = (size_t)m->ncell, block = (size_t)(dim * dim);
  *h = (by_hand){.dim = dim,
                 .start = reference_alloc((nodes + 1) * sizeof *h->start),
                 .column = reference_alloc(nodes * 9 * sizeof *h->column),
                 .place = reference_alloc(cells * 16 * sizeof *h->place),
                 .x = reference_alloc(nodes * 2 * sizeof *h->x),
                 .cell = reference_alloc(cells * 4 * sizeof *h->cell),
                 .values = reference_alloc(nodes * 9 * block * sizeof *h->values)};
  if (!h->start || !h->column || !h->place || !h->x || !h->cell || !h->values) return false;
  memcpy(h->x, m->x, nodes * 2 * sizeof *h->x);
  memcpy(h->cell, m->cell, cells * 4 * sizeof *h->cell);
  find_rows(h, m);
  for (int64_t c = 0; c < m->ncell; c++)
    for (int k = 0; k < 16; k++)
      h->place[16 * c + k] = find(h, m->cell[4 * c + k / 4], m->cell[4 * c + k % 4]);
  return true;
}

void by_hand_free(by_hand *h) {
  free(h->start);
  free(h->column);
  free(h->place);
  free(h->x);
  free(h->cell);
  free(h->values);
}

void by_hand_zero(by_hand *h) {
  memset(h->values, 0, (size_t)(h->nplace * h->dim * h->dim) * sizeof *h->values);
}

double by_hand_squares(const by_hand *h) {
  double sum = 0;
  for (int64_t i = 0; i < h->nplace * h->dim * h->dim; i++) sum += h->values[i] * h->values[i];
  return sum;
}

/* ---- eight elements -------------------------------------------------------------------------- */

static inline void gather(const by_hand *h, int64_t c, lanes x[4][2]) {
  for (int k = 0; k < 4; k++)
    for (int lane = 0; lane < LANES; lane++) {
      const double *at = h->x + 2 * (int64_t)h->cell[4 * (c + lane) + k];
      x[k][0][lane] = at[0];
      x[k][1][lane] = at[1];
    }
}

/* Compute the gradients of the four functions at point q, and the point's weight. */
static inline void gradients(const lanes x[4][2], int q, lanes nx[4], lanes ny[4], lanes *weight) {
  const double g[2] = {0.211324865405187, 0.788675134594813}, s = g[q % 2], t = g[q / 2];
  const double ns[4] = {t - 1, 1 - t, t, -t}, nt[4] = {s - 1, -s, s, 1 - s};
  lanes xs = {0}, ys = {0}, xt = {0}, yt = {0};
  for (int i = 0; i < 4; i++) {
    xs += ns[i] * x[i][0];
    ys += ns[i] * x[i][1];
    xt += nt[i] * x[i][0];
    yt += nt[i] * x[i][1];
  }
  const lanes det = xs * yt - xt * ys, r = 1 / det;
  for (int i = 0; i < 4; i++) {
    nx[i] = (yt * ns[i] - ys * nt[i]) * r;
    ny[i] = (xs * nt[i] - xt * ns[i]) * r;
  }
  *weight = 0.25 * det;
}

static void add_poisson(const by_hand *h, int64_t c) {
  lanes x[4][2], a[16] = {{0}}, nx[4], ny[4], weight;
  gather(h, c, x);
  for (int q = 0; q < 4; q++) {
    gradients(x, q, nx, ny, &weight);
    for (int k = 0; k < 16; k++) a[k] += weight * (nx[k / 4] * nx[k % 4] + ny[k / 4] * ny[k % 4]);
  }
  for (int lane = 0; lane < LANES; lane++)
    for (int k = 0; k < 16; k++) h->values[h->place[16 * (c + lane) + k]] += a[k][lane];
}

/* The values a[k] of block k are in the order of their storage. */
static void add_elasticity(const by_hand *h, int64_t c) {
  const double mu = 1, lambda = 2;
  lanes x[4][2], a[16][4] = {{{0}}}, nx[4], ny[4], weight;
  gather(h, c, x);
  for (int q = 0; q < 4; q++) {
    gradients(x, q, nx, ny, &weight);
    for (int k = 0; k < 16; k++) {
      const lanes xx = nx[k / 4] * nx[k % 4], yy = ny[k / 4] * ny[k % 4];
      const lanes xy = nx[k / 4] * ny[k % 4], yx = ny[k / 4] * nx[k % 4];
      a[k][0] += weight * (mu * (2 * xx + yy) + lambda * xx);
      a[k][1] += weight * (mu * yx + lambda * xy);
      a[k][2] += weight * (mu * xy + lambda * yx);
      a[k][3] += weight * (mu * (xx + 2 * yy) + lambda * yy);
    }
  }
  for (int lane = 0; lane < LANES; lane++)
    for (int k = 0; k < 16; k++) {
      double *block = h->values + 4 * (int64_t)h->place[16 * (c + lane) + k];
      for (int v = 0; v < 4; v++) block[v] += a[k][v][lane];
    }
}

/* ---- all elements ---------------------------------------------------------------------------- */

static void add_one(const by_hand *h, int64_t c) {
  const double *x[4];
  double a[64] = {0};
  for (int k = 0; k < 4; k++) x[k] = h->x + 2 * (int64_t)h->cell[4 * c + k];
  if (h->dim == 1)
    poisson(x, (double(*)[4])a);
  else
    elasticity(x, (double(*)[8])a);
  for (int k = 0; k < 16; k++)
    for (int v = 0; v < h->dim * h->dim; v++)
      h->values[h->dim * h->dim * (int64_t)h->place[16 * c + k] + v] +=
          h->dim == 1 ? a[k] : a[(k / 4 * 2 + v / 2) * 8 + k % 4 * 2 + v % 2];
}

static void add_block(const by_hand *h, int64_t from, int64_t to) {
  int64_t c = from;
  for (; c + LANES <= to; c += LANES)
    if (h->dim == 1)
      add_poisson(h, c);
    else
      add_elasticity(h, c);
  for (; c < to; c++) add_one(h, c);
}

/* Only cells of consecutive blocks share nodes, so two colours suffice. */
void by_hand_assemble(const by_hand *h, const mesh *m) {
  const int64_t block = m->n + 2 > 4000 ? m->n + 2 : 4000, blocks = (m->ncell + block - 1) / block;
  for (int colour = 0; colour < 2; colour++) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t b = colour; b < blocks; b += 2)
      add_block(h, b * block, b * block + block < m->ncell ? b * block + block : m->ncell);
  }
}
