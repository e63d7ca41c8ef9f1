/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that the programs of t199-processes share. */
#include "process_case.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

const char *case_backend = "sequential";
static int wrong;

OP2_KERNEL(grow, (double *x), { *x += 1; });

void holds_at(int line, bool good, const char *what) {
  if (good) return;
  wrong = 1;
  fprintf(stderr, "line %d: %s does not hold\n", line, what);
}

void returns_at(int line, op2_status got, op2_status want, const char *word) {
  if (got == want && (!got || strstr(op2_error_message(), word))) return;
  wrong = 1;
  fprintf(stderr, "line %d: %s and not %s with '%s': %s\n", line, op2_status_name(got),
          op2_status_name(want), word, got ? op2_error_message() : "");
}

int failures(void) { return wrong; }

static void must(op2_status status) {
  if (!status) return;
  fprintf(stderr, "cannot begin: %s\n", op2_error_message());
  _Exit(99);
}

void start_on(struct model *m, const char *backend) {
  static int32_t idx[CELLS];
  const double one = 1;
  for (int i = 0; i < CELLS; i++) idx[i] = i;
  must(op2_init(&(op2_options){.backend = backend, .threads = 2}, &m->ctx));
  must(op2_set_create(m->ctx, CELLS, "cells", &m->set));
  must(op2_map_create(m->set, m->set, 1, idx, "self", &m->map));
  must(op2_dat_create(m->set, 1, OP2_F64, NULL, "x", &m->x));
  must(op2_gbl_create(m->ctx, 1, OP2_F64, NULL, "sum", &m->sum));
  must(op2_const_create(m->ctx, 1, OP2_F64, &one, "one", &m->one));
  must(op2_kernel_create(m->ctx, &grow_kernel, &m->grow));
  must(op2_loop_create(&m->loop, m->grow, m->set, op2_arg_direct(m->x, OP2_RW)));
}

void start(struct model *m) { start_on(m, case_backend); }

void queue(struct model *m, int loops) {
  for (int n = 0; n < loops; n++)
    RETURNS(op2_par_loop(m->grow, m->set, op2_arg_direct(m->x, OP2_RW)), OP2_SUCCESS, "");
}

void run(struct model *m, int loops) {
  queue(m, loops);
  RETURNS(op2_flush(m->ctx), OP2_SUCCESS, "");
}

void expect_x(struct model *m, double x) {
  static double values[CELLS];
  RETURNS(op2_dat_get(m->x, values), OP2_SUCCESS, "");
  HOLDS(values[0] == x && values[CELLS / 2] == x && values[CELLS - 1] == x);
}

void stop(struct model *m) {
  op2_loop_destroy(&m->loop);
  op2_kernel_destroy(&m->grow);
  op2_const_destroy(&m->one);
  op2_gbl_destroy(&m->sum);
  op2_dat_destroy(&m->x);
  op2_map_destroy(&m->map);
  op2_set_destroy(&m->set);
  RETURNS(op2_finalize(&m->ctx), OP2_SUCCESS, "");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER;
static bool running;

static void *run_for_ever(void *model) {
  for (;;) {
    run(model, 8);
    pthread_mutex_lock(&lock);
    running = true;
    pthread_cond_signal(&begun);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

void run_beside(struct model *m) {
  pthread_t thread;
  HOLDS(!pthread_create(&thread, NULL, run_for_ever, m));
  pthread_mutex_lock(&lock);
  while (!running) pthread_cond_wait(&begun, &lock);
  pthread_mutex_unlock(&lock);
}

int child_status(long pid) {
  int status = 0;
  if (waitpid((pid_t)pid, &status, 0) < 0) return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

#define LEFT(call) RETURNS((call), OP2_ERR_STATE, "forked child")

static void objects_left_behind(struct model *m) {
  static double values[CELLS];
  const void *at;
  void *to;
  const char *source;
  int64_t ends[4];
  LEFT(op2_dat_get(m->x, values));
  LEFT(op2_dat_set(m->x, values));
  LEFT(op2_dat_read_begin(m->x, &at));
  LEFT(op2_dat_read_end(m->x, &at));
  LEFT(op2_dat_write_begin(m->x, &to));
  LEFT(op2_gbl_get(m->sum, values));
  LEFT(op2_gbl_set(m->sum, values));
  LEFT(op2_const_set(m->one, values));
  LEFT(op2_set_sections(m->set, ends));
  LEFT(op2_loop_enqueue(m->loop));
  LEFT(op2_loop_compute(m->loop));
  LEFT(op2_loop_generate(m->loop, "c", &source));
  LEFT(op2_par_loop(m->grow, m->set, op2_arg_direct(m->x, OP2_RW)));
  LEFT(op2_par_loop(m->grow, m->set, op2_arg_dat(m->x, 0, m->map, OP2_INC)));
}

void expect_left_behind(struct model *m) {
  op2_set set;
  op2_dat dat;
  op2_gbl gbl;
  op2_const cst;
  op2_kernel kernel;
  op2_profile profile;
  const double one = 1;
  objects_left_behind(m);
  LEFT(op2_set_create(m->ctx, 1, "more", &set));
  LEFT(op2_dat_create(m->set, 1, OP2_F64, NULL, "more", &dat));
  LEFT(op2_gbl_create(m->ctx, 1, OP2_F64, NULL, "more", &gbl));
  LEFT(op2_const_create(m->ctx, 1, OP2_F64, &one, "more", &cst));
  LEFT(op2_kernel_create(m->ctx, &grow_kernel, &kernel));
  LEFT(op2_flush(m->ctx));
  LEFT(op2_explain(m->ctx, stderr));
  LEFT(op2_graph_write_dot(m->ctx, stderr));
  LEFT(op2_profile_get(m->ctx, 0, &profile));
  HOLDS(!op2_initialised(m->ctx));
  HOLDS(op2_queued(m->ctx) == 0);
  HOLDS(op2_workers(m->ctx) == 0);
}
