/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TASKS_H
#define OP2I_TASKS_H

#include "backend.h"
#include "place.h"
#include "step.h"

/* A program cut into tasks with explicit dependences. Tasks are numbered from 0 in the order of the
 * program, and depend on lower numbers only, so it is always correct to run them by number. */

enum op2i_task_kind {
  OP2I_TASK_CHUNK,  /* entries first..last-1 of the plan's blkmap: of one colour, or all */
  OP2I_TASK_REDUCE, /* combine the partial results of all blocks of the step */
  OP2I_TASK_PACK,   /* pack leg `first` of the exchange, or the convoy, that begins with the step */
  OP2I_TASK_UNPACK, /* unpack a leg of the exchange, or the convoy, that ends with the step, after
                       its messages */
  OP2I_TASK_MOVE,   /* make the copy that is the step's move `first` */
  OP2I_TASK_DEVICE /* all of the step, on the device */
};

struct op2i_task {
  enum op2i_task_kind kind;
  int64_t step;
  int32_t first, last;
  int64_t first_dep, ndeps; /* index into the list's deps, which are numbers of tasks */
  int32_t stage; /* the number from 1 of the last exchange or convoy that it waits for, among those
                    that end in the program; 0: it waits for none */
};

/* All tasks of a program. They do not depend on values, so a program that runs again keeps them. */
struct op2i_task_list {
  struct op2i_task *tasks;
  int64_t ntasks, tasks_capacity;
  int64_t *deps;
  int64_t ndeps, deps_capacity;
  double seconds;  /* estimated seconds of the program when it was cut */
  uint64_t places; /* hash of the places and copies of its steps at that time */
  int32_t nstages; /* number of exchanges and convoys that end in the program */
  int64_t *free;   /* [nstages + 1] number of tasks that can run before number s + 1 of these has
                      ended: those of stages up to s */
};

/* Cut steps into tasks. Chunks hold about chunk_us microseconds of measured work, and a loop that
 * is large enough has several for each worker. Memory for partial results is allocated. After a
 * failure the list is empty. */
op2_status op2i_tasks_build(op2_context ctx, struct op2i_step *steps, int64_t nsteps, int workers,
                            int chunk_us, struct op2i_task_list *list);
void op2i_task_list_clear(struct op2i_task_list *list);
void op2i_task_list_free(struct op2i_task_list **list); /* clears and nulls; takes null */
/* Begin an exchange or a convoy, or wait for its end: the whole step runs in this thread. */
op2_status op2i_exchange_step_run(struct op2i_step *step);
/* True if messages are awaited when the step ends. */
static inline bool op2i_step_receives(const struct op2i_step *step) {
  return step->kind == OP2I_STEP_END || step->kind == OP2I_STEP_REDUCE;
}
/* Run a program in this thread, in order. Only memory for partial results is needed. */
op2_status op2i_tasks_run_here(struct op2i_step *steps, int64_t nsteps);
/* verify_tasks.c: check that the dependences order every pair of tasks that access a value
 * in conflicting ways. */
op2_status op2i_task_list_verify(struct op2i_step *steps, const struct op2i_task_list *list);

/* The value of op2i_task_list.places for the steps as they are now. */
uint64_t op2i_steps_places(const struct op2i_step *steps, int64_t nsteps);
/* Make the copies that the step needs where it runs. */
op2_status op2i_step_moves_run(struct op2i_step *step);
/* Run one task. Only tasks that involve a device can fail. */
op2_status op2i_task_run(struct op2i_step *step, enum op2i_task_kind kind, int32_t first,
                         int32_t last);

#endif
