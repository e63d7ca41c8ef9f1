/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: judge a sample of a loop's elements before the loop runs as on other backends.
 *
 * The positions of a step are divided into as many strata of equal size as elements are to be
 * judged. One position of each stratum is drawn by a hash of the loop's number and the stratum, so
 * that a program judges the same elements each time, and others in each run of a loop. The first
 * and the last position are judged as well. If a fraction f of the elements is wrong, each stratum
 * misses them with the probability 1 - f_i, where the mean of f_i is f: all of n strata miss them
 * with a probability of at most (1 - f)^n. */
#include "check_sample.h"

#include <signal.h>
#include <string.h>

#include "check_layout.h"
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "hash.h"
#include "mem.h"

/* Elements that are compared with one of the sample, because they write to the same target, at
 * most for each element of the sample. */
enum { COMPANIONS = 16 };

static int64_t wanted(const struct op2i_step *step) {
  return step->loop->op.ctx->config.check_sample;
}

bool op2i_check_samples(const struct op2i_step *step) {
  return wanted(step) > 0 && step->hi - step->lo > wanted(step);
}

/* The first position of stratum i, without products that overflow. */
static int64_t stratum(const struct op2i_step *step, int64_t i) {
  int64_t n = wanted(step), all = step->hi - step->lo;
  return step->lo + all / n * i + all % n * i / n;
}

static int64_t drawn(const struct op2i_step *step, int64_t i) {
  int64_t from = stratum(step, i), to = stratum(step, i + 1);
  uint64_t hash = op2i_hash_word(op2i_hash_word((uint64_t)step->number, (uint64_t)i), 0);
  return from + (int64_t)(hash % (uint64_t)(to - from));
}

/* ---- one element ----------------------------------------------------------------------------- */

static op2_status judge(struct op2i_check *check, int64_t position) {
  op2i_fp_reset(); /* a kernel may have changed the floating-point environment */
  op2i_check_gather(check, position);
  op2_status status = op2i_check_judge(check);
  return status ? status : op2i_check_collide(check);
}

/* ---- elements that write where one of the sample writes -------------------------------------- */

static op2_status note_values(struct op2i_check *check) {
  for (int d = 0; d < check->loop->op.ndats; d++) {
    op2_dat dat = check->loop->op.dats[d];
    if (!check->writers[d]) continue;
    check->written[d] = op2i_calloc((size_t)dat->set->ends[OP2I_NONEXEC] + 1, dat->row_bytes);
    if (!check->written[d]) return op2i_error_nomem("the checked mode");
  }
  return OP2_SUCCESS;
}

/* True if another element wrote to the target in some slot of the argument. */
static bool shares_target(const struct op2i_check *check, const struct op2i_loop_arg *arg) {
  int first = arg->kind == OP2I_ARG_SLOT ? arg->slot : 0;
  int slots = arg->kind == OP2I_ARG_SLOT ? 1 : arg->arity;
  bool met = false;
  for (int slot = first; slot < first + slots && !met; slot++) {
    int64_t writer = check->writers[arg->dat][op2i_check_target(check, arg, slot)];
    met = writer > 0 && writer != check->element + 1;
  }
  return met;
}

static op2_status compare(struct op2i_check *check, int64_t position) {
  op2i_fp_reset();
  op2i_check_gather(check, position);
  op2_status status = op2i_check_apply_once(check);
  return status ? status : op2i_check_collide(check);
}

/* Compare with the sample what other elements write to the same targets. */
static op2_status compare_companions(struct op2i_check *check, const struct op2i_loop_arg *arg,
                                     int64_t *left) {
  const struct op2i_step *step = check->step;
  op2_status status = OP2_SUCCESS;
  for (int64_t p = step->lo; p<step->hi && * left> 0 && !status; p++) {
    check->element = step->call.subset ? step->call.subset[p] : p;
    if (!shares_target(check, arg)) continue;
    status = compare(check, p);
    (*left)--;
  }
  return status;
}

static op2_status find_companions(struct op2i_check *check) {
  int64_t left = COMPANIONS * wanted(check->step);
  op2_status status = OP2_SUCCESS;
  check->only_compares = true;
  for (int a = 0; a < check->loop->nargs && !status; a++) {
    const struct op2i_loop_arg *arg = &check->loop->args[a];
    if (arg->dat >= 0 && arg->map >= 0 && op2i_overwrites(arg->access) && check->writers[arg->dat])
      status = compare_companions(check, arg, &left);
  }
  return status;
}

/* ---- all elements ---------------------------------------------------------------------------- */

static void run_elements(void *const *args) {
  const struct op2i_step *step = args[0];
  op2i_plain_fn run = (op2i_plain_fn)step->loop->code.function[OP2I_PLAIN];
  run(&step->call, step->lo, step->hi, step->values.partials);
}

static op2_status run_all(struct op2i_check *check) {
  void *const args[] = {check->step};
  op2i_fp_reset();
  if (op2i_fault_call(run_elements, args, &check->fault)) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_KERNEL,
                    "the kernel %s in an element that is not in the sample of "
                    "OP2_CHECK_SAMPLE=%d: without this variable the checked mode names the "
                    "element and the argument",
                    check->fault.signal == SIGFPE ? "divided an integer by zero"
                                                  : "touched memory that is not there",
                    (int)wanted(check->step));
}

op2_status op2i_check_run_sample(struct op2i_check *check) {
  const struct op2i_step *step = check->step;
  op2_status status = note_values(check);
  if (!status) status = judge(check, step->lo);
  for (int64_t i = 0; i < wanted(step) && !status; i++) status = judge(check, drawn(step, i));
  if (!status) status = judge(check, step->hi - 1);
  if (!status) status = find_companions(check);
  return status ? status : run_all(check);
}
