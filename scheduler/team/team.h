/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TEAM_H
#define OP2I_TEAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "idle.h"
#include "step.h"
#include "tree.h"

/* A team: the thread that has a program to run and workers that have nothing else to do run it
 * together, step after step and colour after colour. Teams are for programs that are too small for
 * tasks. The blocks of a colour are dealt out in equal shares, the same ones each time, so that a
 * member finds in its cache what it left there; a member that has finished its own share takes
 * blocks of the others'. A *turn* is over when all its blocks have run, on any member: the team
 * does not wait for a member that is missing or was preempted, unless it has begun a block. The
 * member that ran the last block deals the next turn; colours that are too small to share it runs
 * by itself. Members that wait spin for a moment and then sleep.
 *
 * Eight members make a squad, which sees the turn in a line of its own and counts its blocks in
 * another one (tree.h). What several members write is two cache lines apart, since processors fetch
 * lines in pairs. */

enum {
  OP2I_TEAM_MOST = 512, /* members */
  OP2I_TEAM_SQUADS = OP2I_TEAM_MOST / OP2I_TREE_ARITY,
  OP2I_TEAM_NODES = OP2I_TEAM_SQUADS + OP2I_TEAM_SQUADS / OP2I_TREE_ARITY + 1
};

/* A turn as a squad sees it. The member that deals a turn writes its number last, and 0 into `of`
 * while the other fields change. */
struct op2i_team_view {
  _Alignas(128) uint64_t turn; /* even while the turn lasts, odd when the program is over */
  uint64_t of;                 /* the turn that the following belongs to */
  struct op2i_step *step;
  int32_t first, blocks; /* of the turn, as index into the plan's blkmap */
  int32_t together;      /* blocks that a member takes at a time, at most */
};

/* The blocks of a turn that belong to one member. */
struct op2i_team_share {
  /* The last turn in which blocks were taken, and the number of its blocks that were not. Nobody
   * writes it when a turn is dealt: in a turn with a higher number all blocks are left. */
  _Alignas(128) uint64_t word;
};

struct op2i_team {
  int members;
  int64_t linger;       /* nanoseconds that members look for another program */
  const int *nodes;     /* [members]: their NUMA nodes; null: they do not matter */
  bool (*others)(void); /* true if there is other work for members than programs */
  pthread_mutex_t busy; /* held while a program runs */
  pthread_mutex_t lock; /* of members that sleep */
  pthread_cond_t turned;
  /* These are written once in a program. */
  _Alignas(128) int64_t since; /* time when the last program was over */
  int caller;                  /* the share of the thread whose program runs, or ran last */
  bool recorded;               /* what members take is noted (schedule.h) */
  struct op2i_trace *trace;    /* the timeline of the running context, or null */
  bool always;                 /* share every turn that has at least two blocks */
  /* The program, and the place of the turn in it; used by the member that deals. */
  _Alignas(128) struct op2i_step *steps;
  int64_t nsteps, step;
  int32_t colour;
  int asleep;     /* members that wait for the next turn and no longer spin */
  uint64_t dealt; /* the last turn; views show it a moment later */
  /* Twice the number of turns that are over, and 1 more if the blocks of a turn have run before it
   * was dealt to all squads, or the other way round. */
  _Alignas(128) uint64_t halves;
  _Alignas(128) int present; /* members that look for work, or have some */
  struct op2i_team_view views[OP2I_TEAM_SQUADS];
  /* Tallies of blocks that have run, and of blocks of shares in which none is left to take; the
   * latter is kept if there are several squads. */
  _Alignas(128) struct op2i_tally_node done[OP2I_TEAM_NODES];
  _Alignas(128) struct op2i_tally_node emptied[OP2I_TEAM_NODES];
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
