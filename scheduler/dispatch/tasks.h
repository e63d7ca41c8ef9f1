/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TASKS_H
#define OP2I_TASKS_H

#include "backend.h"
#include "place.h"
#include "step.h"

/* A program cut into tasks with explicit dependences. Tasks are numbered from 0 in the order of the
 * program, and depend on lower numbers only: running them by number is always right. */

enum op2i_task_kind {
  OP2I_TASK_CHUNK,  /* entries first..last-1 of the plan's blkmap: of one colour, or all */
  OP2I_TASK_TILE,   /* tile `first` of the chain that begins at the step */
  OP2I_TASK_REDUCE, /* combine the partial results of all blocks of the step */
  OP2I_TASK_PACK,   /* of the exchange that begins with the step, leg `first` */
  OP2I_TASK_UNPACK, /* of the exchange that ends with the step, when its messages are over */
  OP2I_TASK_MOVE,   /* bring what the step's move `first` says */
  OP2I_TASK_DEVICE  /* all of the step, on the device */
};

struct op2i_task {
  enum op2i_task_kind kind;
  int64_t step;
  int32_t first, last;
  int64_t first_dep, ndeps; /* into the list's deps: numbers of tasks */
  int32_t stage; /* of the exchanges that end in the program, the number of the last one that it
                    waits for, from 1; 0: of none */
};

/* All tasks of a program. They say nothing of values, so a program that runs again keeps them. */
struct op2i_task_list {
  struct op2i_task *tasks;
  int64_t ntasks, tasks_capacity;
  int64_t *deps;
  int64_t ndeps, deps_capacity;
  double seconds; /* the program should take, by what was known when it was cut */
  uint64_t places; /* where its steps were to run then, and what they were to bring */
  int32_t nstages; /* exchanges that end in the program */
  int64_t *free;   /* [nstages + 1] tasks that can run before the exchange of that number has ended:
                      those of lower stages, and of none */
};

/* Cut steps into tasks; chunks hold about chunk_us of measured work, and a loop that is large
 * enough has several for each worker. Memory for partial results is seen to. After a failure the
 * list is empty. */
op2_status op2i_tasks_build(struct op2i_step *steps, int64_t nsteps, int workers, int chunk_us,
                            struct op2i_task_list *list);
void op2i_task_list_clear(struct op2i_task_list *list);
void op2i_task_list_free(struct op2i_task_list **list); /* clears and nulls; null is fine */
/* Begin an exchange, or wait for its end: all of the step in this thread. */
op2_status op2i_exchange_step_run(struct op2i_step *step);
/* Run a program here, in order. Needs memory for partial results only. */
op2_status op2i_tasks_run_here(struct op2i_step *steps, int64_t nsteps);
/* verify_tasks.c: whether the dependences order every pair that touches a value in conflicting
 * ways. */
op2_status op2i_task_list_verify(struct op2i_step *steps, const struct op2i_task_list *list);

/* What op2i_task_list.places is for steps as they are now. */
uint64_t op2i_steps_places(const struct op2i_step *steps, int64_t nsteps);
/* Bring what the step has to have where it runs. */
op2_status op2i_step_moves_run(struct op2i_step *step);
/* Run one task. Only what is about a device can fail. */
op2_status op2i_task_run(struct op2i_step *step, enum op2i_task_kind kind, int32_t first,
                         int32_t last);

#endif
