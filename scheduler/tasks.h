/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TASKS_H
#define OP2I_TASKS_H

#include "backend.h"
#include "loopdata.h"

/* A program cut into tasks with explicit dependences. Tasks are numbered from 0 in the order of the
 * program, and depend on lower numbers only: running them by number is always right. Task kinds are
 * open: halo exchange and host access are to follow. */

enum op2i_task_kind {
  OP2I_TASK_CHUNK, /* entries first..last-1 of the plan's blkmap: of one colour, or all */
  OP2I_TASK_REDUCE /* combine the partial results of all blocks of the step */
};

struct op2i_task {
  enum op2i_task_kind kind;
  int64_t step;
  int32_t first, last;
  int64_t ndeps;
  const int64_t *deps; /* task numbers, valid during the call that hands the task over */
};

/* Takes the next task over. */
typedef op2_status (*op2i_task_sink)(void *to, int64_t number, const struct op2i_task *task);

/* How far a program has been handed over: the first `block` entries of the step's blkmap, and all
 * steps before. */
struct op2i_place {
  int64_t step;
  int32_t block;
  bool begun; /* op2i_step_begin() has been called for the step */
};

/* Cut steps into tasks and give them to the sink one by one; chunks hold about chunk_us of measured
 * work, and a loop that is large enough has several for each worker. When memory runs out, *place
 * is where. */
op2_status op2i_tasks_build(struct op2i_step *steps, int64_t nsteps, int workers, int chunk_us,
                            op2i_task_sink sink, void *to, struct op2i_place *place);
/* Run the rest of a program here, once all tasks handed over have ended. Needs next to no memory.
 */
op2_status op2i_tasks_finish(struct op2i_step *steps, int64_t nsteps, struct op2i_place place);
/* verify_tasks.c: all tasks of a program, and whether their dependences order every pair that
 * touches a value in conflicting ways. */
struct op2i_listed {
  enum op2i_task_kind kind;
  int64_t step;
  int32_t first, last;
  int64_t first_dep, ndeps;
};
struct op2i_task_list {
  struct op2i_listed *tasks;
  int64_t ntasks, tasks_capacity;
  int64_t *deps;
  int64_t ndeps, deps_capacity;
};
op2_status op2i_tasks_list(struct op2i_step *steps, int64_t nsteps, int workers, int chunk_us,
                           struct op2i_task_list *list);
void op2i_task_list_free(struct op2i_task_list *list);
op2_status op2i_task_list_verify(struct op2i_step *steps, const struct op2i_task_list *list);
op2_status op2i_tasks_verify(struct op2i_step *steps, int64_t nsteps, int workers, int chunk_us);

/* Time the program should take in one thread. */
double op2i_program_seconds(const struct op2i_step *steps, int64_t nsteps);
/* Run one task. */
void op2i_task_run(struct op2i_step *step, enum op2i_task_kind kind, int32_t first, int32_t last);

#endif
