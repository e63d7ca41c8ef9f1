/* SPDX-License-Identifier: BSD-3-Clause */
#include "levels.h"

#include <stdlib.h>
#include <string.h>

/* Copy what the mesh consists of, without its dual. */
static int copy_mesh(const mesh *m, mesh *copy, bench_error *error) {
  mesh made = {.name = m->name,
               .nnode = m->nnode,
               .ncell = m->ncell,
               .nbedge = m->nbedge,
               .nmarker = m->nmarker};
  memcpy(made.marker_name, m->marker_name, sizeof made.marker_name);
  if (mesh_alloc(&made, error)) return -1;
  memcpy(made.x, m->x, 2 * (size_t)m->nnode * sizeof *m->x);
  memcpy(made.cell, m->cell, 3 * (size_t)m->ncell * sizeof *m->cell);
  memcpy(made.bedge, m->bedge, 2 * (size_t)m->nbedge * sizeof *m->bedge);
  memcpy(made.marker, m->marker, (size_t)m->nbedge * sizeof *m->marker);
  *copy = made;
  return 0;
}

/* The nodes of the refined mesh are those of the mesh, and then one for each of its edges. */
static int32_t *make_parents(const mesh *m) {
  int32_t *parent = malloc(2 * (size_t)(m->nnode + m->nedge) * sizeof *parent);
  if (!parent) return NULL;
  for (int64_t i = 0; i < 2 * m->nnode; i++) parent[i] = (int32_t)(i / 2);
  memcpy(parent + 2 * m->nnode, m->edge, 2 * (size_t)m->nedge * sizeof *parent);
  return parent;
}

int levels_make(const options *o, mesh *coarsest, levels *l, bench_error *error) {
  *l = (levels){0};
  for (int k = LEVELS - 2; k >= 0; k--) {
    const mesh *from = k == LEVELS - 2 ? coarsest : &l->mesh[k + 1];
    mesh *m = &l->mesh[k];
    l->parent[k] = make_parents(from);
    if (!l->parent[k]) bench_fail(error, "out of memory for the levels");
    if (!l->parent[k] || copy_mesh(from, m, error) || mesh_refine(m, 1, error) ||
        mesh_finish(m, o->far_field, error)) {
      levels_free(l);
      return -1;
    }
  }
  l->mesh[LEVELS - 1] = *coarsest;
  *coarsest = (mesh){0};
  return 0;
}

void levels_free(levels *l) {
  for (int k = 0; k < LEVELS; k++) mesh_free(&l->mesh[k]);
  for (int k = 0; k < LEVELS - 1; k++) free(l->parent[k]);
  *l = (levels){0};
}
