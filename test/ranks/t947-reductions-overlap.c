/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions over ranks travel while loops run that do not need them: a rank sends its part before
 * these loops, and waits for the result behind them. So a rank that stays in such a loop until
 * another rank has used the result does not keep it from that; if it sent its part later, both would
 * wait for each other. Results have the bits of reductions that are combined in place, and a call
 * that fails while one travels leaves no rank waiting. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "allreduce.h"
#include "comm.h"
#include "context.h"
#include "init.h"
#include "rank_case.h"
#include "set.h"
#include "support.h"
#include "tap.h"

enum { CELLS = 30, MOST_RANKS = 3, ROUNDS = 3, GIVE_UP_MS = 20000 };

/* ---- allreduces by themselves ---------------------------------------------------------------- */

/* Neither commutative nor associative, so that the result tells in which order values met. */
static void mix(void *into, const void *from, void *closure) {
  uint64_t *a = into;
  const uint64_t *b = from;
  for (int i = 0; i < *(const int *)closure; i++) a[i] = a[i] * 1000003 + b[i];
}

enum { SEVERAL = OP2I_ALLREDUCE_COUNT + 2 };

/* Several are in flight, and end in another order than they began. */
static int compare_with_tree(struct op2i_comm *comm, void *data) {
  struct op2i_allreduce flying[SEVERAL];
  uint64_t values[SEVERAL][4], want[SEVERAL][4];
  int four = 4, wrong = 0;
  bool over;
  (void)data;
  for (int k = 0; k < SEVERAL; k++) {
    for (int i = 0; i < 4; i++) values[k][i] = (uint64_t)(comm->rank * 7 + k * 100 + i);
    memcpy(want[k], values[k], sizeof want[k]);
    wrong += op2i_comm_combine(comm, want[k], sizeof want[k], mix, &four) != OP2_SUCCESS;
  }
  for (int k = 0; k < SEVERAL && !wrong; k++)
    wrong += op2i_allreduce_begin(comm, values[k], sizeof values[k], mix, &four, &flying[k]) !=
             OP2_SUCCESS;
  for (int k = SEVERAL - 1; k >= 0 && !wrong; k--)
    wrong += op2i_allreduce_over(&flying[k], true, &over) || !over;
  return wrong + (memcmp(values, want, sizeof want) != 0) + comm->flying;
}

/* ---- loops that ranks stay in ---------------------------------------------------------------- */

/* The rank of the cell's owner is its value, so that a kernel knows where it runs. */
static atomic_int used[MOST_RANKS]; /* how often ranks have used the sum so far */
static atomic_int late, ranks, round_now;
/* The first round in which a rank stays. If each loop is a program of its own, ranks make the
 * program of a loop together when it comes first. */
static atomic_int first_round;

static bool all_others_have_used(int rank) {
  for (int r = 0; r < ranks; r++)
    if (r != rank && atomic_load(&used[r]) < round_now) return false;
  return true;
}

/* The last rank stays here until all others have used the sum. */
static void linger(const int64_t *rank, int64_t *work) {
  const struct timespec nap = {.tv_nsec = 1000000};
  *work += 1;
  if (*rank != ranks - 1 || round_now < first_round) return;
  for (int ms = 0; ms < GIVE_UP_MS && !all_others_have_used((int)*rank) && !late; ms++)
    nanosleep(&nap, NULL);
  if (!all_others_have_used((int)*rank)) atomic_store(&late, 1);
}
static void use(const int64_t *rank, const double *sum, double *y) {
  *y = *sum;
  if (atomic_load(&used[*rank]) < round_now) atomic_store(&used[*rank], round_now);
}
OP2_KERNEL_FUNCTION(linger, (const int64_t *rank, int64_t *work), OP2_ANY_THREADS);
OP2_KERNEL_FUNCTION(use, (const int64_t *rank, const double *sum, double *y), OP2_ANY_THREADS);
OP2_KERNEL(add, (const double *x, double *sum), { *sum += *x; });
OP2_KERNEL(most, (const double *x, double *m), { *m = *x > *m ? *x : *m; });

struct world {
  op2_context ctx;
  op2_set cells;
  op2_dat rank, work, x, y;
  op2_gbl sum, greatest;
  op2_kernel linger, use, add, most;
};

