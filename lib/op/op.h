/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_OP_H
#define OP2I_OP_H

#include "mesh.h"
#include "op2/loop.h"
#include "text.h"

/* An operation: what a node of the queue does, and to which resources. The graph, poison, drawing,
 * keys and forcing know operations only; what one does when it runs is known to its kind. The
 * structure is the first member of each kind's own, and is the same each time the operation is
 * queued: what differs from one time to the next is in the node. */
struct op2i_op;

struct op2i_op_kind {
  const char *name; /* for users: "loop", "call" */
  bool queues;      /* it queues other operations while it runs, which take care of halos */
  bool in_order;    /* operations of these kinds run in the order of the queue, whatever they use */
  bool joint;       /* ranks wait for each other in run(), which takes part whatever has failed */
  /* Call these when the operation is held or queued once more, or once less. */
  void (*use)(struct op2i_op *op);
  void (*unuse)(struct op2i_op *op);
  /* Add to a payload what is captured when it is queued; null: nothing. */
  op2_status (*capture)(struct op2i_op *op, unsigned char *payload);
  /* Release what a payload has captured, once its node goes; null: nothing to be released. */
  void (*drop)(struct op2i_op *op, const unsigned char *payload);
  /* Describe it in words for messages: "loop 'res_calc' over 'edges'". */
  void (*describe)(const struct op2i_op *op, struct op2i_text *text);
  /* Run it in the calling thread, with what its node has captured; null for loops, which backends
   * run. */
  op2_status (*run)(struct op2i_op *op, struct op2i_version *const *versions,
                    unsigned char *payload);
};

struct op2i_op {
  /* The fields that change for each temporary of a program come first, and fit into a line or two of
   * the cache. */
  const struct op2i_op_kind *kind;
  op2_context ctx;
  int ndats, ngbls;      /* distinct objects, numbered by first appearance */
  int32_t capacity;      /* of the tables of dats and of globals */
  int32_t payload_bytes; /* captured values, 16-byte aligned pieces */
  op2_dat *dats;
  op2_gbl *gbls;
  struct op2i_link *links; /* [2 * capacity] in lists of users: those of dats, then of globals */
  uint64_t digest;         /* with ranks: digest of what is the same each time; 0: not known yet */
  int64_t id;              /* unique in the context, never reused */
  int64_t uses;
  op2_access *dat_access; /* what the graph needs to know per distinct dat: READ, WRITE (wholly
                             overwritten), or RW */
  op2_access *gbl_access; /* the same; loops have READ or RW */
  bool counted;           /* automatic renumbering has counted it, and need not do so again */
  bool listed;            /* `changed` lists the objects that it modifies */
  int nchanged_dats, nchanged;
  int32_t *changed; /* indices of these in the tables, of dats first, then of globals */
  int64_t met;      /* for whoever goes through a list of operations: where it was met last */
};

/* Set the id, and allocate the tables of up to n dats and n globals, all zero. */
op2_status op2i_op_tables(struct op2i_op *op, size_t n);
void op2i_op_free_tables(struct op2i_op *op);
/* Add the operation to the lists of users of its dats and globals, as `user`, and remove it. */
void op2i_op_link(struct op2i_op *op, void *user);
void op2i_op_unlink(struct op2i_op *op);
/* Replace the dat or global that this link is about. The link stays as it is. */
static inline void op2i_op_replace(struct op2i_op *op, const struct op2i_link *link,
                                   void *successor) {
  const ptrdiff_t at = link - op->links;
  if (at < op->capacity)
    op->dats[at] = successor;
  else
    op->gbls[at - op->capacity] = successor;
  op->digest = 0;
}
/* Count a change of each object that the operation modifies: see op2_dat_changes(). */
void op2i_op_list_changed(struct op2i_op *op);
static inline void op2i_op_count_changes(struct op2i_op *op) {
  if (!op->listed) op2i_op_list_changed(op);
  int i = 0;
  for (; i < op->nchanged_dats; i++) op->dats[op->changed[i]]->changes++;
  for (; i < op->nchanged; i++) op->gbls[op->changed[i]]->changes++;
}
/* OP2_ERR_STATE if an open access scope forbids queueing the operation. This is the part of its
 * checks that an earlier success does not cover. */
op2_status op2i_op_validate_scopes(op2_where where, const struct op2i_op *op);
/* op_trail.c: add the operation to the trail by which ranks compare their calls. It is about to be
 * queued, by a call that all ranks make (trail.h). */
void op2i_op_trail(struct op2i_op *op, op2_where where, const unsigned char *payload,
                   bool runs_at_once);
/* Index of `object` in a table of distinct ones with capacity for it; it is added if new. */
int32_t op2i_number_of(void **table, int *n, void *object);

/* The access to resource r: dats come first, then globals. */
static inline int32_t op2i_op_nresources(const struct op2i_op *op) { return op->ndats + op->ngbls; }
static inline op2_access op2i_op_access(const struct op2i_op *op, int32_t r) {
  return r < op->ndats ? op->dat_access[r] : op->gbl_access[r - op->ndats];
}

#endif
