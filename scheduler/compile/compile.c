/* SPDX-License-Identifier: BSD-3-Clause */
/* Code for loops: their sources are given together to the compiler and its cache. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "comm.h"
#include "compile.h"
#include "device_probe.h"
#include "error.h"
#include "hint.h"
#include "jit.h"
#include "kept_form.h"
#include "log.h"
#include "loopdata.h"
#include "machine.h"
#include "mem.h"
#include "passes.h"
#include "text.h"
#include "trace.h"

/* The variant of the loop's code, and its source unless the code is there. */
static op2_status source_of(struct op2i_loop *loop, enum op2i_variant wish,
                            enum op2i_variant *variant, const char **source) {
  const struct op2i_form *form;
  bool vectors = wish == OP2I_VECTOR || op2i_on_device(wish);
  op2_status status = vectors ? op2i_loop_form(loop, &form) : OP2_SUCCESS;
  if (!status && wish == OP2I_VECTOR) status = op2i_form_recall(loop);
  if (status) return status;
  *variant = op2i_loop_variant(loop, wish);
  return loop->code.function[*variant] ? OP2_SUCCESS : op2i_loop_source(loop, *variant, source);
}

op2_status op2i_compile_add(struct op2i_compile *c, struct op2i_loop *loop) {
  enum op2i_variant variant;
  struct op2i_loop_data *data;
  if (loop->code.function[op2i_loop_variant(loop, c->wish)]) return OP2_SUCCESS;
  op2_status status = op2i_loop_data(loop, &data);
  if (status || data->compiling >= 0) return status;
  if (data->no_code && data->no_code_force == c->sched->stats.nforces && !c->optional)
    return OP2_SUCCESS;
  const char *source;
  double begin = op2i_prepare_begin(c->sched);
  status = source_of(loop, c->wish, &variant, &source);
  op2i_prepare_end(c->sched, begin);
  if (status || loop->code.function[variant]) return status;
  if (op2i_grow(&c->codes, sizeof *c->codes, c->ncodes, &c->codes_capacity) ||
      op2i_grow(&c->wanted, sizeof *c->wanted, c->ncodes, &c->wanted_capacity))
    return op2i_error_nomem("a compilation");
  c->codes[c->ncodes] = op2i_code_of(loop, variant, source);
  c->codes[c->ncodes].if_cached =
      op2i_on_device(variant) && !c->optional && op2i_probe_defers_compile(loop);
  c->wanted[c->ncodes] = (struct op2i_wanted){.loop = loop};
  data->compiling = c->ncodes++;
  return OP2_SUCCESS;
}

/* Remember why a loop has no code: the compiler's message, and hints of the library. */
static void remember(struct op2i_compile *c, int64_t u) {
  const struct op2i_loop *loop = c->wanted[u].loop;
  struct op2i_loop_data *data = loop->attached.sched_data;
  struct op2i_text hints = {0};
  op2i_free(data->no_code);
  op2i_text_add(&hints, "%s", c->codes[u].message);
  for (int m = 0; m < op2i_loop_nmembers(loop); m++) {
    const struct op2i_member member = op2i_loop_member(loop, m);
    op2i_kernel_hint(member.kernel, loop->consts + member.first_const, member.nconsts, &hints);
  }
  if (hints.failed) {
    data->no_code = c->codes[u].message;
    c->codes[u].message = NULL;
    op2i_text_free(&hints);
  } else {
    data->no_code = hints.chars;
  }
  data->no_code_status = c->codes[u].status;
  data->no_code_force = c->sched->stats.nforces;
  data->no_code_times++;
  c->sched->stats.no_codes++;
}

static void forget_failure(const struct op2i_loop *loop) {
  struct op2i_loop_data *data = loop->attached.sched_data;
  op2i_free(data->no_code);
  data->no_code = NULL;
  data->no_code_times = 0;
}

/* ---- agreement of ranks ---------------------------------------------------------------------- */

/* The first unit from `at` on that has failed here and whose failure not all ranks know;
 * -1: there is none. */
static int64_t first_failed(const struct op2i_compile *c, int64_t at) {
  while (at < c->ncodes && (!c->codes[at].status || c->wanted[at].notified)) at++;
  return at < c->ncodes ? at : -1;
}

static op2_status take_reason(struct op2i_compile *c, int64_t place, op2_status code,
                              const char *words, int rank) {
  struct op2i_jit_code *taken = &c->codes[place];
  struct op2i_text text = {0};
  op2i_text_add(&text, "rank %d of %d: %s", rank, c->sched->ctx->comm->size, words);
  op2i_free(taken->message);
  taken->message = text.chars;
  taken->status = code;
  c->wanted[place].notified = true;
  if (!text.failed) return OP2_SUCCESS;
  return op2i_context_abort_ranks(c->sched->ctx, op2i_error_nomem("what went wrong"));
}

