/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ERROR_H
#define OP2I_ERROR_H

/* Error messages, which every function that fails sets, and helpers that pass a failure on. */

#include "op2/status.h"

enum { OP2I_MESSAGE_MAX = 16384 };

/* Set this thread's message and return status, so that `return op2i_error(...)` reads well. */
op2_status op2i_error(op2_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
op2_status op2i_error_nomem(const char *what);
/* Add to this thread's failure where it was queued (file may be null), and which argument and object
 * are wrong (-1 and null: none). Returns status; nothing is added for OP2_SUCCESS. */
op2_status op2i_error_at(op2_status status, const char *file, int line, int argument,
                         const char *object);

/* This is known of a thread's last failure besides its message. */
struct op2i_error_details {
  op2_status status;
  const char *file;
  int line, argument;
  char object[200]; /* empty: none */
};
/* Keep this thread's last failure, and restore it, round functions of the program that have nothing to
 * do with it and may have failures of their own. */
struct op2i_error_kept {
  char message[OP2I_MESSAGE_MAX];
  struct op2i_error_details details;
};
void op2i_error_keep(struct op2i_error_kept *kept);
void op2i_error_restore(const struct op2i_error_kept *kept);

/* The only macro that hides a jump. It needs `op2_status status` and a label `fail`. */
#define OP2I_TRY(expression)                                                                       \
  do {                                                                                             \
    status = (expression);                                                                         \
    if (status != OP2_SUCCESS) goto fail;                                                          \
  } while (0)

/* The end of messages about a kernel that does not fit its arguments. */
#define OP2I_SEE_CHECK                                                                             \
  " (run with OP2_BACKEND=check to see whether kernels do what their arguments say)"

#endif
