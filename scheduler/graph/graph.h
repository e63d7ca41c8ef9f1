/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_GRAPH_H
#define OP2I_GRAPH_H

#include "loop.h"

/* The queue of a context: nodes in the order they were queued, with edges to earlier ones.
 * A node is identified by its number, which is never reused; edges from nodes that have run
 * have no effect. Edges are made only when they are needed: a sequence that runs as it ran
 * before needs none. */

enum op2i_node_state { OP2I_QUEUED, OP2I_DONE, OP2I_FAILED, OP2I_CANCELLED };
enum op2i_edge_kind { OP2I_RAW, OP2I_WAR, OP2I_WAW };

struct op2i_edge {
  int64_t from;     /* node number */
  int32_t resource; /* index into the later node's resources */
  enum op2i_edge_kind kind;
};

struct op2i_node {
  enum op2i_node_state state;
  bool critical;   /* true if it is on the critical path of a drawing with costs */
  bool marked;     /* true if the force in progress is to run it */
  int32_t section; /* of the program (section.h), in which it was queued */
  int64_t number;
  op2_where where;
  struct op2i_op *op;             /* counted as one of its uses */
  struct op2i_version **versions; /* [op->ngbls], referenced; begins a piece of the slab that
                                     also holds the payload */
  unsigned char *payload;         /* [op->payload_bytes] */
  /* index of its first edge in the scheduler's; 0 while it has not been joined */
  int64_t first_edge;
  int32_t nedges;
  int64_t fused; /* once it has run: number of the first loop it was fused with, 0: none */
  /* If this is poisoned, the node is cancelled as if it read it; null: nothing. A later node that uses
   * the dat depends on this one, and refers to the dat. */
  op2_dat beside;
  double
      seconds; /* once it has run, with OP2_GRAPH_COSTS: on the clock; its part of a fused loop */
};

struct op2i_sched;

/* graph.c: add a node; on failure the queue is unchanged. */
op2_status op2i_graph_add(struct op2i_sched *sched, struct op2i_op *op, op2_where where,
                          const unsigned char *payload);
/* Make the edges of every node. It must be called before op2i_graph_mark() and all else that reads
 * `edges`. After a shortage of memory some nodes still lack their edges. */
op2_status op2i_graph_join(struct op2i_sched *sched);
/* Remove the node added last, while nothing has run since. */
void op2i_graph_undo(struct op2i_sched *sched);
struct op2i_node *op2i_graph_find(struct op2i_sched *sched,
                                  int64_t number); /* null when it has run */
/* Index of a node in a list that is in the order of the queue; -1: it is not there. */
int64_t op2i_graph_place(struct op2i_node *const *nodes, int64_t n, int64_t number);
/* Mark the nodes that must run before the resource may be read, or overwritten, and those on which
 * marked nodes depend. Returns the number of marked ones. No resource: null and not overwritten. */
int64_t op2i_graph_mark(struct op2i_sched *sched, const struct op2i_resource *resource,
                        bool overwrite);
int64_t op2i_graph_mark_all(struct op2i_sched *sched);
/* Drop the marked nodes. */
void op2i_graph_retire(struct op2i_sched *sched);
/* The resource that an edge or an access of a node refers to, and its name. */
const struct op2i_resource *op2i_node_resource(const struct op2i_node *node, int32_t resource,
                                               const char **name);

/* The loop of a node; null for operations of another kind. */
static inline struct op2i_loop *op2i_node_loop(const struct op2i_node *node) {
  return op2i_op_loop(node->op);
}

/* verify.c: check that a path joins every pair of queued loops that access a resource in
 * conflicting ways. */
op2_status op2i_graph_verify(struct op2i_sched *sched);
/* verify_ranks.c: a list that must be the same on all ranks. Each member has a hash, which
 * does not depend on the rank, and a description in words; for at = n both functions are about
 * the end of the list. */
struct op2i_listing {
  const void *of;
  int64_t n;
  uint64_t (*hash)(const void *of, int64_t at);
  void (*describe)(const void *of, int64_t at, char *words, size_t size);
};
/* The first place where the ranks' lists differ; at is -1 if there is none. */
enum { OP2I_DIFFERENCE_WORDS = 768 };
struct op2i_difference {
  int64_t at, rank; /* rank: the lowest one that differs there from rank 0 */
  char lowest[OP2I_DIFFERENCE_WORDS], other[OP2I_DIFFERENCE_WORDS];
};
/* Collective. */
op2_status op2i_ranks_compare(struct op2i_comm *comm, const struct op2i_listing *list,
                              struct op2i_difference *difference);
/* Check that all ranks have queued the same, and that the same call is about to run the same part
 * of it. Otherwise all of them get OP2_ERR_MISMATCH, which names the first call that differs and
 * two ranks that differ there, and the contexts are dead. Collective. */
op2_status op2i_verify_ranks(struct op2i_sched *sched, const char *call, const char *name);

#endif
