/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TEAM_H
#define OP2I_TEAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "rest.h"
#include "step.h"

/* A team: the thread that has a program to run and workers that have nothing else to do run it
 * together, step after step and colour after colour, for programs too small for tasks.
 *
 * The blocks of a colour are dealt out in equal shares, the same ones each time, so that a member
 * finds in its cache what it left there; who is through with its own takes from the others'. A
 * *turn* is over when all its blocks have run, whoever ran them: nobody waits for a member that has
 * not come, or was sent away by the system, unless it has begun a block. Who ran the last one deals
 * the next turn; what is too little to share it runs by itself. Members that wait spin for a moment
 * and then sleep. */

enum { OP2I_TEAM_MOST = 64 }; /* members */

/* The blocks of a turn that one member has by right. What several write is two cache lines apart:
 * processors fetch them in pairs. */
struct op2i_team_share {
  _Alignas(128) uint64_t word; /* the turn, and how many of them nobody has taken */
  int32_t end;                 /* one past the last, in the plan's blkmap */
};

struct op2i_team {
  int members;
  int64_t linger;       /* nanoseconds that members look for another program */
  bool (*others)(void); /* whether others than programs have work for members */
  pthread_mutex_t busy; /* whose program runs has it */
  pthread_mutex_t lock; /* of those who sleep */
  pthread_cond_t turned;
  /* The program, and where in it the turn is; for whoever deals. */
  struct op2i_step *steps;
  int64_t nsteps, step;
  int32_t colour;
  uint64_t dealt;              /* the last turn, which `turn` becomes in a moment */
  bool always;                 /* share whatever can be shared */
  _Alignas(128) uint64_t turn; /* even while it lasts, odd when the program is over */
  int64_t since;               /* when the last program was over */
  int caller;                  /* the share of the thread whose program runs, or ran last */
  int asleep;                  /* members that wait for the next turn and no longer spin */
  _Alignas(128) int64_t left;  /* blocks of the turn that have not run */
  _Alignas(128) int present;   /* members that look for work, or have some */
  struct op2i_team_share shares[OP2I_TEAM_MOST];
};

void op2i_team_open(struct op2i_team *team, int members, int64_t linger_ns, bool (*others)(void));
void op2i_team_destroy(struct op2i_team *team);

/* Whether a team can run the step: a loop on the host, with nothing that comes from elsewhere. */
bool op2i_team_takes(const struct op2i_step *step);
/* What a team of so many is expected to save of the time that one thread takes for the steps, in
 * seconds, if every turn that is worth it is shared. */
double op2i_team_saves(const struct op2i_step *steps, int64_t nsteps, int members);
/* Run a program, whose partial results have their memory, with the members that come; workers that
 * rest are called. The calling thread has that share. With `always` turns are also shared where that
 * does not pay. False when another program has the team, or workers have tasks: nothing has run. */
bool op2i_team_run(struct op2i_team *team, struct op2i_rest *rest, struct op2i_step *steps,
                   int64_t nsteps, int share, bool always);
/* By a worker between tasks: take part in programs as the member with that share, until there has
 * been none for a moment, the calling thread of one has the share, or there are tasks, a program's or
 * those of others. */
void op2i_team_help(struct op2i_team *team, const struct op2i_rest *rest, int share);
/* Whether all members but the calling thread are there, so that a program need not call them. */
bool op2i_team_awake(const struct op2i_team *team);

#endif
