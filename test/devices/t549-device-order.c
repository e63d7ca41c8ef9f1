/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which the work items of a device take targets: each once, in compact groups where
 * numbering makes groups of consecutive rows long strips, and as they are numbered elsewhere. */
#include <stdlib.h>
#include <string.h>

#include "device_order.h"
#include "loop_device.h"
#include "support.h"

enum { GROUP = OP2I_DEVICE_GROUP };

/* Quadrilaterals of a grid, numbered row by row, and the edges between two of them. */
struct grid {
  int run; /* work items of a wave */
  int64_t width, height, ncells, nedges;
  int32_t (*cells)[2]; /* [nedges] */
  int32_t *begin, *entries;
  int32_t *order;
  bool moved;
};

static int32_t cell_of(const void *data, int64_t edge, int column) {
  return ((const struct grid *)data)->cells[edge][column];
}

static void add_edge(struct grid *g, int64_t a, int64_t b) {
  g->cells[g->nedges][0] = (int32_t)a;
  g->cells[g->nedges++][1] = (int32_t)b;
}

static void add_entries(struct grid *g) {
  for (int64_t e = 0; e < g->nedges; e++)
    for (int c = 0; c < 2; c++) g->begin[g->cells[e][c] + 1]++;
  for (int64_t t = 0; t < g->ncells; t++) g->begin[t + 1] += g->begin[t];
  int32_t *at = malloc((size_t)g->ncells * sizeof *at);
  memcpy(at, g->begin, (size_t)g->ncells * sizeof *at);
  for (int64_t e = 0; e < g->nedges; e++)
    for (int c = 0; c < 2; c++) g->entries[at[g->cells[e][c]]++] = (int32_t)(2 * e + c);
  free(at);
}

static struct grid grid(int64_t width, int64_t height) {
  struct grid g = {.run = 32, .width = width, .height = height, .ncells = width * height};
  g.cells = malloc((size_t)(2 * g.ncells) * sizeof *g.cells);
  g.begin = calloc((size_t)g.ncells + 2, sizeof *g.begin);
  g.entries = malloc((size_t)(4 * g.ncells) * sizeof *g.entries);
  g.order = malloc((size_t)g.ncells * sizeof *g.order);
  for (int64_t c = 0; c < g.ncells; c++) {
    if (c % width + 1 < width) add_edge(&g, c, c + 1);
    if (c + width < g.ncells) add_edge(&g, c, c + width);
  }
  add_entries(&g);
  return g;
}

static void free_grid(struct grid *g) {
  free(g->cells);
  free(g->begin);
  free(g->entries);
  free(g->order);
}

static bool each_once(const struct grid *g, int64_t n) {
  char *seen = calloc((size_t)g->ncells, 1);
  bool good = true;
  for (int64_t k = 0; k < n; k++) {
    int32_t c = g->order[k];
    good &= c >= 0 && c < g->ncells && g->begin[c + 1] > g->begin[c] && !seen[c];
    if (good) seen[c] = 1;
  }
  free(seen);
  return good;
}

/* Entries keep their order at each cell. */
static bool follow(const struct grid *g, const struct op2i_device_links *links) {
  int32_t *starts = malloc((size_t)(links->nreached + 1) * sizeof *starts);
  int32_t *entries = malloc((size_t)(g->begin[g->ncells] + 1) * sizeof *entries);
  bool good = true;
  op2i_device_follow(links, g->order, starts, entries);
  for (int64_t k = 0; k < links->nreached; k++) {
    int32_t c = g->order[k], n = g->begin[c + 1] - g->begin[c];
    good &= starts[k + 1] - starts[k] == n;
    for (int32_t i = 0; i < n && good; i++)
      good &= entries[starts[k] + i] == g->entries[g->begin[c] + i];
  }
  free(starts);
  free(entries);
  return good;
}

