/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SCHEDULE_H
#define OP2I_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"

/* A record of which member of a team took which blocks in which turn, and when. It is written to
 * the file that OP2_SCHEDULE names, in the format that doc/dev/dispatch-model.md describes. Without
 * a file a team asks once for each run. */

struct op2i_step;

/* Blocks that a member has taken together; or, by n, another thing that it has done. */
enum { OP2I_SCHEDULE_STAY = 0 /* in a turn */, OP2I_SCHEDULE_FOLD = -1 /* combined partials */ };
struct op2i_schedule_event {
  const struct op2i_step *step;
  int32_t owner;    /* the member to whose share the blocks belong */
  int32_t first, n; /* entries of the plan's blkmap; of a stay the first one of the turn */
  int64_t came;     /* nanoseconds when the member came to the turn */
  int64_t begin, end;
};

/* Begin and end the recording for one context; they are counted. A file that cannot be written is
 * an error of the option. */
op2_status op2i_schedule_open(const char *path);
void op2i_schedule_close(void);

/* Begin the record of a run by a team of `members`, before any of them has work. False if there is
 * no file or another run is being recorded; nothing is noted and ended then. */
bool op2i_schedule_begin(const char *team, const struct op2i_step *steps, int64_t nsteps,
                         int members);
/* Note an event of one member, which calls this itself; what members note is kept apart. */
void op2i_schedule_note(int member, struct op2i_schedule_event event);
/* Write the record of the run, when all events of its members have been noted. */
void op2i_schedule_end(void);

#endif
