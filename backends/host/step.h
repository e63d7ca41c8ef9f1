/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STEP_H
#define OP2I_STEP_H

/* Steps: what programs are made of, and how their reductions are put together. */

#include <stdbool.h>
#include <stdint.h>

#include "buffer.h"
#include "code.h"
#include "op2/status.h"

struct op2i_exchange;
struct op2i_loop;
struct op2i_plan;
struct op2i_task_list;
struct op2i_tile_plan;
struct op2i_version;

enum op2i_step_kind {
  OP2I_STEP_LOOP,   /* a loop over one of its ranges: backends run it */
  OP2I_STEP_BEGIN,  /* an exchange of halos begins: rows are packed and on their way, */
  OP2I_STEP_END,    /* and ends: what others have sent is where it belongs */
  OP2I_STEP_CALL,   /* another operation: the scheduler runs it, in its own thread; */
  OP2I_STEP_REDUCE, /* as well as putting together what ranks have of a loop's reductions */
};

/* The ways in which a task backend runs the steps that it is handed together, how often it took
 * which, what that took and why it took the last one. */
enum op2i_way { OP2I_WAY_HERE, OP2I_WAY_TEAM, OP2I_WAY_TASKS, OP2I_WAYS };
struct op2i_ways {
  int64_t runs[OP2I_WAYS];
  double takes[OP2I_WAYS]; /* seconds, 0: not known */
  double debt; /* seconds that a team took more than the calling thread, those it saved taken off */
  double saves, seconds; /* by the last estimate for a team, and of what */
  int pause, last_pause; /* runs until it is tried again */
  bool either;           /* a team and tasks would both do, and */
  enum op2i_way kept; /* this one is the faster, as far as is known; neither: that was not asked */
  int trial, lost;    /* runs left in which the other is tried, and how often it has lost since */
  double waited;      /* seconds that each thread was without work since it was tried */
  const char *why;    /* a literal */
};

/* Bytes of a dat of a loop that come from one place to another. */
struct op2i_move {
  int dat;
  enum op2i_place to;
  struct op2i_source source;
};

/* Of as many rows of each set together, how many are the host's, which has the first, and the device's; none
 * are: a loop is not split. The same ratio cuts a set in the same place for all loops, so that what they
 * make is where they need it. */
struct op2i_split {
  int32_t host, device;
};
/* The first row of the device's. */
static inline int64_t op2i_split_row(struct op2i_split split, int64_t rows) {
  enum { LINE = 64 };
  double first = (double)rows * split.host / ((double)split.host + split.device);
  return rows < LINE * LINE ? (int64_t)first : (int64_t)first / LINE * LINE;
}
static inline bool op2i_is_split(struct op2i_split split) { return split.device > 0; }

/* Part of a program, ready to run. Direct backends are handed loops only, and what follows is about
 * them; task backends also get what begins and ends exchanges. */
struct op2i_step {
  enum op2i_step_kind kind;
  struct op2i_exchange *exchange; /* that begins or ends */
  int64_t reduced;                /* of a step that puts together: the first of its loop's steps */
  struct op2i_loop *loop;         /* null: it is none */
  int64_t number;                 /* loop number, for messages */
  const char *file;               /* where it was queued */
  int line;
  void *function; /* by the backend's variant */
  struct op2i_call call;
  int64_t lo, hi; /* positions */
  int range;      /* of the loop's ranges */
  bool reduces;   /* fold partial results into the globals, */
  bool defers;    /* but leave that to who has those of other ranks */
  bool ends_here; /* on a device: that is done on the host; else globals stay there */
  bool late;      /* globals are the host's until it runs: steps of several places run together */
  /* The device's part of the loop that the step behind it runs on the host: `range` is 1, which such a
   * loop has not, and it has no positions while that is not split. */
  bool twin;
  struct op2i_split split;              /* of both, while they share the loop */
  const struct op2i_plan *plan;         /* null when the backend wants none */
  enum op2i_place place;                /* where it runs */
  struct op2i_version *const *versions; /* [ngbls] of the loop's distinct globals */
  /* Values of its distinct dats, maps and globals in that place. What `call` points to is the same;
   * all are asked for before it runs. Reductions end in `gbl`. */
  void **dat;
  const int32_t **map;
  const int64_t **target; /* of its distinct maps, as `call` has it */
  void **gbl;
  /* Of its dats, what has to be brought before it runs, and its twin has what both need; where that is
   * known, `moves` has room for it. */
  struct op2i_move *moves;
  int nmoves;
  /* Of the first of the steps that run together: how often their places were chosen by what they take, and
   * how many of them that is known of. */
  int64_t times_free, known_free;
  /* It is on the device only to find out what that takes; seconds that this was held to take, and that copies
   * and tables have taken. */
  bool tried;
  double held, spent;
  int64_t epoch; /* of the first of the steps that are run together: the context's, when all of them
                    were last asked for but those of globals, which are asked for at each run */
  /* Steps of a chain that is run tile by tile share `tiles`; the first says how many they are. */
  const struct op2i_tile_plan *tiles;
  int32_t chain;
  void *function_list;          /* the function over lists of elements; null without tiles */
  struct op2i_task_list *tasks; /* of the first of the steps that a task backend runs together:
                                   what it worked out for them before; for op2i_task_list_free() */
  struct op2i_ways ways;        /* of the same one: how they ran */
  struct op2i_buffer results;   /* of reductions: of each block those of its own, by
                                 op2i_step_begin() */
  unsigned char *partials; /* [nblocks][partial_bytes]: they, where the step runs; null: none */
  bool untimed;            /* out: a device went on, or began with something else */
  double seconds;          /* out: time in generated code, summed over workers, or on the device */
  int64_t nanoseconds;     /* the same while workers add to it */
  double clock_seconds;    /* out: on the clock; of a program that workers share, the first step has
                              those of all */
};

/* Reductions. A block's partial starts from the identity of its mode (MIN and MAX: the global's
 * present value) and partials are combined in a fixed tree over the block number, so the result
 * does not depend on workers. op2i_step_begin() sees to memory for `nblocks` partials, which steps
 * that run again keep; op2i_partial_init() fills one; op2i_step_combine() puts all of them into the
 * globals; op2i_step_end() frees. */
op2_status op2i_step_begin(struct op2i_step *step, int64_t nblocks);
void op2i_partial_init(const struct op2i_step *step, unsigned char *partial);
void op2i_step_combine(struct op2i_step *step, int64_t nblocks);
void op2i_step_end(struct op2i_step *step);

/* Among ranks: what there is to combine of a loop whose steps defer. */
struct op2i_reduction {
  struct op2i_step *steps; /* [n], of its ranges */
  int64_t n;
  bool lost; /* it has failed on this rank: others get anything from it, and its globals stay */
  op2_status status; /* out: of this rank */
  size_t at, bytes;  /* scratch: in the message */
};
/* Bytes that ranks send of one. Of as many as together have no more than OP2I_REDUCED_TOGETHER all go
 * in one message. */
enum { OP2I_REDUCED_TOGETHER = 256 };
size_t op2i_reduction_bytes(const struct op2i_loop *loop);
/* Fold partial results of loops, and those of the same loops on all other ranks, into the globals. No
 * two are of one version of a global. Collective. */
op2_status op2i_steps_reduce(struct op2i_reduction *reductions, int n);

#endif
