/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads by OpenMP: the blocks of one colour run in parallel, one colour after the other. Results
 * depend on the plan, not on the number of threads. */
#include "config.h"

#include <pthread.h>

#include "affinity.h"
#include "backend.h"
#include "clock.h"
#include "comm.h"
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "log.h"
#include "loop.h"
#include "machine.h"
#include "mem.h"
#include "partial.h"
#include "plan.h"
#include "process.h"
#include "registry.h"

#if OP2_HAVE_OPENMP && defined(_OPENMP)
#include <omp.h>

/* A loop with less data than this ends before a team of threads could begin: entering and leaving a
 * parallel region costs one to several microseconds. */
enum { TEAM_BYTES = 64 * 1024 };

struct team {
  int threads;
  bool always; /* True if a team is used even where it does not pay: for tests */
};

static const char *unavailable(void) { return NULL; }

/* A second OpenMP runtime in the process may use only the place to which the first one has bound
 * the thread that starts the second. */
static void warn_of_places(op2_context ctx, int threads) {
  int cores = op2i_machine()->cores;
  if (omp_get_proc_bind() == omp_proc_bind_false || omp_get_num_places() < 1) return;
  int places = omp_get_num_places();
  if (places < threads && places < cores)
    op2i_log(ctx, OP2I_LOG_WARN,
             "%d OpenMP threads share %d of %d cores (OMP_PROC_BIND or the like is set); where op2 "
             "and the program are built by different compilers, each brings an OpenMP of its own",
             threads, places, cores);
}

static op2_status open_state(op2_context ctx, void **state) {
  struct team *team = op2i_calloc(1, sizeof *team);
  if (!team) return op2i_error_nomem("the openmp backend");
  team->threads = ctx->config.threads > 0 ? ctx->config.threads : op2i_machine()->cores;
  team->always = ctx->config.chunk_us == 0;
  warn_of_places(ctx, team->threads);
  *state = team;
  return OP2_SUCCESS;
}

static void close_state(void *state) { op2i_free(state); }

static int workers(void *state) { return ((const struct team *)state)->threads; }

/* Run entries first..last-1 of the plan's blkmap. Messages, if any, are progressed between them. */
static void run_share(const struct op2i_step *step, int32_t first, int32_t last,
                      struct op2i_comm *comm) {
  if (!comm) {
    op2i_step_run_blocks(step, first, last);
    return;
  }
  for (int32_t i = first; i < last; i++) {
    op2i_step_run_blocks(step, i, i + 1);
    op2i_comm_progress(comm);
  }
}

/* Run thread number `me` of `all`'s part of each colour; returns the seconds that it took. The
 * calling thread is number 0, and progresses messages. */
static double run_part(struct op2i_step *step, int64_t me, int64_t all) {
  OP2I_FP_DEFAULT; /* the program uses these threads, too */
  const struct op2i_plan *plan = step->plan;
  struct op2i_comm *comm = me == 0 ? step->loop->op.ctx->comm : NULL;
  double seconds = 0;
  for (int32_t colour = 0; colour < plan->ncolors; colour++) {
    const int32_t first = plan->color_offs[colour], n = plan->color_offs[colour + 1] - first;
    double start = op2i_seconds();
    run_share(step, first + (int32_t)(n * me / all), first + (int32_t)(n * (me + 1) / all), comm);
    seconds += op2i_seconds() - start;
    if (all > 1) {
#pragma omp barrier
    }
  }
  return seconds;
}

/* A parallel region of one thread would cost a microsecond, too. */
static void run_colours(struct op2i_step *step, int threads) {
  double seconds = 0;
  if (threads < 2) {
    step->time.seconds = run_part(step, 0, 1);
    return;
  }
#pragma omp parallel num_threads(threads) reduction(+ : seconds)
  seconds = run_part(step, omp_get_thread_num(), omp_get_num_threads());
  step->time.seconds = seconds;
}

static void find_numbers(int *numbers, int threads) {
#pragma omp parallel num_threads(threads)
#pragma omp for schedule(static, 1)
  for (int t = 0; t < threads; t++) numbers[t] = op2i_bound_cpu();
}

/* OpenMP libraries keep a team for each thread that had one. After a fork the child's thread finds
 * the parent's team and waits for threads that do not exist; a new thread makes a new team. */
struct errand {
  struct op2i_step *step; /* null: find the numbers of the processors */
  int *numbers;
  int threads;
};

static void *run_errand(void *errand) {
  const struct errand *e = errand;
  if (e->step)
    run_colours(e->step, e->threads);
  else
    find_numbers(e->numbers, e->threads);
  return NULL;
}

static void run_team(struct errand errand) {
  pthread_t thread;
  if (errand.threads < 2 || !op2i_process_forked()) {
    run_errand(&errand);
  } else if (!pthread_create(&thread, NULL, run_errand, &errand)) {
    pthread_join(thread, NULL);
  } else {
    errand.threads = 1;
    run_errand(&errand);
  }
}

/* Find the processors on which the runtime puts the threads of a team of this size. */
static void processors(void *state, int *numbers) {
  int threads = ((const struct team *)state)->threads;
  for (int t = 0; t < threads; t++) numbers[t] = -1;
  run_team((struct errand){.numbers = numbers, .threads = threads});
}

static op2_status run_step(void *state, struct op2i_step *step) {
  const struct team *team = state;
  if (step->hi <= step->lo) return OP2_SUCCESS;
  op2_status status = op2i_step_begin(step, step->plan->nblocks);
  if (status) return status;
  bool alone = !team->always &&
               (step->plan->nblocks == step->plan->ncolors || step->loop->bytes < TEAM_BYTES);
  int threads = alone ? 1 : team->threads;
  double start = alone ? 0 : op2i_seconds();
  run_team((struct errand){.step = step, .threads = threads});
  step->time.elapsed = alone ? step->time.seconds : op2i_seconds() - start;
  op2i_step_combine(step, step->plan->nblocks);
  return OP2_SUCCESS;
}

#else

static const char *unavailable(void) {
  return "op2 was built without OpenMP (meson option openmp, a compiler with -fopenmp)";
}

static op2_status open_state(op2_context ctx, void **state) {
  (void)ctx;
  (void)state;
  return op2i_error(OP2_ERR_UNAVAILABLE, "backend openmp is not available: %s", unavailable());
}

static void close_state(void *state) { (void)state; }

static int workers(void *state) {
  (void)state;
  return 0;
}

static void processors(void *state, int *numbers) { (void)state, (void)numbers; }

static op2_status run_step(void *state, struct op2i_step *step) {
  (void)step;
  return open_state(NULL, &state);
}

#endif

const struct op2i_backend op2i_backend_openmp = {
    .name = "openmp",
    .summary = "threads by OpenMP, the blocks of one colour at a time",
    .variant = OP2I_VECTOR,
    .needs_plan = true,
    .passes = true,
    .unavailable = unavailable,
    .open = open_state,
    .close = close_state,
    .workers = workers,
    .processors = processors,
    .run_step = run_step,
};
