/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SCHED_PLACE_H
#define OP2I_SCHED_PLACE_H

/* Where loops run, where there is a device beside the host's processors: as OP2_PLACE says, or by what
 * was measured. */

#include "loopdata.h"
#include "place_rule.h"
#include "step.h"

/* Where the host's processors work. */
enum op2i_place op2i_host_place(op2_context ctx);
/* What OP2_PLACE says of a loop, or, where that is nothing, what becomes of it. */
struct op2i_rule op2i_loop_rule(const struct op2i_loop *loop);

/* cost.c: nanoseconds that an element of the loop takes on the host, where that is not known by its data;
 * seconds that steps take where they run, on the host in one thread. */
double op2i_loop_ns(const struct op2i_loop *loop);
double op2i_program_seconds(const struct op2i_step *steps, int64_t nsteps);

/* The forms of code that loops of a context may be asked for: the host's, and, where there is a device,
 * the device's. */
enum { OP2I_WISHES = 2 };
int op2i_wishes(op2_context ctx, enum op2i_variant wishes[OP2I_WISHES]);
/* Whether a loop may run in the form. */
bool op2i_loop_wants(const struct op2i_loop *loop, enum op2i_variant wish);

/* Whether it may run in two parts, one of them on the device. */
bool op2i_loop_may_split(const struct op2i_loop *loop);

/* Give a step of a loop, whose code is there, its place and its function. */
void op2i_step_place(struct op2i_step *step, enum op2i_variant wish);
/* trial.c: how many of n steps are to run together: where one of their loops is to be tried on the device, not too
 * many, so that those behind them gain from it. */
int64_t op2i_steps_together(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n);
/* Choose places for steps of a program that are about to run together, or for one. */
void op2i_steps_place(struct op2i_sched *sched, struct op2i_step *steps, int64_t n);

#endif
