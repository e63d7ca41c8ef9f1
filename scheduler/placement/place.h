/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SCHED_PLACE_H
#define OP2I_SCHED_PLACE_H

/* The choice between the host's processors and a device, as OP2_PLACE says or by measured costs. */

#include "loopdata.h"
#include "place_rule.h"
#include "step.h"

/* The place of loops that the host's processors run: OP2I_SHADOW in contexts that check copies with
 * a shadow device, else OP2I_HOST. */
enum op2i_place op2i_host_place(op2_context ctx);
/* The rule of OP2_PLACE for a loop, or the default where it has none. */
struct op2i_rule op2i_loop_rule(const struct op2i_loop *loop);

/* cost.c: nanoseconds an element of the loop takes on the host, estimated from its data
 * while it has not been measured; and seconds that steps take where they run, counting
 * one thread on the host. */
double op2i_loop_ns(const struct op2i_loop *loop);
double op2i_program_seconds(const struct op2i_step *steps, int64_t nsteps);

/* The code variants that loops of a context may need: the host's and, where there is a
 * device, the device's. */
enum { OP2I_WISHES = 2 };
int op2i_wishes(op2_context ctx, enum op2i_variant wishes[OP2I_WISHES]);
/* The code variants that are compiled for loops of a context: those that they may need and, where
 * the checked mode judges a sample, the one that runs all elements. */
enum { OP2I_COMPILED = OP2I_WISHES + 1 };
int op2i_compiled(op2_context ctx, enum op2i_variant variants[OP2I_COMPILED]);
/* True if a loop may run as this variant. */
bool op2i_loop_wants(const struct op2i_loop *loop, enum op2i_variant wish);

/* True if the loop may run in two parts, one of them on the device. */
bool op2i_loop_may_split(const struct op2i_loop *loop);

/* How many bytes ahead the loop's next run prefetches; 0: it does not. */
int64_t op2i_loop_distance(const struct op2i_loop *loop);
/* Set a step's place, its function, which must have been compiled, and whether that prefetches. */
void op2i_step_place(struct op2i_step *step, enum op2i_variant wish);
/* device_probe.c: the number of the n steps that are to run together. Where one of their loops
 * is due for a probe on the device, the number is limited, so that later steps already
 * profit from the result. */
int64_t op2i_steps_together(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n);
/* Choose places for steps of a program that are about to run together, or for one step. */
void op2i_steps_place(struct op2i_sched *sched, struct op2i_step *steps, int64_t n);

#endif
