/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph.h"

#include <string.h>

#include "error.h"
#include "mem.h"

static int64_t first_pending(const struct op2i_sched *sched) {
  return sched->nnodes ? sched->nodes[0].number : sched->next_number;
}

struct op2i_node *op2i_graph_find(struct op2i_sched *sched, int64_t number) {
  if (!sched->nnodes || number < sched->nodes[0].number) return NULL;
  int64_t lo = 0, hi = sched->nnodes - 1;
  int64_t guess =
      number -
      sched->nodes[0].number; /* exact unless a part of the queue has run before the rest */
  if (guess <= hi && sched->nodes[guess].number == number) return &sched->nodes[guess];
  while (lo <= hi) {
    int64_t mid = lo + (hi - lo) / 2;
    if (sched->nodes[mid].number == number) return &sched->nodes[mid];
    if (sched->nodes[mid].number < number)
      lo = mid + 1;
    else
      hi = mid - 1;
  }
  return NULL;
}

struct op2i_resource *op2i_node_resource(const struct op2i_node *node, int32_t r,
                                         const char **name) {
  const struct op2i_loop *loop = node->loop;
  if (r < loop->ndats) {
    if (name) *name = loop->dats[r]->obj.name;
    return &loop->dats[r]->res;
  }
  struct op2i_version *version = node->versions[r - loop->ndats];
  if (name) *name = version->name;
  return &version->res;
}

op2_access op2i_node_access(const struct op2i_node *node, int32_t r) {
  const struct op2i_loop *loop = node->loop;
  return r < loop->ndats ? loop->dat_access[r] : loop->gbl_access[r - loop->ndats];
}

/* ---- recording ------------------------------------------------------------------------------- */

/* Room for one more reader, after dropping those that have run: a dat that is never written would
 * keep all of them. */
static int reserve_reader(struct op2i_resource *resource, int64_t oldest) {
  if (resource->nreaders < resource->readers_capacity) return 0;
  int64_t kept = 0;
  for (int64_t i = 0; i < resource->nreaders; i++)
    if (resource->readers[i] >= oldest) resource->readers[kept++] = resource->readers[i];
  resource->nreaders = kept;
  return op2i_grow(&resource->readers, sizeof *resource->readers, kept,
                   &resource->readers_capacity);
}

static int reserve(struct op2i_sched *sched, struct op2i_node *node) {
  int64_t oldest = first_pending(sched), edges = 0;
  int32_t n = node->loop->ndats + node->loop->ngbls;
  for (int32_t r = 0; r < n; r++) {
    struct op2i_resource *resource = op2i_node_resource(node, r, NULL);
    if (op2i_node_access(node, r) == OP2_READ && reserve_reader(resource, oldest)) return -1;
    edges += 1 + resource->nreaders;
    if (op2i_grow(&sched->before, sizeof *sched->before, r, &sched->before_capacity)) return -1;
  }
  while (sched->edges_capacity < sched->nedges + edges)
    if (op2i_grow(&sched->edges, sizeof *sched->edges, sched->edges_capacity,
                  &sched->edges_capacity))
      return -1;
  return op2i_grow(&sched->nodes, sizeof *sched->nodes, sched->nnodes, &sched->nodes_capacity);
}

static void add_edge(struct op2i_sched *sched, struct op2i_node *node, int64_t from, int32_t r,
                     enum op2i_edge_kind kind) {
  if (!op2i_graph_find(sched, from)) return;
  sched->edges[sched->nedges++] = (struct op2i_edge){from, r, kind};
  node->nedges++;
}

static bool read_since(const struct op2i_sched *sched, const struct op2i_resource *resource) {
  int64_t oldest = first_pending(sched);
  for (int64_t i = 0; i < resource->nreaders; i++)
    if (resource->readers[i] >= oldest) return true;
  return false;
}

/* A reader follows the last writer. A writer follows the readers since then, and the last writer
 * where it also reads or where nobody has read in between. */
static void connect(struct op2i_sched *sched, struct op2i_node *node, int32_t r) {
  struct op2i_resource *resource = op2i_node_resource(node, r, NULL);
  op2_access access = op2i_node_access(node, r);
  sched->before[r] = (struct op2i_before){resource, resource->last_writer, resource->nreaders};
  if (access != OP2_WRITE)
    add_edge(sched, node, resource->last_writer, r, OP2I_RAW);
  else if (!read_since(sched, resource))
    add_edge(sched, node, resource->last_writer, r, OP2I_WAW);
  if (access == OP2_READ) {
    resource->readers[resource->nreaders++] = node->number;
    return;
  }
  for (int64_t i = 0; i < resource->nreaders; i++)
    add_edge(sched, node, resource->readers[i], r, OP2I_WAR);
  resource->nreaders = 0;
  resource->last_writer = node->number;
}

