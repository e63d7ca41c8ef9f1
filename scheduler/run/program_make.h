/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PROGRAM_MAKE_H
#define OP2I_PROGRAM_MAKE_H

#include "passes.h"

/* The parts of making a program, and the drawing of what one has run. */

/* program_make.c: make a program; it is not in any list yet. Collective. */
op2_status op2i_program_make(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                             struct op2i_program **program);
extern const struct op2i_pass *const op2i_passes[]; /* ends with null */
/* program_steps.c: true if a node uses a version of a global that the other one modifies. */
bool op2i_node_uses_result(const struct op2i_node *node, const struct op2i_node *of);
/* Make its steps in order, with tables for the addresses of their values. */
op2_status op2i_program_steps(struct op2i_sched *sched, struct op2i_program *program,
                              struct op2i_node *const *nodes);
/* draw.c: add the exchanges and convoys of the first `done` groups to the drawing of what ran. */
void op2i_program_draw(struct op2i_sched *sched, const struct op2i_program *program,
                       struct op2i_node *const *nodes, int64_t done);
/* Bytes for the payload of a fused group. */
static inline int64_t op2i_payload_room(const struct op2i_group *group) {
  return (group->loop->op.payload_bytes + 63) / 64 * 64;
}

#endif
