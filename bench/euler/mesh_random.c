/* SPDX-License-Identifier: BSD-3-Clause */
/* The channel as a Delaunay triangulation of points in random order, by Bowyer's and Watson's
 * algorithm: a point is found by a walk over triangles; those whose circumcircles contain it are
 * replaced by triangles from their common outline to the point. Coordinates are integers and the
 * predicates exact, so that no rounding can spoil the topology. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "channel.h"
#include "common/shuffle.h"
#include "mesh.h"

enum { UNIT = 1 << 20, OUTER = 3 /* corners of the triangle round everything */ };

__extension__ typedef __int128 wide;

typedef struct point {
  int64_t x, y;
} point;

typedef struct triangle {
  int32_t node[3]; /* counter-clockwise */
  int32_t next[3]; /* across the side from node k to the following one; -1: none */
} triangle;

/* A side of the outline that is left when triangles are removed, with what is beyond it. */
typedef struct side {
  int32_t from, to, beyond;
} side;

typedef struct net {
  int64_t nnode, ntriangle;
  point *at;
  triangle *triangle;
  int32_t *mark;    /* [triangles] the last node whose insertion removed it */
  int32_t *removed; /* a stack of triangles */
  int32_t *first;   /* [nodes] the new triangle whose first side begins there */
  side *outline;
} net;

/* ---- predicates ---- */