static op2_status make_node(struct op2i_sched *sched, struct op2i_loop *loop, op2_where where,
                            const unsigned char *payload, struct op2i_node *node) {
  size_t table = (size_t)loop->ngbls * sizeof(void *);
  size_t head = (2 * table + 15) / 16 * 16;
  unsigned char *block = op2i_malloc(head + (size_t)loop->payload_bytes);
  if (!block) return op2i_error_nomem("a queued loop");
  *node = (struct op2i_node){.kind = OP2I_NODE_LOOP,
                             .number = sched->next_number,
                             .where = where,
                             .loop = loop,
                             .versions = (void *)block,
                             .gbl = (void *)(block + table),
                             .payload = block + head};
  for (int g = 0; g < loop->ngbls; g++) {
    node->versions[g] = loop->gbls[g]->now;
    node->gbl[g] = node->versions[g]->data;
  }
  memcpy(node->payload, payload, (size_t)loop->payload_bytes);
  op2_status status = op2i_loop_capture_consts(loop, node->payload);
  if (!status && reserve(sched, node)) status = op2i_error_nomem("the queue of loops");
  if (status) op2i_free(block);
  return status;
}

op2_status op2i_graph_add(struct op2i_sched *sched, struct op2i_loop *loop, op2_where where,
                          const unsigned char *payload) {
  struct op2i_node node;
  op2_status status = make_node(sched, loop, where, payload, &node);
  if (status) return status;
  op2i_loop_use(loop);
  for (int g = 0; g < loop->ngbls; g++) op2i_version_ref(node.versions[g]);
  node.first_edge = sched->nedges;
  sched->nbefore = loop->ndats + loop->ngbls;
  for (int32_t r = 0; r < sched->nbefore; r++) connect(sched, &node, r);
  sched->nodes[sched->nnodes++] = node;
  sched->next_number++;
  return OP2_SUCCESS;
}

/* ---- choosing what runs ---------------------------------------------------------------------- */

static void mark_number(struct op2i_sched *sched, int64_t number) {
  struct op2i_node *node = op2i_graph_find(sched, number);
  if (node) node->marked = true;
}

int64_t op2i_graph_mark(struct op2i_sched *sched, const struct op2i_resource *resource,
                        bool overwrite) {
  mark_number(sched, resource->last_writer);
  if (overwrite)
    for (int64_t i = 0; i < resource->nreaders; i++) mark_number(sched, resource->readers[i]);
  int64_t marked = 0;
  for (int64_t i = sched->nnodes - 1; i >= 0; i--) { /* edges lead to earlier nodes only */
    const struct op2i_node *node = &sched->nodes[i];
    if (!node->marked) continue;
    marked++;
    for (int32_t e = 0; e < node->nedges; e++)
      mark_number(sched, sched->edges[node->first_edge + e].from);
  }
  return marked;
}

int64_t op2i_graph_mark_all(struct op2i_sched *sched) {
  for (int64_t i = 0; i < sched->nnodes; i++) sched->nodes[i].marked = true;
  return sched->nnodes;
}

static void free_node(struct op2i_node *node) {
  for (int g = 0; g < node->loop->ngbls; g++) op2i_version_unref(node->versions[g]);
  op2i_free(node->versions);
  op2i_loop_unuse(node->loop);
}

void op2i_graph_undo(struct op2i_sched *sched) {
  struct op2i_node *node = &sched->nodes[--sched->nnodes];
  /* A write only sets the number of readers to zero, so the list itself is still there. */
  for (int64_t r = 0; r < sched->nbefore; r++) {
    sched->before[r].resource->last_writer = sched->before[r].last_writer;
    sched->before[r].resource->nreaders = sched->before[r].nreaders;
  }
  sched->nedges = node->first_edge;
  free_node(node);
}

void op2i_graph_retire(struct op2i_sched *sched) {
  int64_t nodes = 0, edges = 0;
  for (int64_t i = 0; i < sched->nnodes; i++) {
    struct op2i_node node = sched->nodes[i];
    if (node.marked) {
      free_node(&node);
      continue;
    }
    memmove(&sched->edges[edges], &sched->edges[node.first_edge],
            (size_t)node.nedges * sizeof *sched->edges);
    node.first_edge = edges;
    edges += node.nedges;
    sched->nodes[nodes++] = node;
  }
  sched->nnodes = nodes;
  sched->nedges = edges;
}
