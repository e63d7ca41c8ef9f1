/* SPDX-License-Identifier: BSD-3-Clause */
/* Shuffling renumbers a mesh and does not change its geometry. */
#include <stdlib.h>
#include <string.h>

#include "bench/airfoil/mesh.h"
#include "tap.h"

/* An element regardless of numbers: the positions of its nodes, and the centres of its cells. */
typedef struct shape {
  double v[8];
} shape;

static int compare(const void *a, const void *b) {
  const double *p = ((const shape *)a)->v, *q = ((const shape *)b)->v;
  for (int k = 0; k < 8; k++)
    if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
  return 0;
}

static void place(const mesh *m, int32_t node, double *v) {
  memcpy(v, m->x + 2 * (int64_t)node, 2 * sizeof *v);
}

static void centre(const mesh *m, int32_t cell, double *v) {
  for (int k = 0; k < 4; k++) {
    const double *x = m->x + 2 * (int64_t)m->cell[4 * (int64_t)cell + k];
    v[0] += x[0];
    v[1] += x[1];
  }
}

typedef enum part { NODES, CELLS, EDGES, BEDGES } part;

static shape shape_of(const mesh *m, part p, int64_t i) {
  shape s = {{0}};
  switch (p) {
  case NODES: place(m, (int32_t)i, s.v); break;
  case CELLS:
    for (int k = 0; k < 4; k++) place(m, m->cell[4 * i + k], s.v + 2 * k);
    break;
  case EDGES:
    for (int k = 0; k < 2; k++) place(m, m->edge[2 * i + k], s.v + 2 * k);
    for (int k = 0; k < 2; k++) centre(m, m->ecell[2 * i + k], s.v + 4 + 2 * k);
    break;
  case BEDGES:
    for (int k = 0; k < 2; k++) place(m, m->bedge[2 * i + k], s.v + 2 * k);
    centre(m, m->becell[i], s.v + 4);
    s.v[6] = m->bound[i];
    break;
  }
  return s;
}

static shape *shapes(const mesh *m, part p, int64_t n) {
  shape *list = malloc((size_t)n * sizeof *list);
  for (int64_t i = 0; list && i < n; i++) list[i] = shape_of(m, p, i);
  return list;
}

/* True if both meshes have the same elements, in any order; *kept is the number of elements that
 * kept their number. */
static bool same_shapes(const mesh *a, const mesh *b, part p, int64_t n, int64_t *kept) {
  shape *p1 = shapes(a, p, n), *p2 = shapes(b, p, n);
  bool good = p1 && p2;
  *kept = 0;
  if (good) {
    for (int64_t i = 0; i < n; i++) *kept += compare(p1 + i, p2 + i) == 0;
    qsort(p1, (size_t)n, sizeof *p1, compare);
    qsort(p2, (size_t)n, sizeof *p2, compare);
    for (int64_t i = 0; i < n; i++) good = good && compare(p1 + i, p2 + i) == 0;
  }
  free(p1);
  free(p2);
  return good;
}

static bool same_numbers(const mesh *a, const mesh *b) {
  return !memcmp(a->cell, b->cell, (size_t)a->ncell * 4 * sizeof *a->cell) &&
         !memcmp(a->ecell, b->ecell, (size_t)a->nedge * 2 * sizeof *a->ecell);
}

static void check(uint64_t seed) {
  mesh plain = {0}, mixed = {0}, again = {0};
  bench_error error;
  if (!ok(!mesh_generate(8, 12, &plain, &error) && !mesh_generate(8, 12, &mixed, &error) &&
              !mesh_generate(8, 12, &again, &error) && !mesh_shuffle(&mixed, seed, &error) &&
              !mesh_shuffle(&again, seed, &error),
          "seed %llu shuffles", (unsigned long long)seed))
    return;
  const struct {
    part p;
    const char *name;
    int64_t n;
  } parts[] = {
      {NODES, "nodes", plain.nnode}, {CELLS, "cells", plain.ncell}, {EDGES, "edges", plain.nedge}};
  int64_t kept;
  for (int i = 0; i < 3; i++) {
    ok(same_shapes(&plain, &mixed, parts[i].p, parts[i].n, &kept), "the same %s", parts[i].name);
    /* one is expected to stay; wake positions have two nodes each */
    ok(kept < 12, "in another order: %d of %d stay", (int)kept, (int)parts[i].n);
  }
  ok(same_shapes(&plain, &mixed, BEDGES, plain.nbedge, &kept) && kept == plain.nbedge,
     "the same boundary edges in order");
  ok(same_numbers(&mixed, &again), "the same seed gives the same mesh");
  mesh_shuffle(&again, seed + 1, &error);
  ok(same_shapes(&mixed, &again, CELLS, plain.ncell, &kept) && kept < 12,
     "and another shuffle another one");
  again.cell[0] = again.cell[0] ? 0 : 1;
  ok(!same_shapes(&plain, &again, CELLS, plain.ncell, &kept),
     "a cell with a wrong node would be noticed");
  mesh_free(&plain);
  mesh_free(&mixed);
  mesh_free(&again);
}

int main(void) {
  check(0);
  check(1);
  check(UINT64_MAX);
  return done();
}
