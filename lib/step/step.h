/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STEP_H
#define OP2I_STEP_H

/* Steps, of which programs consist, and the combination of their reductions. */

#include <stdbool.h>
#include <stdint.h>

#include "allreduce.h"
#include "buffer.h"
#include "code.h"
#include "op2/status.h"

struct op2i_convoy;
struct op2i_exchange;
struct op2i_loop;
struct op2i_plan;
struct op2i_task_list;
struct op2i_version;

enum op2i_step_kind {
  OP2I_STEP_LOOP,   /* a loop over one of its ranges: backends run it */
  OP2I_STEP_BEGIN,  /* a halo exchange begins: rows are packed and sent */
  OP2I_STEP_END,    /* a halo exchange ends: received rows are in their place */
  OP2I_STEP_CALL,   /* another operation, which the scheduler runs in its own thread */
  OP2I_STEP_SEND,   /* reductions of loops begin to be combined over ranks */
  OP2I_STEP_REDUCE, /* they are combined, and folded into the globals */
};

/* The execution modes of a task backend for the steps that it is handed together, and their
 * statistics: how often each mode ran, how long it took and why the last one was chosen. */
enum op2i_exec_mode { OP2I_MODE_HERE, OP2I_MODE_TEAM, OP2I_MODE_TASKS, OP2I_MODES };
struct op2i_mode_stats {
  int64_t runs[OP2I_MODES];
  double takes[OP2I_MODES]; /* seconds; 0: not known */
  double debt; /* seconds that a team took more than the calling thread, minus those it saved */
  double saves, seconds;    /* the last estimate: seconds that a team saves, of how many */
  int pause, last_pause;    /* runs until a team is tried again */
  bool either;              /* True if both a team and tasks are suitable */
  enum op2i_exec_mode kept; /* the faster of the two; OP2I_MODE_HERE: not known yet */
  int trial, lost; /* runs left in which the other mode is tried; how often it has lost since */
  double waited;   /* seconds that each thread was idle since the last trial */
  const char *why; /* why the execution mode of the last run was chosen, a literal */
};

/* Bytes of a dat of a loop that are copied from one place to another. */
struct op2i_move {
  int dat;
  enum op2i_place to;
  struct op2i_source source;
};

/* The ratio of the rows of each set that the host and the device have; the host has the first rows.
 * {0, 0}: the loop is not split. The same ratio cuts a set at the same row for all loops, so that
 * their results are where the next loops need them. */
struct op2i_split {
  int32_t host, device;
};
/* Return the first row of the device's part. */
static inline int64_t op2i_split_row(struct op2i_split split, int64_t rows) {
  enum { LINE = 64 };
  double first = (double)rows * split.host / ((double)split.host + split.device);
  return rows < LINE * LINE ? (int64_t)first : (int64_t)first / LINE * LINE;
}
static inline bool op2i_is_split(struct op2i_split split) { return split.device > 0; }

/* Where a step runs, and what has to be moved there first. */
struct op2i_step_where {
  enum op2i_place place;
  struct op2i_split split; /* the split of both halves while they share the loop */
  /* True for the device's half of a loop whose host half is the next step. Its `range` is 1, which
   * such a loop does not have otherwise, and it has no positions while the loop is not split. */
  bool device_half;
  /* The moves of dats that are needed before the step runs; the device half holds those of both
   * halves. `moves` has capacity for them once they are known. */
  struct op2i_move *moves;
  int nmoves;
};

/* Values of a loop's distinct dats, maps and globals in the place of the step. The step's `call`
 * points to the same values; all are requested before the step runs. Reductions end in `gbl`. */
struct op2i_step_values {
  struct op2i_version *const *versions; /* [ngbls], versions of the loop's distinct globals */
  void **dat;
  const int32_t **map;
  const int64_t **target; /* for its distinct maps, as in `call` */
  void **gbl;
  struct op2i_buffer results; /* partial results of all blocks, by op2i_step_begin() */
  unsigned char *partials; /* [nblocks][partial_bytes], `results` in the step's place; null: none */
};

/* A step that runs on the device only to measure its time there. */
struct op2i_step_probe {
  bool active;
  double estimated_seconds; /* of the step */
  double overhead_seconds;  /* that its copies and tables took */
};

/* How long a step took. */
struct op2i_step_time {
  bool untimed;        /* `seconds` does not count: an early run, or not waited for */
  double seconds;      /* in generated code, summed over workers, or on the device */
  int64_t nanoseconds; /* the same in nanoseconds while workers add to it */
  int64_t before;      /* that of the run before, noted by backends that need it; 0: none */
  double elapsed;      /* of a program that workers share: in its first step */
};

/* A backend is handed several steps at once: those that follow each other in one place, the host or
 * the device. A bundle holds what is kept for them. Since placement may change the places, a
 * program has a bundle for each step that may be the first of several. */
