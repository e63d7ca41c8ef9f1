/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials: loops that run for long run as vector code and as scalar code in turn, and keep the
 * faster form. */
#include "try_forms.h"

#include "clock.h"
#include "compile.h"
#include "kept_form.h"
#include "log.h"
#include "loopdata.h"
#include "program_keep.h"

static const enum op2i_variant variants[] = {
    [OP2I_TRIED_VECTOR] = OP2I_VECTOR, [OP2I_TRIED_SCALAR] = OP2I_PLAIN};

static void *function_of(const struct op2i_loop *loop, enum op2i_tried form) {
  return loop->code.function[variants[form]];
}

static struct op2i_trial *trial_of(const struct op2i_loop *loop) {
  return &((struct op2i_loop_data *)loop->attached.sched_data)->trial;
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

/* The time of a run, summed over workers. */
static double usual_seconds(const struct op2i_step *step) {
  const struct op2i_loop_data *data = step->loop->attached.sched_data;
  if (step->loop->op.ctx->config.trial != OP2I_TRIAL_MEASURED) return invented_fast;
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

static bool is_due(const struct op2i_program *program, const struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  struct op2i_trial *trial = trial_of(loop);
  const char *why;
  if (trial->over || trial->running) return false;
  const bool open = op2i_form_open(loop, &why);
  if (!open || why) op2i_trial_end(trial, open ? why : NULL);
  if (trial->over || !is_largest(program, step)) return false;
  return loop->op.ctx->config.trial != OP2I_TRIAL_MEASURED ||
         op2i_trial_due(trial, loop->profile.calls, usual_seconds(step) / loop->op.ctx->workers);
}

static bool is_affordable(const struct op2i_loop *loop, double expected) {
  const double elapsed = op2i_seconds() - 1e-9 * (double)loop->op.ctx->born;
  return loop->op.ctx->config.trial != OP2I_TRIAL_MEASURED ||
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

static void begin_due(struct op2i_program *program) {
  struct op2i_compile compile = {.wish = OP2I_PLAIN, .optional = true};
  struct op2i_sched *outer = NULL;
  op2_status status = OP2_SUCCESS;
  double expected = 0;
  for (int64_t s = 0; s < program->nsteps && !status; s++) {
    struct op2i_step *step = &program->steps[s];
    if (!has_run(step) || !is_due(program, step)) continue;
    struct op2i_trial *trial = trial_of(step->loop);
    expected += op2i_trial_expects(trial);
    if (!is_affordable(step->loop, expected)) break;
    compile.sched = step->loop->op.ctx->sched;
    outer = outermost(step->loop);
    op2i_trial_begin(trial, step->hi - step->lo, usual_seconds(step));
    status = op2i_compile_add(&compile, step->loop);
  }
  if (outer) compile_scalar(&compile, outer, status);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void finish(struct op2i_loop *loop, bool scalar) {
  struct op2i_trial *trial = trial_of(loop);
  const bool compared = op2i_trial_compared(trial);
  const enum op2i_tried kept = scalar ? OP2I_TRIED_SCALAR : OP2I_TRIED_VECTOR;
  op2i_trial_end(trial, compared ? NULL : "its first run took many times as long");
  loop->form.scalar_faster = scalar;
  for (struct op2i_sched *sched = outermost(loop); sched; sched = sched->inner)
    op2i_programs_switch(sched, loop, function_of(loop, kept));
  if (!compared) return;
  op2i_form_keep(loop);
  op2i_log(loop->op.ctx, OP2I_LOG_INFO,
           "loop '%s': scalar code takes %.2f of the time of vector code, and %s is kept",
           op2i_loop_name(loop), op2i_trial_ratio(trial), scalar ? "it" : "the latter");
}

/* The time of the run, or what tests have put in its place. */
static double measured(const struct op2i_step *step, enum op2i_tried form) {
  const int trial = step->loop->op.ctx->config.trial;
  if (trial == OP2I_TRIAL_MEASURED) return step->time.seconds;
  return (trial == OP2I_TRIAL_SCALAR) == (form == OP2I_TRIED_SCALAR) ? invented_fast
                                                                     : invented_slow;
}

/* The loop's cost remains that of vector code while scalar code is tried. */
static void keep_cost(struct op2i_loop_data *data, enum op2i_tried form) {
  const struct op2i_trial *trial = &data->trial;
  data->ns_per_element = 1e9 * trial->form[form].best / (double)trial->elements;
}

static void count_run(struct op2i_step *step) {
  struct op2i_loop *loop = step->loop;
  struct op2i_trial *trial = trial_of(loop);
  const enum op2i_tried form = step->function == function_of(loop, OP2I_TRIED_SCALAR)
                                   ? OP2I_TRIED_SCALAR
                                   : OP2I_TRIED_VECTOR;
  bool scalar;
  op2i_trial_count(trial, form, step->hi - step->lo, measured(step, form));
  const bool over = op2i_trial_decide(trial, &scalar);
  const enum op2i_tried kept = over && scalar ? OP2I_TRIED_SCALAR : OP2I_TRIED_VECTOR;
  if (trial->form[kept].best > 0) keep_cost(loop->attached.sched_data, kept);
  if (over) finish(loop, scalar);
}

/* Give the step the form of its next run. */
static void choose(struct op2i_step *step) {
  struct op2i_trial *trial = trial_of(step->loop);
  void *function = function_of(step->loop, trial->next);
  if (function)
    step->function = function;
  else
    op2i_trial_end(trial, "its scalar code does not compile");
}

bool op2i_program_tried(struct op2i_program *program, bool begin) {
  bool any = false;
  for (int64_t s = 0; s < program->nsteps; s++)
    if (has_run(&program->steps[s]) && trial_of(program->steps[s].loop)->running)
      count_run(&program->steps[s]);
  if (begin) begin_due(program);
  for (int64_t s = 0; s < program->nsteps; s++) {
    struct op2i_step *step = &program->steps[s];
    if (!has_run(step) || !trial_of(step->loop)->running) continue;
    if (step->hi - step->lo == trial_of(step->loop)->elements) choose(step);
    any = any || trial_of(step->loop)->running;
  }
  return any;
}