static op2_status declare(struct world *w, int rank) {
  int64_t numbers[CELLS], owner[CELLS];
  double x[CELLS];
  const int64_t ends[4] = {CELLS, CELLS, CELLS, CELLS};
  for (int i = 0; i < CELLS; i++) {
    numbers[i] = rank * CELLS + i;
    owner[i] = rank;
    x[i] = 1.0 / (3 + (numbers[i] * 7) % 41);
  }
  op2_status status = op2i_set_create_halo(w->ctx, ends, numbers, NULL, "cells", &w->cells);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_I64, owner, "rank", &w->rank);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_I64, NULL, "work", &w->work);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_F64, x, "x", &w->x);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_F64, NULL, "y", &w->y);
  if (!status) status = op2_gbl_create(w->ctx, 1, OP2_F64, NULL, "sum", &w->sum);
  if (!status) status = op2_gbl_create(w->ctx, 1, OP2_F64, NULL, "greatest", &w->greatest);
  if (!status) status = op2_kernel_create(w->ctx, &linger_kernel, &w->linger);
  if (!status) status = op2_kernel_create(w->ctx, &use_kernel, &w->use);
  if (!status) status = op2_kernel_create(w->ctx, &add_kernel, &w->add);
  return status ? status : op2_kernel_create(w->ctx, &most_kernel, &w->most);
}

static op2_status end(struct world *w) {
  op2_kernel *kernels[] = {&w->linger, &w->use, &w->add, &w->most};
  op2_dat *dats[] = {&w->rank, &w->work, &w->x, &w->y};
  for (int k = 0; k < 4; k++) op2_kernel_destroy(kernels[k]);
  for (int d = 0; d < 4; d++) op2_dat_destroy(dats[d]);
  op2_gbl_destroy(&w->sum);
  op2_gbl_destroy(&w->greatest);
  op2_set_destroy(&w->cells);
  return op2_finalize(&w->ctx);
}

struct job {
  const char *backend;
  op2_status (*between)(struct world *w, int rank);
  bool fails; /* what is in between does, on the last rank */
  double sum[MOST_RANKS], greatest[MOST_RANKS], y[MOST_RANKS];
  char explained[16384]; /* on rank 0 */
};

static op2_status stay(struct world *w, int rank) {
  (void)rank;
  return op2_par_loop(w->linger, w->cells, op2_arg_direct(w->rank, OP2_READ),
                      op2_arg_direct(w->work, OP2_RW));
}
static op2_status go_on(struct world *w, int rank) {
  (void)w;
  (void)rank;
  return OP2_SUCCESS;
}
static int fail_on_last(void *data, void *const *values) {
  (void)values;
  return *(const int *)data == ranks - 1 ? 42 : 0;
}
static op2_status call(struct world *w, int rank) {
  static int numbers[MOST_RANKS];
  numbers[rank] = rank;
  return op2_call(w->ctx, fail_on_last, &numbers[rank], op2_arg_direct(w->work, OP2_WRITE));
}

static op2_status queue(struct world *w, const struct job *job, int rank) {
  const double zero = 0;
  op2_status status = op2_gbl_set(w->sum, &zero);
  if (!status) status = op2_gbl_set(w->greatest, &zero);
  if (!status)
    status = op2_par_loop(w->most, w->cells, op2_arg_direct(w->x, OP2_READ),
                          op2_arg_gbl(w->greatest, OP2_MAX));
  if (!status)
    status = op2_par_loop(w->add, w->cells, op2_arg_direct(w->x, OP2_READ),
                          op2_arg_gbl(w->sum, OP2_INC));
  if (!status) status = job->between(w, rank);
  if (status) return status;
  return op2_par_loop(w->use, w->cells, op2_arg_direct(w->rank, OP2_READ),
                      op2_arg_gbl(w->sum, OP2_READ), op2_arg_direct(w->y, OP2_WRITE));
}

/* Every rank begins a round when all have ended the last one. */
static op2_status run(struct world *w, struct op2i_comm *comm, struct job *job) {
  op2_status status = OP2_SUCCESS;
  for (int round = 1; round <= ROUNDS && !status; round++) {
    int64_t number = round;
    if (comm->rank == 0) atomic_store(&round_now, round);
    status = op2i_comm_least(comm, 1, &number);
    if (!status) status = queue(w, job, comm->rank);
    const op2_status flushed = status ? status : op2_flush(w->ctx);
    if (!status && job->fails != (flushed != OP2_SUCCESS)) status = OP2_ERR_STATE;
  }
  double y[CELLS];
  if (!status) status = op2_gbl_get(w->sum, &job->sum[comm->rank]);
  if (!status) status = op2_gbl_get(w->greatest, &job->greatest[comm->rank]);
  if (!status) status = op2_dat_get(w->y, y);
  if (!status) job->y[comm->rank] = y[0];
  return status;
}

static op2_status explain(struct world *w, struct job *job) {
  FILE *stream = fmemopen(job->explained, sizeof job->explained, "w");
  op2_status status = stream ? op2_explain(w->ctx, stream) : OP2_ERR_NOMEM;
  if (stream) fclose(stream);
  return status;
}

