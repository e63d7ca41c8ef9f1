/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_OP_H
#define OP2I_OP_H

#include "mesh.h"
#include "op2/loop.h"
#include "text.h"

/* An operation: what a node of the queue does, and to which resources. The graph, poison, drawing,
 * keys and forcing know operations only; what one of a kind does when it runs, that kind knows. It
 * begins each kind's own structure, and is the same for each time it is queued: what differs from
 * one time to the next is in the node. */
struct op2i_op;

struct op2i_op_kind {
  const char *name; /* for people: "loop", "call" */
  bool queues;      /* it queues others while it runs: halos are their affair */
  bool in_order;    /* those that run do so in the order of the queue, whatever they use */
  /* One more, or one fewer, holds or has queued it. */
  void (*use)(struct op2i_op *op);
  void (*unuse)(struct op2i_op *op);
  /* Add to a payload what is captured when it is queued; null: nothing. */
  op2_status (*capture)(struct op2i_op *op, unsigned char *payload);
  /* In words, as in a message: "loop 'res_calc' over 'edges'". */
  void (*describe)(const struct op2i_op *op, struct op2i_text *text);
  /* Do it, in the calling thread, with what its node has captured; null: loops, which backends
   * run. */
  op2_status (*run)(struct op2i_op *op, struct op2i_version *const *versions,
                    unsigned char *payload);
};

struct op2i_op {
  const struct op2i_op_kind *kind;
  op2_context ctx;
  int64_t id; /* unique in the context, never reused */
  int64_t uses;
  int ndats, ngbls; /* distinct objects, numbered by first appearance */
  op2_dat *dats;
  op2_gbl *gbls;
  op2_access *dat_access; /* what the graph needs to know per distinct dat: READ, WRITE (wholly
                             overwritten), or RW */
  op2_access *gbl_access; /* the same; loops have READ or RW */
  int32_t payload_bytes;  /* captured values, 16-byte aligned pieces */
  uint64_t digest;        /* among ranks: of what is the same each time; 0: not known yet */
  bool counted; /* what numbering has to know of it is known: it need not be counted again */
  void *alone;  /* the scheduler's: the program of this operation by itself, or null */
};

/* Its id, and the tables of up to n dats and n globals, all zero. */
op2_status op2i_op_tables(struct op2i_op *op, size_t n);
void op2i_op_free_tables(struct op2i_op *op);
/* OP2_ERR_STATE where an open access scope forbids queueing it: the part of an operation's checks
 * that an earlier success does not settle. */
op2_status op2i_op_validate_scopes(op2_where where, const struct op2i_op *op);
/* OP2_ERR_STATE while an operation that queues others runs, whose function calls `call`. Refused
 * are the calls that would take away what the operation goes on with: the mesh, or the context. */
op2_status op2i_op_refuse_inside(op2_context ctx, const char *call);
/* op_trail.c: it is about to be queued, and is a call that all ranks make (trail.h). */
void op2i_op_trail(struct op2i_op *op, op2_where where, const unsigned char *payload,
                   bool runs_at_once);
/* Number of `object` in a table of distinct ones with room for it, added when new. */
int32_t op2i_number_of(void **table, int *n, void *object);

/* What an operation does with resource r: its dats come first, then its globals. */
static inline int32_t op2i_op_nresources(const struct op2i_op *op) { return op->ndats + op->ngbls; }
static inline op2_access op2i_op_access(const struct op2i_op *op, int32_t r) {
  return r < op->ndats ? op->dat_access[r] : op->gbl_access[r - op->ndats];
}

#endif
