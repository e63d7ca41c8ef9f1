/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_GRAPH_H
#define OP2I_GRAPH_H

#include "loop.h"

/* The queue of a context: nodes in the order they were queued, with edges to earlier ones. A node
 * is known by its number, which is never reused; edges from nodes that have run order
 * nothing. Edges come when somebody asks for them: what runs as it ran before needs none. */

enum op2i_node_state { OP2I_QUEUED, OP2I_DONE, OP2I_FAILED, OP2I_CANCELLED };
enum op2i_edge_kind { OP2I_RAW, OP2I_WAR, OP2I_WAW };

struct op2i_edge {
  int64_t from;     /* node number */
  int32_t resource; /* of the later node's operation */
  enum op2i_edge_kind kind;
};

struct op2i_node {
  enum op2i_node_state state;
  bool marked; /* to be run by the force in progress */
  int64_t number;
  op2_where where;
  struct op2i_op *op;             /* one use */
  struct op2i_version **versions; /* [op->ngbls], referenced; start of one piece of the slab with
                                     the next one */
  unsigned char *payload;         /* [op->payload_bytes] */
  int64_t first_edge; /* into the scheduler's edges; 0 and without edges until it is joined */
  int32_t nedges;
  int64_t fused; /* once it has run: the first loop it was fused with, 0 for none */
};

struct op2i_sched;

/* graph.c: add a node, all or nothing. */
op2_status op2i_graph_add(struct op2i_sched *sched, struct op2i_op *op, op2_where where,
                          const unsigned char *payload);
/* Give every node its edges. To be called before anything that reads them: op2i_graph_mark() and
 * what reads `edges`. After a shortage of memory some nodes still lack theirs. */
op2_status op2i_graph_join(struct op2i_sched *sched);
/* Take back the node added last, while nothing has run since. */
void op2i_graph_undo(struct op2i_sched *sched);
struct op2i_node *op2i_graph_find(struct op2i_sched *sched,
                                  int64_t number); /* null when it has run */
/* Place of a node in a list that has the queue's order, -1 when it is not there. */
int64_t op2i_graph_place(struct op2i_node *const *nodes, int64_t n, int64_t number);
/* Mark what must run before the resource may be read, or overwritten. Returns the number of marked
 * nodes. */
int64_t op2i_graph_mark(struct op2i_sched *sched, const struct op2i_resource *resource,
                        bool overwrite);
int64_t op2i_graph_mark_all(struct op2i_sched *sched);
/* Drop the marked nodes. */
void op2i_graph_retire(struct op2i_sched *sched);
/* The resource that an edge or an access of a node is about, and its name. */
struct op2i_resource *op2i_node_resource(const struct op2i_node *node, int32_t resource,
                                         const char **name);

/* The loop of a node; null for operations of another kind. */
static inline struct op2i_loop *op2i_node_loop(const struct op2i_node *node) {
  return op2i_op_loop(node->op);
}

/* verify.c: every ordered pair of queued loops that touch a resource in conflicting ways is joined
 * by a path. */
op2_status op2i_graph_verify(struct op2i_sched *sched);
/* verify_ranks.c: what all ranks are to have the same of: a list, each of whose members has a hash
 * that does not depend on the rank, and words; and what is told of its end, at place n. */
struct op2i_listing {
  const void *of;
  int64_t n;
  uint64_t (*hash)(const void *of, int64_t at);
  void (*describe)(const void *of, int64_t at, char *words, size_t size);
};
/* The first place where not all have the same; -1: there is none. */
enum { OP2I_DIFFERENCE_WORDS = 768 };
struct op2i_difference {
  int64_t at, rank; /* the lowest that has not what rank 0 has there */
  char lowest[OP2I_DIFFERENCE_WORDS], other[OP2I_DIFFERENCE_WORDS];
};
/* Collective. */
op2_status op2i_ranks_compare(struct op2i_comm *comm, const struct op2i_listing *list,
                              struct op2i_difference *difference);
/* All ranks have queued the same, and the same call is about to run the same of it.
 * Where not all get OP2_ERR_MISMATCH, which names the first call that differs and two ranks that have
 * not the same there, and the contexts are dead. Collective. */
op2_status op2i_verify_ranks(struct op2i_sched *sched, const char *call, const char *name);

#endif
