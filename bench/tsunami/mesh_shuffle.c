/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "common/shuffle.h"
#include "mesh.h"

/* Return the new number of every old element. */
static int32_t *new_numbers(uint64_t *state, int64_t n) {
  int32_t *number = malloc((size_t)n * sizeof *number);
  for (int64_t i = 0; number && i < n; i++) {
    /* the numbers so far are in random order; the next one is inserted at a random position */
    const int64_t at = shuffle_below(state, i + 1);
    number[i] = number[at];
    number[at] = (int32_t)i;
  }
  return number;
}

int mesh_shuffle(mesh *m, uint64_t seed, bench_error *error) {
  uint64_t state = seed;
  int rc = -1;
  mesh made = {.nnode = m->nnode, .ncell = m->ncell, .nedge = m->nedge, .nbedge = m->nbedge};
  int32_t *node = new_numbers(&state, m->nnode);
  int32_t *cell = new_numbers(&state, m->ncell);
  int32_t *edge = new_numbers(&state, m->nedge);
  if (!node || !cell || !edge) {
    bench_fail(error, "out of memory for the permutations");
    goto fail;
  }
  if (mesh_alloc(&made, error)) goto fail;
  for (int64_t i = 0; i < m->nnode; i++)
    memcpy(made.x + 2 * (int64_t)node[i], m->x + 2 * i, 2 * sizeof *m->x);
  shuffle_rows(m->cell, m->ncell, 3, cell, node, made.cell);
  shuffle_rows(m->edge, m->nedge, 2, edge, node, made.edge);
  shuffle_rows(m->ecell, m->nedge, 2, edge, cell, made.ecell);
  shuffle_rows(m->bedge, m->nbedge, 2, NULL, node, made.bedge);
  shuffle_rows(m->becell, m->nbedge, 1, NULL, cell, made.becell);
  mesh_free(m);
  *m = made;
  rc = 0;
fail:
  free(node);
  free(cell);
  free(edge);
  return rc;
}
