/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of a structured mesh in its natural numbering, under a chain of time steps like airfoil's:
 * nearly all iterations are in spans, tiles are compact and of about one size, and wait for few
 * others. The same holds, except for the spans, on a mesh with shuffled numbers, and on unconnected
 * pieces. */
#include <stdlib.h>
#include <string.h>

#include "plan_case.h"
#include "tap.h"
#include "tile.h"

enum { STEPS = 3, LOOPS = 6 * STEPS, TILE = 1500 };
enum { X, Q, QOLD, ADT, RES, DATS };

struct mesh {
  int32_t width, height;
  int64_t cells, edges, bedges;
  int32_t *cell_nodes, *edge_cells, *bedge_cell;
  int64_t sizes[DATS];
};

struct chain {
  struct op2i_tile_access first[5], second[5], flux[7], boundary[3];
  struct op2i_tile_loop loops[LOOPS];
  struct op2i_tile_desc desc;
};

static void *room(int64_t count, size_t bytes) {
  void *memory = malloc(((size_t)count + 1) * bytes);
  if (!memory) exit(2);
  return memory;
}

/* Every `cut`-th column of edges is omitted, so the mesh falls into pieces of `cut` columns. */
static void make_mesh(struct mesh *m, int32_t width, int32_t height, int32_t cut) {
  *m = (struct mesh){.width = width, .height = height, .cells = (int64_t)width * height};
  m->cell_nodes = room(4 * m->cells, sizeof(int32_t));
  m->edge_cells = room(4 * m->cells, sizeof(int32_t));
  m->bedge_cell = room(2 * width + 2 * height, sizeof(int32_t));
  for (int32_t c = 0; c < m->cells; c++) {
    int32_t x = c % width, y = c / width, node = y * (width + 1) + x;
    int32_t corners[] = {node, node + 1, node + width + 2, node + width + 1};
    memcpy(m->cell_nodes + 4 * c, corners, sizeof corners);
    int32_t beside[] = {x + 1 < width && (x + 1) % cut ? c + 1 : -1,
                        y + 1 < height ? c + width : -1};
    for (int k = 0; k < 2; k++) {
      if (beside[k] < 0) continue;
      m->edge_cells[2 * m->edges] = c;
      m->edge_cells[2 * m->edges++ + 1] = beside[k];
    }
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) m->bedge_cell[m->bedges++] = c;
  }
  for (int d = 0; d < DATS; d++) m->sizes[d] = m->cells;
  m->sizes[X] = (int64_t)(width + 1) * (height + 1);
}

static void free_mesh(struct mesh *m) {
  free(m->cell_nodes);
  free(m->edge_cells);
  free(m->bedge_cell);
}

static void shuffle_rows(int32_t *rows, int64_t n, int arity, uint64_t *state) {
  for (int64_t i = n - 1; i > 0; i--) {
    int64_t j = (int64_t)(plan_case_draw(state) % (uint64_t)(i + 1));
    for (int k = 0; k < arity; k++) {
      int32_t kept = rows[i * arity + k];
      rows[i * arity + k] = rows[j * arity + k];
      rows[j * arity + k] = kept;
    }
  }
}

/* Renumber cells and edges; boundary edges follow. */
static void shuffle(struct mesh *m) {
  uint64_t state = 1;
  int32_t *number = room(m->cells, sizeof *number), *corners = room(4 * m->cells, sizeof *corners);
  for (int32_t c = 0; c < m->cells; c++) number[c] = c;
  shuffle_rows(number, m->cells, 1, &state);
  memcpy(corners, m->cell_nodes, (size_t)m->cells * 4 * sizeof *corners);
  for (int64_t c = 0; c < m->cells; c++)
    memcpy(m->cell_nodes + 4 * (int64_t)number[c], corners + 4 * c, 4 * sizeof *corners);
  for (int64_t k = 0; k < 2 * m->edges; k++) m->edge_cells[k] = number[m->edge_cells[k]];
  for (int64_t k = 0; k < m->bedges; k++) m->bedge_cell[k] = number[m->bedge_cell[k]];
  shuffle_rows(m->edge_cells, m->edges, 2, &state);
  free(number);
  free(corners);
}