/* Cells that no edge reaches are left out. Return their number. */
static int64_t put_in_order(struct grid *g) {
  int64_t n = 0;
  for (int64_t c = 0; c < g->ncells; c++)
    if (g->begin[c + 1] > g->begin[c]) g->order[n++] = (int32_t)c;
  const struct op2i_device_links links = {.nrows = g->ncells,
                                          .run = g->run,
                                          .nreached = n,
                                          .begin = g->begin,
                                          .entries = g->entries,
                                          .ncolumns = 2,
                                          .target = cell_of,
                                          .data = g};
  ok(op2i_device_order(&links, g->order, &g->moved) == OP2_SUCCESS, "%d by %d: an order",
     (int)g->width, (int)g->height);
  ok(follow(g, &links), "  in which entries follow their cells");
  return n;
}

/* The edges that groups meet, each once for each group, for each edge. */
static double met(const struct grid *g, int64_t n) {
  int64_t *last = malloc((size_t)g->nedges * sizeof *last), count = 0;
  for (int64_t e = 0; e < g->nedges; e++) last[e] = -1;
  for (int64_t k = 0; k < n; k++)
    for (int32_t i = g->begin[g->order[k]]; i < g->begin[g->order[k] + 1]; i++) {
      int64_t edge = g->entries[i] / 2;
      count += last[edge] != k / GROUP;
      last[edge] = k / GROUP;
    }
  free(last);
  return (double)count / (double)g->nedges;
}

static int64_t breaks(const struct grid *g, int64_t n) {
  int64_t count = 0;
  for (int64_t k = 1; k < n; k++) count += g->order[k] != g->order[k - 1] + 1;
  return count;
}

static void wide(int64_t width, int64_t height) {
  struct grid g = grid(width, height);
  int64_t n = put_in_order(&g);
  ok(g.moved && each_once(&g, n), "  it is another one, with each cell once");
  double share = met(&g, n);
  ok(share < 1.2, "  groups meet each edge %.2f times", share);
  double apart = (double)breaks(&g, n) * GROUP / (double)n;
  ok(apart < 16, "  %.1f cells of a group do not follow their neighbour", apart);
  free_grid(&g);
}

/* Wider waves load more consecutive cells together. */
static void waves(void) {
  struct grid narrow = grid(3600, 100), wide = grid(3600, 100);
  wide.run = 64;
  int64_t n = put_in_order(&narrow), m = put_in_order(&wide);
  ok(n == m && wide.moved && each_once(&wide, m), "  an order for waves of 64");
  ok(breaks(&wide, m) * 3 < breaks(&narrow, n) * 2,
     "  has fewer cells that do not follow their neighbour: %lld, and %lld for waves of 32",
     (long long)breaks(&wide, m), (long long)breaks(&narrow, n));
  free_grid(&narrow);
  free_grid(&wide);
}

/* Rows of a grid that is as narrow as a run are compact groups already. */
static void narrow(void) {
  struct grid g = grid(32, 2000);
  int64_t n = put_in_order(&g);
  ok(!g.moved && breaks(&g, n) == 0, "  which is that of the numbers");
  free_grid(&g);
}

static void small(void) {
  struct grid g = grid(GROUP, 1);
  int64_t n = put_in_order(&g);
  ok(!g.moved && n == GROUP && breaks(&g, n) == 0, "  of one group, which is that of the numbers");
  free_grid(&g);
}

/* A part of the rows only is reached, as where a loop is split between host and device. */
static void part(void) {
  struct grid g = grid(2000, 40);
  int64_t first = g.ncells / 3 + 7;
  memset(g.begin, 0, ((size_t)g.ncells + 2) * sizeof *g.begin);
  for (int64_t e = 0, kept = 0; e < g.nedges; e++) {
    bool far = g.cells[e][0] >= first && g.cells[e][1] >= first;
    if (far) memcpy(g.cells[kept++], g.cells[e], sizeof *g.cells);
    if (e + 1 == g.nedges) g.nedges = kept;
  }
  add_entries(&g);
  int64_t n = put_in_order(&g);
  ok(n == g.ncells - first && each_once(&g, n), "  of the cells that edges reach");
  ok(met(&g, n) < 1.25, "  groups meet each edge %.2f times", met(&g, n));
  free_grid(&g);
}

int main(void) {
  wide(3600, 100);
  wide(1001, 77);
  wide(300, 300);
  waves();
  narrow();
  small();
  part();
  return done();
}
