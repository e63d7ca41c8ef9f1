/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioning by the graph of a map, which is distributed over the ranks. */
#include <string.h>

#include "comm_parcel.h"
#include "error.h"
#include "mem.h"
#include "part.h"
#include "part_graph.h"
#include "part_method.h"
#include "partitioner.h"
#include "sort.h"

/* The record after this one in a parcel of part_arcs.c. A record holds an element's number, the
 * number of its neighbours, and their numbers. */
static const int64_t *next_of(const int64_t *word) { return word + 2 + word[1]; }

/* Collect neighbours by vertex: offs[v + 1] becomes the end of the list of vertex v. */
static void group_arcs(const struct op2i_parcels *in, struct op2i_spread_graph *graph) {
  int64_t *ends = graph->offs + 1, at = 0;
  for (int64_t k = 0; k < in->n; k++) {
    const int64_t *word = in->parcel[k].data, *end = word + in->parcel[k].bytes / sizeof *word;
    for (; word < end; word = next_of(word)) ends[word[0] - graph->first] += word[1];
  }
  for (int64_t v = 0, n; v < graph->n; v++, at += n) {
    n = ends[v];
    ends[v] = at;
  }
  for (int64_t k = 0; k < in->n; k++) {
    const int64_t *word = in->parcel[k].data, *end = word + in->parcel[k].bytes / sizeof *word;
    for (; word < end; word = next_of(word)) {
      int64_t *place = &ends[word[0] - graph->first];
      memcpy(graph->adjacent + *place, word + 2, (size_t)word[1] * sizeof *word);
      *place += word[1];
    }
  }
}

/* Sort the neighbours of each vertex and remove duplicates. */
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
  for (int64_t k = 0; k < in->n; k++) {
    const int64_t *word = in->parcel[k].data, *end = word + in->parcel[k].bytes / sizeof *word;
    for (; word < end; word = next_of(word)) n += word[1];
  }
  graph->offs = op2i_calloc((size_t)graph->n + 1, sizeof *graph->offs);
  graph->adjacent = op2i_malloc((size_t)n * sizeof *graph->adjacent);
  if (!graph->offs || !graph->adjacent) return op2i_error_nomem("a graph");
  group_arcs(in, graph);
  return prune(graph);
}

/* Cut the list into one parcel per rank. Elements ascend, and so do the ranks that hold their
 * shares, so that the records for one rank are contiguous. */
static op2_status cut_parcels(const struct op2i_parting *p, const struct op2i_part_arcs *arcs,
                              int64_t size, struct op2i_parcel **parcels, int64_t *nparcels) {
  struct op2i_share share = {.size = size, .ranks = p->comm->size};
  int64_t *word = arcs->word, *end = word + arcs->nwords, n = 0;
  for (int pass = 0; pass < 2; pass++, word = arcs->word) {
    int last = -1;
    for (n = 0; word < end; word += 2 + word[1]) {
      int rank = op2i_share_of(&share, word[0]);
      n += rank != last;
      last = rank;
      if (!pass) continue;
      struct op2i_parcel *parcel = &(*parcels)[n - 1];
      if (!parcel->data) *parcel = (struct op2i_parcel){rank, 0, word};
      parcel->bytes += (size_t)(2 + word[1]) * sizeof *word;
    }
    if (!pass) *parcels = op2i_calloc((size_t)n, sizeof **parcels);
    if (!*parcels) return op2i_error_nomem("a graph");
  }
  *nparcels = n;
  return OP2_SUCCESS;
}

/* Send the neighbours of each element to the rank that holds its share. */
static op2_status spread(const struct op2i_parting *p, const struct op2i_part_map *m,
                         struct op2i_spread_graph *graph) {
  struct op2i_part_arcs arcs;
  struct op2i_parcels in = {0};
  struct op2i_parcel *parcels = NULL;
  int64_t n = 0;
  op2_status status = op2i_part_list_arcs(p, m, &arcs);
  if (!status) status = cut_parcels(p, &arcs, graph->size, &parcels, &n);
  status = op2i_part_agree(p, status);
  if (!status) status = op2i_comm_deliver(p->comm, n, parcels, &in);
  op2i_free(arcs.word); /* freed before the graph is built, to keep the peak of memory low */
  op2i_free(parcels);
  if (!status) status = op2i_part_agree(p, make_graph(&in, graph));
  op2i_parcels_free(&in);
  return status;
}

/* Send the parts, which are known by shares, to the ranks that own the elements. */
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
