/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of the seed loop grow one after the other, breadth first from the vertices that earlier
 * ones left over, until they are full. Then they are coloured, so that neighbours have different
 * colours, and numbered by colour: since a tile waits for neighbours with lower numbers only,
 * chains of waiting tiles have about as many members as there are colours. */

#include <string.h>

#include "error.h"
#include "mem.h"
#include "tile_chain.h"
#include "tile_pairs.h"
#include "tile_seed.h"

enum {
  /* Links with more ends than this are ignored: they do not indicate locality, and would make the
   * time quadratic. */
  ENDS_MAX = 64
};

struct growth {
  struct op2i_tile_links links;
  int64_t tile_size;
  int32_t *tile; /* -1: in no tile yet */
  int32_t ntiles;
  int64_t *sizes;                   /* [upper bound of the number of tiles] */
  int32_t *vertex_mark, *link_mark; /* number of the last growth that visited it, from 1 */
  int32_t mark;
  int32_t *queue;    /* vertices of the present tile, and their neighbours */
  int32_t *frontier; /* vertices that earlier tiles left over, oldest first */
  bool *in_frontier;
  int64_t frontier_begin, frontier_end, next_vertex;
};

static op2_status growth_open(const struct op2i_tile_desc *desc,
                              const struct op2i_tile_chain *chain, int32_t *tile,
                              struct growth *g) {
  *g = (struct growth){.tile_size = desc->tile_size, .tile = tile};
  op2_status status = op2i_tile_links_open(desc, chain, &g->links);
  if (status != OP2_SUCCESS || g->links.nlinks == 0) return status;
  size_t n = (size_t)g->links.nvertices, bytes = n * sizeof(int32_t);
  g->sizes = op2i_calloc(2 * n / (size_t)g->tile_size + 2, sizeof *g->sizes);
  g->vertex_mark = op2i_alloc_data(bytes);
  g->link_mark = op2i_alloc_data((size_t)g->links.nlinks * sizeof *g->link_mark);
  g->queue = op2i_alloc_data(bytes);
  g->frontier = op2i_alloc_data(bytes);
  g->in_frontier = op2i_alloc_data(n * sizeof *g->in_frontier);
  if (!g->sizes || !g->vertex_mark || !g->link_mark || !g->queue || !g->frontier || !g->in_frontier)
    return op2i_error_nomem("the growth of tiles");
  return OP2_SUCCESS;
}

static void growth_close(struct growth *g) {
  op2i_tile_links_close(&g->links);
  op2i_free(g->sizes);
  op2i_free_data(g->vertex_mark);
  op2i_free_data(g->link_mark);
  op2i_free_data(g->queue);
  op2i_free_data(g->frontier);
  op2i_free_data(g->in_frontier);
}

/* ---- growing ---- */

/* A vertex in no tile: the oldest that was left over, otherwise the first one; -1: there is
 * none. */
static int64_t next_start(struct growth *g) {
  while (g->frontier_begin < g->frontier_end) {
    int32_t v = g->frontier[g->frontier_begin++];
    if (g->tile[v] < 0) return v;
  }
  while (g->next_vertex < g->links.nvertices && g->tile[g->next_vertex] >= 0) g->next_vertex++;
  return g->next_vertex < g->links.nvertices ? g->next_vertex : -1;
}

/* Queue the neighbours of a vertex of the present tile. *beside is the smallest adjacent tile found
 * so far, -1 for none. Returns the new end of the queue. */
static int64_t expand(struct growth *g, int64_t v, int64_t end, int32_t *beside) {
  int64_t nlinks = op2i_tile_row_length(&g->links.of_vertex, v);
  for (int64_t k = 0; k < nlinks; k++) {
    int64_t link = op2i_tile_row_item(&g->links.of_vertex, v, k);
    if (g->link_mark[link] == g->mark) continue;
    g->link_mark[link] = g->mark;
    int64_t nends = op2i_tile_row_length(&g->links.of_link, link);
    for (int64_t e = 0; e < nends && nends <= ENDS_MAX; e++) {
      int64_t u = op2i_tile_row_item(&g->links.of_link, link, e);
      if (u >= g->links.nvertices) continue;
      int32_t other = g->tile[u];
      if (other >= 0 && other != g->ntiles) {
        if (*beside < 0 || g->sizes[other] < g->sizes[*beside]) *beside = other;
      } else if (other < 0 && g->vertex_mark[u] != g->mark) {
        g->vertex_mark[u] = g->mark;
        g->queue[end++] = (int32_t)u;
      }
    }
  }
  return end;
}

/* Grow a tile. A region with room for less than half a tile is added to an adjacent tile, if there
 * is one; isolated regions share a tile. */
static void grow_tile(struct growth *g, int64_t start) {
  int64_t size = 0, end = 0;
  int32_t beside = -1;
  g->mark++;
  while (size < g->tile_size && start >= 0) {
    if (size == end) {
      g->vertex_mark[start] = g->mark;
      g->queue[end++] = (int32_t)start;
    }
    int32_t v = g->queue[size++];
    g->tile[v] = g->ntiles;
    end = expand(g, v, end, &beside);
    if (size == end && size < g->tile_size) start = beside < 0 ? next_start(g) : -1;
  }
  for (int64_t i = size; i < end; i++) {
    int32_t v = g->queue[i];
    if (!g->in_frontier[v]) g->frontier[g->frontier_end++] = v;
    g->in_frontier[v] = true;
  }
  if (2 * size < g->tile_size && beside >= 0) {
    for (int64_t i = 0; i < size; i++) g->tile[g->queue[i]] = beside;
    g->sizes[beside] += size;
  } else {
    g->sizes[g->ntiles++] = size;
  }
}