/* Positive if p lies to the left of the line from a to b. */
static int64_t turn(point a, point b, point p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

static int64_t square(point a) { return a.x * a.x + a.y * a.y; }

static point minus(point a, point b) { return (point){a.x - b.x, a.y - b.y}; }

/* True if p lies inside the circle through three points, given counter-clockwise. */
static bool in_circle(point a, point b, point c, point p) {
  const point u = minus(a, p), v = minus(b, p), w = minus(c, p);
  return (wide)square(u) * (v.x * w.y - v.y * w.x) + (wide)square(v) * (w.x * u.y - w.y * u.x) +
             (wide)square(w) * (u.x * v.y - u.y * v.x) >
         0;
}

static bool covers(const net *n, int32_t t, point p) {
  const int32_t *node = n->triangle[t].node;
  return in_circle(n->at[node[0]], n->at[node[1]], n->at[node[2]], p);
}

/* ---- insertion ---- */

/* Walk to a triangle in which p lies, or on whose side. */
static int32_t locate(const net *n, point p) {
  int32_t t = (int32_t)n->ntriangle - 1;
  for (int k = 0; k < 3; k++) {
    const triangle *at = &n->triangle[t];
    if (turn(n->at[at->node[k]], n->at[at->node[(k + 1) % 3]], p) >= 0) continue;
    t = at->next[k];
    k = -1;
  }
  return t;
}

/* Remove the triangles whose circles contain the node, which are connected; returns their number,
 * and that of the sides of their outline. */
static int64_t remove_triangles(net *n, int32_t node, int64_t *nside) {
  int64_t count = 1;
  *nside = 0;
  n->removed[0] = locate(n, n->at[node]);
  n->mark[n->removed[0]] = node;
  for (int64_t i = 0; i < count; i++) {
    const triangle *t = &n->triangle[n->removed[i]];
    for (int k = 0; k < 3; k++) {
      const int32_t beyond = t->next[k];
      if (beyond >= 0 && n->mark[beyond] == node) continue;
      if (beyond >= 0 && covers(n, beyond, n->at[node])) {
        n->mark[beyond] = node;
        n->removed[count++] = beyond;
      } else {
        n->outline[(*nside)++] = (side){t->node[k], t->node[(k + 1) % 3], beyond};
      }
    }
  }
  return count;
}

/* Let the triangle beyond a side know which one is on this side of it now. */
static void join(net *n, const side *s, int32_t t) {
  if (s->beyond < 0) return;
  triangle *other = &n->triangle[s->beyond];
  for (int k = 0; k < 3; k++)
    if (other->node[k] == s->to) other->next[k] = t;
}

static void insert(net *n, int32_t node) {
  int64_t nside;
  const int64_t count = remove_triangles(n, node, &nside);
  for (int64_t i = 0; i < nside; i++) {
    const side *s = &n->outline[i];
    const int32_t t = i < count ? n->removed[i] : (int32_t)n->ntriangle++;
    n->triangle[t] = (triangle){{s->from, s->to, node}, {s->beyond, -1, -1}};
    n->mark[t] = -1;
    n->first[s->from] = t;
    join(n, s, t);
  }
  for (int64_t i = 0; i < nside; i++) {
    const int32_t t = n->first[n->outline[i].from], following = n->first[n->outline[i].to];
    n->triangle[t].next[1] = following;
    n->triangle[following].next[2] = t;
  }
}

/* ---- the mesh ---- */

static void net_free(net *n) {
  free(n->at);
  free(n->triangle);
  free(n->mark);
  free(n->removed);
  free(n->first);
  free(n->outline);
}

static bool net_alloc(net *n, int64_t nnode) {
  const size_t nodes = (size_t)nnode + OUTER, triangles = 2 * nodes;
  *n = (net){.nnode = nnode,
             .at = malloc(nodes * sizeof *n->at),
             .triangle = malloc(triangles * sizeof *n->triangle),
             .mark = malloc(triangles * sizeof *n->mark),
             .removed = malloc(triangles * sizeof *n->removed),
             .first = malloc(nodes * sizeof *n->first),
             .outline = malloc(triangles * sizeof *n->outline)};
  return n->at && n->triangle && n->mark && n->removed && n->first && n->outline;
}

/* A coordinate near the middle of cell i of a line of cells. */
static int64_t scattered(uint64_t *state, int64_t i, int64_t width) {
  return i * width + width / 5 + shuffle_below(state, width - 2 * (width / 5));
}

/* Place the nodes: along the boundary at equal distances, counter-clockwise from the origin, and one
 * in each square of a grid. number[] has their numbers. */
static void set_points(net *n, int64_t ni, int64_t nj, const int32_t *number, uint64_t *state) {
  const int64_t width = UNIT / nj, lx = ni * width, ly = nj * width;
  int64_t k = 0;
  for (int64_t i = 0; i < ni; i++) n->at[number[k++]] = (point){i * width, 0};
  for (int64_t j = 0; j < nj; j++) n->at[number[k++]] = (point){lx, j * width};
  for (int64_t i = 0; i < ni; i++) n->at[number[k++]] = (point){lx - i * width, ly};
  for (int64_t j = 0; j < nj; j++) n->at[number[k++]] = (point){0, ly - j * width};
  for (int64_t j = 0; j < nj; j++)
    for (int64_t i = 0; i < ni; i++) {
      const int64_t x = scattered(state, i, width), y = scattered(state, j, width);
      n->at[number[k++]] = (point){x, y};
    }
  n->at[k++] = (point){-8 * UNIT, -8 * UNIT};
  n->at[k++] = (point){12 * UNIT, -8 * UNIT};
  n->at[k++] = (point){2 * UNIT, 16 * UNIT};
}

static void triangulate(net *n) {
  const int32_t corner = (int32_t)n->nnode;
  n->triangle[0] = (triangle){{corner, corner + 1, corner + 2}, {-1, -1, -1}};
  n->mark[0] = -1;
  n->ntriangle = 1;
  for (int32_t node = 0; node < n->nnode; node++) insert(n, node);
}

static bool inside(const net *n, const triangle *t) {
  return t->node[0] < n->nnode && t->node[1] < n->nnode && t->node[2] < n->nnode;
}

static int fill(const net *n, int64_t ni, int64_t nj, const int32_t *number, mesh *m,
                bench_error *error) {
  static const char *const names[] = {"floor", "outlet", "ceiling", "inlet"};
  const int64_t rim = 2 * (ni + nj), width = UNIT / nj;
  *m = (mesh){.name = "random channel", .nnode = n->nnode, .nbedge = rim, .nmarker = 4};
  for (int64_t t = 0; t < n->ntriangle; t++) m->ncell += inside(n, &n->triangle[t]);
  if (mesh_alloc(m, error)) return -1;
  for (int64_t i = 0; i < n->nnode; i++) {
    m->x[2 * i] = (double)n->at[i].x / (double)(nj * width);
    m->x[2 * i + 1] = (double)n->at[i].y / (double)(nj * width);
    channel_place(m->x + 2 * i);
  }
  int32_t *cell = m->cell;
  for (int64_t t = 0; t < n->ntriangle; t++)
    if (inside(n, &n->triangle[t]))
      for (int k = 0; k < 3; k++) *cell++ = n->triangle[t].node[k];
  for (int k = 0; k < 4; k++) snprintf(m->marker_name[k], MESH_NAME, "%s", names[k]);
  for (int64_t b = 0; b < rim; b++) {
    m->bedge[2 * b] = number[b];
    m->bedge[2 * b + 1] = number[(b + 1) % rim];
    m->marker[b] = (b >= ni) + (b >= ni + nj) + (b >= 2 * ni + nj);
  }
  return 0;
}

/* Number the nodes at random. */
static void shuffle(int32_t *number, int64_t n, uint64_t *state) {
  for (int64_t i = 0; i < n; i++) {
    const int64_t k = shuffle_below(state, i + 1);
    number[i] = number[k];
    number[k] = (int32_t)i;
  }
}

int mesh_random(int64_t nodes, mesh *m, bench_error *error) {
  if (nodes < 16 || nodes > 10000000)
    return bench_fail(error, "a random channel has from 16 to 10000000 nodes");
  int64_t nj = 1;
  while (CHANNEL_LENGTH * (nj + 1) * (nj + 1) + 2 * (CHANNEL_LENGTH + 1) * (nj + 1) <= nodes) nj++;
  const int64_t ni = CHANNEL_LENGTH * nj, nnode = ni * nj + 2 * (ni + nj);
  uint64_t state = 1;
  net n;
  int32_t *number = malloc((size_t)nnode * sizeof *number);
  int rc = -1;
  if (!net_alloc(&n, nnode) || !number) {
    bench_fail(error, "out of memory for the triangulation");
  } else {
    shuffle(number, nnode, &state);
    set_points(&n, ni, nj, number, &state);
    triangulate(&n);
    rc = fill(&n, ni, nj, number, m, error);
  }
  free(number);
  net_free(&n);
  return rc;
}
