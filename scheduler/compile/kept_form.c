/* SPDX-License-Identifier: BSD-3-Clause */
/* The faster form of a loop, with prefetches or without them, as trials in this process or in earlier
 * ones have found it. */
#include "kept_form.h"

#include "backend.h"
#include "choice.h"
#include "context.h"
#include "loopdata.h"
#include "machine.h"

struct op2i_jit_code op2i_code_of(const struct op2i_loop *loop, enum op2i_variant variant,
                                  const char *source) {
  return (struct op2i_jit_code){.source = source,
                                .mergeable = loop->code.mergeable[variant],
                                .includes = (const char *const *)loop->kernel->includes,
                                .libraries = (const char *const *)loop->kernel->libraries,
                                .label = op2i_loop_name(loop),
                                .on_device = op2i_on_device(variant)};
}

/* OP2_CFLAGS can revoke the flags by which both forms have the same bits; tests that force trials set
 * flags which do not. Ranks decide alone: a loop has code in one of its forms on all of them or on
 * none. */
bool op2i_form_open(const struct op2i_loop *loop, const char **why) {
  const struct op2_context_s *ctx = loop->op.ctx;
  const bool forced = ctx->config.trial > OP2I_TRIAL_MEASURED;
  *why = ctx->config.trial == OP2I_TRIAL_NEVER ? "OP2_TRIAL=0"
         : ctx->device                         ? "there is a device"
         : forced                              ? NULL
         : !ctx->config.simd_chosen            ? "OP2_SIMD is set"
         : ctx->config.cflags                  ? "OP2_CFLAGS may change bits"
                                               : NULL;
  return ctx->backend->variant == OP2I_VECTOR && !loop->form.why;
}

/* Prefetches change no bit whatever the flags are, and a given width of vectors leaves the question
 * open. If tests let scalar code win, it is tried at once. */
bool op2i_prefetch_open(const struct op2i_loop *loop) {
  const struct op2_context_s *ctx = loop->op.ctx;
  const bool tried =
      ctx->config.trial != OP2I_TRIAL_NEVER && ctx->config.trial != OP2I_TRIAL_SCALAR;
  return tried && !ctx->device && ctx->backend->variant == OP2I_VECTOR && !loop->form.why &&
         loop->form.prefetches && !loop->form.scalar_faster;
}

static op2_status key_of(struct op2i_loop *loop, enum op2i_variant variant, struct op2i_key *key) {
  const char *source;
  op2_status status = op2i_loop_source(loop, variant, &source);
  if (status) return status;
  const struct op2i_jit_code code = op2i_code_of(loop, variant, source);
  return op2i_code_key(loop->op.ctx, &code, key);
}

static enum op2i_memory memory_of(const struct op2i_loop *loop) {
  const struct op2i_machine *machine = op2i_machine();
  if (loop->bytes <= (double)machine->l2_bytes) return OP2I_IN_CORE_CACHE;
  return loop->bytes <= (double)op2i_machine_cached(machine) ? OP2I_IN_CACHES : OP2I_PAST_CACHES;
}

static void take(struct op2i_trial *trial, const struct op2i_comparison *from) {
  op2i_trial_end(trial, NULL);
  trial->recalled = true;
  trial->elements = from->elements;
  for (int f = 0; f < OP2I_TRIED_FORMS; f++) {
    trial->form[f].runs = from->runs;
    trial->form[f].best = from->seconds[f];
  }
}

/* Scalar code that another version of the library has generated may have been faster than this
 * one's. */
static op2_status take_scalar(struct op2i_loop *loop, const struct op2i_choice *choice) {
  struct op2i_loop_data *data = loop->attached.sched_data;
  struct op2i_key scalar;
  bool same = true;
  op2_status status = OP2_SUCCESS;
  if (choice->scalar.second) {
    status = key_of(loop, OP2I_PLAIN, &scalar);
    same = !status && op2i_key_equal(scalar, choice->scalar_key);
  }
  if (!same) return status;
  take(&data->trials[OP2I_TRY_SCALAR], &choice->scalar);
  loop->form.scalar_faster = choice->scalar.second;
  return status;
}

op2_status op2i_form_recall(struct op2i_loop *loop) {
  struct op2i_loop_data *data = loop->attached.sched_data;
  struct op2i_choice choice;
  struct op2i_key vector;
  const char *why;
  bool found;
  const bool prefetch = op2i_prefetch_open(loop), scalar = op2i_form_open(loop, &why) && !why;
  if (!(prefetch || scalar) || loop->form.scalar_faster) return OP2_SUCCESS;
  for (int t = 0; t < OP2I_TRIALS; t++) data->trials[t] = (struct op2i_trial){0};
  loop->form.prefetch_slower = false;
  op2_status status = key_of(loop, OP2I_VECTOR, &vector);
  if (!status) status = op2i_choice_read(loop->op.ctx, vector, memory_of(loop), &choice, &found);
  if (status || !found) return status;
  if (prefetch && choice.prefetch.known) {
    take(&data->trials[OP2I_TRY_PREFETCH], &choice.prefetch);
    loop->form.prefetch_slower = choice.prefetch.second;
  }
  return scalar && choice.scalar.known ? take_scalar(loop, &choice) : status;
}

/* Put the result of a trial in its place. False if there is none. */
static bool put(const struct op2i_trial *trial, bool other, struct op2i_comparison *result) {
  if (!trial->over || trial->none || !trial->elements) return false;
  *result = (struct op2i_comparison){.known = true,
                                     .second = other,
                                     .runs = trial->form[OP2I_TRIED_OTHER].runs,
                                     .elements = trial->elements};
  for (int f = 0; f < OP2I_TRIED_FORMS; f++) result->seconds[f] = trial->form[f].best;
  return true;
}

/* The result of a trial that this loop has not had stays as it is in the file. */
void op2i_form_keep(struct op2i_loop *loop) {
  const struct op2i_loop_data *data = loop->attached.sched_data;
  struct op2i_choice choice = {0}, before;
  struct op2i_key vector;
  bool found;
  if (key_of(loop, OP2I_VECTOR, &vector)) return;
  if (op2i_choice_read(loop->op.ctx, vector, memory_of(loop), &before, &found)) return;
  if (found) choice = before;
  put(&data->trials[OP2I_TRY_PREFETCH], loop->form.prefetch_slower, &choice.prefetch);
  if (put(&data->trials[OP2I_TRY_SCALAR], loop->form.scalar_faster, &choice.scalar) &&
      key_of(loop, OP2I_PLAIN, &choice.scalar_key))
    return;
  op2i_choice_write(loop->op.ctx, vector, memory_of(loop), &choice);
}
