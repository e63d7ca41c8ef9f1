/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_FAILURE_H
#define OP2I_FAILURE_H

/* Resources: the dependency graph's record of a dat's or global's values, and the failure that
 * spoilt them. */

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"
#include "op2/types.h"

/* The reason why a value is missing: the first failure that it descends from. It is shared and has
 * a reference count. */
struct op2i_failure {
  int32_t refs;
  bool reported;
  op2_status status;
  int64_t loop_number;
  char *message;
  struct op2i_failure *next; /* the context's list, by loop number */
};

/* The dependency graph's record of a dat or a global: the loops that last wrote it and have read it
 * since, of those that have been joined to the graph (op2i_graph_join()). */
struct op2i_resource {
  op2_context ctx;
  int64_t id;          /* unique in the context, never reused */
  int64_t last_writer; /* loop number, 0 for none */
  int64_t *readers;    /* loop numbers since then, ascending */
  int64_t nreaders, readers_capacity;
  struct op2i_failure *poison;
  bool poison_halo;  /* rows that are not owned are poisoned, too */
  void *track;       /* the scheduler's record while it builds a program */
  int64_t nested_id; /* of the last nested queue that may use it; 0: none */
};

struct op2i_failure *op2i_failure_ref(struct op2i_failure *failure);
void op2i_failure_unref(struct op2i_failure *failure);
void op2i_resource_init(struct op2i_resource *resource, op2_context ctx);
void op2i_resource_clear(struct op2i_resource *resource);
void op2i_resource_poison(struct op2i_resource *resource,
                          struct op2i_failure *failure); /* null cures */
op2_status op2i_resource_report(op2_context ctx,
                                struct op2i_resource *resource); /* the failure, if poisoned */

/* Record a failure of a loop in the context's list. Takes ownership of nothing; returns a
 * reference, or null when there is no memory for it. */
struct op2i_failure *op2i_failure_add(op2_context ctx, op2_status status, int64_t loop_number,
                                      const char *message);
/* Report a failure: sets this thread's message, marks and unlinks it, returns its status. */
op2_status op2i_failure_report(op2_context ctx, struct op2i_failure *failure);

#endif