/* Agree on failures. Ranks compile the same loops, and a loop that one of them cannot compile has
 * code on none of them. */
static op2_status agree_on_code(struct op2i_compile *c, op2_status status) {
  int64_t place = 0;
  status = op2i_context_agree(c->sched->ctx, status);
  for (int64_t from = 0; !status; from = place + 1) {
    char words[OP2I_WORDS] = "";
    op2_status code = OP2_SUCCESS;
    int rank = 0;
    place = first_failed(c, from);
    if (place >= 0) code = c->codes[place].status;
    if (place >= 0 && c->codes[place].message)
      snprintf(words, sizeof words, "%s", c->codes[place].message);
    status = op2i_comm_first(c->sched->ctx->comm, &place, &code, words, &rank);
    if (status || place < 0) break;
    status = take_reason(c, place, code, words, rank);
  }
  return status;
}

/* True if another rank of this node was to compile the unit. */
static bool pending(const struct op2i_jit_code *code) {
  return !code->function && !code->status && !code->if_cached;
}

/* Load units that other ranks have put into a cache; a unit that this rank does not find is
 * compiled here as well. */
static op2_status look_again(struct op2i_compile *c) {
  int n = 0;
  for (int64_t u = 0; u < c->ncodes; u++) n += pending(&c->codes[u]);
  struct op2i_jit_code *codes = op2i_calloc((size_t)n, sizeof *codes), *from = codes, *at = codes;
  if (!codes) return op2i_error_nomem("a compilation");
  for (int64_t u = 0; u < c->ncodes; u++)
    if (pending(&c->codes[u])) *at++ = c->codes[u];
  op2_status status = n ? op2i_jit_get(c->sched->ctx, n, codes) : OP2_SUCCESS;
  for (int64_t u = 0; u < c->ncodes; u++)
    if (pending(&c->codes[u])) c->codes[u] = *from++;
  op2i_free(codes);
  return status;
}

/* Ranks of a node share the compilation of units that none of their caches has. The agreement on
 * the result also ensures that the units are in the caches. */
static op2_status get_together(struct op2i_compile *c) {
  struct op2i_comm *comm = c->sched->ctx->comm;
  const struct op2i_node_rank *node_rank = &comm->node_rank;
  int64_t left = 0;
  op2_status status =
      op2i_jit_get_part(c->sched->ctx, node_rank->rank, node_rank->size, (int)c->ncodes, c->codes);
  status = agree_on_code(c, status);
  for (int64_t u = 0; u < c->ncodes; u++) left += pending(&c->codes[u]);
  if (!status) status = op2i_comm_greatest(comm, 1, &left);
  return status || !left ? status : agree_on_code(c, look_again(c));
}

/* ---- loops that a device cannot compile or hold ---------------------------------------------- */

/* Let the host run the loop from now on. The reason is logged now, and kept for op2_explain(). */
static void take_off_device(struct op2i_loop *loop, const char *why, const char *message) {
  struct op2i_loop_data *data = loop->attached.sched_data;
  const char *text = message ? message : "";
  int length = (int)strcspn(text, "\n");
  struct op2i_text words = {0};
  if (loop->form.not_on_device) return;
  loop->form.not_on_device = why;
  op2i_text_add(&words, "%.*s", length, text);
  op2i_free(data->refused);
  data->refused = words.failed ? NULL : words.chars;
  op2i_log(loop->op.ctx, OP2I_LOG_WARN, "loop '%s' runs on the host: %s: %.*s",
           op2i_loop_name(loop), why, length, text);
}

static bool refused(const struct op2i_jit_code *code) {
  return code->on_device && code->status == OP2_ERR_COMPILE;
}

/* Compile loops for the host that the device's compiler rejected; the host's compiler reports
 * what is wrong with them. */
static op2_status compile_for_host(struct op2i_compile *c) {
  struct op2i_compile again = {.sched = c->sched, .wish = c->wish, .optional = c->optional};
  op2_status status = OP2_SUCCESS;
  bool any = false;
  for (int64_t u = 0; u < c->ncodes && !status; u++) {
    struct op2i_loop *loop = c->wanted[u].loop;
    if (!refused(&c->codes[u])) continue;
    any = true;
    take_off_device(loop, "its kernel does not compile for the device", c->codes[u].message);
    loop->form.local_decision |= c->optional;
    ((struct op2i_loop_data *)loop->attached.sched_data)->compiling = -1;
    status = op2i_compile_add(&again, loop);
  }
  if (any && !c->optional) status = op2i_context_agree(c->sched->ctx, status);
  if (!status) status = op2i_compile_run(&again);
  op2i_compile_end(&again);
  return status;
}

