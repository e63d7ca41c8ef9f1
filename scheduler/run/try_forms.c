/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials: loops that run for long run as vector code with prefetches and without them in turn, and
 * then as vector code and as scalar code, and keep what is faster. */
#include "try_forms.h"

#include "clock.h"
#include "compile.h"
#include "kept_form.h"
#include "log.h"
#include "loopdata.h"
#include "place.h"
#include "program_keep.h"

/* Words for logs and explanations. */
static const struct {
  const char *usual, *other, *no_result;
} words[] = {
    [OP2I_TRY_PREFETCH] = {"the code that prefetches", "vector code without prefetches",
                           "its first runs without them took much longer"},
    [OP2I_TRY_SCALAR] = {"vector code", "scalar code", "its first run took many times as long"}};

static struct op2i_trial *trial_of(const struct op2i_loop *loop, enum op2i_trial_kind kind) {
  return &((struct op2i_loop_data *)loop->attached.sched_data)->trials[kind];
}

/* True if a trial of the loop is running; then *kind says which. */
static bool is_running(const struct op2i_loop *loop, enum op2i_trial_kind *kind) {
  *kind = trial_of(loop, OP2I_TRY_PREFETCH)->running ? OP2I_TRY_PREFETCH : OP2I_TRY_SCALAR;
  return trial_of(loop, *kind)->running;
}

/* While an operation runs, the context's queue is one nested in that of the operation. */
static struct op2i_sched *outermost(const struct op2i_loop *loop) {
  struct op2i_sched *sched = loop->op.ctx->sched;
  while (sched->outer) sched = sched->outer;
  return sched;
}