/* ---- numbering ---- */

static op2_status find_neighbours(const struct growth *g, struct op2i_tile_pairs *pairs) {
  const struct op2i_tile_rows *of_link = &g->links.of_link;
  op2_status status = OP2_SUCCESS;
  for (int64_t link = 0; link < g->links.nlinks; link++) {
    int64_t nends = op2i_tile_row_length(of_link, link);
    for (int64_t e = 1; e < nends && nends <= ENDS_MAX; e++)
      for (int64_t before = 0; before < e; before++) {
        int64_t u = op2i_tile_row_item(of_link, link, before);
        int64_t v = op2i_tile_row_item(of_link, link, e);
        if (u >= g->links.nvertices || v >= g->links.nvertices || g->tile[u] == g->tile[v])
          continue;
        OP2I_TRY(op2i_tile_pair(pairs, g->tile[u], g->tile[v]));
        OP2I_TRY(op2i_tile_pair(pairs, g->tile[v], g->tile[u]));
      }
  }

fail:
  return status;
}

/* Colour tiles by first fit. Returns the number of colours. */
static int32_t colour_tiles(int32_t ntiles, const int64_t *offs, const int32_t *neighbours,
                            int32_t *taken, int32_t *colour) {
  int32_t ncolours = 0;
  for (int32_t t = 0; t < ntiles; t++) colour[t] = taken[t] = -1;
  for (int32_t t = 0; t < ntiles; t++) {
    for (int64_t k = offs[t]; k < offs[t + 1]; k++)
      if (colour[neighbours[k]] >= 0) taken[colour[neighbours[k]]] = t;
    int32_t free_colour = 0;
    while (taken[free_colour] == t) free_colour++;
    colour[t] = free_colour;
    if (free_colour >= ncolours) ncolours = free_colour + 1;
  }
  return ncolours;
}

/* Within a colour the tiles keep their order, since tiles with successive numbers are close to each
 * other. */
static op2_status renumber(struct growth *g, const int64_t *offs, const int32_t *neighbours) {
  size_t bytes = (size_t)g->ntiles * sizeof(int32_t);
  int32_t *taken = op2i_malloc(bytes), *colour = op2i_malloc(bytes), *number = op2i_malloc(bytes);
  op2_status status = OP2_SUCCESS;
  if (taken && colour && number) {
    int32_t ncolours = colour_tiles(g->ntiles, offs, neighbours, taken, colour), next = 0;
    memset(taken, 0, bytes);
    for (int32_t t = 0; t < g->ntiles; t++) taken[colour[t]]++;
    for (int32_t c = 0; c < ncolours; c++) {
      int32_t count = taken[c];
      taken[c] = next;
      next += count;
    }
    for (int32_t t = 0; t < g->ntiles; t++) number[t] = taken[colour[t]]++;
    for (int64_t v = 0; v < g->links.nvertices; v++) g->tile[v] = number[g->tile[v]];
  } else {
    status = op2i_error_nomem("the colours of tiles");
  }
  op2i_free(taken);
  op2i_free(colour);
  op2i_free(number);
  return status;
}

static op2_status number_by_colour(struct growth *g) {
  struct op2i_tile_pairs pairs = {0};
  int64_t *offs = NULL;
  int32_t *neighbours = NULL;
  op2_status status = op2i_tile_pairs_open(&pairs);
  if (status == OP2_SUCCESS) status = find_neighbours(g, &pairs);
  if (status == OP2_SUCCESS) status = op2i_tile_pairs_rows(&pairs, g->ntiles, &offs, &neighbours);
  if (status == OP2_SUCCESS) status = renumber(g, offs, neighbours);
  op2i_free(offs);
  op2i_free(neighbours);
  op2i_tile_pairs_close(&pairs);
  return status;
}

/* Without neighbours, tiles are ranges of iterations of equal size. */
static int32_t cut(int64_t n, int32_t tile_size, int32_t *tile) {
  int64_t ntiles = n / tile_size + (n % tile_size > 0);
  for (int64_t i = 0; i < n; i++) tile[i] = (int32_t)(i * ntiles / n);
  return ntiles > 0 ? (int32_t)ntiles : 1;
}

op2_status op2i_tile_partition(const struct op2i_tile_desc *desc,
                               const struct op2i_tile_chain *chain, int32_t *tile,
                               int32_t *ntiles) {
  struct growth g;
  op2_status status = growth_open(desc, chain, tile, &g);
  if (status == OP2_SUCCESS && g.links.nlinks == 0) {
    *ntiles = cut(desc->loops[desc->seed].n, desc->tile_size, tile);
  } else if (status == OP2_SUCCESS) {
    for (int64_t v = 0; v < g.links.nvertices; v++) tile[v] = -1;
    for (int64_t start = next_start(&g); start >= 0; start = next_start(&g)) grow_tile(&g, start);
    status = number_by_colour(&g);
    *ntiles = g.ntiles > 0 ? g.ntiles : 1;
  }
  growth_close(&g);
  return status;
}
