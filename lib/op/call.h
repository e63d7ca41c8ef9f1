/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CALL_H
#define OP2I_CALL_H

#include "op.h"
#include "op2/call.h"
#include "op2/matrix.h"
#include "scheduler.h"

/* A function of the user's with its arguments: the operation that op2_call() queues. Like loops,
 * calls are found again by their arguments, so that a call in a time loop is one operation. The
 * pointer to the user's data and the captured values are in the payload. */

/* A payload begins with this; captured values follow. */
struct op2i_call_data {
  void *data;
  op2_destroy_function destroy; /* null: data is the program's */
};

/* One argument: an index into the operation's tables, or an offset in the payload. */
struct op2i_user_arg {
  op2_mat mat;      /* whose values are the dat; null: it is not a matrix */
  int32_t dat, gbl; /* or -1 */
  int32_t offset;   /* values: offset in bytes into the payload; else -1 */
  op2_access access;
};

struct op2i_user_call {
  struct op2i_op op;
  struct op2i_user_call *next; /* the context's list */
  uint64_t hash;
  char *name;
  op2_call_function function;
  int nargs;
  op2_arg *key; /* [nargs], as given, values cleared */
  struct op2i_user_arg *args;
  int64_t times; /* number of calls */
  double seconds;
};

/* Calls of the library's own keep no order beyond what their arguments require. */
extern const struct op2i_op_kind op2i_user_call_kind, op2i_own_call_kind, op2i_joint_call_kind;
static inline bool op2i_call_is_own(const struct op2i_op *op) {
  return op->kind == &op2i_own_call_kind || op->kind == &op2i_joint_call_kind;
}
static inline struct op2i_user_call *op2i_op_call(struct op2i_op *op) {
  const bool is = op->kind == &op2i_user_call_kind || op2i_call_is_own(op);
  return is ? (struct op2i_user_call *)op : NULL;
}

/* Open the floating-point window that a call's function runs in: a function of the program gets the
 * environment of the thread's caller. Returns null for a function of the library's own. Closed by
 * op2i_fp_window_close(). */
struct op2i_fp_scope *op2i_call_window(const struct op2i_user_call *call);

/* Queue a call of one of the library's own functions, as op2_call_at() does for functions of the
 * program. `data` must live as long as the arguments. Of dats it gets the rows that this
 * rank owns; those of the halo may be out of date. */
op2_status op2i_call_own(op2_where where, const char *name, op2_context ctx,
                         op2_call_function function, void *data, int nargs, const op2_arg *args);
/* A call of a function in which ranks wait for each other. It is made first, in use until
 * op2i_call_joint_unuse(), and then queued, so that nothing but the queue can lack memory in the second
 * step. The function returns an op2_status. It is called on all ranks even if something that it depends
 * on has failed; values[0] is null if its arguments were not available. */
op2_status op2i_call_joint_make(op2_where where, const char *name, op2_context ctx,
                                op2_call_function function, int nargs, const op2_arg *args,
                                struct op2i_user_call **out);
op2_status op2i_call_joint_queue(op2_where where, struct op2i_user_call *call, void *data,
                                 enum op2i_wish wish);
void op2i_call_joint_unuse(struct op2i_user_call *call);

#endif
