/* SPDX-License-Identifier: BSD-3-Clause */
/* The faster form of a loop, as trials in this process or in earlier ones have found it. */
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

static void take(struct op2i_loop *loop, const struct op2i_choice *choice) {
  struct op2i_loop_data *data = loop->attached.sched_data;
  struct op2i_trial *trial = &data->trial;
  op2i_trial_end(trial, NULL);
  trial->recalled = true;
  trial->elements = choice->elements;
  for (int f = 0; f < OP2I_TRIED_FORMS; f++) {
    trial->form[f].runs = choice->runs;
    trial->form[f].best = choice->seconds[f];
  }
  loop->form.scalar_faster = choice->second;
}

/* Scalar code that another version of the library has generated may have been faster than this
 * one's. */
op2_status op2i_form_recall(struct op2i_loop *loop) {
  struct op2i_loop_data *data = loop->attached.sched_data;
  struct op2i_choice choice;
  struct op2i_key vector, scalar;
  const char *why;
  bool found, same = true;
  if (!op2i_form_open(loop, &why) || why || loop->form.scalar_faster) return OP2_SUCCESS;
  data->trial = (struct op2i_trial){0};
  op2_status status = key_of(loop, OP2I_VECTOR, &vector);
  if (!status) status = op2i_choice_read(loop->op.ctx, vector, memory_of(loop), &choice, &found);
  if (status || !found) return status;
  if (choice.second) {
    status = key_of(loop, OP2I_PLAIN, &scalar);
    same = !status && op2i_key_equal(scalar, choice.second_key);
  }
  if (same) take(loop, &choice);
  return status;
}

void op2i_form_keep(struct op2i_loop *loop) {
  const struct op2i_loop_data *data = loop->attached.sched_data;
  const struct op2i_trial *trial = &data->trial;
  struct op2i_choice choice = {.second = loop->form.scalar_faster,
                               .runs = trial->form[OP2I_TRIED_SCALAR].runs,
                               .elements = trial->elements};
  struct op2i_key vector;
  for (int f = 0; f < OP2I_TRIED_FORMS; f++) choice.seconds[f] = trial->form[f].best;
  if (key_of(loop, OP2I_VECTOR, &vector) || key_of(loop, OP2I_PLAIN, &choice.second_key)) return;
  op2i_choice_write(loop->op.ctx, vector, memory_of(loop), &choice);
}
