/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_EXEC_MODE_H
#define OP2I_EXEC_MODE_H

#include <stdio.h>

#include "context.h"
#include "step.h"

/* The execution modes of a task backend: it runs a program in the calling thread, by a team, or as
 * tasks. All bits of results are the same, so the choice may depend on measured times. */

/* The workers that are available. */
struct op2i_workers_info {
  int count;
  int members; /* members of the team; less than 2: there is no team */
  bool awake;  /* true if its members need not be called */
  bool over;   /* true if the workers have ended */
};

/* Choose the execution mode for steps that run together now, by the times of their loops. The
 * reason is kept in the first step. */
enum op2i_exec_mode op2i_mode_choose(struct op2i_step *steps, int64_t nsteps,
                                     const struct op2i_config *config,
                                     const struct op2i_workers_info *workers);
/* Report that a program has run in that mode: seconds by the clock, and of these the seconds that
 * each thread was idle. A team that turns out to be slower than the calling thread was, because the
 * cores have other things to do or members are far from each other, is not used for a while, which
 * gets longer each time. Of a team and tasks the slower one is tried again when the time lost by
 * waiting equals the estimated cost of a trial. */
void op2i_mode_ran(struct op2i_mode_stats *modes, enum op2i_exec_mode mode, double seconds,
                   double waited);
/* Print a line for op2_explain() about steps that have run. */
void op2i_mode_explain(const struct op2i_mode_stats *modes, FILE *stream);

#endif
