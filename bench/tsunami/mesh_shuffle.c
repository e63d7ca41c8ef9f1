/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "mesh.h"

/* Uniform in [0, n): what lies above the largest multiple of n is drawn again. */
static int64_t draw_below(uint64_t *state, int64_t n) {
  const uint64_t width = (uint64_t)n, limit = UINT64_MAX - UINT64_MAX % width;
  uint64_t drawn = mesh_random(state);
  while (drawn >= limit) drawn = mesh_random(state);
  return (int64_t)(drawn % width);
}

/* The new number of every old element. */
static int32_t *new_numbers(uint64_t *state, int64_t n) {
  int32_t *number = malloc((size_t)n * sizeof *number);
  for (int64_t i = 0; number && i < n; i++) {
    /* the numbers so far in random order, the next one put anywhere among them */
    const int64_t at = draw_below(state, i + 1);
    number[i] = number[at];
    number[at] = (int32_t)i;
  }
  return number;
}

/* Rows of `width` numbers go to their elements' new places, every number replaced by its new one;
 * null for elements that stay. */
static void renumber(const int32_t *from, int64_t n, int width, const int32_t *element,
                     const int32_t *number, int32_t *to) {
  for (int64_t i = 0; i < n; i++)
    for (int k = 0; k < width; k++)
      to[width * (element ? element[i] : i) + k] = number[from[width * i + k]];
}

int mesh_shuffle(mesh *m, uint64_t seed, mesh_error *error) {
  uint64_t state = seed;
  int rc = -1;
  mesh made = {.nnode = m->nnode, .ncell = m->ncell, .nedge = m->nedge, .nbedge = m->nbedge};
  int32_t *node = new_numbers(&state, m->nnode);
  int32_t *cell = new_numbers(&state, m->ncell);
  int32_t *edge = new_numbers(&state, m->nedge);
  if (!node || !cell || !edge) {
    mesh_fail(error, "out of memory for the permutations");
    goto fail;
  }
  if (mesh_alloc(&made, error)) goto fail;
  for (int64_t i = 0; i < m->nnode; i++)
    memcpy(made.x + 2 * (int64_t)node[i], m->x + 2 * i, 2 * sizeof *m->x);
  renumber(m->cell, m->ncell, 3, cell, node, made.cell);
  renumber(m->edge, m->nedge, 2, edge, node, made.edge);
  renumber(m->ecell, m->nedge, 2, edge, cell, made.ecell);
  renumber(m->bedge, m->nbedge, 2, NULL, node, made.bedge);
  renumber(m->becell, m->nbedge, 1, NULL, cell, made.becell);
  mesh_free(m);
  *m = made;
  rc = 0;
fail:
  free(node);
  free(cell);
  free(edge);
  return rc;
}
