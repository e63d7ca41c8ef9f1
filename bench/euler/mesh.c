/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "edges.h"

/* ---- memory ---- */

/* A mesh may have no boundary, and malloc(0) may return null. */
static void *array(int64_t n, size_t width) { return malloc((size_t)(n > 0 ? n : 1) * width); }

int mesh_alloc(mesh *m, bench_error *error) {
  m->x = array(2 * m->nnode, sizeof *m->x);
  m->cell = array(3 * m->ncell, sizeof *m->cell);
  m->bedge = array(2 * m->nbedge, sizeof *m->bedge);
  m->marker = array(m->nbedge, sizeof *m->marker);
  if (m->x && m->cell && m->bedge && m->marker) return 0;
  mesh_free(m);
  return bench_fail(error, "out of memory for the mesh");
}

void mesh_free(mesh *m) {
  free(m->x);
  free(m->cell);
  free(m->bedge);
  free(m->marker);
  free(m->edge);
  free(m->normal);
  free(m->bnormal);
  free(m->kind);
  free(m->area);
  free(m->rim);
  *m = (mesh){0};
}

/* ---- checks ---- */

/* Flags of an edge that was visited: by cells that run along it upwards and downwards, and by a
 * marker. */
enum { SEEN_UP = 1, SEEN_DOWN = 2, SEEN_MARKER = 4 };

static int see_cells(const mesh *m, const edges *e, unsigned char *seen, bench_error *error) {
  for (int64_t i = 0; i < 3 * m->ncell; i++) {
    const int32_t a = m->cell[i], b = m->cell[i % 3 == 2 ? i - 2 : i + 1];
    const unsigned char way = a < b ? SEEN_UP : SEEN_DOWN;
    unsigned char *edge = &seen[edges_find(e, a, b)];
    if (*edge & way)
      return bench_fail(error,
                        "%s: two cells lie on the same side of the edge between nodes %d "
                        "and %d",
                        m->name, a, b);
    *edge |= way;
  }
  return 0;
}

/* Mark a boundary edge as visited and orient it so that the mesh is on its left. */
static int see_boundary(mesh *m, const edges *e, int64_t b, unsigned char *seen,
                        bench_error *error) {
  int32_t *node = m->bedge + 2 * b;
  const char *name = m->marker_name[m->marker[b]];
  const int64_t edge = edges_find(e, node[0], node[1]);
  if (edge < 0 || (seen[edge] & (SEEN_UP | SEEN_DOWN)) == (SEEN_UP | SEEN_DOWN))
    return bench_fail(error, "%s: marker '%s': the line between nodes %d and %d is %s", m->name,
                      name, node[0], node[1], edge < 0 ? "no side of a cell" : "inside the mesh");
  if (seen[edge] & SEEN_MARKER)
    return bench_fail(error,
                      "%s: marker '%s': the line between nodes %d and %d is in a marker "
                      "already",
                      m->name, name, node[0], node[1]);
  const bool up = seen[edge] & SEEN_UP;
  node[0] = e->node[2 * edge + !up];
  node[1] = e->node[2 * edge + up];
  seen[edge] |= SEEN_MARKER;
  return 0;
}

static int see_all(mesh *m, const edges *e, unsigned char *seen, bench_error *error) {
  if (see_cells(m, e, seen, error)) return -1;
  for (int64_t b = 0; b < m->nbedge; b++)
    if (see_boundary(m, e, b, seen, error)) return -1;
  for (int64_t i = 0; i < e->n; i++)
    if (seen[i] == SEEN_UP || seen[i] == SEEN_DOWN)
      return bench_fail(error,
                        "%s: the side between nodes %d and %d has a cell on one side only, "
                        "and no marker has it",
                        m->name, e->node[2 * i], e->node[2 * i + 1]);
  return 0;
}

/* A node without cells would have a dual cell of no size. */
static int check_nodes(const mesh *m, bench_error *error) {
  unsigned char *used = calloc((size_t)m->nnode, 1);
  if (!used) return bench_fail(error, "out of memory for the mesh");
  for (int64_t i = 0; i < 3 * m->ncell; i++) used[m->cell[i]] = 1;
  const unsigned char *unused = memchr(used, 0, (size_t)m->nnode);
  const long long node = unused ? unused - used : -1;
  free(used);
  return unused ? bench_fail(error, "%s: no cell has node %lld", m->name, node) : 0;
}

