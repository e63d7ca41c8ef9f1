/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs on StarPU's workers: one StarPU task per chunk, with explicit dependences between chunks
 * across colours and loops. */
#include "config.h"

#if OP2_HAVE_STARPU

#include <starpu.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "starpu_pool.h"
#include "tasks.h"

struct state {
  op2_context ctx;
  int workers;
};

/* What a StarPU task carries. */
struct work {
  struct op2i_step *step;
  enum op2i_task_kind kind;
  int32_t first, last;
};

/* Tasks in flight. They are kept until they have ended, so that later ones may still name them as
 * dependences; the oldest are taken back in order when there are many. */
struct flight {
  struct op2i_sched *sched;
  struct op2i_step *steps;
  struct starpu_task **tasks; /* [count]; those below `landed` have ended and are gone */
  struct work *works;         /* [ROOM], ring */
  int64_t count, capacity, landed;
  struct starpu_task **deps;
  int64_t deps_capacity;
};
enum { ROOM = 8192 };

static void run_work(void *buffers[], void *argument) {
  (void)buffers;
  const struct work *work = argument;
  op2i_task_run(work->step, work->kind, work->first, work->last);
}

static struct starpu_codelet codelet = {
    .cpu_funcs = {run_work}, .cpu_funcs_name = {"run_work"}, .nbuffers = 0, .name = "op2"};

static op2_status land(struct flight *flight, int64_t until) {
  for (; flight->landed < until; flight->landed++) {
    int failed = starpu_task_wait(flight->tasks[flight->landed]);
    if (failed) return op2i_error(OP2_ERR_FATAL, "StarPU lost a task (error %d)", -failed);
    starpu_task_destroy(flight->tasks[flight->landed]);
  }
  return OP2_SUCCESS;
}

static op2_status declare_deps(struct flight *flight, struct starpu_task *task,
                               const struct op2i_task *from) {
  while (flight->deps_capacity < from->ndeps)
    if (op2i_grow(&flight->deps, sizeof(struct starpu_task *), flight->deps_capacity,
                  &flight->deps_capacity))
      return op2i_error_nomem("a program");
  unsigned n = 0;
  for (int64_t d = 0; d < from->ndeps; d++)
    if (from->deps[d] >= flight->landed) flight->deps[n++] = flight->tasks[from->deps[d]];
  if (n) starpu_task_declare_deps_array(task, n, flight->deps);
  return OP2_SUCCESS;
}

static struct starpu_task *make_task(struct flight *flight, const struct op2i_task *from) {
  struct starpu_task *task = starpu_task_create();
  if (!task) return NULL;
  struct work *work = &flight->works[flight->count % ROOM];
  *work = (struct work){&flight->steps[from->step], from->kind, from->first, from->last};
  task->cl = &codelet;
  task->cl_arg = work;
  task->destroy = 0;
  task->detach = 0;
  task->name = work->step->loop->kernel->obj.name;
  return task;
}

static op2_status submit(void *to, int64_t number, const struct op2i_task *from) {
  struct flight *flight = to;
  op2_status status = OP2_SUCCESS;
  if (number - flight->landed >= ROOM) status = land(flight, number - ROOM / 2);
  if (!status && op2i_grow(&flight->tasks, sizeof(struct starpu_task *), number, &flight->capacity))
    status = op2i_error_nomem("a program");
  if (status) return status;
  struct starpu_task *task = make_task(flight, from);
  if (!task) return op2i_error_nomem("a StarPU task");
  status = declare_deps(flight, task, from);
  int failed = status ? 0 : starpu_task_submit(task);
  if (failed) status = op2i_error(OP2_ERR_FATAL, "StarPU refused a task (error %d)", -failed);
  if (status) {
    starpu_task_destroy(task);
    return status;
  }
  flight->tasks[number] = task;
  flight->count = number + 1;
  flight->sched->tasks_submitted++;
  return OP2_SUCCESS;
}

static op2_status run_on_workers(struct state *state, struct op2i_step *steps, int64_t nsteps) {
  struct flight flight = {.sched = state->ctx->sched, .steps = steps};
  struct op2i_place place = {0};
  flight.works = op2i_malloc(ROOM * sizeof *flight.works);
  if (!flight.works) return op2i_tasks_finish(steps, nsteps, place);
  op2i_starpu_busy();
  op2_status status = op2i_tasks_build(steps, nsteps, state->workers, state->ctx->config.chunk_us,
                                       submit, &flight, &place);
  op2_status landed = land(&flight, flight.count);
  if (status == OP2_ERR_NOMEM && !landed) status = op2i_tasks_finish(steps, nsteps, place);
  op2i_starpu_idle(state->ctx->config.idle_ms);
  op2i_free(flight.works);
  op2i_free(flight.tasks);
  op2i_free(flight.deps);
  return status ? status : landed;
}

/* ---- small programs -------------------------------------------------------------------------- */

/* Too little work for two chunks: waking workers and coming back would take longer than doing it.
 * One worker has nothing to share out either. */
static bool small(const struct state *state, const struct op2i_step *steps, int64_t nsteps) {
  if (state->ctx->config.chunk_us == 0) return false;
  if (state->workers < 2) return true;
  for (int64_t s = 0; s < nsteps; s++)
    if (op2i_program_seconds(&steps[s], 1) > 2e-6 * state->ctx->config.chunk_us) return false;
  return true;
}

static op2_status run_program(void *state, struct op2i_step *steps, int64_t nsteps) {
  struct state *s = state;
  op2_status status = OP2_SUCCESS;
  if (s->ctx->config.verify)
    status = op2i_tasks_verify(steps, nsteps, s->workers, s->ctx->config.chunk_us);
  if (status == OP2_ERR_STATE) return status;
  if (small(s, steps, nsteps)) {
    s->ctx->sched->programs_inline++;
    status = op2i_tasks_finish(steps, nsteps, (struct op2i_place){0});
  } else {
    status = run_on_workers(s, steps, nsteps);
  }
  for (int64_t i = 0; i < nsteps; i++) {
    steps[i].seconds = 1e-9 * (double)steps[i].nanoseconds;
    op2i_step_end(&steps[i]); /* what a failure left */
  }
  return status;
}

/* ---- the backend ----------------------------------------------------------------------------- */

static const char *unavailable(void) { return NULL; }

static op2_status open_state(op2_context ctx, void **out) {
  struct state *state = op2i_calloc(1, sizeof *state);
  if (!state) return op2i_error_nomem("the starpu backend");
  int threads = ctx->config.threads ? ctx->config.threads : op2i_machine()->cores;
  state->ctx = ctx;
  op2_status status = op2i_starpu_acquire(ctx, threads, &state->workers);
  if (status) {
    op2i_free(state);
    return status;
  }
  *out = state;
  return OP2_SUCCESS;
}

static void close_state(void *state) {
  op2i_starpu_release();
  op2i_free(state);
}

static int workers(void *state) { return ((struct state *)state)->workers; }

const struct op2i_backend op2i_backend_starpu = {
    .name = "starpu",
    .summary = "tasks with explicit dependences on StarPU's CPU workers",
    .variant = OP2I_PLAIN,
    .needs_plan = true,
    .unavailable = unavailable,
    .open = open_state,
    .close = close_state,
    .workers = workers,
    .run_program = run_program,
};

#endif
