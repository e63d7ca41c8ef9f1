/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PROGRAM_H
#define OP2I_PROGRAM_H

#include "passes.h"
#include "step.h"

/* Programs, made by the passes and run. */

/* Find or make the program of the sequence, with code compiled and plans made; one in which loops
 * were kept apart is made anew. Fails where one of the loops, or of those fused from them, has no
 * code (op2i_no_code()), or for lack of memory. */
op2_status op2i_program_get(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                            struct op2i_program **program);
/* Run it with the values of these nodes. *done is the number of groups that have run; on failure,
 * unless it is fatal, the next one has failed, and those behind it have not run. */
op2_status op2i_program_run(struct op2i_sched *sched, struct op2i_program *program,
                            struct op2i_node *const *nodes, int64_t *done);
void op2i_program_free(struct op2i_program *program);
/* An operation is going, or all: drop the programs with it. */
void op2i_sched_forget(struct op2i_sched *sched, struct op2i_op *op);
void op2i_sched_forget_all(struct op2i_sched *sched);
/* execute.c: run the marked nodes. Fails only fatally or for lack of memory; loops fail on record.
 */
op2_status op2i_execute_marked(struct op2i_sched *sched);

/* ---- step.c ---------------------------------------------------------------------------------- */

/* A loop over one of its ranges, without what a program binds anew each time it runs. */
struct op2i_step op2i_step_make(const struct op2i_loop *loop, int range, enum op2i_variant wish);
/* Have the values of steps that run together where they run, in the order of the steps. */
op2_status op2i_steps_bind(op2_context ctx, struct op2i_step *steps, int64_t n);
/* Put the time of a loop that has run into its profile and the context's. */
void op2i_step_account(const struct op2i_step *step);

#endif
