/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs on StarPU's workers: a StarPU task for each chunk and reduction, with explicit
 * dependences across colours and loops. */
#include "config.h"

#if OP2_HAVE_STARPU

#include <pthread.h>
#include <starpu.h>

#include "clock.h"
#include "context.h"
#include "device.h"
#include "device_beside.h"
#include "error.h"
#include "exec_mode.h"
#include "fpenv.h"
#include "halo_tasks.h"
#include "machine.h"
#include "mem.h"
#include "registry.h"
#include "starpu_pool.h"
#include "tasks.h"
#include "trace.h"

/* Tasks of the last program: they have ended or soon will, and are still to be destroyed. */
struct ended {
  struct starpu_task **tasks;
  int64_t first, end;
};

struct state {
  op2_context ctx;
  int workers;
  struct ended ended; /* tasks of the program before this one */
};

/* The argument of a StarPU task. */
struct work {
  struct op2i_step *step;
  enum op2i_task_kind kind;
  int32_t first, last;
  struct submission *submission;
};

/* A program whose tasks are submitted. Tasks are kept until they have ended, so that later
 * ones may still name them as dependences; when WINDOW of them are kept, the older half is
 * waited for and destroyed. */
struct submission {
  struct state *state;
  struct op2i_step *steps;
  const struct op2i_task_list *list;
  /* [list->ntasks]; those below `reaped` have ended and were destroyed */
  struct starpu_task **tasks;
  struct work *works; /* [WINDOW], a ring buffer */
  int64_t count, reaped;
  struct starpu_task **deps; /* [most dependences of any task] */
  struct op2i_finish finish;
  struct op2i_halo_tasks halos;
  pthread_mutex_t lock; /* protects the two fields below */
  op2_status status;    /* status of the first task that has failed; later ones do nothing */
  char *message;
};
enum { WINDOW = 8192, LOOK = 16 /* submissions between two looks at messages */ };