int mesh_check(mesh *m, bench_error *error) {
  edges e;
  if (check_nodes(m, error) || edges_make(m, &e, error)) return -1;
  unsigned char *seen = calloc((size_t)e.n, 1);
  const int rc = seen ? see_all(m, &e, seen, error) : bench_fail(error, "out of memory for edges");
  free(seen);
  edges_free(&e);
  return rc;
}

/* ---- refinement ---- */

static void refine_cells(const mesh *m, const edges *e, int32_t *cell) {
  for (int64_t c = 0; c < m->ncell; c++) {
    const int32_t *n = m->cell + 3 * c;
    int32_t mid[3];
    for (int k = 0; k < 3; k++) mid[k] = (int32_t)(m->nnode + edges_find(e, n[k], n[(k + 1) % 3]));
    const int32_t four[12] = {n[0],   mid[0], mid[2], mid[0], n[1],   mid[1],
                              mid[2], mid[1], n[2],   mid[0], mid[1], mid[2]};
    memcpy(cell + 12 * c, four, sizeof four);
  }
}

static void refine_boundary(const mesh *m, const edges *e, mesh *fine) {
  for (int64_t b = 0; b < m->nbedge; b++) {
    const int32_t *n = m->bedge + 2 * b;
    const int32_t mid = (int32_t)(m->nnode + edges_find(e, n[0], n[1]));
    const int32_t two[4] = {n[0], mid, mid, n[1]};
    memcpy(fine->bedge + 4 * b, two, sizeof two);
    fine->marker[2 * b] = fine->marker[2 * b + 1] = m->marker[b];
  }
}

static void refine_nodes(const mesh *m, const edges *e, double *x) {
  memcpy(x, m->x, 2 * (size_t)m->nnode * sizeof *x);
  for (int64_t i = 0; i < e->n; i++)
    for (int d = 0; d < 2; d++)
      x[2 * (m->nnode + i) + d] =
          0.5 * (m->x[2 * (int64_t)e->node[2 * i] + d] + m->x[2 * (int64_t)e->node[2 * i + 1] + d]);
}

static int refine_once(mesh *m, bench_error *error) {
  edges e;
  if (edges_make(m, &e, error)) return -1;
  mesh fine = *m;
  fine.nnode = m->nnode + e.n;
  fine.ncell = 4 * m->ncell;
  fine.nbedge = 2 * m->nbedge;
  const int rc = mesh_alloc(&fine, error);
  if (rc == 0) {
    refine_nodes(m, &e, fine.x);
    refine_cells(m, &e, fine.cell);
    refine_boundary(m, &e, &fine);
    mesh_free(m);
    *m = fine;
  }
  edges_free(&e);
  return rc;
}

int mesh_refine(mesh *m, int times, bench_error *error) {
  int64_t ncell = m->ncell;
  for (int k = 0; k < times; k++, ncell *= 4) /* so that the numbers of all edges, three a cell,
                                                 fit */
    if (ncell > INT32_MAX / 12)
      return bench_fail(error, "%s: refined %d times it has more than %d cells", m->name, times,
                        INT32_MAX / 3);
  for (int k = 0; k < times; k++)
    if (refine_once(m, error)) return -1;
  return 0;
}

/* ---- boundary kinds ---- */

