/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_WAYS_H
#define OP2I_WAYS_H

#include <stdio.h>

#include "context.h"
#include "step.h"

/* Which way a task backend runs a program: in the calling thread, by a team, or as tasks. No bit of
 * any result depends on it, so it may depend on what was measured. */

/* What there is to run it with. */
struct op2i_crew {
  int workers;
  int members; /* of the team; less than 2: there is none */
  bool awake;  /* its members need not be called */
  bool over;   /* the workers have ended */
};

/* The way for steps that run together now, by what their loops take. The first step keeps the
 * reason. */
enum op2i_way op2i_way_choose(struct op2i_step *steps, int64_t nsteps,
                              const struct op2i_config *config, const struct op2i_crew *crew);
/* They have run that way and took so long, on the clock, of which each thread waited so long. A team
 * that turns out to be slower than the calling thread was, because the cores have other things to do
 * or members are far from each other, is left alone for a while, for longer each time. Of a team and
 * tasks the slower one is tried again when waiting has cost as much as that may. */
void op2i_way_ran(struct op2i_ways *ways, enum op2i_way way, double seconds, double waited);
/* A line for people, of steps that have run. */
void op2i_ways_explain(const struct op2i_ways *ways, FILE *stream);

#endif
