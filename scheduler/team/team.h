/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TEAM_H
#define OP2I_TEAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "idle.h"
#include "step.h"

/* A team: the thread that has a program to run and workers that have nothing else to do run it
 * together, step after step and colour after colour. Teams are for programs that are too small for
 * tasks. The blocks of a colour are dealt out in equal shares, the same ones each time, so that a
 * member finds in its cache what it left there; a member that has finished its own share takes
 * blocks of the others'. A *turn* is over when all its blocks have run, on any member: the team
 * does not wait for a member that is missing or was preempted, unless it has begun a block. The
 * member that ran the last block deals the next turn; colours that are too small to share it runs
 * by itself. Members that wait spin for a moment and then sleep. */

enum { OP2I_TEAM_MOST = 64 }; /* members */

/* The blocks of a turn that are dealt to one member. What several members write is two cache lines
 * apart, since processors fetch lines in pairs. */
struct op2i_team_share {
  _Alignas(128) uint64_t word; /* the turn, and the number of its blocks that were not taken */
  int32_t end;                 /* one past the last block, as index into the plan's blkmap */
};

struct op2i_team {
  int members;
  int64_t linger;       /* nanoseconds that members look for another program */
  bool (*others)(void); /* true if there is other work for members than programs */
  pthread_mutex_t busy; /* held while a program runs */
  pthread_mutex_t lock; /* of members that sleep */
  pthread_cond_t turned;
  /* The program, and the place of the turn in it; used by the member that deals. */
  struct op2i_step *steps;
  int64_t nsteps, step;
  int32_t colour;
  uint64_t dealt;              /* the last turn; `turn` is set to it a moment later */
  bool recorded;               /* what members take is noted (schedule.h) */
  bool always;                 /* share every turn that has at least two blocks */
  int32_t together;            /* blocks of the turn that a member takes at a time, at most */
  _Alignas(128) uint64_t turn; /* even while the turn lasts, odd when the program is over */
  int64_t since;               /* time when the last program was over */
  int caller;                  /* index in `shares` of the thread whose program runs, or ran last */
  int asleep;                  /* members that wait for the next turn and no longer spin */
  _Alignas(128) int64_t left;  /* blocks of the turn that have not run */
  _Alignas(128) int present;   /* members that look for work, or have some */
  struct op2i_team_share shares[OP2I_TEAM_MOST];
};

void op2i_team_open(struct op2i_team *team, int members, int64_t linger_ns, bool (*others)(void));
void op2i_team_destroy(struct op2i_team *team);

/* True if a team can run the step: a loop on the host that needs no copies. */
bool op2i_team_takes(const struct op2i_step *step);
/* Estimated seconds that a team of `members` saves, compared with one thread, if every turn is
 * shared that is worth it. */
double op2i_team_saves(const struct op2i_step *steps, int64_t nsteps, int members);
/* Run a program, whose partial results have their memory, with the members that come; parked
 * workers are called. `share` is the calling thread's. With `always` turns are shared even
 * where that does not pay. False if another program has the team, or workers have tasks;
 * nothing has run then. */
bool op2i_team_run(struct op2i_team *team, struct op2i_idle *idle, struct op2i_step *steps,
                   int64_t nsteps, int share, bool always);
/* Called by a worker between tasks: take part in programs as the member with that share, until
 * there has been none for a moment, the calling thread of a program has the same share, or there
 * are tasks, of a program or of others. */
void op2i_team_help(struct op2i_team *team, const struct op2i_idle *idle, int share);
/* True if all members but the calling thread are present, so that a program need not call them. */
bool op2i_team_awake(const struct op2i_team *team);

#endif
