/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of a map, spread over ranks, and its parts. */
#include <string.h>

#include "error.h"
#include "mem.h"
#include "part.h"
#include "partitioner.h"
#include "sort.h"

struct arc {
  int64_t from, to;
};

struct arcs {
  int64_t n;
  struct arc *arc;
};

static void add(struct arcs *arcs, int64_t from, int64_t to) {
  if (from != to) arcs->arc[arcs->n++] = (struct arc){from, to};
}

/* All pairs of targets; of a set that is its own target, elements and targets. */
static op2_status list_arcs(const struct op2i_parting *p, const struct op2i_part_map *m,
                            struct arcs *arcs) {
  const struct op2i_part_set *from = &p->sets[m->from];
  int64_t arity = m->map->arity, most = m->from == m->to ? 2 * arity : arity * (arity - 1);
  arcs->arc = op2i_malloc((size_t)(from->n * most) * sizeof *arcs->arc);
  if (!arcs->arc) return op2i_error_nomem("a graph");
  for (int64_t e = 0; e < from->n; e++) {
    const int64_t *row = m->row + e * arity;
    for (int64_t j = 0; j < arity; j++) {
      for (int64_t k = 0; k < arity && m->from != m->to; k++)
        if (j != k) add(arcs, row[j], row[k]);
      if (m->from != m->to) continue;
      add(arcs, from->number[e], row[j]);
      add(arcs, row[j], from->number[e]);
    }
  }
  return OP2_SUCCESS;
}

/* Arcs by the vertex that they leave: offs[v + 1] becomes the end of those of vertex v. */
static void group_arcs(const struct op2i_parcels *in, struct op2i_spread_graph *graph) {
  int64_t *ends = graph->offs + 1, at = 0;
  for (int64_t k = 0; k < in->n; k++) {
    const struct arc *arc = in->parcel[k].data, *end = arc + in->parcel[k].bytes / sizeof *arc;
    for (; arc < end; arc++) ends[arc->from - graph->first]++;
  }
  for (int64_t v = 0, n; v < graph->n; v++, at += n) {
    n = ends[v];
    ends[v] = at;
  }
  for (int64_t k = 0; k < in->n; k++) {
    const struct arc *arc = in->parcel[k].data, *end = arc + in->parcel[k].bytes / sizeof *arc;
    for (; arc < end; arc++) graph->adjacent[ends[arc->from - graph->first]++] = arc->to;
  }
}

/* Neighbours ascend, and each is there once. */
static op2_status prune(struct op2i_spread_graph *graph) {
  int64_t kept = 0, *adjacent = graph->adjacent;
  op2_status status = OP2_SUCCESS;
  for (int64_t v = 0, first = 0; v < graph->n && !status; v++) {
    int64_t end = graph->offs[v + 1], start = kept;
    status = op2i_sort(end - first, adjacent + first, NULL);
    for (; first < end; first++)
      if (kept == start || adjacent[kept - 1] != adjacent[first])
        adjacent[kept++] = adjacent[first];
    graph->offs[v + 1] = kept;
  }
  return status;
}

static op2_status make_graph(const struct op2i_parcels *in, struct op2i_spread_graph *graph) {
  int64_t n = 0;
  for (int64_t k = 0; k < in->n; k++) n += (int64_t)(in->parcel[k].bytes / sizeof(struct arc));
  graph->offs = op2i_calloc((size_t)graph->n + 1, sizeof *graph->offs);
  graph->adjacent = op2i_malloc((size_t)n * sizeof *graph->adjacent);
  if (!graph->offs || !graph->adjacent) return op2i_error_nomem("a graph");
  group_arcs(in, graph);
  return prune(graph);
}

/* Each arc goes to the rank that holds the vertex it leaves. */
static op2_status spread(const struct op2i_parting *p, const struct op2i_part_map *m,
                         struct op2i_spread_graph *graph) {
  struct op2i_share share = {.size = graph->size, .ranks = p->comm->size};
  struct arcs arcs = {0};
  struct op2i_parcels in = {0};
  op2_status status = list_arcs(p, m, &arcs);
  int32_t *to = op2i_malloc((size_t)arcs.n * sizeof *to);
  if (!status && !to) status = op2i_error_nomem("a graph");
  status = op2i_part_agree(p, status);
  for (int64_t i = 0; i < arcs.n && !status; i++) to[i] = op2i_share_of(&share, arcs.arc[i].from);
  if (!status) status = op2i_mail_send(p->comm, arcs.n, to, sizeof *arcs.arc, arcs.arc, &in);
  if (!status) status = op2i_part_agree(p, make_graph(&in, graph));
  op2i_parcels_free(&in);
  op2i_free(to);
  op2i_free(arcs.arc);
  return status;
}

/* The parts of shares, as those want them who own the elements. */
static op2_status hand_out(const struct op2i_spread_graph *graph, const int32_t *part,
                           struct op2i_part_set *s) {
  struct op2i_table parts;
  op2_status status = op2i_table_open(graph->comm, s->set->obj.name, s->size, sizeof *part, &parts);
  if (status) return status;
  if (graph->n) {
    memcpy(parts.rows, part, (size_t)graph->n * sizeof *part);
    memset(parts.given, 1, (size_t)graph->n);
  }
  status = op2i_table_get(&parts, s->n, s->number, s->owner);
  op2i_table_close(&parts);
  return status;
}

op2_status op2i_part_kway(struct op2i_parting *p, int map) {
  const struct op2i_part_map *m = &p->maps[map];
  struct op2i_part_set *s = &p->sets[m->to];
  const char *why = NULL;
  const struct op2i_partitioner *partitioner = op2i_partitioner_find(p->comm, &why);
  if (!partitioner)
    return op2i_part_agree(p,
                           op2i_error(OP2_ERR_UNAVAILABLE,
                                      "op2_partition: there is no partitioner for k-way: %s", why));
  int size = p->comm->size, rank = p->comm->rank;
  struct op2i_spread_graph graph = {
      .comm = p->comm, .size = s->size, .first = op2i_share_first(s->size, size, rank)};
  graph.n = op2i_share_first(s->size, size, rank + 1) - graph.first;
  int32_t *part = op2i_malloc((size_t)graph.n * sizeof *part);
  op2_status status = op2i_part_agree(p, part ? OP2_SUCCESS : op2i_error_nomem("a partition"));
  if (!status) status = spread(p, m, &graph);
  if (!status) status = partitioner->cut(&graph, part);
  if (!status) status = hand_out(&graph, part, s);
  op2i_free(part);
  op2i_free(graph.offs);
  op2i_free(graph.adjacent);
  return status;
}