/* True if the step is a loop, and ran when the program did. */
static bool has_run(const struct op2i_step *step) {
  return step->loop && step->time.seconds > 0 && step->hi > step->lo;
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* Tests put these in place of times. */
static const double invented_fast = 1e-3, invented_slow = 2e-3;

static bool measures(const struct op2i_loop *loop) {
  return loop->op.ctx->config.trial == OP2I_TRIAL_MEASURED;
}

/* The time of a run, summed over workers. */
static double usual_seconds(const struct op2i_step *step) {
  const struct op2i_loop_data *data = step->loop->attached.sched_data;
  if (!measures(step->loop)) return invented_fast;
  return 1e-9 * data->ns_per_element * (double)(step->hi - step->lo);
}

/* Among ranks a loop may run over several ranges. The largest one is timed. */
static bool is_largest(const struct op2i_program *program, const struct op2i_step *step) {
  bool largest = true;
  for (int64_t s = 0; s < program->nsteps; s++)
    if (program->steps[s].loop == step->loop)
      largest = largest && program->steps[s].hi - program->steps[s].lo <= step->hi - step->lo;
  return largest;
}

/* The time of a run, by the clock. */
static double elapsed_seconds(const struct op2i_step *step) {
  return usual_seconds(step) / step->loop->op.ctx->workers;
}

static bool prefetch_is_due(const struct op2i_program *program, const struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  struct op2i_trial *trial = trial_of(loop, OP2I_TRY_PREFETCH);
  if (trial->over || trial->running) return false;
  if (!op2i_prefetch_open(loop)) op2i_trial_end(trial, NULL);
  if (trial->over || !is_largest(program, step)) return false;
  return !measures(loop) || op2i_prefetch_trial_due(loop->profile.calls, elapsed_seconds(step));
}

/* Scalar code is compared with what has come out of the trial of prefetches. */
static bool scalar_is_due(const struct op2i_program *program, const struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  struct op2i_trial *trial = trial_of(loop, OP2I_TRY_SCALAR);
  const char *why;
  if (trial->over || trial->running) return false;
  const bool open = op2i_form_open(loop, &why);
  if (!open || why) op2i_trial_end(trial, open ? why : NULL);
  if (trial->over || !trial_of(loop, OP2I_TRY_PREFETCH)->over) return false;
  return is_largest(program, step) &&
         (!measures(loop) || op2i_trial_due(trial, loop->profile.calls, elapsed_seconds(step)));
}

static bool is_affordable(const struct op2i_loop *loop, double expected) {
  const double elapsed = op2i_seconds() - 1e-9 * (double)loop->op.ctx->born;
  return !measures(loop) ||
         op2i_trials_affordable(outermost(loop)->costs.trial_seconds, expected, elapsed);
}

/* Compile the scalar code of several loops together. A loop whose code does not compile does without.
 * This is not collective: ranks that try the same loop compile it each for itself. */
static void compile_scalar(struct op2i_compile *compile, struct op2i_sched *outer,
                           op2_status status) {
  const double begin = op2i_seconds();
  if (!status) status = op2i_compile_run(compile);
  outer->costs.trial_seconds += op2i_seconds() - begin;
  op2i_compile_end(compile);
}

static void begin(const struct op2i_step *step, enum op2i_trial_kind kind) {
  op2i_trial_begin(trial_of(step->loop, kind), step->hi - step->lo, usual_seconds(step));
}

static void begin_scalar(struct op2i_program *program) {
  struct op2i_compile compile = {.wish = OP2I_PLAIN, .optional = true};
  struct op2i_sched *outer = NULL;
  op2_status status = OP2_SUCCESS;
  double expected = 0;
  for (int64_t s = 0; s < program->nsteps && !status; s++) {
    struct op2i_step *step = &program->steps[s];
    if (!has_run(step) || !scalar_is_due(program, step)) continue;
    expected += op2i_trial_expects(trial_of(step->loop, OP2I_TRY_SCALAR));
    if (!is_affordable(step->loop, expected)) break;
    compile.sched = step->loop->op.ctx->sched;
    outer = outermost(step->loop);
    begin(step, OP2I_TRY_SCALAR);
    status = op2i_compile_add(&compile, step->loop);
  }
  if (outer) compile_scalar(&compile, outer, status);
}

static void begin_due(struct op2i_program *program) {
  for (int64_t s = 0; s < program->nsteps; s++) {
    const struct op2i_step *step = &program->steps[s];
    if (has_run(step) && prefetch_is_due(program, step)) begin(step, OP2I_TRY_PREFETCH);
  }
  begin_scalar(program);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void *function_of(const struct op2i_loop *loop, bool scalar) {
  return loop->code.function[scalar ? OP2I_PLAIN : OP2I_VECTOR];
}

static void finish(struct op2i_loop *loop, enum op2i_trial_kind kind, bool other) {
  struct op2i_trial *trial = trial_of(loop, kind);
  const bool compared = op2i_trial_compared(trial);
  op2i_trial_end(trial, compared ? NULL : words[kind].no_result);
  if (kind == OP2I_TRY_PREFETCH) {
    loop->form.prefetch_slower = other;
    trial_of(loop, OP2I_TRY_SCALAR)->before = loop->profile.calls;
  } else {
    loop->form.scalar_faster = other;
  }
  for (struct op2i_sched *sched = outermost(loop); sched; sched = sched->inner)
    op2i_programs_switch(sched, loop, function_of(loop, loop->form.scalar_faster),
                         op2i_loop_distance(loop));
  if (!compared) return;
  op2i_form_keep(loop);
  op2i_log(loop->op.ctx, OP2I_LOG_INFO,
           "loop '%s': %s takes %.2f of the time of %s, and %s is kept", op2i_loop_name(loop),
           words[kind].other, op2i_trial_ratio(trial), words[kind].usual,
           other ? "it" : "the latter");
}

/* The time of the run, or what tests have put in its place: they let scalar code win, or vector code
 * without prefetches. */
static double measured(const struct op2i_step *step, enum op2i_trial_kind kind,
                       enum op2i_tried tried) {
  const int trial = step->loop->op.ctx->config.trial;
  const int wins = kind == OP2I_TRY_PREFETCH ? OP2I_TRIAL_VECTOR : OP2I_TRIAL_SCALAR;
  if (trial == OP2I_TRIAL_MEASURED) return step->time.seconds;
  return (trial == wins) == (tried == OP2I_TRIED_OTHER) ? invented_fast : invented_slow;
}

/* The loop's cost remains that of what it runs by while something else is tried. */
static void keep_cost(struct op2i_loop *loop, const struct op2i_trial *trial,
                      enum op2i_tried tried) {
  struct op2i_loop_data *data = loop->attached.sched_data;
  data->ns_per_element = 1e9 * trial->form[tried].best / (double)trial->elements;
}

/* The candidate that the step has run by. */
static enum op2i_tried ran_by(const struct op2i_step *step, enum op2i_trial_kind kind) {
  const bool other = kind == OP2I_TRY_PREFETCH ? !step->call.distance
                                               : step->function == function_of(step->loop, true);
  return other ? OP2I_TRIED_OTHER : OP2I_TRIED_USUAL;
}

static void count_run(struct op2i_step *step, enum op2i_trial_kind kind) {
  struct op2i_loop *loop = step->loop;
  struct op2i_trial *trial = trial_of(loop, kind);
  const enum op2i_tried tried = ran_by(step, kind);
  bool other;
  op2i_trial_count(trial, tried, step->hi - step->lo, measured(step, kind, tried));
  const bool over = op2i_trial_decide(trial, &other);
  const enum op2i_tried kept = over && other ? OP2I_TRIED_OTHER : OP2I_TRIED_USUAL;
  if (trial->form[kept].best > 0) keep_cost(loop, trial, kept);
  if (over) finish(loop, kind, other);
}

/* Give the step the candidate of its next run. */
static void choose(struct op2i_step *step, enum op2i_trial_kind kind) {
  struct op2i_trial *trial = trial_of(step->loop, kind);
  const bool scalar = kind == OP2I_TRY_SCALAR && trial->next == OP2I_TRIED_OTHER;
  void *function = function_of(step->loop, scalar);
  if (function)
    step->function = function;
  else
    op2i_trial_end(trial, "its scalar code does not compile");
  step->call.distance = op2i_loop_distance(step->loop);
}

bool op2i_program_tried(struct op2i_program *program, bool begin) {
  enum op2i_trial_kind kind;
  bool any = false;
  for (int64_t s = 0; s < program->nsteps; s++) {
    struct op2i_step *step = &program->steps[s];
    if (has_run(step) && is_running(step->loop, &kind)) count_run(step, kind);
  }
  /* In tests the second trial follows the first one at once. */
  if (begin || program->ops[0]->ctx->config.trial > OP2I_TRIAL_MEASURED) begin_due(program);
  for (int64_t s = 0; s < program->nsteps; s++) {
    struct op2i_step *step = &program->steps[s];
    if (!has_run(step) || !is_running(step->loop, &kind)) continue;
    if (step->hi - step->lo == trial_of(step->loop, kind)->elements) choose(step, kind);
    any = any || trial_of(step->loop, kind)->running;
  }
  return any;
}
