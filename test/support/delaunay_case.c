/* SPDX-License-Identifier: BSD-3-Clause */
/* Bowyer and Watson's algorithm, with a point at the centre of the largest circumcircle each time,
 * as Gmsh's Delaunay algorithm puts them. */
#include "delaunay_case.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct triangle {
  int32_t node[3], side[3]; /* side[i]: the triangle opposite node i, -1 none */
  double x, y, r2;          /* circumcircle */
  int32_t mark;             /* number of the insertion whose cavity held it last */
  bool alive;
};

struct entry {
  double r2;
  int32_t triangle;
};

struct build {
  double (*at)[2];
  int32_t nnodes, most;
  struct triangle *list;
  int32_t nlist, *free_places, nfree;
  struct entry *heap;
  int64_t nheap, heap_room;
  int32_t round;
  int32_t cavity[256], ncavity; /* triangles */
  struct rim {
    int32_t a, b, outside;
  } rim[256];
  int32_t nrim;
};

static void *room(int64_t n, size_t bytes) {
  void *memory = calloc((size_t)n, bytes);
  if (!memory) {
    fputs("no memory for a triangulation\n", stderr);
    exit(2);
  }
  return memory;
}

/* ---- the worst triangle ---------------------------------------------------------------------- */

static void push(struct build *b, int32_t t) {
  if (b->nheap == b->heap_room) {
    b->heap_room = b->heap_room ? 2 * b->heap_room : 1024;
    b->heap = realloc(b->heap, (size_t)b->heap_room * sizeof *b->heap);
    if (!b->heap) exit(2);
  }
  int64_t i = b->nheap++;
  while (i > 0 && b->heap[(i - 1) / 2].r2 < b->list[t].r2) {
    b->heap[i] = b->heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  b->heap[i] = (struct entry){b->list[t].r2, t};
}

static struct entry pop(struct build *b) {
  struct entry top = b->heap[0], last = b->heap[--b->nheap];
  int64_t i = 0;
  for (;;) {
    int64_t child = 2 * i + 1;
    if (child >= b->nheap) break;
    if (child + 1 < b->nheap && b->heap[child + 1].r2 > b->heap[child].r2) child++;
    if (b->heap[child].r2 <= last.r2) break;
    b->heap[i] = b->heap[child];
    i = child;
  }
  b->heap[i] = last;
  return top;
}

/* ---- triangles ------------------------------------------------------------------------------- */

static void circle(struct build *b, struct triangle *t) {
  const double *p = b->at[t->node[0]], *q = b->at[t->node[1]], *r = b->at[t->node[2]];
  double ax = q[0] - p[0], ay = q[1] - p[1], bx = r[0] - p[0], by = r[1] - p[1];
  double d = 2 * (ax * by - ay * bx), a2 = ax * ax + ay * ay, b2 = bx * bx + by * by;
  double x = (by * a2 - ay * b2) / d, y = (ax * b2 - bx * a2) / d;
  t->x = p[0] + x;
  t->y = p[1] + y;
  t->r2 = x * x + y * y;
}

static int32_t add(struct build *b, int32_t n0, int32_t n1, int32_t n2) {
  int32_t place = b->nfree ? b->free_places[--b->nfree] : b->nlist++;
  b->list[place] = (struct triangle){.node = {n0, n1, n2}, .side = {-1, -1, -1}, .alive = true};
  circle(b, &b->list[place]);
  push(b, place);
  return place;
}

/* The triangles whose circles hold the point, and the edges round them. */
static bool find_cavity(struct build *b, int32_t first, double x, double y) {
  b->ncavity = b->nrim = 0;
  b->cavity[b->ncavity++] = first;
  b->list[first].mark = ++b->round;
  for (int32_t c = 0; c < b->ncavity; c++) {
    const struct triangle *t = &b->list[b->cavity[c]];
    for (int i = 0; i < 3; i++) {
      int32_t s = t->side[i];
      if (s >= 0 && b->list[s].mark == b->round) continue;
      const struct triangle *o = s >= 0 ? &b->list[s] : NULL;
      if (o && (o->x - x) * (o->x - x) + (o->y - y) * (o->y - y) < o->r2 * (1 + 1e-9)) {
        if (b->ncavity == 250) return false;
        b->list[s].mark = b->round;
        b->cavity[b->ncavity++] = s;
      }
    }
  }
  for (int32_t c = 0; c < b->ncavity; c++)
    for (int i = 0; i < 3; i++) {
      const struct triangle *t = &b->list[b->cavity[c]];
      int32_t s = t->side[i];
      if (s >= 0 && b->list[s].mark == b->round) continue;
      if (b->nrim == 250) return false;
      b->rim[b->nrim++] = (struct rim){t->node[(i + 1) % 3], t->node[(i + 2) % 3], s};
    }
  return true;
}

/* True if every edge of the rim has the point on its left, so that the new triangles do not
 * overlap. */
static bool star_shaped(const struct build *b, double x, double y) {
  for (int32_t r = 0; r < b->nrim; r++) {
    const double *p = b->at[b->rim[r].a], *q = b->at[b->rim[r].b];
    if ((q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) < 1e-14) return false;
  }
  return true;
}

static void insert(struct build *b, double x, double y) {
  int32_t node = b->nnodes++, fan[256];
  b->at[node][0] = x;
  b->at[node][1] = y;
  for (int32_t c = b->ncavity - 1; c >= 0; c--) {
    b->list[b->cavity[c]].alive = false;
    b->free_places[b->nfree++] = b->cavity[c];
  }
  for (int32_t r = 0; r < b->nrim; r++) {
    /* The neighbour across the edge is linked to the triangle that goes; the side is found by its
     * nodes. */
    fan[r] = add(b, node, b->rim[r].a, b->rim[r].b);
    b->list[fan[r]].side[0] = b->rim[r].outside;
    struct triangle *o = b->rim[r].outside >= 0 ? &b->list[b->rim[r].outside] : NULL;
    for (int i = 0; o && i < 3; i++)
      if (o->node[(i + 1) % 3] == b->rim[r].b && o->node[(i + 2) % 3] == b->rim[r].a)
        o->side[i] = fan[r];
  }
  for (int32_t r = 0; r < b->nrim; r++)
    for (int32_t s = 0; s < b->nrim; s++) {
      if (b->rim[s].a == b->rim[r].b) b->list[fan[r]].side[1] = fan[s];
      if (b->rim[s].b == b->rim[r].a) b->list[fan[r]].side[2] = fan[s];
    }
}

/* ---- the triangulation ----------------------------------------------------------------------- */

/* The boundary's points on a circle, and a fan of triangles. */
static void begin(struct build *b, int32_t nboundary) {
  for (int32_t i = 0; i < nboundary; i++) {
    double angle = 2 * 3.14159265358979323846 * i / nboundary;
    b->at[i][0] = cos(angle);
    b->at[i][1] = sin(angle);
  }
  b->nnodes = nboundary;
  for (int32_t i = 1; i + 1 < nboundary; i++) {
    int32_t t = add(b, 0, i, i + 1);
    if (i > 1) {
      b->list[t].side[2] = t - 1;
      b->list[t - 1].side[1] = t;
    }
  }
}

static void put_in_points(struct build *b) {
  while (b->nnodes < b->most && b->nheap) {
    struct entry worst = pop(b);
    const struct triangle *t = &b->list[worst.triangle];
    if (!t->alive || t->r2 != worst.r2) continue;
    double x = t->x, y = t->y;
    if (x * x + y * y > 0.9999) continue;
    if (find_cavity(b, worst.triangle, x, y) && star_shaped(b, x, y)) insert(b, x, y);
  }
}

static int by_ends(const void *a, const void *b) {
  const int32_t *p = a, *q = b;
  for (int i = 0; i < 3; i++)
    if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
  return 0;
}

static int by_meeting(const void *a, const void *b) {
  return ((const int32_t *)a)[2] < ((const int32_t *)b)[2] ? -1 : 1;
}

/* Every edge once, in the order in which the triangles meet them. */
static void find_edges(struct delaunay *mesh) {
  int32_t n = 3 * mesh->ntriangles, kept = 0;
  int32_t(*all)[3] = room(n, sizeof *all);
  for (int32_t i = 0; i < n; i++) {
    int32_t a = mesh->triangle[i / 3][i % 3], b = mesh->triangle[i / 3][(i + 1) % 3];
    all[i][0] = a < b ? a : b;
    all[i][1] = a < b ? b : a;
    all[i][2] = i;
  }
  qsort(all, (size_t)n, sizeof *all, by_ends);
  for (int32_t i = 0; i < n; i++)
    if (!i || all[i][0] != all[kept - 1][0] || all[i][1] != all[kept - 1][1])
      memcpy(all[kept++], all[i], sizeof *all);
  qsort(all, (size_t)kept, sizeof *all, by_meeting);
  mesh->nedges = kept;
  mesh->edge = room(kept, sizeof *mesh->edge);
  for (int32_t i = 0; i < kept; i++) memcpy(mesh->edge[i], all[i], sizeof *mesh->edge);
  free(all);
}

struct delaunay delaunay_make(int32_t nnodes) {
  int32_t nboundary = 64, room_for = 4 * nnodes;
  struct build b = {.most = nnodes};
  struct delaunay mesh = {.nnodes = nnodes};
  b.at = room(nnodes, sizeof *b.at);
  b.list = room(room_for, sizeof *b.list);
  b.free_places = room(room_for, sizeof *b.free_places);
  begin(&b, nboundary);
  put_in_points(&b);
  mesh.nnodes = b.nnodes;
  mesh.triangle = room(b.nlist, sizeof *mesh.triangle);
  for (int32_t t = 0; t < b.nlist; t++)
    if (b.list[t].alive)
      memcpy(mesh.triangle[mesh.ntriangles++], b.list[t].node, sizeof *mesh.triangle);
  find_edges(&mesh);
  free(b.at);
  free(b.list);
  free(b.free_places);
  free(b.heap);
  return mesh;
}

/* The edge between two nodes, as the new node in its middle: edges sorted by their ends. */
static int32_t middle(int32_t (*ends)[3], int32_t n, int32_t a, int32_t b) {
  int32_t key[2] = {a < b ? a : b, a < b ? b : a}, lo = 0, hi = n - 1;
  while (lo < hi) {
    int32_t at = lo + (hi - lo) / 2;
    bool below = ends[at][0] != key[0] ? ends[at][0] < key[0] : ends[at][1] < key[1];
    if (below)
      lo = at + 1;
    else
      hi = at;
  }
  return ends[lo][2];
}

struct delaunay delaunay_refine(const struct delaunay *coarse) {
  struct delaunay fine = {.nnodes = coarse->nnodes + coarse->nedges,
                          .ntriangles = 4 * coarse->ntriangles};
  int32_t(*ends)[3] = room(coarse->nedges, sizeof *ends);
  for (int32_t e = 0; e < coarse->nedges; e++) {
    memcpy(ends[e], coarse->edge[e], sizeof *coarse->edge);
    ends[e][2] = coarse->nnodes + e;
  }
  qsort(ends, (size_t)coarse->nedges, sizeof *ends, by_ends);
  fine.triangle = room(fine.ntriangles, sizeof *fine.triangle);
  for (int32_t t = 0; t < coarse->ntriangles; t++) {
    const int32_t *n = coarse->triangle[t];
    int32_t m[3];
    for (int i = 0; i < 3; i++) m[i] = middle(ends, coarse->nedges, n[i], n[(i + 1) % 3]);
    const int32_t four[4][3] = {
        {n[0], m[0], m[2]}, {n[1], m[1], m[0]}, {n[2], m[2], m[1]}, {m[0], m[1], m[2]}};
    memcpy(fine.triangle[4 * t], four, sizeof four);
  }
  free(ends);
  find_edges(&fine);
  return fine;
}

void delaunay_free(struct delaunay *mesh) {
  free(mesh->triangle);
  free(mesh->edge);
  *mesh = (struct delaunay){0};
}
