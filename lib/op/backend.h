/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_BACKEND_H
#define OP2I_BACKEND_H

/* What runs loops, as a table for each backend: implemented in backends/ and scheduler/dispatch. */

#include <stdbool.h>
#include <stdint.h>

#include "code.h"
#include "op2/status.h"
#include "op2/types.h"

struct op2i_step;
struct op2i_user_call;

struct op2i_backend {
  const char *name;
  const char *summary; /* one line for people */
  enum op2i_variant variant;
  bool needs_plan;
  const char *idle;                 /* why it runs no loops; null: it does */
  const char *(*unavailable)(void); /* null when usable, else why not */
  op2_status (*open)(op2_context ctx, void **state);
  void (*close)(void *state);
  int (*workers)(void *state);
  int (*most_workers)(void); /* that there can be; null: any number */
  /* The system's numbers of the processing units that workers are bound to, -1 for a worker that is
   * not bound to one; null: the only worker is the calling thread. */
  void (*processors)(void *state, int *numbers);
  bool passes; /* loops may be fused; else each is run by itself, in the order of calls */
  /* Direct backends run a step and wait. */
  op2_status (*run_step)(void *state, struct op2i_step *step);
  /* Have what else a step needs in memory to run, once its values are where it runs; null: nothing.
   * OP2_ERR_NOMEM of a device: the host is to run it. */
  op2_status (*prepare_step)(void *state, struct op2i_step *step);
  /* Task backends run all the loops of a program that follow each other, ordering them by the data
   * they share. The first step keeps their `tasks`. */
  op2_status (*run_steps)(void *state, struct op2i_step *steps, int64_t nsteps);
  /* Call a function of op2_call() with its values, looking at what it does; null: it is just called.
   * Fails for what it should not have done; *answer is what it returned. */
  op2_status (*call)(struct op2i_user_call *call, void *data, void *const *values, int *answer);
};

#endif
