/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVGEN_TARGET_H
#define OP2I_DEVGEN_TARGET_H

#include "devgen.h"

/* Targets that elements share, and how increments reach them. */

static inline bool op2i_devgen_shared(const struct op2i_devgen *g, int a) {
  return op2i_device_shared(g->e.loop, op2i_emit_arg(&g->e, a));
}

/* devgen_stage.c: wide rows, which a group moves together: op2_live of them from op2_base on. All
 * work items take part. */
bool op2i_devgen_staged(const struct op2i_devgen *g, int d);
/* True if some rows are moved so; then elements' other values are loaded before they have come. */
bool op2i_devgen_early(const struct op2i_devgen *g);
void op2i_devgen_stage_in(const struct op2i_devgen *g);
void op2i_devgen_stage_out(const struct op2i_devgen *g);
/* devgen_target.c: a work item for each target of a pass. */
bool op2i_devgen_of_target(const struct op2i_devgen *g, int a); /* it adds to those of the pass */
void op2i_devgen_repeat(struct op2i_devgen *g, int p);
void op2i_devgen_sum(struct op2i_devgen *g, int p);
void op2i_devgen_owner(struct op2i_devgen *g, int p);
void op2i_devgen_keep(const struct op2i_devgen *g, int a); /* for op2_sum<p> */
/* Add to the sums of the target, if the element reaches it through the current column. */
void op2i_devgen_to_target(const struct op2i_devgen *g, int a);
void op2i_devgen_define_atomics(const struct op2i_devgen *g); /* devgen_atomic.c */
void op2i_devgen_atomic(const struct op2i_devgen *g, int a);

#endif
