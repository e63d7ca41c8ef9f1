/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_FAILURE_H
#define OP2I_FAILURE_H

/* Failures of queued operations, which stay with the values that they spoilt. */

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
  const char *file; /* where the operation was queued */
  int line;
  char *message;
  struct op2i_failure *next; /* the queue's list, by loop number */
};

struct op2i_failure *op2i_failure_ref(struct op2i_failure *failure);
void op2i_failure_unref(struct op2i_failure *failure);

/* Record a failure of a loop, queued in `file`, in the list of the queue in use. Takes ownership of
 * nothing; returns a reference, or null when there is no memory for it. */
struct op2i_failure *op2i_failure_add(op2_context ctx, op2_status status, int64_t loop_number,
                                      const char *file, int line, const char *message);
/* Report a failure: sets this thread's message, marks and unlinks it, returns its status. */
op2_status op2i_failure_report(op2_context ctx, struct op2i_failure *failure);

#endif
