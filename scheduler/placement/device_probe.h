/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_PROBE_H
#define OP2I_DEVICE_PROBE_H

/* Probes: single runs on the device of loops whose place is free, which measure their cost
 * as long as that is worth the time. Compilation, tables, copies and the run itself all
 * count as time spent. */

#include "place.h"

/* True if the loop's code for the device is compiled only when a probe is due, or comes
 * from a cache: where its place is free and the device is the host's own processors,
 * which can gain little. */
bool op2i_probe_defers_compile(const struct op2i_loop *loop);
/* True if compilation was deferred and the code is not there yet. */
bool op2i_probe_waits(const struct op2i_loop *loop);
/* One of the steps' loops whose compilation was deferred and is worth its time now, or null. The
 * caller compiles it and reports the seconds that this took to op2i_probe_has_code(). A loop for
 * which that gave no code is not returned again. Each rank does this independently. */
struct op2i_loop *op2i_probe_next_to_compile(struct op2i_sched *sched,
                                             const struct op2i_step *steps, int64_t n);
void op2i_probe_has_code(struct op2i_sched *sched, struct op2i_loop *loop, double seconds);
/* Start the probes that are due and affordable among the free steps. Steps whose cost is not known
 * lose their freedom and run on the host. True if any step is a probe. */
bool op2i_probes_begin(struct op2i_sched *sched, struct op2i_step *steps, int64_t n, bool *free,
                       unsigned char *where);
/* Report that a dat was copied to the device for a probe step; and that the step has run
 * and its time is known. */
void op2i_probe_add_copy_time(struct op2i_step *step, double seconds, size_t bytes);
void op2i_probe_end(const struct op2i_step *step);

#endif