static void release(op2_context ctx, void *image) { op2i_jit_unuse(ctx, image); }

static void give_code(struct op2i_loop *loop, enum op2i_variant wish, struct op2i_jit_code *code) {
  enum op2i_variant variant = op2i_loop_variant(loop, wish);
  loop->code.function[variant] = code->function;
  loop->code.release = release;
  if (loop->code.image[variant]) release(loop->op.ctx, loop->code.image[variant]);
  loop->code.image[variant] = code->image;
  code->image = NULL;
}

/* Note how long the compiler takes for one of the loops that were compiled together. */
static void note_time(struct op2i_compile *c, double seconds, int64_t compiled) {
  const int cores = op2i_machine()->cores;
  const double each = compiled > cores ? seconds * cores / (double)compiled : seconds;
  for (int64_t u = 0; u < c->ncodes && compiled > 0; u++) {
    struct op2i_loop_data *data = c->wanted[u].loop->attached.sched_data;
    data->trials[OP2I_TRY_SCALAR].compile_seconds = each;
  }
}

static int64_t ncompiled(op2_context ctx) {
  struct op2i_jit_stats stats;
  op2i_jit_statistics(ctx, &stats);
  return stats.compiled;
}

/* ---- the interface --------------------------------------------------------------------------- */

op2_status op2i_compile_run(struct op2i_compile *c) {
  if (!c->ncodes) return OP2_SUCCESS;
  const double begin = op2i_seconds();
  const int64_t since = op2i_trace_begin(c->sched->ctx);
  const int64_t compiled = ncompiled(c->sched->ctx);
  op2_status status = c->sched->ctx->comm && !c->optional
                          ? get_together(c)
                          : op2i_jit_get(c->sched->ctx, (int)c->ncodes, c->codes);
  const double seconds = op2i_seconds() - begin;
  c->sched->stats.spent.compiling += seconds;
  op2i_trace_end(c->sched->ctx, since, OP2I_WHAT_COMPILE, "codes", c->ncodes);
  note_time(c, seconds, ncompiled(c->sched->ctx) - compiled);
  if (!status) status = compile_for_host(c);
  if (status) return status;
  for (int64_t u = 0; u < c->ncodes; u++) {
    if (refused(&c->codes[u])) continue;
    if (c->codes[u].if_cached && !c->codes[u].status)
      c->wanted[u].loop->form.device_compile_deferred = true;
    if (!c->codes[u].status) {
      give_code(c->wanted[u].loop, c->wish, &c->codes[u]);
      forget_failure(c->wanted[u].loop);
    } else if (!c->optional) {
      remember(c, u);
    }
  }
  return OP2_SUCCESS;
}

op2_status op2i_compile_off_device(struct op2i_sched *sched, struct op2i_loop *loop,
                                   const char *why) {
  struct op2i_compile c = {.sched = sched, .wish = sched->ctx->backend->variant, .optional = true};
  take_off_device(loop, why, op2_error_message());
  loop->form.local_decision = true;
  op2_status status = op2i_compile_add(&c, loop);
  if (!status) status = op2i_compile_run(&c);
  if (!status && c.ncodes && c.codes->status)
    status = op2i_error(c.codes->status, "%s", c.codes->message ? c.codes->message : "no code");
  op2i_compile_end(&c);
  return status;
}

const char *op2i_no_code(const struct op2i_loop *loop) {
  const struct op2i_loop_data *data = loop->attached.sched_data;
  return data ? data->no_code : NULL;
}

bool op2i_code_refused(const struct op2i_loop *loop) {
  const struct op2i_loop_data *data = loop->attached.sched_data;
  return op2i_no_code(loop) &&
         (data->no_code_force == loop->op.ctx->sched->stats.nforces || data->no_code_times > 1);
}

void op2i_compile_end(struct op2i_compile *c) {
  for (int64_t u = 0; u < c->ncodes; u++) {
    ((struct op2i_loop_data *)c->wanted[u].loop->attached.sched_data)->compiling = -1;
    op2i_jit_unuse(c->sched->ctx, c->codes[u].image);
    op2i_free(c->codes[u].message);
  }
  op2i_free(c->codes);
  op2i_free(c->wanted);
}
