/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PROGRAM_H
#define OP2I_PROGRAM_H

#include "passes.h"
#include "step.h"

/* Programs, made by the passes and run. */

/* Find or make the program of the sequence, with code compiled and plans made; one in which loops
 * were kept apart is made anew. Fails where one of the loops, or of those fused from them, has no
 * code (op2i_no_code()), or for lack of memory. On success the caller holds the program until
 * op2i_program_put(): what an operation of the program does may drop it from all
 * lists meanwhile. */
op2_status op2i_program_get(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                            struct op2i_program **program);
/* Run it with the values of these nodes. *done is the number of groups that have run; on failure,
 * unless it is fatal, the next one has failed, and those behind it have not run. Among ranks
 * groups that fail are noted (op2i_outcome_note()), and the others run. */
op2_status op2i_program_run(struct op2i_sched *sched, struct op2i_program *program,
                            struct op2i_node *const *nodes, int64_t *done);
void op2i_program_put(struct op2i_program *program);
/* Nobody can find the program any more. It is freed at once unless somebody holds it.
 * Takes null. */
void op2i_program_drop(struct op2i_program *program);
/* An operation is going, or all: drop the programs with it. */
void op2i_sched_forget(struct op2i_sched *sched, struct op2i_op *op);
void op2i_sched_forget_all(struct op2i_sched *sched);
/* execute.c: run the marked nodes. Fails only fatally or for lack of memory; loops fail on record.
 */
op2_status op2i_execute_marked(struct op2i_sched *sched);

/* ---- one file to the other -------------------------------------------------------------------- */

/* program.c: make the key by which it is found. */
op2_status op2i_program_key(struct op2i_program *program, struct op2i_node *const *nodes,
                            int64_t n);
/* What a verifier says of what `pass` has made. A broken invariant is nothing to be run around. */
op2_status op2i_verified(op2_status status, const char *pass);
/* program_make.c: make a program, which nobody keeps yet. Collective. */
op2_status op2i_program_make(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                             struct op2i_program **program);
/* program_steps.c: whether a node uses a version of a global that another one modifies. */
bool op2i_node_uses_result(const struct op2i_node *node, const struct op2i_node *of);
/* Put its steps in order, with room for the addresses of their values. */
op2_status op2i_program_steps(struct op2i_sched *sched, struct op2i_program *program,
                              struct op2i_node *const *nodes);
/* draw.c: add its exchanges to the drawing of what ran, those of the first `done` groups. */
void op2i_program_draw(struct op2i_sched *sched, const struct op2i_program *program,
                       struct op2i_node *const *nodes, int64_t done);
/* Bytes for the payload of a fused group. */
static inline int64_t op2i_payload_room(const struct op2i_group *group) {
  return (group->loop->op.payload_bytes + 63) / 64 * 64;
}

/* ---- outcome.c: where other ranks take part ---------------------------------------------------- */

/* Nothing has failed among n nodes, which are about to run. Outcomes are in their order. */
void op2i_outcomes_begin(struct op2i_sched *sched, int64_t n);
/* A group of the program that runs has failed on this rank. Returns the status, fatal where others
 * count on it by now. */
op2_status op2i_outcome_note(struct op2i_sched *sched, const struct op2i_grouping *grouping,
                             int64_t g, op2_status status);
/* Whether it has, so that what it left on this rank is not to be looked at. */
bool op2i_outcome_failed(const struct op2i_sched *sched, const struct op2i_grouping *grouping,
                         int64_t g);
/* Before group g, a call: what it needs is known to be there on all ranks, or it is cancelled. Does
 * nothing where there are no other ranks; else collective. */
op2_status op2i_outcomes_before_call(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                     const struct op2i_grouping *grouping, int64_t g,
                                     bool *cancelled);
/* Those of these nodes that have run are settled, in the order of the queue: failed where they have
 * failed on any rank, cancelled where they read what such a one was to write, or done. Collective. */
op2_status op2i_outcomes_settle(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                int64_t from, int64_t end);

/* ---- pending.c: reductions of programs of one operation, among ranks ------------------------- */

/* The reduction that stands at this step of the program of `node` waits for others, whose program
 * is held until they are combined. All that wait for each other go in one message: where one more
 * has no room there, they are combined first. Collective, as is what follows; failures are those of
 * messages. */
op2_status op2i_pending_add(struct op2i_sched *sched, struct op2i_program *program, int64_t step,
                            struct op2i_node *node);
/* Combine those that a node needs, which is about to run: it uses their result, or is the same
 * operation. */
op2_status op2i_pending_combine_for(struct op2i_sched *sched, const struct op2i_node *node);
/* Combine all: before nodes are settled. */
op2_status op2i_pending_combine(struct op2i_sched *sched);
/* The ranks cannot go on: let go of the programs. */
void op2i_pending_drop(struct op2i_sched *sched);

/* ---- step.c ---------------------------------------------------------------------------------- */

/* A loop over one of its ranges, without what a program binds anew each time it runs. */
struct op2i_step op2i_step_make(const struct op2i_loop *loop, int range, enum op2i_variant wish);
/* Have the values of a program's steps that run together where they run, in the order of the steps.
 * Where a device has no memory for one, values that the program does not need leave it; if that is not
 * enough, the host runs the step from then on. */
op2_status op2i_steps_bind(op2_context ctx, const struct op2i_program *program,
                           struct op2i_step *steps, int64_t n);
/* Make room on the device for what the program needs there; false: there is none to be had. */
bool op2i_steps_make_room(op2_context ctx, const struct op2i_program *program);
/* The host runs the step from now on, for lack of memory on the device. */
op2_status op2i_step_to_host(op2_context ctx, struct op2i_step *step);
/* Run one on a backend that takes them one by one. What the device refuses before any launch the host runs,
 * from then on. */
op2_status op2i_step_run(op2_context ctx, struct op2i_step *step);
/* Rows of its dat d that a loop may touch, and how. */
unsigned op2i_step_rows(const struct op2i_loop *loop, int d);
op2_access op2i_step_access(const struct op2i_loop *loop, int d, unsigned rows);
/* The parts of that: maps, subsets and numbers; globals. */
op2_status op2i_step_bind_mesh(struct op2i_step *step);
op2_status op2i_step_bind_globals(struct op2i_step *step);
/* moves.c: have memory and tables of loops in several places, and note what they bring. Without memory
 * nothing has changed. */
op2_status op2i_moves_bind(op2_context ctx, const struct op2i_program *program,
                           struct op2i_step *steps, int64_t n);
/* Put the time of a loop that has run into its profile and the context's. */
void op2i_step_account(const struct op2i_step *step);

#endif
