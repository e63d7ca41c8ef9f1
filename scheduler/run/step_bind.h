/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STEP_BIND_H
#define OP2I_STEP_BIND_H

#include "passes.h"
#include "step.h"

/* Steps of programs: made, bound to values where they run, and run. */

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
/* True if a step cannot be bound on the device, and can be on the host. */
bool op2i_step_unfit(op2_status status);
/* Let the host run the step from now on. `cause` is the status with which the device was refused:
 * OP2_ERR_RANGE for tables that are too long, else it lacks memory. */
op2_status op2i_step_to_host(op2_context ctx, struct op2i_step *step, op2_status cause);
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
double op2i_step_account(const struct op2i_step *step);

#endif
