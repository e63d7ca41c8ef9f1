/* SPDX-License-Identifier: BSD-3-Clause */
/* The orders of sets: the first set is ordered by a graph, the others by sets with which maps
 * connect them. */
#include "renumber_order.h"
#include "error.h"
#include "mem.h"
#include "renumber.h"

/* ---- sections -------------------------------------------------------------------------------- */

static int section_of(op2_set set, int64_t element) {
  int s = OP2I_CORE;
  while (element >= set->ends[s]) s++;
  return s;
}

/* Store an order, separately for each section of the set. */
static op2_status store_order(struct op2i_renumber *r, const int64_t *order) {
  int64_t total = r->set->ends[OP2I_NONEXEC], next[OP2I_SECTIONS] = {0};
  r->order = op2i_malloc((size_t)total * sizeof *r->order);
  r->inverse = op2i_malloc((size_t)total * sizeof *r->inverse);
  if (!r->order || !r->inverse) return op2i_error_nomem("a numbering");
  for (int s = OP2I_OWNED; s < OP2I_SECTIONS; s++) next[s] = r->set->ends[s - 1];
  for (int64_t i = 0; i < total; i++) {
    int64_t to = next[section_of(r->set, order[i])]++;
    r->order[to] = order[i];
    r->inverse[order[i]] = to;
  }
  return OP2_SUCCESS;
}

op2_status op2i_order_keep(struct op2i_renumber *r) {
  int64_t total = r->set->ends[OP2I_NONEXEC];
  r->kept = true;
  r->order = op2i_malloc((size_t)total * sizeof *r->order);
  r->inverse = op2i_malloc((size_t)total * sizeof *r->inverse);
  if (!r->order || !r->inverse) return op2i_error_nomem("a numbering");
  for (int64_t i = 0; i < total; i++) r->order[i] = r->inverse[i] = i;
  return OP2_SUCCESS;
}

/* ---- the graph of a map ---------------------------------------------------------------------- */

struct arcs {
  int64_t *at; /* per vertex: first the number of neighbours, then the position of the next one */
  int32_t *adjacent;
};

static void arc(struct arcs *arcs, int64_t from, int64_t to) {
  if (from == to) return;
  if (arcs->adjacent)
    arcs->adjacent[arcs->at[from]++] = (int32_t)to;
  else
    arcs->at[from]++;
}

static void all_arcs(op2_map map, struct arcs *arcs) {
  int64_t rows = op2i_map_rows(map);
  for (int64_t r = 0; r < rows; r++) {
    const int32_t *row = map->idx + r * map->arity;
    for (int j = 0; j < map->arity; j++) {
      if (map->from == map->to) {
        arc(arcs, r, row[j]);
        arc(arcs, row[j], r);
        continue;
      }
      for (int k = 0; k < map->arity; k++) arc(arcs, row[j], row[k]);
    }
  }
}

/* Remove duplicate neighbours. seen[] is filled with -1. */
static void unite(struct op2i_mesh_graph *graph, int64_t *seen) {
  int64_t kept = 0, from = 0;
  for (int64_t v = 0; v < graph->n; v++) {
    int64_t to = graph->offs[v + 1];
    for (int64_t a = from; a < to; a++) {
      int32_t u = graph->adjacent[a];
      if (seen[u] == v) continue;
      seen[u] = v;
      graph->adjacent[kept++] = u;
    }
    from = to;
    graph->offs[v + 1] = kept;
  }
}

void op2i_mesh_graph_free(struct op2i_mesh_graph *graph) {
  op2i_free(graph->offs);
  op2i_free(graph->adjacent);
}

op2_status op2i_mesh_graph_create(op2_map map, struct op2i_mesh_graph *graph) {
  int64_t n = map->to->ends[OP2I_NONEXEC];
  *graph = (struct op2i_mesh_graph){.n = n};
  struct arcs arcs = {.at = op2i_calloc((size_t)n, sizeof *arcs.at)};
  graph->offs = op2i_malloc(((size_t)n + 1) * sizeof *graph->offs);
  if (!arcs.at || !graph->offs) goto fail;
  all_arcs(map, &arcs);
  graph->offs[0] = 0;
  for (int64_t v = 0; v < n; v++) {
    graph->offs[v + 1] = graph->offs[v] + arcs.at[v];
    arcs.at[v] = graph->offs[v];
  }
  graph->adjacent = op2i_malloc((size_t)graph->offs[n] * sizeof *graph->adjacent);
  if (!graph->adjacent) goto fail;
  arcs.adjacent = graph->adjacent;
  all_arcs(map, &arcs);
  for (int64_t v = 0; v < n; v++) arcs.at[v] = -1;
  unite(graph, arcs.at);
  op2i_free(arcs.at);
  return OP2_SUCCESS;
fail:
  op2i_free(arcs.at);
  op2i_mesh_graph_free(graph);
  return op2i_error_nomem("a graph");
}

