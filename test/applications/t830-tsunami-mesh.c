/* SPDX-License-Identifier: BSD-3-Clause */
/* The tsunami's mesh: its counts, its connectivity, and that shuffling renumbers it without
 * changing its geometry. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/tsunami/mesh.h"
#include "tap.h"

static const double *place(const mesh *m, int32_t node) { return m->x + 2 * (int64_t)node; }

static double area(const mesh *m, int64_t cell) {
  const int32_t *n = m->cell + 3 * cell;
  const double *a = place(m, n[0]), *b = place(m, n[1]), *c = place(m, n[2]);
  return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]));
}

/* True if node b follows node a around the cell, so that the side's normal points out of it. */
static bool follows(const mesh *m, int32_t cell, int32_t a, int32_t b) {
  const int32_t *n = m->cell + 3 * (int64_t)cell;
  for (int k = 0; k < 3; k++)
    if (n[k] == a && n[(k + 1) % 3] == b) return true;
  return false;
}

static bool on_rim(const double *a, const double *b) {
  for (int d = 0; d < 2; d++)
    if (a[d] == b[d] && (a[d] == 0 || a[d] == MESH_EXTENT)) return true;
  return false;
}

/* Counts of errors, all of which must be 0, and the total area. */
typedef struct faults {
  int64_t turned, inside, flat;
  double total;
} faults;

static faults look_at(const mesh *m, int *sides) {
  faults f = {0};
  for (int64_t e = 0; e < m->nedge; e++) {
    const int32_t *n = m->edge + 2 * e, *c = m->ecell + 2 * e;
    f.turned += !follows(m, c[0], n[0], n[1]) + !follows(m, c[1], n[1], n[0]);
    sides[c[0]]++;
    sides[c[1]]++;
  }
  for (int64_t b = 0; b < m->nbedge; b++) {
    const int32_t *n = m->bedge + 2 * b;
    f.turned += !follows(m, m->becell[b], n[0], n[1]);
    f.inside += !on_rim(place(m, n[0]), place(m, n[1]));
    sides[m->becell[b]]++;
  }
  for (int64_t c = 0; c < m->ncell; c++) {
    f.flat += !(area(m, c) > 0);
    f.total += area(m, c);
  }
  return f;
}

static void check_parts(const mesh *m, const char *name) {
  int *sides = calloc((size_t)m->ncell, sizeof *sides);
  if (!ok(sides != NULL, "%s: memory", name)) return;
  const faults f = look_at(m, sides);
  int64_t not_three = 0;
  for (int64_t c = 0; c < m->ncell; c++) not_three += sides[c] != 3;
  is_int(m->nnode - m->nedge - m->nbedge + m->ncell, 1, "%s: Euler's relation", name);
  is_int(f.turned, 0, "%s: sides that are not their cells', or turned", name);
  is_int(not_three, 0, "%s: cells without three sides", name);
  is_int(f.inside, 0, "%s: boundary edges inside", name);
  is_int(f.flat, 0, "%s: cells that do not turn to the left", name);
  ok(fabs(f.total / (MESH_EXTENT * MESH_EXTENT) - 1) < 1e-12, "%s: cells cover the square", name);
  free(sides);
}

static int compare(const void *a, const void *b) {
  const double *p = a, *q = b;
  return (*p > *q) - (*p < *q);
}

static double *areas(const mesh *m) {
  double *list = malloc((size_t)m->ncell * sizeof *list);
  for (int64_t c = 0; list && c < m->ncell; c++) list[c] = area(m, c);
  return list;
}

/* True if both meshes have the same cells in some order; *kept is the number of cells that kept
 * their index. The corners of a cell keep their order, so areas have the same bits. */
static bool same_cells(const mesh *a, const mesh *b, int64_t *kept) {
  double *p = areas(a), *q = areas(b);
  bool same = p && q;
  *kept = 0;
  for (int64_t c = 0; same && c < a->ncell; c++) *kept += p[c] == q[c];
  if (same) {
    qsort(p, (size_t)a->ncell, sizeof *p, compare);
    qsort(q, (size_t)b->ncell, sizeof *q, compare);
    same = !memcmp(p, q, (size_t)a->ncell * sizeof *p);
  }
  free(p);
  free(q);
  return same;
}

static void check_mesh(int64_t ni, int64_t nj) {
  char name[64];
  snprintf(name, sizeof name, "%dx%d", (int)ni, (int)nj);
  mesh m = {0}, mixed = {0};
  bench_error error = {""};
  if (!ok(!mesh_open(name, &m, &error) && !mesh_generate(ni, nj, &mixed, &error), "%s is generated",
          name)) {
    diag("%s", error.text);
    return;
  }
  is_int(m.ncell, 2 * ni * nj, "%s: cells", name);
  check_parts(&m, name);
  ok(!mesh_shuffle(&mixed, 7, &error), "%s is shuffled", name);
  check_parts(&mixed, "shuffled");
  int64_t kept;
  ok(same_cells(&m, &mixed, &kept), "the same cells");
  ok(m.ncell < 100 || kept < m.ncell / 10, "in another order: %d of %d stay", (int)kept,
     (int)m.ncell);
  mesh_free(&m);
  mesh_free(&mixed);
}

static void check_seeds(void) {
  mesh m[3] = {{0}, {0}, {0}};
  const uint64_t seed[3] = {1, 1, 2};
  bench_error error;
  for (int i = 0; i < 3; i++)
    if (!ok(!mesh_generate(20, 10, &m[i], &error) && !mesh_shuffle(&m[i], seed[i], &error),
            "seed %d shuffles", (int)seed[i]))
      return;
  const size_t bytes = (size_t)m[0].nedge * 2 * sizeof *m[0].ecell;
  ok(!memcmp(m[0].ecell, m[1].ecell, bytes), "the same seed gives the same numbers");
  ok(memcmp(m[0].ecell, m[2].ecell, bytes), "another one others");
  for (int i = 0; i < 3; i++) mesh_free(&m[i]);
}

static void check_refusals(void) {
  static const char *const specs[] = {"0x5",
                                      "5x0",
                                      "30000x30000",
                                      "99999999999999999999x2",
                                      "2x99999999999999999999",
                                      "5x5b",
                                      "new_grid.dat",
                                      "5",
                                      "-3x4",
                                      ""};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    mesh m = {.nnode = -7};
    bench_error error = {""};
    ok(mesh_open(specs[i], &m, &error) == -1 && m.nnode == -7 && strstr(error.text, "mesh"),
       "\"%s\" is refused: %s", specs[i], error.text);
  }
}

int main(void) {
  check_refusals();
  check_seeds();
  check_mesh(1, 1);
  check_mesh(1, 4);
  check_mesh(5, 1);
  check_mesh(24, 17);
  if (quick())
    skip("classic mesh: a quick run");
  else
    check_mesh(500, 500);
  return done();
}