static void make_chain(struct chain *c, const struct mesh *m) {
  const int32_t *en = m->edge_cells, *cn = m->cell_nodes, *bn = m->bedge_cell;
  *c = (struct chain){.first = {{QOLD, NULL, 1, 0, OP2I_TILE_WRITE, false},
                                {Q, NULL, 1, 0, OP2I_TILE_RW, false},
                                {RES, NULL, 1, 0, OP2I_TILE_RW, false},
                                {ADT, NULL, 1, 0, OP2I_TILE_RW, false},
                                {X, cn, 4, -1, OP2I_TILE_READ, false}},
                      .second = {{QOLD, NULL, 1, 0, OP2I_TILE_READ, false},
                                 {Q, NULL, 1, 0, OP2I_TILE_WRITE, false},
                                 {RES, NULL, 1, 0, OP2I_TILE_RW, false},
                                 {ADT, NULL, 1, 0, OP2I_TILE_RW, false},
                                 {X, cn, 4, -1, OP2I_TILE_READ, false}},
                      .flux = {{Q, en, 2, 0, OP2I_TILE_READ, false},
                               {Q, en, 2, 1, OP2I_TILE_READ, false},
                               {ADT, en, 2, 0, OP2I_TILE_READ, false},
                               {ADT, en, 2, 1, OP2I_TILE_READ, false},
                               {RES, en, 2, 0, OP2I_TILE_INC, false},
                               {RES, en, 2, 1, OP2I_TILE_INC, false}},
                      .boundary = {{Q, bn, 1, 0, OP2I_TILE_READ, false},
                                   {ADT, bn, 1, 0, OP2I_TILE_READ, false},
                                   {RES, bn, 1, 0, OP2I_TILE_INC, false}}};
  for (int l = 0; l < LOOPS; l += 3) {
    c->loops[l] = (struct op2i_tile_loop){m->cells, 5, l % 6 ? c->second : c->first};
    c->loops[l + 1] = (struct op2i_tile_loop){m->edges, 6, c->flux};
    c->loops[l + 2] = (struct op2i_tile_loop){m->bedges, 3, c->boundary};
  }
  c->desc = (struct op2i_tile_desc){
      .nloops = LOOPS, .loops = c->loops, .ndats = DATS, .dat_size = m->sizes};
}

/* ---- measures ---- */

static int64_t share_size(const struct op2i_tile_plan *p, int32_t tile, int loop) {
  const struct op2i_tile_share *share = &p->shares[(int64_t)tile * p->nloops + loop];
  int64_t size = share->nids;
  for (int32_t k = 0; k < share->nspans; k++)
    size += p->spans[share->first_span + k].hi - p->spans[share->first_span + k].lo;
  return size;
}

static void share_range(const struct op2i_tile_plan *p, int loop, int64_t *least, int64_t *most) {
  *least = INT64_MAX;
  *most = 0;
  for (int32_t t = 0; t < p->ntiles; t++) {
    int64_t size = share_size(p, t, loop);
    if (size < *least) *least = size;
    if (size > *most) *most = size;
  }
}

static double in_spans(const struct op2i_tile_plan *p, int loop, int64_t n) {
  int64_t ids = 0;
  for (int32_t t = 0; t < p->ntiles; t++) ids += p->shares[(int64_t)t * p->nloops + loop].nids;
  return 1 - (double)ids / (double)n;
}

/* Spans that are not whole batches, or pairs of batches in loops that increment through a map. */
static int64_t broken_spans(const struct op2i_tile_plan *p) {
  int64_t broken = 0;
  for (int32_t t = 0; t < p->ntiles; t++)
    for (int l = 0; l < p->nloops; l++) {
      const struct op2i_tile_share *share = &p->shares[(int64_t)t * p->nloops + l];
      const struct op2i_tile_span *span = p->spans + share->first_span;
      for (int32_t k = 0; k < share->nspans; k++)
        broken += (span[k].hi - span[k].lo) % (l % 3 ? 2 * OP2I_TILE_BATCH : OP2I_TILE_BATCH) != 0;
    }
  return broken;
}

/* The fraction of edges whose cells are in two tiles of a loop over cells. */
static double cut_edges(const struct op2i_tile_plan *p, const struct mesh *m, int loop) {
  int32_t *tile = room(m->cells, sizeof *tile);
  for (int32_t t = 0; t < p->ntiles; t++) {
    const struct op2i_tile_share *share = &p->shares[(int64_t)t * p->nloops + loop];
    for (int32_t k = 0; k < share->nspans; k++)
      for (int32_t i = p->spans[share->first_span + k].lo; i < p->spans[share->first_span + k].hi;
           i++)
        tile[i] = t;
    for (int32_t k = 0; k < share->nids; k++) tile[p->ids[share->first_id + k]] = t;
  }
  int64_t cut = 0;
  for (int64_t e = 0; e < m->edges; e++)
    cut += tile[m->edge_cells[2 * e]] != tile[m->edge_cells[2 * e + 1]];
  free(tile);
  return (double)cut / (double)m->edges;
}