/* True if a marker is far field by its name alone. */
static bool far_by_name(const char *marker) {
  static const char *const parts[] = {"far", "inlet", "outlet", "inflow", "outflow", "stream"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    for (const char *at = marker; *at; at++)
      if (strncasecmp(at, parts[i], strlen(parts[i])) == 0) return true;
  return false;
}

static int marker_find(const mesh *m, const char *name, size_t length) {
  for (int k = 0; k < m->nmarker; k++)
    if (strlen(m->marker_name[k]) == length && !memcmp(m->marker_name[k], name, length)) return k;
  return -1;
}

/* Set the kind of each marker. */
static int classify(const mesh *m, const char *tags, int32_t *kind, bench_error *error) {
  for (int k = 0; k < m->nmarker; k++)
    kind[k] = !tags && far_by_name(m->marker_name[k]) ? MESH_FAR_FIELD : MESH_WALL;
  if (!tags || strcmp(tags, "none") == 0) return 0;
  for (const char *at = tags;; at++) {
    const size_t length = strcspn(at, ",");
    const int k = marker_find(m, at, length);
    if (k < 0)
      return bench_fail(error, "%s: it has no marker '%.*s' for --farfield", m->name, (int)length,
                        at);
    kind[k] = MESH_FAR_FIELD;
    at += length;
    if (!*at) return 0;
  }
}

/* ---- the dual ---- */

static double triangle_area(const double *a, const double *b, const double *c) {
  return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]));
}

/* Add the parts of the dual in a cell: from the midpoint of each side to the cell's centroid. */
static void add_cell(mesh *m, const edges *e, const int32_t *n) {
  const double *p[3];
  for (int k = 0; k < 3; k++) p[k] = m->x + 2 * (int64_t)n[k];
  const double cx = (p[0][0] + p[1][0] + p[2][0]) / 3, cy = (p[0][1] + p[1][1] + p[2][1]) / 3;
  const double third = triangle_area(p[0], p[1], p[2]) / 3;
  for (int k = 0; k < 3; k++) {
    const int l = (k + 1) % 3;
    const double dx = cx - 0.5 * (p[k][0] + p[l][0]), dy = cy - 0.5 * (p[k][1] + p[l][1]);
    const double sign = n[k] < n[l] ? 1 : -1;
    double *normal = m->normal + 3 * edges_find(e, n[k], n[l]);
    normal[0] += sign * dy;
    normal[1] -= sign * dx;
    m->area[n[k]] += third;
  }
}

static void set_length(double *normal, double share, double *rim1, double *rim2) {
  normal[2] = sqrt(normal[0] * normal[0] + normal[1] * normal[1]);
  *rim1 += share * normal[2];
  *rim2 += share * normal[2];
}

static void set_dual(mesh *m, const edges *e) {
  for (int64_t c = 0; c < m->ncell; c++) add_cell(m, e, m->cell + 3 * c);
  for (int64_t i = 0; i < m->nedge; i++)
    set_length(m->normal + 3 * i, 1, m->rim + m->edge[2 * i], m->rim + m->edge[2 * i + 1]);
  for (int64_t b = 0; b < m->nbedge; b++) {
    const int64_t n1 = m->bedge[2 * b], n2 = m->bedge[2 * b + 1];
    double *normal = m->bnormal + 3 * b;
    normal[0] = m->x[2 * n2 + 1] - m->x[2 * n1 + 1];
    normal[1] = m->x[2 * n1] - m->x[2 * n2];
    set_length(normal, 0.5, m->rim + n1, m->rim + n2);
  }
}

int mesh_finish(mesh *m, const char *far_field, bench_error *error) {
  edges e;
  int32_t kind[MESH_MARKERS];
  if (classify(m, far_field, kind, error) || edges_make(m, &e, error)) return -1;
  m->nedge = e.n;
  m->normal = calloc((size_t)e.n, 3 * sizeof *m->normal);
  m->bnormal = array(3 * m->nbedge, sizeof *m->bnormal);
  m->kind = array(m->nbedge, sizeof *m->kind);
  m->area = calloc((size_t)m->nnode, sizeof *m->area);
  m->rim = calloc((size_t)m->nnode, sizeof *m->rim);
  m->edge = e.node;
  const bool good = m->normal && m->bnormal && m->kind && m->area && m->rim;
  if (good) {
    for (int64_t b = 0; b < m->nbedge; b++) m->kind[b] = kind[m->marker[b]];
    set_dual(m, &e);
  }
  e.node = NULL; /* the mesh owns it now */
  edges_free(&e);
  return good ? 0 : bench_fail(error, "out of memory for the dual mesh");
}
