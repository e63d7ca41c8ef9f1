/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRIAL_H
#define OP2I_TRIAL_H

/* Finding out what loops whose place is free take on the device: by single runs there, as far as that is worth
 * the time. All that it takes counts: compilers, tables, copies and the run itself. */

#include "place.h"

/* Whether the loop's code for the device is had only when it is about to be tried there, or from a cache:
 * where its place is free and the device is the host's own processors, which can gain little. */
bool op2i_trial_puts_off(const struct op2i_loop *loop);
/* Whether it was put off, and is not there yet. */
bool op2i_trial_waits(const struct op2i_loop *loop);
/* One of the steps' loops whose code waits, and that is worth having now, or null. Whoever has seen to it says what
 * that took; where there is none it is not asked for again. Ranks do that each for itself. */
struct op2i_loop *op2i_trial_wants_code(struct op2i_sched *sched, const struct op2i_step *steps,
                                        int64_t n);
void op2i_trial_has_code(struct op2i_sched *sched, struct op2i_loop *loop, double seconds);
/* Of the steps that are free: have those tried on the device that are due and can be paid for. Those of
 * which it is not known what they take are free no longer, and on the host. Returns whether any is tried. */
bool op2i_trials_begin(struct op2i_sched *sched, struct op2i_step *steps, int64_t n, bool *free,
                       unsigned char *where);
/* A step that is tried has had a dat brought to the device; it has run, and what it took is known. */
void op2i_trial_copied(struct op2i_step *step, double seconds, size_t bytes);
void op2i_trial_end(const struct op2i_step *step);

#endif
