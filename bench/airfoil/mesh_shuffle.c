/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "mesh.h"

/* splitmix64 (Steele, Lea, Flood 2014): a counter with odd step through a 64-bit mixing function.
 * Every seed, zero included, gives the full period of 2^64. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Uniform in [0, n): values above the largest multiple of n are drawn again. */
static uint64_t random_below(uint64_t *state, uint64_t n) {
  const uint64_t limit = UINT64_MAX - UINT64_MAX % n;
  uint64_t v;
  do v = next_random(state);
  while (v >= limit);
  return v % n;
}

/* A random permutation of 0..n-1: the new number of every old element. */
static int32_t *permutation(uint64_t *state, int64_t n) {
  int32_t *p = malloc((size_t)n * sizeof *p);
  if (!p) return NULL;
  for (int64_t i = 0; i < n; i++) p[i] = (int32_t)i;
  for (int64_t i = n - 1; i > 0; i--) {
    const int64_t k = (int64_t)random_below(state, (uint64_t)i + 1);
    const int32_t held = p[i];
    p[i] = p[k];
    p[k] = held;
  }
  return p;
}

/* to[place[r]] = from[r], row by row, every entry renumbered; place may be null for rows that stay.
 */
static void renumber(int32_t *to, const int32_t *from, int64_t n, int width, const int32_t *place,
                     const int32_t *number) {
  for (int64_t r = 0; r < n; r++) {
    int32_t *row = to + width * (place ? place[r] : r);
    for (int k = 0; k < width; k++) row[k] = number[from[width * r + k]];
  }
}

int mesh_shuffle(mesh *m, uint64_t seed, mesh_error *error) {
  uint64_t state = seed;
  int32_t *node = permutation(&state, m->nnode);
  int32_t *cell = permutation(&state, m->ncell);
  int32_t *edge = permutation(&state, m->nedge);
  mesh made = {.nnode = m->nnode, .ncell = m->ncell, .nedge = m->nedge, .nbedge = m->nbedge};
  int rc = node && cell && edge ? mesh_alloc(&made, error)
                                : mesh_fail(error, "out of memory for the permutations");
  if (rc == 0) {
    for (int64_t i = 0; i < m->nnode; i++)
      memcpy(made.x + 2 * (int64_t)node[i], m->x + 2 * i, 2 * sizeof *m->x);
    renumber(made.cell, m->cell, m->ncell, 4, cell, node);
    renumber(made.edge, m->edge, m->nedge, 2, edge, node);
    renumber(made.ecell, m->ecell, m->nedge, 2, edge, cell);
    renumber(made.bedge, m->bedge, m->nbedge, 2, NULL, node);
    renumber(made.becell, m->becell, m->nbedge, 1, NULL, cell);
    memcpy(made.bound, m->bound, (size_t)m->nbedge * sizeof *m->bound);
    mesh_free(m);
    *m = made;
  }
  free(node);
  free(cell);
  free(edge);
  return rc;
}