op2_status op2i_order_by_graph(op2_map map, struct op2i_renumber *to) {
  struct op2i_mesh_graph graph;
  op2_status status = op2i_mesh_graph_create(map, &graph);
  if (status) return status;
  int64_t *order = op2i_malloc((size_t)graph.n * sizeof *order);
  status = order ? op2i_order_graph(&graph, order) : op2i_error_nomem("a numbering");
  op2i_mesh_graph_free(&graph);
  if (!status) status = store_order(to, order);
  op2i_free(order);
  return status;
}

/* ---- rows sorted by their targets ------------------------------------------------------------ */

/* The new numbers of each row's targets, ascending. */
static void sorted_rows(op2_map map, const int64_t *inverse, int32_t *keys) {
  int64_t rows = op2i_map_rows(map);
  for (int64_t r = 0; r < rows; r++) {
    const int32_t *row = map->idx + r * map->arity;
    int32_t *key = keys + r * map->arity;
    for (int k = 0; k < map->arity; k++) {
      int32_t value = (int32_t)inverse[row[k]];
      int at = k;
      for (; at > 0 && key[at - 1] > value; at--) key[at] = key[at - 1];
      key[at] = value;
    }
  }
}

/* One stable pass of a radix sort, by column k of the keys. starts[] has an entry for every target,
 * and one more. */
static void sort_pass(const int32_t *keys, int arity, int k, int64_t targets, int64_t rows,
                      int64_t *starts, const int64_t *in, int64_t *out) {
  for (int64_t t = 0; t <= targets; t++) starts[t] = 0;
  for (int64_t r = 0; r < rows; r++) starts[keys[r * arity + k] + 1]++;
  for (int64_t t = 0; t < targets; t++) starts[t + 1] += starts[t];
  for (int64_t i = 0; i < rows; i++) out[starts[keys[in[i] * arity + k]]++] = in[i];
}

op2_status op2i_order_by_targets(op2_map map, const struct op2i_renumber *to,
                                 struct op2i_renumber *from) {
  int64_t all = map->from->ends[OP2I_NONEXEC], rows = op2i_map_rows(map);
  int64_t targets = map->to->ends[OP2I_NONEXEC];
  int32_t *keys = op2i_malloc((size_t)rows * (size_t)map->arity * sizeof *keys);
  int64_t *starts = op2i_malloc(((size_t)targets + 1) * sizeof *starts);
  int64_t *in = op2i_malloc((size_t)all * sizeof *in),
          *out = op2i_malloc((size_t)all * sizeof *out);
  op2_status status = OP2_SUCCESS;
  if (!keys || !starts || !in || !out) {
    status = op2i_error_nomem("a numbering");
  } else {
    sorted_rows(map, to->inverse, keys);
    for (int64_t r = 0; r < all; r++) in[r] = out[r] = r; /* rows that lead nowhere stay last */
    for (int k = map->arity - 1; k >= 0; k--) {
      int64_t *sorted = in;
      in = out;
      out = sorted;
      sort_pass(keys, map->arity, k, targets, rows, starts, in, out);
    }
    status = store_order(from, out);
  }
  op2i_free(keys);
  op2i_free(starts);
  op2i_free(in);
  op2i_free(out);
  return status;
}

/* ---- numbered by first appearance ------------------------------------------------------------ */

op2_status op2i_order_by_touch(op2_map map, const struct op2i_renumber *from,
                               struct op2i_renumber *to) {
  int64_t rows = map->from->ends[OP2I_NONEXEC], targets = map->to->ends[OP2I_NONEXEC], met = 0;
  int64_t known = op2i_map_rows(map);
  int64_t *order = op2i_malloc((size_t)targets * sizeof *order);
  bool *seen = op2i_calloc((size_t)targets, sizeof *seen);
  op2_status status = OP2_SUCCESS;
  if (!order || !seen) {
    status = op2i_error_nomem("a numbering");
  } else {
    for (int64_t i = 0; i < rows; i++) {
      const int32_t *row = map->idx + from->order[i] * map->arity;
      for (int k = 0; k < map->arity && from->order[i] < known; k++) {
        if (!seen[row[k]]) order[met++] = row[k];
        seen[row[k]] = true;
      }
    }
    for (int64_t t = 0; t < targets; t++)
      if (!seen[t]) order[met++] = t;
    status = store_order(to, order);
  }
  op2i_free(order);
  op2i_free(seen);
  return status;
}
