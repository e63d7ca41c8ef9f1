/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of a map, spread over ranks, and its parts. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "mem.h"
#include "part.h"
#include "partitioner.h"

struct arc {
  int64_t from, to;
};

struct arcs {
  int64_t n, capacity;
  struct arc *arc;
};

static op2_status add(struct arcs *arcs, int64_t from, int64_t to) {
  if (from == to) return OP2_SUCCESS;
  if (op2i_grow(&arcs->arc, sizeof *arcs->arc, arcs->n, &arcs->capacity))
    return op2i_error_nomem("a graph");
  arcs->arc[arcs->n++] = (struct arc){from, to};
  return OP2_SUCCESS;
}

/* All pairs of targets; of a set that is its own target, elements and targets. */
static op2_status list_arcs(const struct op2i_parting *p, const struct op2i_part_map *m,
                            struct arcs *arcs) {
  const struct op2i_part_set *from = &p->sets[m->from];
  int arity = m->map->arity;
  op2_status status = OP2_SUCCESS;
  for (int64_t e = 0; e < from->n; e++) {
    const int64_t *row = m->row + e * arity;
    for (int j = 0; j < arity && !status; j++) {
      if (m->from == m->to) {
        status = add(arcs, from->number[e], row[j]);
        if (!status) status = add(arcs, row[j], from->number[e]);
      }
      for (int k = 0; k < arity && !status && m->from != m->to; k++)
        status = add(arcs, row[j], row[k]);
    }
  }
  return status;
}

static int by_ends(const void *a, const void *b) {
  const struct arc *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return (x->to > y->to) - (x->to < y->to);
}

static op2_status make_graph(const struct arcs *arcs, struct op2i_spread_graph *graph) {
  int64_t kept = 0, v = 0;
  graph->offs = op2i_calloc((size_t)graph->n + 1, sizeof *graph->offs);
  graph->adjacent = op2i_malloc((size_t)arcs->n * sizeof *graph->adjacent);
  if (!graph->offs || !graph->adjacent) return op2i_error_nomem("a graph");
  if (arcs->n) qsort(arcs->arc, (size_t)arcs->n, sizeof *arcs->arc, by_ends);
  for (int64_t i = 0; i < arcs->n; i++) {
    if (i > 0 && by_ends(&arcs->arc[i - 1], &arcs->arc[i]) == 0) continue;
    while (v < arcs->arc[i].from - graph->first) graph->offs[++v] = kept;
    graph->adjacent[kept++] = arcs->arc[i].to;
  }
  while (v < graph->n) graph->offs[++v] = kept;
  return OP2_SUCCESS;
}

static op2_status keep_arcs(const struct op2i_parcels *in, struct arcs *arcs) {
  size_t bytes = 0, at = 0;
  for (int64_t k = 0; k < in->n; k++) bytes += in->parcel[k].bytes;
  *arcs = (struct arcs){.n = (int64_t)(bytes / sizeof *arcs->arc), .arc = op2i_malloc(bytes)};
  if (!arcs->arc) return op2i_error_nomem("a graph");
  for (int64_t k = 0; k < in->n; k++) {
    memcpy((char *)arcs->arc + at, in->parcel[k].data, in->parcel[k].bytes);
    at += in->parcel[k].bytes;
  }
  return OP2_SUCCESS;
}

/* Each arc goes to the rank that holds the vertex it leaves. */
static op2_status spread(const struct op2i_parting *p, const struct op2i_part_map *m,
                         struct op2i_spread_graph *graph) {
  struct arcs arcs = {0}, own = {0};
  struct op2i_parcels in = {0};
  op2_status status = list_arcs(p, m, &arcs);
  int32_t *to = op2i_malloc((size_t)arcs.n * sizeof *to);
  if (!status && !to) status = op2i_error_nomem("a graph");
  status = op2i_part_agree(p, status);
  for (int64_t i = 0; i < arcs.n && !status; i++)
    to[i] = (int32_t)op2i_share_rank(graph->size, p->comm->size, arcs.arc[i].from);
  if (!status) status = op2i_mail_send(p->comm, arcs.n, to, sizeof *arcs.arc, arcs.arc, &in);
  if (!status) {
    status = keep_arcs(&in, &own);
    if (!status) status = make_graph(&own, graph);
    status = op2i_part_agree(p, status);
  }
  op2i_parcels_free(&in);
  op2i_free(to);
  op2i_free(arcs.arc);
  op2i_free(own.arc);
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