static void look_at_plan(const struct mesh *m, const char *name, bool natural, int seed,
                         int32_t tile_size) {
  struct chain c;
  struct op2i_tile_plan *p = NULL;
  int64_t least, most, last_least, last_most;
  make_chain(&c, m);
  c.desc.seed = seed;
  c.desc.tile_size = tile_size;
  if (!CHECK(op2i_tile_create(&c.desc, &p))) return;
  CHECK(op2i_tile_verify(p, &c.desc));
  int64_t seed_n = c.loops[seed].n, fewest = seed_n / (2 * tile_size),
          greatest = 2 * seed_n / tile_size + 1;
  ok(p->ntiles > fewest && p->ntiles <= greatest, "%s: %d tiles", name, p->ntiles);
  ok(p->critical_path <= 9, "%s: %d tiles on the longest path", name, p->critical_path);
  is_int(broken_spans(p), 0, "%s: all spans are whole batches", name);
  share_range(p, seed, &least, &most);
  share_range(p, LOOPS - 3, &last_least, &last_most);
  ok(most <= 2 * tile_size && last_most <= 2 * TILE,
     "%s: tiles hold %lld to %lld iterations of the seed and %lld to %lld cells at the end", name,
     (long long)least, (long long)most, (long long)last_least, (long long)last_most);
  for (int l = 0; l < LOOPS && natural; l += 3)
    for (int k = l; k < l + 2; k++)
      if (in_spans(p, k, c.loops[k].n) <= 0.7)
        ok(false, "%s: only %.3f of loop %d in spans", name, in_spans(p, k, c.loops[k].n), k);
  diag("%s: %.3f of the cells and %.3f of the edges in spans at first, %.3f and %.3f at the end",
       name, in_spans(p, 0, m->cells), in_spans(p, 1, m->edges), in_spans(p, LOOPS - 3, m->cells),
       in_spans(p, LOOPS - 2, m->edges));
  /* If tiles were squares, 1/side of the edges would be cut. */
  double at_first = cut_edges(p, m, 0), at_end = cut_edges(p, m, LOOPS - 3);
  ok(at_first < 0.09 && at_end < 0.12, "%s: %.3f of the edges cut at first, %.3f at the end", name,
     at_first, at_end);
  op2i_tile_free(p);
}

/* A loop over nodes writes values that no loop before it has accessed. Any tile would be valid for
 * a node, but the next loop can keep to its tiles only if the node goes to a tile of the
 * surrounding cells. */
static void free_to_go(const struct mesh *m) {
  const int32_t *cn = m->cell_nodes;
  struct op2i_tile_access cells[] = {{Q, NULL, 1, 0, OP2I_TILE_RW, false}};
  struct op2i_tile_access nodes[] = {{X, NULL, 1, 0, OP2I_TILE_WRITE, false}};
  struct op2i_tile_access both[] = {{X, cn, 4, -1, OP2I_TILE_READ, false},
                                    {Q, NULL, 1, 0, OP2I_TILE_RW, false}};
  struct op2i_tile_loop loops[] = {
      {m->cells, 1, cells}, {m->sizes[X], 1, nodes}, {m->cells, 2, both}};
  struct op2i_tile_desc desc = {3, loops, DATS, m->sizes, 0, TILE};
  struct op2i_tile_plan *p = NULL;
  for (desc.seed = 0; desc.seed < 3; desc.seed += 2) {
    int64_t least, most;
    if (!CHECK(op2i_tile_create(&desc, &p))) return;
    CHECK(op2i_tile_verify(p, &desc));
    share_range(p, 1, &least, &most);
    ok(most <= 2 * TILE, "seed %d: tiles hold %lld to %lld of the nodes", desc.seed,
       (long long)least, (long long)most);
    double cut = cut_edges(p, m, 2);
    ok(cut < 0.09, "seed %d: %.3f of the edges cut at the end", desc.seed, cut);
    ok(p->critical_path <= 9, "seed %d: %d tiles on the longest path", desc.seed, p->critical_path);
    op2i_tile_free(p);
  }
}

/* Tiles are larger than the whole mesh: there is one tile, in spans except for the iterations that
 * fill no batch. */
static void small_mesh(void) {
  struct mesh m;
  struct chain c;
  struct op2i_tile_plan *p = NULL;
  make_mesh(&m, 20, 30, INT32_MAX);
  make_chain(&c, &m);
  c.desc.tile_size = TILE;
  if (!CHECK(op2i_tile_create(&c.desc, &p))) return;
  CHECK(op2i_tile_verify(p, &c.desc));
  is_int(p->ntiles, 1, "a small mesh is one tile");
  ok(p->nids < LOOPS * 2 * OP2I_TILE_BATCH, "all in spans but for less than two batches each");
  is_int(p->nspans, LOOPS, "one a loop");
  is_int(p->critical_path, 1, "a path of one");
  op2i_tile_free(p);
  free_mesh(&m);
}

int main(void) {
  struct mesh m;
  int32_t width = quick() ? 240 : 480;
  make_mesh(&m, width, 400, INT32_MAX);
  look_at_plan(&m, "natural", true, 0, TILE);
  look_at_plan(&m, "seed in the middle", true, 9, TILE);
  look_at_plan(&m, "seed over edges", true, 7, 2 * TILE);
  shuffle(&m);
  look_at_plan(&m, "shuffled", false, 0, TILE);
  free_to_go(&m);
  free_mesh(&m);
  make_mesh(&m, width, 400, 30);
  look_at_plan(&m, "strips", true, 0, TILE);
  free_mesh(&m);
  small_mesh();
  return done();
}
