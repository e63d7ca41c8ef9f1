/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_BACKEND_H
#define OP2I_BACKEND_H

/* The interface of backends, which run loops: a table of functions for each, implemented in
 * backends/ and scheduler/starpu. */

#include <stdbool.h>
#include <stdint.h>

#include "code.h"
#include "op2/status.h"
#include "op2/types.h"

struct op2i_step;
struct op2i_user_call;

struct op2i_backend {
  const char *name;
  const char *summary; /* one line for users */
  enum op2i_variant variant;
  bool needs_plan;
  const char *idle;                 /* why it runs no loops; null: it does */
  const char *(*unavailable)(void); /* null when usable, else why not */
  op2_status (*open)(op2_context ctx, void **state);
  void (*close)(void *state);
  int (*workers)(void *state);
  int (*most_workers)(void); /* upper limit; null: there is none */
  /* The system's numbers of the processing units that workers are bound to, -1 for a worker that is
   * not bound to one. Null: the calling thread is the only worker. */
  void (*processors)(void *state, int *numbers);
  bool passes; /* loops may be fused; else each is run by itself, in the order of calls */
  /* Nothing of a destroyed dat or global is kept for new ones, so that memory that a program uses
   * for too long is freed where a sanitizer sees it. */
  bool never_recycles;
  /* Direct backends run a step and wait. */
  op2_status (*run_step)(void *state, struct op2i_step *step);
  /* Some of them run loops that follow each other at once, in their order; null: they do not. If it
   * fails, nothing has run. */
  op2_status (*run_loops)(void *state, struct op2i_step *steps, int64_t nsteps);
  /* Allocate what else a step needs in memory, once its values are where it runs; null: nothing.
   * OP2_ERR_NOMEM from a device means that the host is to run the step. */
  op2_status (*prepare_step)(void *state, struct op2i_step *step);
  /* Task backends run all consecutive loops of a program at once, ordered by the data they share.
   * The first step keeps their `tasks`. */
  op2_status (*run_steps)(void *state, struct op2i_step *steps, int64_t nsteps);
  /* Call a function of op2_call() with its values and check what it does; null: it is called
   * without checks. Fails if the function did what it should not; *answer is what it returned. */
  op2_status (*call)(struct op2i_user_call *call, void *data, void *const *values, int *answer);
};

#endif
