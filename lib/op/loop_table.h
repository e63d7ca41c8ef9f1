/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_TABLE_H
#define OP2I_LOOP_TABLE_H

#include "context.h"
#include "kernel.h"
#include "loop.h"

/* The table of loops, and what it needs of them. */

/* Find the loop with these arguments, or validate them and make it. On success *loop has one more
 * use. */
op2_status op2i_loop_intern(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                            const op2_arg *args, struct op2i_loop **loop);
void op2i_loop_use(struct op2i_loop *loop);
void op2i_loop_unuse(struct op2i_loop *loop);
/* Append a loop to the list of all. */
void op2i_loop_list(struct op2i_loop *loop);
void op2i_loop_discard(struct op2i_loop *loop); /* take off the list and free */
/* Call this when sets and maps have changed: drops loops, and what was derived for those that
 * handles hold. Nothing is queued, and there is no program. Collective. */
void op2i_loops_reclassify(op2_context ctx);
/* Let no call find a loop, one of whose objects is a spare now. */
void op2i_loop_hide(struct op2i_loop *loop);
/* Let calls find it again. All of its objects have successors, which are in its key by now. */
static inline void op2i_loop_show(const struct op2i_loop *loop) {
  loop->op.ctx->loops->nawaiting++;
}
/* Drop the code of loops that go through a map whose rows have another layout now. Nothing runs. */
void op2i_loops_drop_code(op2_context ctx, const struct op2_map_s *map);

/* loop.c: make a loop of valid arguments, which is in no table yet. */
op2_status op2i_loop_make(op2_kernel kernel, op2_set set, int nargs, const op2_arg *args,
                          struct op2i_loop **out);
/* loop.c: forget the generated code; it is made again when the loop runs. */
void op2i_loop_drop_code(struct op2i_loop *loop);
/* loop.c: true if the kernel's constants, which were looked up anew, are those of the loop. */
bool op2i_loop_compare_consts(struct op2i_loop *loop);

/* Look up the constants that a kernel names, if any was made or destroyed since. */
static inline op2_status op2i_loop_bind_consts(op2_kernel kernel) {
  if (kernel->const_epoch == kernel->obj.ctx->const_epoch) return OP2_SUCCESS;
  return op2i_kernel_bind_consts(kernel);
}
/* True if the loop has the constants that its kernel has. */
static inline bool op2i_loop_same_consts(struct op2i_loop *loop) {
  return loop->entry.const_epoch == loop->kernel->const_epoch || op2i_loop_compare_consts(loop);
}

#endif
