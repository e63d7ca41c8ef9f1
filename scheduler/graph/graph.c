/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue and the edges between its nodes, which are made only when they are needed; and the
 * choice of the nodes that a force must run. */
#include "gbl.h"
#include "sched_state.h"

#include <string.h>

#include "error.h"
#include "mem.h"
#include "section.h"

struct op2i_node *op2i_graph_find(struct op2i_sched *sched, int64_t number) {
  if (!sched->queue.nnodes || number < sched->queue.nodes[0].number) return NULL;
  int64_t lo = 0, hi = sched->queue.nnodes - 1;
  int64_t guess =
      number -
      sched->queue.nodes[0].number; /* exact unless a part of the queue has run before the rest */
  if (guess <= hi && sched->queue.nodes[guess].number == number) return &sched->queue.nodes[guess];
  while (lo <= hi) {
    int64_t mid = lo + (hi - lo) / 2;
    if (sched->queue.nodes[mid].number == number) return &sched->queue.nodes[mid];
    if (sched->queue.nodes[mid].number < number)
      lo = mid + 1;
    else
      hi = mid - 1;
  }
  return NULL;
}

int64_t op2i_graph_place(struct op2i_node *const *nodes, int64_t n, int64_t number) {
  int64_t lo = 0, hi = n;
  /* Most lists leave no number out. */
  const int64_t guess = n ? number - nodes[0]->number : -1;
  if (guess >= 0 && guess < n && nodes[guess]->number == number) return guess;
  while (lo < hi) {
    int64_t mid = lo + (hi - lo) / 2;
    if (nodes[mid]->number < number)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < n && nodes[lo]->number == number ? lo : -1;
}

const struct op2i_resource *op2i_node_resource(const struct op2i_node *node, int32_t r,
                                               const char **name) {
  const struct op2i_op *op = node->op;
  if (r < op->ndats) {
    if (name) *name = op->dats[r]->obj.name;
    return &op->dats[r]->res;
  }
  struct op2i_version *version = node->versions[r - op->ndats];
  if (name) *name = version->name;
  return &version->res;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* A node that is being joined to those before it. */
struct joining {
  struct op2i_sched *sched;
  int64_t number, oldest; /* of the node; of the oldest one in the queue */
  bool whole;             /* every number from the oldest on is queued */
};

static inline bool queued(const struct joining *joining, int64_t number) {
  return number >= joining->oldest && (joining->whole || op2i_graph_find(joining->sched, number));
}

static inline bool add_edge(const struct joining *joining, int64_t from, int32_t r,
                            enum op2i_edge_kind kind) {
  if (!queued(joining, from)) return false;
  joining->sched->queue.edges[joining->sched->queue.nedges++] = (struct op2i_edge){from, r, kind};
  return true;
}

/* Reserve memory for one more reader, after dropping those that have run: a dat that is never
 * written would otherwise keep all of its readers. */
static int grow_readers(struct op2i_record *record, int64_t oldest) {
  int64_t kept = 0;
  for (int64_t i = 0; i < record->nreaders; i++)
    if (record->readers[i] >= oldest) record->readers[kept++] = record->readers[i];
  record->nreaders = kept;
  return op2i_grow(&record->readers, sizeof *record->readers, kept, &record->readers_capacity);
}

/* Reserve memory for a use of the resource; *most grows by the number of edges that the use
 * can have. */
static inline int reserve_use(struct op2i_record *record, op2_access access, int64_t oldest,
                              int64_t *most) {
  if (op2i_modifies(access))
    *most += record->nreaders;
  else if (record->nreaders == record->readers_capacity)
    return grow_readers(record, oldest);
  return 0;
}

/* Reserve all memory that joining the node needs, so that it cannot fail half done. */
static int reserve_uses(struct op2i_sched *sched, const struct op2i_node *node, int64_t oldest) {
  const struct op2i_op *op = node->op;
  struct op2i_record *records = sched->records.list;
  int32_t n = op->ndats + op->ngbls;
  int64_t most = sched->queue.nedges + n;
  for (int d = 0; d < op->ndats; d++)
    if (reserve_use(&records[op->dats[d]->res.slot], op->dat_access[d], oldest, &most)) return -1;
  for (int g = 0; g < op->ngbls; g++)
    if (reserve_use(&records[node->versions[g]->res.slot], op->gbl_access[g], oldest, &most))
      return -1;
  return op2i_reserve(&sched->queue.before, sizeof *sched->queue.before, n,
                      &sched->queue.before_capacity) ||
                 op2i_reserve(&sched->queue.edges, sizeof *sched->queue.edges, most,
                              &sched->queue.edges_capacity)
             ? -1
             : 0;
}

/* A reader follows the last writer. A writer follows the readers since then, and also the last
 * writer if it reads or if nobody has read in between. */
static void join_use(const struct joining *joining, int32_t slot, op2_access access, int32_t r) {
  struct op2i_record *record = &joining->sched->records.list[slot];
  int64_t writer = record->last_writer, nreaders = record->nreaders;
  joining->sched->queue.before[r] = (struct op2i_before){slot, writer, nreaders};
  if (!op2i_overwrites(access)) add_edge(joining, writer, r, OP2I_RAW);
  if (!op2i_modifies(access)) {
    record->readers[nreaders] = joining->number;
    record->nreaders = nreaders + 1;
    return;
  }
  bool read = false;
  for (int64_t i = 0; i < nreaders; i++) read |= add_edge(joining, record->readers[i], r, OP2I_WAR);
  if (op2i_overwrites(access) && !read) add_edge(joining, writer, r, OP2I_WAW);
  record->nreaders = 0;
  record->last_writer = joining->number;
}

static op2_status join_node(struct op2i_sched *sched, struct op2i_node *node, int64_t oldest) {
  const struct op2i_op *op = node->op;
  const struct joining joining = {sched, node->number, oldest,
                                  node->number - oldest == node - sched->queue.nodes};
  int32_t ndats = op->ndats, ngbls = op->ngbls;
  if (reserve_uses(sched, node, oldest)) return op2i_error_nomem("the graph of loops");
  node->first_edge = sched->queue.nedges;
  for (int32_t d = 0; d < ndats; d++)
    join_use(&joining, op->dats[d]->res.slot, op->dat_access[d], d);
  for (int32_t g = 0; g < ngbls; g++)
    join_use(&joining, node->versions[g]->res.slot, op->gbl_access[g], ndats + g);
  node->nedges = (int32_t)(sched->queue.nedges - node->first_edge);
  sched->queue.nbefore = ndats + ngbls;
  return OP2_SUCCESS;
}

op2_status op2i_graph_join(struct op2i_sched *sched) {
  op2_status status = OP2_SUCCESS;
  while (sched->queue.njoined < sched->queue.nnodes && !status) {
    status =
        join_node(sched, &sched->queue.nodes[sched->queue.njoined], sched->queue.nodes[0].number);
    sched->queue.njoined += !status;
  }
  return status;
}

/* ---- recording ------------------------------------------------------------------------------- */

/* Offset of the payload, which follows the table of globals. */
static size_t head_bytes(const struct op2i_op *op) {
  return ((size_t)op->ngbls * sizeof(void *) + OP2I_SLAB_GRAIN - 1) / OP2I_SLAB_GRAIN *
         OP2I_SLAB_GRAIN;
}

static size_t piece_bytes(const struct op2i_op *op) {
  return head_bytes(op) + (size_t)op->payload_bytes;
}

static op2_status make_node(struct op2i_sched *sched, struct op2i_op *op, op2_where where,
                            const unsigned char *payload, struct op2i_node *node) {
  unsigned char *piece = op2i_slab_take(&sched->queue.slab, piece_bytes(op));
  if (!piece) return op2i_error_nomem("a queued operation");
  /* Every field is named: clearing the node first would take as long as all the rest of
   * this function. */
  *node = (struct op2i_node){.state = OP2I_QUEUED,
                             .critical = false,
                             .marked = false,
                             .section = op2i_section_open(sched->ctx),
                             .number = sched->queue.next_number,
                             .where = where,
                             .op = op,
                             .versions = (void *)piece,
                             .payload = piece + head_bytes(op),
                             .first_edge = 0,
                             .nedges = 0,
                             .fused = 0,
                             .beside = NULL,
                             .seconds = 0};
  for (int g = 0; g < op->ngbls; g++) node->versions[g] = op2i_gbl_now(op->gbls[g]);
  if (op->payload_bytes) memcpy(node->payload, payload, (size_t)op->payload_bytes);
  op2_status status = op->kind->capture ? op->kind->capture(op, node->payload) : OP2_SUCCESS;
  if (status) op2i_slab_give(&sched->queue.slab, piece, piece_bytes(op));
  return status;
}

/* Reserve what a force needs for its list of nodes and their outcomes: no rank may lack that memory
 * when all of them run. */
static int reserve_run(struct op2i_sched *sched) {
  int64_t n = sched->queue.nnodes + 1, before = sched->outcomes.capacity;
  if (op2i_reserve(&sched->queue.marked, sizeof(struct op2i_node *), n,
                   &sched->queue.marked_capacity) ||
      op2i_reserve(&sched->outcomes.list, sizeof *sched->outcomes.list, n,
                   &sched->outcomes.capacity))
    return -1;
  for (int64_t i = before; i < sched->outcomes.capacity; i++)
    sched->outcomes.list[i] = (struct op2i_outcome){.ran = false};
  return 0;
}

op2_status op2i_graph_add(struct op2i_sched *sched, struct op2i_op *op, op2_where where,
                          const unsigned char *payload) {
  if (sched->queue.nnodes == sched->queue.nodes_capacity &&
      op2i_grow(&sched->queue.nodes, sizeof *sched->queue.nodes, sched->queue.nnodes,
                &sched->queue.nodes_capacity))
    return op2i_error_nomem("the queue of loops");
  if (sched->ctx->comm && reserve_run(sched)) return op2i_error_nomem("the queue of loops");
  struct op2i_node *node = &sched->queue.nodes[sched->queue.nnodes];
  op2_status status = make_node(sched, op, where, payload, node);
  if (status) return status;
  op->kind->use(op);
  for (int g = 0; g < op->ngbls; g++) node->versions[g]->refs++;
  sched->queue.nnodes++;
  sched->queue.next_number++;
  return OP2_SUCCESS;
}

/* ---- choosing the nodes to run --------------------------------------------------------------- */

static void mark_number(struct op2i_sched *sched, int64_t number) {
  struct op2i_node *node = op2i_graph_find(sched, number);
  if (node) node->marked = true;
}

int64_t op2i_graph_mark(struct op2i_sched *sched, const struct op2i_resource *resource,
                        bool overwrite) {
  const struct op2i_record *record = resource ? &sched->records.list[resource->slot] : NULL;
  if (record) mark_number(sched, record->last_writer);
  for (int64_t i = 0; overwrite && i < record->nreaders; i++)
    mark_number(sched, record->readers[i]);
  int64_t marked = 0;
  /* a node was marked whose kind keeps the order of the queue, so earlier ones of such
   * kinds must run as well */
  bool in_order = false;
  for (int64_t i = sched->queue.nnodes - 1; i >= 0; i--) { /* edges lead to earlier nodes only */
    struct op2i_node *node = &sched->queue.nodes[i];
    node->marked |= in_order && node->op->kind->in_order;
    if (!node->marked) continue;
    in_order |= node->op->kind->in_order;
    marked++;
    for (int32_t e = 0; e < node->nedges; e++)
      mark_number(sched, sched->queue.edges[node->first_edge + e].from);
  }
  return marked;
}

int64_t op2i_graph_mark_all(struct op2i_sched *sched) {
  for (int64_t i = 0; i < sched->queue.nnodes; i++) sched->queue.nodes[i].marked = true;
  return sched->queue.nnodes;
}

static inline void free_node(struct op2i_sched *sched, struct op2i_node *node) {
  for (int g = 0; g < node->op->ngbls; g++) op2i_version_unref(node->versions[g]);
  if (node->op->kind->drop) node->op->kind->drop(node->op, node->payload);
  op2i_slab_give(&sched->queue.slab, node->versions, piece_bytes(node->op));
  node->op->kind->unuse(node->op);
}

/* A write only sets the number of readers to zero, so the list itself is still there to be
 * restored. */
void op2i_graph_undo(struct op2i_sched *sched) {
  struct op2i_node *node = &sched->queue.nodes[--sched->queue.nnodes];
  if (sched->queue.njoined > sched->queue.nnodes) {
    for (int64_t r = 0; r < sched->queue.nbefore; r++) {
      const struct op2i_before *before = &sched->queue.before[r];
      struct op2i_record *record = &sched->records.list[before->slot];
      record->last_writer = before->last_writer;
      record->nreaders = before->nreaders;
    }
    sched->queue.nedges = node->first_edge;
    sched->queue.njoined--;
  }
  free_node(sched, node);
}

void op2i_graph_retire(struct op2i_sched *sched) {
  int64_t nodes = 0, edges = 0, joined = 0;
  for (int64_t i = 0; i < sched->queue.nnodes; i++) {
    struct op2i_node *node = &sched->queue.nodes[i];
    if (node->marked) {
      free_node(sched, node);
      continue;
    }
    if (node->nedges)
      memmove(&sched->queue.edges[edges], &sched->queue.edges[node->first_edge],
              (size_t)node->nedges * sizeof *sched->queue.edges);
    node->first_edge = edges;
    edges += node->nedges;
    joined += i < sched->queue.njoined;
    sched->queue.nodes[nodes++] = *node;
  }
  sched->queue.nnodes = nodes;
  sched->queue.nedges = edges;
  sched->queue.njoined = joined;
  /* A context that has ended queues nothing more. */
  if (!nodes && sched->ctx->finalized) op2i_slab_clear(&sched->queue.slab);
}
