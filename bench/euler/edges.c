/* SPDX-License-Identifier: BSD-3-Clause */
#include "edges.h"

#include <stdbool.h>
#include <stdlib.h>

/* Find the lower and the upper node of a cell's side k. */
static void side(const mesh *m, int64_t cell, int k, int32_t *low, int32_t *high) {
  const int32_t a = m->cell[3 * cell + k], b = m->cell[3 * cell + (k + 1) % 3];
  *low = a < b ? a : b;
  *high = a < b ? b : a;
}

/* List the upper nodes of all sides in the order of the lower ones; those of node `low` begin at
 * start[low]. */
static void sort_by_low(const mesh *m, int64_t *start, int32_t *upper) {
  int32_t low, high;
  for (int64_t i = 0; i < 3 * m->ncell; i++) {
    side(m, i / 3, (int)(i % 3), &low, &high);
    start[low + 2]++;
  }
  for (int64_t n = 2; n < m->nnode + 2; n++) start[n] += start[n - 1];
  for (int64_t i = 0; i < 3 * m->ncell; i++) {
    side(m, i / 3, (int)(i % 3), &low, &high);
    upper[start[low + 1]++] = high;
  }
}

/* Sort a node's few upper nodes and remove duplicates; returns how many are left. */
static int64_t sort_unique(int32_t *upper, int64_t n) {
  int64_t left = 0;
  for (int64_t i = 0; i < n; i++) {
    const int32_t node = upper[i];
    int64_t at = left;
    while (at > 0 && upper[at - 1] > node) at--;
    if (at > 0 && upper[at - 1] == node) continue;
    for (int64_t k = left++; k > at; k--) upper[k] = upper[k - 1];
    upper[at] = node;
  }
  return left;
}

/* Concatenate the lists of all nodes; `node` has capacity for all sides. */
static void unite(const mesh *m, edges *e, int32_t *upper) {
  int64_t first = 0;
  for (int64_t low = 0; low < m->nnode; low++) {
    const int64_t last = e->start[low + 1], n = sort_unique(upper + first, last - first);
    e->start[low] = e->n;
    for (int64_t k = 0; k < n; k++, e->n++) {
      e->node[2 * e->n] = (int32_t)low;
      e->node[2 * e->n + 1] = upper[first + k];
    }
    first = last;
  }
  e->start[m->nnode] = e->n;
}

int edges_make(const mesh *m, edges *e, bench_error *error) {
  const size_t sides = 3 * (size_t)m->ncell + 1;
  int32_t *upper = malloc(sides * sizeof *upper);
  *e = (edges){.node = malloc(2 * sides * sizeof *e->node),
               .start = calloc((size_t)m->nnode + 2, sizeof *e->start)};
  const bool good = upper && e->node && e->start;
  if (good) {
    sort_by_low(m, e->start, upper);
    unite(m, e, upper);
  }
  free(upper);
  if (good) return 0;
  edges_free(e);
  return bench_fail(error, "out of memory for the edges");
}

int64_t edges_find(const edges *e, int32_t a, int32_t b) {
  const int32_t low = a < b ? a : b, high = a < b ? b : a;
  for (int64_t i = e->start[low]; i < e->start[low + 1]; i++)
    if (e->node[2 * i + 1] == high) return i;
  return -1;
}

void edges_free(edges *e) {
  free(e->node);
  free(e->start);
  *e = (edges){0};
}
