/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "common/shuffle.h"
#include "mesh.h"

/* A random permutation of 0..n-1: the new number of every old element. */
static int32_t *permutation(uint64_t *state, int64_t n) {
  int32_t *p = malloc((size_t)n * sizeof *p);
  if (!p) return NULL;
  for (int64_t i = 0; i < n; i++) p[i] = (int32_t)i;
  for (int64_t i = n - 1; i > 0; i--) {
    const int64_t k = shuffle_below(state, i + 1);
    const int32_t held = p[i];
    p[i] = p[k];
    p[k] = held;
  }
  return p;
}

int mesh_shuffle(mesh *m, uint64_t seed, bench_error *error) {
  uint64_t state = seed;
  int32_t *node = permutation(&state, m->nnode);
  int32_t *cell = permutation(&state, m->ncell);
  int32_t *edge = permutation(&state, m->nedge);
  mesh made = {.nnode = m->nnode, .ncell = m->ncell, .nedge = m->nedge, .nbedge = m->nbedge};
  int rc = node && cell && edge ? mesh_alloc(&made, error)
                                : bench_fail(error, "out of memory for the permutations");
  if (rc == 0) {
    for (int64_t i = 0; i < m->nnode; i++)
      memcpy(made.x + 2 * (int64_t)node[i], m->x + 2 * i, 2 * sizeof *m->x);
    shuffle_rows(m->cell, m->ncell, 4, cell, node, made.cell);
    shuffle_rows(m->edge, m->nedge, 2, edge, node, made.edge);
    shuffle_rows(m->ecell, m->nedge, 2, edge, cell, made.ecell);
    shuffle_rows(m->bedge, m->nbedge, 2, NULL, node, made.bedge);
    shuffle_rows(m->becell, m->nbedge, 1, NULL, cell, made.becell);
    memcpy(made.bound, m->bound, (size_t)m->nbedge * sizeof *m->bound);
    mesh_free(m);
    *m = made;
  }
  free(node);
  free(cell);
  free(edge);
  return rc;
}