struct op2i_bundle {
  /* how often the steps' places were chosen by cost, and how many of them had a choice then */
  int64_t times_free, known_free;
  int64_t epoch; /* the context's epoch when all values but those of globals, requested at each run,
                    were last requested */
  struct op2i_task_list *tasks; /* for a task backend; freed by op2i_task_list_free() */
  struct op2i_mode_stats modes;
};

/* Part of a program, ready to run. Direct backends get loops only, and the fields below are about
 * loops; task backends also get steps that begin and end exchanges, and that send and combine
 * reductions. */
struct op2i_step {
  enum op2i_step_kind kind;
  struct op2i_exchange *exchange; /* the exchange that begins or ends */
  struct op2i_convoy *convoy;     /* the reductions that ranks combine */
  struct op2i_loop *loop;         /* null: the step is not a loop */
  int64_t number;                 /* loop number, for messages */
  const char *file;               /* where the loop was queued */
  int line;
  void *function; /* the generated code, for the backend's variant */
  struct op2i_call call;
  int64_t lo, hi;               /* positions */
  int range;                    /* index of the loop's range */
  bool reduces;                 /* True if partial results are folded into the globals, */
  bool defers;                  /* True if the step that combines the ranks' results does it */
  bool ends_here;               /* on a device: the host folds; else globals stay there */
  bool late_globals;            /* True if globals stay on the host until it runs: a bundle of
                                         several places */
  const struct op2i_plan *plan; /* null: the backend needs none */
  struct op2i_step_where where;
  struct op2i_step_values values;
  struct op2i_step_probe probe;
  struct op2i_step_time time;
  struct op2i_bundle *bundle; /* the program's, of the steps that run together from here on */
};

/* Reductions. A block's partial result starts from the identity of its mode (MIN and MAX: the
 * global's present value). Partial results are combined in a fixed tree over the block number, so
 * the result does not depend on the workers. op2i_step_begin() provides memory for `nblocks`
 * partial results, which steps that run again keep; op2i_partial_init() sets one of them to its
 * start value; op2i_step_combine() folds all of them into the globals; op2i_step_end() frees the
 * memory. */
op2_status op2i_step_begin(struct op2i_step *step, int64_t nblocks);
void op2i_partial_init(const struct op2i_step *step, unsigned char *partial);
void op2i_step_combine(struct op2i_step *step, int64_t nblocks);
void op2i_step_end(struct op2i_step *step);

/* The reductions of a loop whose steps defer them, to be combined among ranks. */
struct op2i_reduction {
  struct op2i_step *steps; /* [n], steps of the loop's ranges */
  int64_t n;
  int64_t group; /* of the loop in its program */
  bool lost;     /* True if it has failed on this rank: others get arbitrary values, globals stay */
  op2_status status; /* out: of this rank */
  size_t at, bytes;  /* scratch: offset and bytes in the message */
};
/* Bytes that ranks send for one loop. The reductions of several loops go in one message if they
 * take at most OP2I_REDUCED_TOGETHER bytes together. */
enum { OP2I_REDUCED_TOGETHER = OP2I_ALLREDUCE_BYTES };
size_t op2i_reduction_bytes(const struct op2i_loop *loop);

/* Reductions that ranks combine together. No two loops may have the same version of a global. */
struct op2i_convoy {
  struct op2i_reduction *reductions; /* [n] */
  int n;
  size_t bytes; /* of the message */
  struct op2i_allreduce travel;
  _Alignas(16) unsigned char message[OP2I_REDUCED_TOGETHER];
};
/* Make a convoy of these reductions, which stay the caller's. */
struct op2i_convoy op2i_convoy_make(struct op2i_reduction *reductions, int n);
/* True if it fits into a message. Otherwise it is one reduction, which op2i_convoy_combine()
 * combines as a whole. */
static inline bool op2i_convoy_small(const struct op2i_convoy *convoy) {
  return convoy->bytes <= OP2I_REDUCED_TOGETHER;
}
/* A small convoy in pieces: pack this rank's results, which needs memory for ranges without
 * elements unless op2i_convoy_reserve() has taken it; let them travel; and fold the results of all
 * ranks into the globals. Starting and waiting are collective. */
op2_status op2i_convoy_reserve(struct op2i_convoy *convoy);
void op2i_convoy_pack(struct op2i_convoy *convoy);
op2_status op2i_convoy_start(struct op2i_convoy *convoy);
op2_status op2i_convoy_over(struct op2i_convoy *convoy, bool wait, bool *over);
void op2i_convoy_unpack(struct op2i_convoy *convoy);
/* Pack and start; wait and unpack. */
op2_status op2i_convoy_begin(struct op2i_convoy *convoy);
op2_status op2i_convoy_end(struct op2i_convoy *convoy);
/* Combine a convoy of any size, and wait for the results. Collective. */
op2_status op2i_convoy_combine(struct op2i_convoy *convoy);

#endif
