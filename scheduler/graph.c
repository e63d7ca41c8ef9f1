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

int64_t op2i_graph_place(struct op2i_node *const *nodes, int64_t n, int64_t number) {
  int64_t lo = 0, hi = n;
  while (lo < hi) {
    int64_t mid = lo + (hi - lo) / 2;
    if (nodes[mid]->number < number)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < n && nodes[lo]->number == number ? lo : -1;
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

/* A node being added, while it is not yet counted. */
struct adding {
  struct op2i_sched *sched;
  int64_t number, oldest; /* of the node; of the queue */
  bool whole;             /* every number from the oldest on is queued */
  int64_t nedges;         /* of the queue, with those of the node */
};

static inline bool queued(const struct adding *add, int64_t number) {
  return number >= add->oldest && (add->whole || op2i_graph_find(add->sched, number));
}

static inline bool add_edge(struct adding *add, int64_t from, int32_t r, enum op2i_edge_kind kind) {
  if (!queued(add, from)) return false;
  add->sched->edges[add->nedges++] = (struct op2i_edge){from, r, kind};
  return true;
}

/* Room for one more reader, after dropping those that have run: a dat that is never written would
 * keep all of them. */
static int grow_readers(struct op2i_resource *resource, int64_t oldest) {
  int64_t kept = 0;
  for (int64_t i = 0; i < resource->nreaders; i++)
    if (resource->readers[i] >= oldest) resource->readers[kept++] = resource->readers[i];
  resource->nreaders = kept;
  return op2i_grow(&resource->readers, sizeof *resource->readers, kept,
                   &resource->readers_capacity);
}

/* See to it that connecting cannot fail. */
static inline int reserve_use(const struct adding *add, struct op2i_resource *resource,
                              bool reads) {
  if (reads && resource->nreaders == resource->readers_capacity &&
      grow_readers(resource, add->oldest))
    return -1;
  int64_t most = add->nedges + 1 + (reads ? 0 : resource->nreaders);
  if (most <= add->sched->edges_capacity) return 0;
  return op2i_reserve(&add->sched->edges, sizeof *add->sched->edges, most,
                      &add->sched->edges_capacity);
}

/* A reader follows the last writer. A writer follows the readers since then, and the last writer
 * where it also reads or where nobody has read in between. */
static inline void connect(struct adding *add, struct op2i_resource *resource, op2_access access,
                           int32_t r) {
  int64_t writer = resource->last_writer, nreaders = resource->nreaders;
  add->sched->before[r] = (struct op2i_before){resource, writer, nreaders};
  if (access != OP2_WRITE) add_edge(add, writer, r, OP2I_RAW);
  if (access == OP2_READ) {
    resource->readers[nreaders] = add->number;
    resource->nreaders = nreaders + 1;
    return;
  }
  bool read = false;
  for (int64_t i = 0; i < nreaders; i++) read |= add_edge(add, resource->readers[i], r, OP2I_WAR);
  if (access == OP2_WRITE && !read) add_edge(add, writer, r, OP2I_WAW);
  resource->nreaders = 0;
  resource->last_writer = add->number;
}

/* Put the first n resources of the node added last back to what they were. A write only sets the
 * number of readers to zero, so the list itself is still there. */
static void disconnect(struct op2i_sched *sched, int64_t n) {
  for (int64_t r = 0; r < n; r++) {
    sched->before[r].resource->last_writer = sched->before[r].last_writer;
    sched->before[r].resource->nreaders = sched->before[r].nreaders;
  }
}

static op2_status connect_all(struct op2i_sched *sched, struct op2i_node *node) {
  const struct op2i_loop *loop = node->loop;
  int64_t oldest = first_pending(sched);
  struct adding add = {sched, node->number, oldest,
                       sched->nnodes == 0 || node[-1].number - oldest == sched->nnodes - 1,
                       sched->nedges};
  int32_t n = loop->ndats + loop->ngbls;
  for (int32_t r = 0; r < n; r++) {
    int32_t g = r - loop->ndats;
    struct op2i_resource *resource = g < 0 ? &loop->dats[r]->res : &node->versions[g]->res;
    op2_access access = g < 0 ? loop->dat_access[r] : loop->gbl_access[g];
    if (reserve_use(&add, resource, access == OP2_READ)) {
      disconnect(sched, r);
      return op2i_error_nomem("the queue of loops");
    }
    connect(&add, resource, access, r);
  }
  node->nedges = (int32_t)(add.nedges - sched->nedges);
  sched->nedges = add.nedges;
  return OP2_SUCCESS;
}

static int reserve(struct op2i_sched *sched, int64_t nresources) {
  if (op2i_reserve(&sched->before, sizeof *sched->before, nresources, &sched->before_capacity))
    return -1;
  if (sched->nnodes < sched->nodes_capacity) return 0;
  return op2i_grow(&sched->nodes, sizeof *sched->nodes, sched->nnodes, &sched->nodes_capacity);
}

/* Offset of the payload, behind the two tables of globals. */
static size_t head_bytes(const struct op2i_loop *loop) {
  return (2 * (size_t)loop->ngbls * sizeof(void *) + OP2I_SLAB_UNIT - 1) / OP2I_SLAB_UNIT *
         OP2I_SLAB_UNIT;
}

static size_t piece_bytes(const struct op2i_loop *loop) {
  return head_bytes(loop) + (size_t)loop->payload_bytes;
}

static op2_status make_node(struct op2i_sched *sched, struct op2i_loop *loop, op2_where where,
                            const unsigned char *payload, struct op2i_node *node) {
  unsigned char *piece = op2i_slab_take(&sched->slab, piece_bytes(loop));
  if (!piece) return op2i_error_nomem("a queued loop");
  /* Every field: clearing the others first would cost as much as all else here. */
  *node = (struct op2i_node){.kind = OP2I_NODE_LOOP,
                             .state = OP2I_QUEUED,
                             .marked = false,
                             .unfit = false,
                             .number = sched->next_number,
                             .where = where,
                             .loop = loop,
                             .versions = (void *)piece,
                             .gbl = (void *)(piece + (size_t)loop->ngbls * sizeof(void *)),
                             .payload = piece + head_bytes(loop),
                             .first_edge = sched->nedges,
                             .nedges = 0,
                             .fused = 0};
  for (int g = 0; g < loop->ngbls; g++) {
    node->versions[g] = loop->gbls[g]->now;
    node->gbl[g] = node->versions[g]->data;
  }
  if (loop->payload_bytes) memcpy(node->payload, payload, (size_t)loop->payload_bytes);
  op2_status status = op2i_loop_capture_consts(loop, node->payload);
  if (status) op2i_slab_give(&sched->slab, piece, piece_bytes(loop));
  return status;
}

op2_status op2i_graph_add(struct op2i_sched *sched, struct op2i_loop *loop, op2_where where,
                          const unsigned char *payload) {
  if (reserve(sched, loop->ndats + loop->ngbls)) return op2i_error_nomem("the queue of loops");
  struct op2i_node *node = &sched->nodes[sched->nnodes];
  op2_status status = make_node(sched, loop, where, payload, node);
  if (status) return status;
  status = connect_all(sched, node);
  if (status) {
    op2i_slab_give(&sched->slab, node->versions, piece_bytes(loop));
    return status;
  }
  op2i_loop_use(loop);
  for (int g = 0; g < loop->ngbls; g++) node->versions[g]->refs++;
  sched->nbefore = loop->ndats + loop->ngbls;
  sched->nnodes++;
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

static void free_node(struct op2i_sched *sched, struct op2i_node *node) {
  for (int g = 0; g < node->loop->ngbls; g++) op2i_version_unref(node->versions[g]);
  op2i_slab_give(&sched->slab, node->versions, piece_bytes(node->loop));
  op2i_loop_unuse(node->loop);
}

void op2i_graph_undo(struct op2i_sched *sched) {
  struct op2i_node *node = &sched->nodes[--sched->nnodes];
  disconnect(sched, sched->nbefore);
  sched->nedges = node->first_edge;
  free_node(sched, node);
}

void op2i_graph_retire(struct op2i_sched *sched) {
  int64_t nodes = 0, edges = 0;
  for (int64_t i = 0; i < sched->nnodes; i++) {
    struct op2i_node node = sched->nodes[i];
    if (node.marked) {
      free_node(sched, &node);
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
  /* A context that has ended queues nothing more. */
  if (!nodes && sched->ctx->finalized) op2i_slab_clear(&sched->slab);
}