static int run_rank(struct op2i_comm *comm, void *data) {
  struct job *job = data;
  struct world w = {0};
  const op2_options options = {
      .backend = job->backend, .threads = 1, .eager = -1, .cache_dir = test_cache()};
  op2_status status = op2i_init_ranks(&options, comm, &w.ctx);
  if (!status) status = declare(&w, comm->rank);
  if (!status) status = run(&w, comm, job);
  if (!status && comm->rank == 0) status = explain(&w, job);
  if (status) fprintf(stderr, "# rank %d: %s\n", comm->rank, op2_error_message());
  const bool failed = w.ctx && end(&w) && !job->fails;
  return status != OP2_SUCCESS || failed;
}

static bool run_job(struct job *job, int n) {
  atomic_store(&ranks, n);
  atomic_store(&late, 0);
  atomic_store(&first_round, strcmp(job->backend, "sequential") ? 1 : 2);
  atomic_store(&round_now, 0);
  for (int r = 0; r < MOST_RANKS; r++) atomic_store(&used[r], 0);
  return run_contexts(n, run_rank, job) == 0 && !late;
}

/* ---- what is compared ------------------------------------------------------------------------ */

static bool same_bits(const struct job *a, const struct job *b, int n) {
  const size_t bytes = (size_t)n * sizeof(double);
  return !memcmp(a->sum, b->sum, bytes) && !memcmp(a->greatest, b->greatest, bytes) &&
         !memcmp(a->y, b->y, bytes);
}

static bool is_right(const struct job *job, int n) {
  bool right = true;
  for (int r = 0; r < n; r++)
    right = right && job->sum[r] == job->sum[0] && job->y[r] == job->sum[0] &&
            job->greatest[r] == 1.0 / 3 && job->sum[0] > 0;
  return right;
}

static void test_ranks(const char *backend, int n) {
  static struct job apart, in_place, fails;
  apart = (struct job){.backend = backend, .between = stay};
  in_place = (struct job){.backend = backend, .between = go_on};
  fails = (struct job){.backend = backend, .between = call, .fails = true};
  ok(run_job(&apart, n) && is_right(&apart, n),
     "%s, %d ranks: others use a sum while a rank is in the loop behind it", backend, n);
  if (strcmp(backend, "sequential")) /* which has no program of several loops */
    ok(strstr(apart.explained,
              "reductions of 'add' are sent when 'add' has run over owned elements, and waited for "
              "before 'use': 16 bytes") &&
           strstr(apart.explained, "reductions of 'most' are sent when 'most' has run over owned "
                                   "elements, and waited for at the end"),
       "%s, %d ranks: where sums travel is explained", backend, n);
  ok(run_job(&fails, n) && is_right(&fails, n), "%s, %d ranks: a call fails while a sum travels",
     backend, n);
  setenv("OP2_OVERLAP", "0", 1);
  ok(run_job(&in_place, n) && same_bits(&apart, &in_place, n),
     "%s, %d ranks: the bits of sums that are combined in place", backend, n);
  unsetenv("OP2_OVERLAP");
}

/* The same as tasks, among which no rank may stay: StarPU may have one worker for all ranks. */
static void test_tasks(const char *backend, int n) {
  static struct job tasks, in_place;
  tasks = in_place = (struct job){.backend = backend, .between = go_on};
  setenv("OP2_CHUNK_US", "0", 1);
  setenv("OP2_TEAM", "0", 1);
  ok(run_job(&tasks, n) && is_right(&tasks, n), "%s, %d ranks: sums among tasks", backend, n);
  setenv("OP2_OVERLAP", "0", 1);
  ok(run_job(&in_place, n) && same_bits(&tasks, &in_place, n),
     "%s, %d ranks: the bits of sums that are combined between tasks", backend, n);
  unsetenv("OP2_OVERLAP");
  unsetenv("OP2_TEAM");
  unsetenv("OP2_CHUNK_US");
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", NULL};
  const char *backend;
  test_environment();
  setenv("OP2_VERIFY", "0", 1); /* ranks would meet to compare each program */
  setenv("OP2_FUSE", "0", 1);   /* the two sums are to be two loops */
  for (int n = 1; n <= 13; n++)
    is_int(run_ranks(n, compare_with_tree, NULL), 0, "allreduces of %d ranks have the tree's bits",
           n);
  for (int b = 0; (backend = next_backend_of_ranks(backends, &b));)
    for (int n = 2; n <= MOST_RANKS; n++) {
      test_ranks(backend, n);
      if (!strcmp(backend, "starpu")) test_tasks(backend, n);
    }
  return done();
}
