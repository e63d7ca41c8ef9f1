/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PROGRAM_H
#define OP2I_PROGRAM_H

#include "passes.h"
#include "step.h"

/* Programs: they are made by the passes and run. */

/* Find or make the program of the sequence, with code compiled and plans made; one in which
 * loops were kept apart is made again. Fails if one of the loops, or of those fused from
 * them, has no code (op2i_no_code()), or for lack of memory. On success the caller has a
 * reference to the program until op2i_program_put(): an operation of the program may remove
 * it from all lists meanwhile. */
op2_status op2i_program_get(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                            struct op2i_program **program);
/* Run it with the values of these nodes. *done is the number of groups that have run; on failure,
 * unless it is fatal, the next one has failed, and those after it have not run. Among ranks groups
 * that fail are noted (op2i_outcome_note()), and the others run. */
op2_status op2i_program_run(struct op2i_sched *sched, struct op2i_program *program,
                            struct op2i_node *const *nodes, int64_t *done);
void op2i_program_put(struct op2i_program *program);
/* The program is no longer in any list. It is freed once nobody has a reference to it.
 * Takes null. */
void op2i_program_drop(struct op2i_program *program);
/* An operation is about to be freed, or all are: drop the programs that contain it. */
void op2i_sched_forget(struct op2i_sched *sched, struct op2i_op *op);
void op2i_sched_forget_all(struct op2i_sched *sched);
/* execute.c: run the marked nodes. Fails only fatally or for lack of memory; failures of
 * loops are recorded. */
op2_status op2i_execute_marked(struct op2i_sched *sched);

/* ---- functions that the files share ---------------------------------------------------------- */

/* program.c: make the key by which the program is found. */
op2_status op2i_program_key(struct op2i_program *program, struct op2i_node *const *nodes,
                            int64_t n);
/* The result of a verifier for what `pass` has made. A broken invariant is a fatal error, since no
 * other way of running could be trusted. */
op2_status op2i_verified(op2_status status, const char *pass);
/* program_make.c: make a program; it is not in any list yet. Collective. */
op2_status op2i_program_make(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                             struct op2i_program **program);
/* program_steps.c: true if a node uses a version of a global that the other one modifies. */
bool op2i_node_uses_result(const struct op2i_node *node, const struct op2i_node *of);
/* Make its steps in order, with tables for the addresses of their values. */
op2_status op2i_program_steps(struct op2i_sched *sched, struct op2i_program *program,
                              struct op2i_node *const *nodes);
/* draw.c: add the exchanges of the first `done` groups to the drawing of what ran. */
void op2i_program_draw(struct op2i_sched *sched, const struct op2i_program *program,
                       struct op2i_node *const *nodes, int64_t done);
/* Bytes for the payload of a fused group. */
static inline int64_t op2i_payload_room(const struct op2i_group *group) {
  return (group->loop->op.payload_bytes + 63) / 64 * 64;
}

/* ---- outcome.c: outcomes on which ranks agree ------------------------------------------------ */

/* Reset the outcomes of n nodes that are about to run. Outcomes are in the order of the nodes. */
void op2i_outcomes_begin(struct op2i_sched *sched, int64_t n);
/* Note that a group of the running program has failed on this rank. Returns the status; it is fatal
 * if other ranks already rely on the group's success. */
op2_status op2i_outcome_note(struct op2i_sched *sched, const struct op2i_grouping *grouping,
                             int64_t g, op2_status status);
/* True if the group has failed, so that its values on this rank must not be read. */
bool op2i_outcome_failed(const struct op2i_sched *sched, const struct op2i_grouping *grouping,
                         int64_t g);
/* Before group g, a call: make sure that what it needs is valid on all ranks, or cancel it.
 * Collective; does nothing where there are no other ranks. */
op2_status op2i_outcomes_before_call(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                     const struct op2i_grouping *grouping, int64_t g,
                                     bool *cancelled);
/* Set the final states of those of these nodes that have run, in the order of the queue:
 * failed if they have failed on any rank, cancelled if they read what such a node was to
 * write, else done. Collective. */
op2_status op2i_outcomes_settle(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                int64_t from, int64_t end);

/* ---- pending.c: reductions of programs of one operation, among ranks ------------------------- */

/* Defer the reduction at this step of the program of `node`; the program is referenced until
 * it is combined. All deferred reductions go in one message: if this one does not fit into
 * it, the others are combined first. Collective, as are the functions below; their failures
 * are those of messages. */
op2_status op2i_pending_add(struct op2i_sched *sched, struct op2i_program *program, int64_t step,
                            struct op2i_node *node);
/* Combine the reductions that a node needs that is about to run: it uses their result, or
 * is the same operation. */
op2_status op2i_pending_combine_for(struct op2i_sched *sched, const struct op2i_node *node);
/* Combine all; to be called before final states are set. */
op2_status op2i_pending_combine(struct op2i_sched *sched);
/* Release the programs, since the ranks cannot go on. */
void op2i_pending_drop(struct op2i_sched *sched);

/* ---- step.c ---------------------------------------------------------------------------------- */

/* A loop over one of its ranges, without what a program binds anew each time it runs. */
struct op2i_step op2i_step_make(const struct op2i_loop *loop, int range, enum op2i_variant wish);
/* Bring values of a program's steps that run together to where the steps run, in their order. Where
 * a device has no memory for a step, values that the program does not need are evicted; if that is
 * not enough, the host runs the step from then on. */
op2_status op2i_steps_bind(op2_context ctx, const struct op2i_program *program,
                           struct op2i_step *steps, int64_t n);
/* Evict values from the device to make space for what the program needs there; false if
 * none can be evicted. */
bool op2i_steps_make_room(op2_context ctx, const struct op2i_program *program);
/* Let the host run the step from now on, for lack of memory on the device. */
op2_status op2i_step_to_host(op2_context ctx, struct op2i_step *step);
/* Run a step on a backend that takes them one by one. If the device refuses it before any launch,
 * the host runs it from then on. */
op2_status op2i_step_run(op2_context ctx, struct op2i_step *step);
/* The rows of its dat d that a loop may access, and how. */
unsigned op2i_step_rows(const struct op2i_loop *loop, int d);
op2_access op2i_step_access(const struct op2i_loop *loop, int d, unsigned rows);
/* The parts of binding: maps, subsets and numbers; and globals. */
op2_status op2i_step_bind_mesh(struct op2i_step *step);
op2_status op2i_step_bind_globals(struct op2i_step *step);
/* moves.c: allocate memory and tables of loops in several places, and list the copies. Without
 * memory nothing has changed. */
op2_status op2i_moves_bind(op2_context ctx, const struct op2i_program *program,
                           struct op2i_step *steps, int64_t n);
/* Add the time of a loop that has run to its profile and to the context's. */
void op2i_step_account(const struct op2i_step *step);

#endif