static void note_failure(struct submission *submission, op2_status status) {
  pthread_mutex_lock(&submission->lock);
  if (!submission->status) {
    submission->message = op2i_strdup(op2_error_message());
    __atomic_store_n(&submission->status, status, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&submission->lock);
}

static void run_work(void *buffers[], void *argument) {
  OP2I_FP_DEFAULT;
  (void)buffers;
  const struct work work = *(const struct work *)argument;
  op2_status status = __atomic_load_n(&work.submission->status, __ATOMIC_RELAXED);
  if (work.submission->state->ctx->trace) op2i_trace_worker(starpu_worker_get_id());
  if (!status) {
    status = op2i_task_run(work.step, work.kind, work.first, work.last);
    if (status) note_failure(work.submission, status);
  }
  op2i_halo_tasks_ended(&work.submission->halos, work.step, work.kind);
  op2i_idle_end(op2i_starpu_idle(), &work.submission->finish, 1);
}

static struct starpu_codelet codelet = {
    .cpu_funcs = {run_work}, .cpu_funcs_name = {"run_work"}, .nbuffers = 0, .name = "op2"};

/* Wait for tasks and destroy them, the last one first: when that has ended most others have, so
 * that this thread, which has no core of its own, wakes up once rather than after each. */
static op2_status wait_and_destroy(struct starpu_task **tasks, int64_t first, int64_t end) {
  int lost = 0;
  for (int64_t t = end - 1; t >= first; t--) {
    int failed = starpu_task_wait(tasks[t]);
    if (failed)
      lost = failed;
    else
      starpu_task_destroy(tasks[t]);
  }
  return lost ? op2i_error(OP2_ERR_FATAL, "StarPU lost a task (error %d)", -lost) : OP2_SUCCESS;
}

static op2_status reap(struct submission *submission, int64_t until) {
  op2_status status = wait_and_destroy(submission->tasks, submission->reaped, until);
  if (until > submission->reaped) submission->reaped = until;
  return status;
}

static op2_status reap_ended(struct state *state) {
  struct ended *ended = &state->ended;
  op2_status status = OP2_SUCCESS;
  if (!op2i_starpu_over()) status = wait_and_destroy(ended->tasks, ended->first, ended->end);
  op2i_free(ended->tasks);
  *ended = (struct ended){0};
  return status;
}

/* Submit tasks that unpack. They were created before, so that others could name them as
 * dependences. */
static op2_status release(void *closure, int64_t first, int64_t end) {
  struct submission *submission = closure;
  for (int64_t t = first; t < end && t < submission->count; t++) {
    int failed = starpu_task_submit(submission->tasks[t]);
    if (failed) return op2i_error(OP2_ERR_FATAL, "StarPU refused a task (error %d)", -failed);
  }
  return OP2_SUCCESS;
}

static op2_status progress_halos(struct submission *submission, bool wait, int64_t until) {
  return op2i_halo_tasks_progress(&submission->halos, wait, until, release, submission);
}

/* Wait for the end of all tasks. They are destroyed later, when the workers have the next
 * program. */
static op2_status wait_for_all(struct submission *submission) {
  op2_status status = reap_ended(submission->state);
  op2_status over = progress_halos(submission, true, submission->list->ntasks);
  if (!status) status = over;
  op2i_idle_end(op2i_starpu_idle(), &submission->finish,
                submission->list->ntasks - submission->count);
  op2i_idle_wait(op2i_starpu_idle(), &submission->finish);
  submission->state->ended =
      (struct ended){submission->tasks, submission->reaped, submission->count};
  submission->tasks = NULL;
  return status;
}

static void declare_deps(struct submission *submission, struct starpu_task *task,
                         const struct op2i_task *from) {
  unsigned n = 0;
  for (int64_t d = from->first_dep; d < from->first_dep + from->ndeps; d++)
    if (submission->list->deps[d] >= submission->reaped)
      submission->deps[n++] = submission->tasks[submission->list->deps[d]];
  if (n) starpu_task_declare_deps_array(task, n, submission->deps);
}

/* The priority of a task. Later loops come first: they find in a worker's cache what the loop
 * before has left there, and chains of dependences are not left to the end. What a device is to do
 * comes before anything else, since the device works on by itself. */
static int priority_of(const struct op2i_task *task) {
  int most = starpu_sched_get_max_priority();
  bool device = task->kind == OP2I_TASK_MOVE || task->kind == OP2I_TASK_DEVICE;
  return task->step < most && !device ? (int)task->step : most;
}

static struct starpu_task *make_task(struct submission *submission, const struct op2i_task *from) {
  struct starpu_task *task = starpu_task_create();
  if (!task) return NULL;
  struct work *work = &submission->works[submission->count % WINDOW];
  *work = (struct work){&submission->steps[from->step], from->kind, from->first, from->last,
                        submission};
  task->cl = &codelet;
  task->cl_arg = work;
  task->destroy = 0;
  task->detach = 0;
  task->priority = priority_of(from);
  return task;
}

/* Wait for all tasks below `until`, and before for the messages that they need. */
static op2_status reap_below(struct submission *submission, int64_t until) {
  op2i_idle_yield(op2i_starpu_idle());
  op2_status status = progress_halos(submission, true, until);
  op2_status reaped = reap(submission, until);
  return status ? status : reaped;
}

static op2_status submit_next(struct submission *submission) {
  const struct op2i_task *from = &submission->list->tasks[submission->count];
  op2_status status = OP2_SUCCESS;
  if (submission->count - submission->reaped >= WINDOW)
    status = reap_below(submission, submission->count - WINDOW / 2);
  if (status) return status;
  struct starpu_task *task = make_task(submission, from);
  if (!task) return op2i_error(OP2_ERR_FATAL, "StarPU has no memory for a task");
  declare_deps(submission, task, from);
  bool held = op2i_halo_tasks_holds(&submission->halos, submission->count);
  int failed = held ? 0 : starpu_task_submit(task);
  if (failed) { /* the tasks that it depends on refer to it until they have ended */
    (void)reap_below(submission, submission->count);
    starpu_task_destroy(task);
    return op2i_error(OP2_ERR_FATAL, "StarPU refused a task (error %d)", -failed);
  }
  submission->tasks[submission->count++] = task;
  submission->state->ctx->sched->stats.tasks_submitted++;
  return submission->count % LOOK ? OP2_SUCCESS : progress_halos(submission, false, 0);
}

static bool open_submission(struct submission *submission) {
  const struct op2i_task_list *list = submission->list;
  int64_t most = 0;
  for (int64_t t = 0; t < list->ntasks; t++)
    if (list->tasks[t].ndeps > most) most = list->tasks[t].ndeps;
  submission->works = op2i_malloc(WINDOW * sizeof *submission->works);
  submission->tasks = op2i_malloc((size_t)list->ntasks * sizeof(struct starpu_task *));
  submission->deps = op2i_malloc((size_t)most * sizeof(struct starpu_task *));
  return submission->works && submission->tasks && submission->deps;
}

static op2_status submit_all(struct state *state, struct op2i_step *steps, int64_t nsteps,
                             const struct op2i_task_list *list) {
  if (list->ntasks == 0) return op2i_tasks_run_here(steps, nsteps);
  struct submission submission = {
      .state = state, .steps = steps, .list = list, .lock = PTHREAD_MUTEX_INITIALIZER};
  op2_status status = op2i_halo_tasks_open(&submission.halos, steps, nsteps, list);
  if (status) return status;
  if (!open_submission(&submission)) status = op2i_error_nomem("a program");
  if (!status) {
    double begin = op2i_seconds();
    op2i_sched_starts(state->ctx->sched);
    op2i_idle_begin(op2i_starpu_idle(), &submission.finish, list->ntasks);
    while (submission.count < list->ntasks && !status) status = submit_next(&submission);
    op2_status reaped = wait_for_all(&submission);
    if (!status) status = reaped;
    if (!status && submission.status)
      status = op2i_error(submission.status, "%s", submission.message ? submission.message : "");
    steps[0].time.elapsed = op2i_seconds() - begin;
  }
  op2i_halo_tasks_close(&submission.halos);
  pthread_mutex_destroy(&submission.lock);
  op2i_free(submission.message);
  op2i_free(submission.works);
  op2i_free(submission.tasks);
  op2i_free(submission.deps);
  return status;
}

/* ---- tasks kept between runs ----------------------------------------------------------------- */

/* True if tasks must be cut again, since the estimated costs or the places of loops have
 * changed. */
static bool outdated(const struct op2i_task_list *list, const struct op2i_step *steps,
                     int64_t nsteps) {
  double now = op2i_program_seconds(steps, nsteps);
  return now > 1.5 * list->seconds || now < list->seconds / 1.5 ||
         op2i_steps_places(steps, nsteps) != list->places;
}

static op2_status have_tasks(struct state *state, struct op2i_step *steps, int64_t nsteps) {
  const struct op2i_config *config = &state->ctx->config;
  struct op2i_task_list **kept = &steps->bundle->tasks;
  if (*kept && !outdated(*kept, steps, nsteps)) return OP2_SUCCESS;
  op2i_task_list_free(kept);
  struct op2i_task_list *list = op2i_calloc(1, sizeof *list);
  if (!list) return op2i_error_nomem("a program");
  double begin = op2i_prepare_begin(state->ctx->sched);
  op2_status status =
      op2i_tasks_build(state->ctx, steps, nsteps, state->workers, config->chunk_us, list);
  if (!status && config->verify) status = op2i_task_list_verify(steps, list);
  op2i_prepare_end(state->ctx->sched, begin);
  *kept = list;
  if (status) op2i_task_list_free(kept);
  return status;
}

/* ---- choice of the execution mode ------------------------------------------------------------ */

static op2_status run_here(struct state *state, struct op2i_step *steps, int64_t nsteps) {
  state->ctx->sched->stats.programs_inline++;
  op2i_sched_starts(state->ctx->sched);
  op2_status status = op2i_tasks_run_here(steps, nsteps);
  for (int64_t s = 0; s < nsteps; s++)
    steps[s].time.elapsed = 1e-9 * (double)steps[s].time.nanoseconds;
  return status;
}

/* False if the team runs another program, or workers have tasks; nothing has run then. */
static bool team_ran(struct state *state, struct op2i_step *steps, int64_t nsteps) {
  return op2i_team_run(op2i_starpu_team(), op2i_starpu_idle(), steps, nsteps,
                       op2i_starpu_share_here(), state->ctx->config.team == 1);
}

static op2_status have_partials(struct op2i_step *steps, int64_t nsteps) {
  op2_status status = OP2_SUCCESS;
  for (int64_t s = 0; s < nsteps && !status; s++)
    if (steps[s].lo < steps[s].hi && steps[s].where.place != OP2I_DEVICE)
      status = op2i_step_begin(&steps[s], steps[s].plan->nblocks);
  return status;
}

/* The team runs loops that follow each other; the calling thread runs everything else, and what the
 * team cannot run now. A program that would also do as tasks is instead run by tasks as a whole if
 * the team is not available at first: nothing has run then. */
static op2_status run_team(struct state *state, struct op2i_step *steps, int64_t nsteps,
                           enum op2i_exec_mode *mode) {
  op2_status status = OP2_SUCCESS;
  bool any = false;
  double begin = op2i_seconds();
  op2i_sched_starts(state->ctx->sched);
  for (int64_t s = 0, end; s < nsteps && !status; s = end) {
    for (end = s; end < nsteps && op2i_team_takes(&steps[end]);) end++;
    bool ran = end > s && team_ran(state, &steps[s], end - s);
    any = any || ran;
    if (!any && steps->bundle->modes.either) {
      *mode = OP2I_MODE_TASKS;
      return OP2_SUCCESS;
    }
    if (end == s) end++;
    if (!ran) status = op2i_tasks_run_here(&steps[s], end - s);
  }
  steps[0].time.elapsed = op2i_seconds() - begin;
  state->ctx->sched->stats.programs_team += any;
  state->ctx->sched->stats.programs_inline += !any;
  if (!any) *mode = OP2I_MODE_HERE;
  return status;
}

static enum op2i_exec_mode choose(struct state *state, struct op2i_step *steps, int64_t nsteps) {
  const struct op2i_team *team = op2i_starpu_team();
  bool over = op2i_starpu_over();
  const struct op2i_workers_info info = {.count = state->workers,
                                         .members = over ? 0 : team->members,
                                         .awake = !over && op2i_team_awake(team),
                                         .over = over};
  return op2i_mode_choose(steps, nsteps, &state->ctx->config, &info);
}

/* Run in the chosen execution mode; or in the calling thread if memory for that is short, in which
 * case nothing has run yet. */
static op2_status run_mode(struct state *state, struct op2i_step *steps, int64_t nsteps,
                           enum op2i_exec_mode *mode) {
  op2_status status = OP2_SUCCESS;
  if (*mode == OP2I_MODE_TASKS || state->ctx->config.verify)
    status = have_tasks(state, steps, nsteps);
  if (!status && *mode == OP2I_MODE_TEAM) status = have_partials(steps, nsteps);
  if (status && status != OP2_ERR_NOMEM) return status;
  if (!status && *mode == OP2I_MODE_TEAM) {
    status = run_team(state, steps, nsteps, mode);
    if (*mode != OP2I_MODE_TASKS) return status;
    status = have_tasks(state, steps, nsteps);
  }
  if (!status && *mode == OP2I_MODE_TASKS)
    status = submit_all(state, steps, nsteps, steps->bundle->tasks);
  if (status != OP2_ERR_NOMEM && *mode == OP2I_MODE_TASKS) return status;
  *mode = OP2I_MODE_HERE;
  return run_here(state, steps, nsteps);
}

/* Count the loops that the host runs because the device cannot. */
static void count_host_runs(op2_context ctx, const struct op2i_step *steps, int64_t nsteps) {
  for (int64_t s = 0; s < nsteps && ctx->device; s++)
    ctx->device->counts.host_runs += steps[s].loop && steps[s].range == 0 &&
                                     steps[s].where.place != OP2I_DEVICE &&
                                     steps[s].loop->form.not_on_device;
}

static op2_status run_steps(void *state, struct op2i_step *steps, int64_t nsteps) {
  const int threads[OP2I_MODES] = {[OP2I_MODE_HERE] = 1,
                                   [OP2I_MODE_TEAM] = op2i_starpu_team()->members,
                                   [OP2I_MODE_TASKS] = ((struct state *)state)->workers};
  enum op2i_exec_mode mode = choose(state, steps, nsteps);
  op2_status status = run_mode(state, steps, nsteps, &mode);
  double clock = 0, busy = 0;
  count_host_runs(((struct state *)state)->ctx, steps, nsteps);
  for (int64_t i = 0; i < nsteps; i++) {
    steps[i].time.seconds = 1e-9 * (double)steps[i].time.nanoseconds;
    clock += steps[i].time.elapsed;
    busy += steps[i].time.seconds;
  }
  if (!status) op2i_mode_ran(&steps->bundle->modes, mode, clock, clock - busy / threads[mode]);
  return status;
}

/* ---- the backend ----------------------------------------------------------------------------- */

/* StarPU reads dozens of variables, one of which names a library to load. */
static const char *unavailable(void) {
  return op2i_env_ignored()
             ? "this process has more rights than the user who started it, and StarPU "
               "takes its settings from the environment"
             : NULL;
}

static op2_status open_state(op2_context ctx, void **out) {
  struct state *state = op2i_calloc(1, sizeof *state);
  if (!state) return op2i_error_nomem("the starpu backend");
  int threads = ctx->config.threads ? ctx->config.threads : op2i_machine()->cores;
  state->ctx = ctx;
  /* The device comes first, since StarPU's start hides OpenCL's platforms. */
  op2_status status = op2i_device_beside(ctx);
  if (!status) status = op2i_starpu_acquire(ctx, threads, &state->workers);
  if (status) {
    op2i_free(state);
    return status;
  }
  *out = state;
  return OP2_SUCCESS;
}

static void close_state(void *state) {
  (void)reap_ended(state);
  op2i_starpu_release();
  op2i_free(state);
}

static int workers(void *state) { return ((struct state *)state)->workers; }

static int most_workers(void) { return STARPU_MAXCPUS; }

static void processors(void *state, int *numbers) {
  op2i_starpu_processors(((struct state *)state)->workers, numbers);
}

const struct op2i_backend op2i_backend_starpu = {
    .name = "starpu",
    .summary = "tasks with explicit dependences on StarPU's CPU workers",
    .variant = OP2I_VECTOR,
    .needs_plan = true,
    .passes = true,
    .unavailable = unavailable,
    .open = open_state,
    .close = close_state,
    .workers = workers,
    .most_workers = most_workers,
    .processors = processors,
    .run_steps = run_steps,
};

#endif
