/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_RECORDS_H
#define OP2I_RECORDS_H

/* A queue knows of dats and globals which of its loops wrote and read them last, and which failure
 * spoilt them. Each queue of a context keeps this in a table of its own, so an operation
 * that queues others while it runs (a solve) begins a nested queue with an empty table, and the
 * tables of the queues around it stay as they are. */

#include <stdbool.h>
#include <stdint.h>

#include "op2/mesh.h"
#include "op2/status.h"

struct op2i_failure;
struct op2i_op;
struct op2i_text;
struct op2i_version;

/* A dat, a global or a version of a global, as queues know it. */
struct op2i_resource {
  op2_context ctx; /* null: it was not made */
  int32_t slot;    /* its index in the tables of all queues of the context */
};

/* The loops of one queue that last wrote a resource and have read it since, of those that have been
 * joined to the graph (op2i_graph_join()). */
struct op2i_record {
  int64_t last_writer; /* loop number, 0 for none */
  int64_t *readers;    /* loop numbers since then, ascending */
  int64_t nreaders, readers_capacity;
  struct op2i_failure *poison;
  /* the version that a global has in a nested queue, which owns a reference to it; null: the same
   * as outside */
  struct op2i_version *version;
  bool poison_halo; /* rows that are not owned are poisoned, too */
  bool admitted;    /* operations in this nested queue may use it */
};

struct op2i_records {
  struct op2i_records *outer; /* of the queue in which this one is nested; null: in none */
  struct op2i_record *list;   /* [capacity], indexed by slot */
  int64_t capacity;
  int64_t npoisoned;             /* poisoned resources: their values are lost */
  struct op2i_failure *failures; /* failures not yet reported, by loop number; owned references */
  /* The operation that runs and queues others here, with objects whose handles may have been
   * destroyed, and its description; null: none, this is the outermost queue. */
  const struct op2i_op *inside;
  void (*describe_inside)(const struct op2i_op *op, struct op2i_text *text);
  int64_t last_id_outside; /* highest id of an object that existed when the nested queue began */
  /* Globals that the library makes for operations of this queue, so that they do not wait for those
   * of another one. */
  op2_gbl norm_parts; /* auxiliary result of norms */
  op2_gbl *dot_parts; /* [ndot_parts] partial sums of scalar products, one per block, or null */
  int ndot_parts;
};

/* Slots of a context's resources. */
struct op2i_slots {
  int32_t n; /* slots given so far */
  int32_t nfree;
  int32_t *free;    /* [capacity] those of resources that have gone, the last one first */
  int64_t capacity; /* as many as the tables of the queue in use and of those around it have */
};

/* OP2_ERR_NOMEM leaves a resource that may be cleared. What is made inside a nested queue may be
 * used there. */
op2_status op2i_resource_init(struct op2i_resource *resource, op2_context ctx);
/* Give the slot back, and forget the resource in all queues. */
void op2i_resource_clear(struct op2i_resource *resource);
/* Poison it in the queue in use; null cures. */
void op2i_resource_poison(const struct op2i_resource *resource, struct op2i_failure *failure);
/* The failure, if the resource is poisoned in the queue in use. */
op2_status op2i_resource_report(const struct op2i_resource *resource);
/* Let operations in the nested queue use a resource; without a nested queue there is no need. */
void op2i_resource_admit(const struct op2i_resource *resource);

bool op2i_resource_admitted(const struct op2i_resource *resource);

/* Record of a resource in the queue in use. It moves when a resource is made. */
struct op2i_record *op2i_resource_record(const struct op2i_resource *resource);

/* Make place in a table for all slots of the context. */
op2_status op2i_records_reserve(struct op2i_records *records, op2_context ctx);
/* Forget everything of a nested queue that has ended. */
void op2i_records_clear(struct op2i_records *records);
void op2i_records_free(struct op2i_records *records);

#endif
