/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked mode's backend: sequential, element by element on private copies, whose results
 * are then stored the way generated code stores them. */
#include <string.h>

#include "check.h"
#include "check_layout.h"
#include "check_sample.h"
#include "check_silent.h"
#include "clock.h"
#include "fpenv.h"
#include "mem.h"
#include "partial.h"
#include "registry.h"
#include "stateless.h"
#include "trace.h"

/* ---- storing results ------------------------------------------------------------------------- */

static void store(const struct op2i_loop_arg *arg, int32_t dim, unsigned char *memory,
                  const unsigned char *values) {
  size_t value_bytes = op2i_type_size(arg->type);
  if (op2i_keeps_order(arg->access)) {
    memcpy(memory, values, (size_t)dim * value_bytes);
    return;
  }
  op2i_values_combine(arg->type, arg->access, dim, memory, values);
}

static void store_buffer(const struct op2i_check *check, const struct op2i_check_row *row) {
  const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
  size_t row_bytes = check->loop->op.dats[arg->dat]->row_bytes;
  unsigned char *storage = check->step->call.dat[arg->dat];
  size_t value_bytes = row->value_bytes;
  const int32_t first = op2i_arg_copied_first(arg), end = first + op2i_arg_copied(arg);
  int32_t together = op2i_arg_in_order(arg) ? end - first : 1;
  for (int slot = 0; slot < arg->arity; slot++) {
    unsigned char *memory = storage + (size_t)op2i_check_target(check, arg, slot) * row_bytes;
    for (int32_t c = first; c < end; c += together)
      store(arg, together, memory + (size_t)c * value_bytes,
            check->frame[0] + row->at + (size_t)op2i_arg_place(arg, slot, c) * value_bytes);
  }
}

/* Combine the element's value of a located reduction, as a partial result of its own. */
static void offer(const struct op2i_check *check, const struct op2i_check_row *row) {
  const struct op2i_loop *loop = check->loop;
  const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
  unsigned char *partials = check->step->values.partials;
  unsigned char *own = partials + (size_t)OP2I_STRANDS_MAX * (size_t)loop->partial_bytes;
  if (!memcmp(check->frame[0] + row->at, check->start + row->at, row->bytes)) return;
  ((struct op2i_found *)(own + arg->found_at))->number =
      op2i_set_number(loop->set->base, check->element);
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_loop_arg *info = op2i_check_arg(check, &check->rows[r]);
    if (check->rows[r].role == OP2I_ROW_INFO && info->info_of == row->arg)
      memcpy(own + info->offset, check->frame[0] + check->rows[r].at, check->rows[r].bytes);
  }
  memcpy(own + arg->offset, check->start + row->at, row->bytes);
  op2i_values_combine(arg->type, arg->access, 1, own + arg->offset, check->frame[0] + row->at);
  op2i_reduce_minloc(loop, row->arg, partials, own);
}

/* Store what kernels modify in place first; then, argument by argument, what generated code adds or
 * copies after the kernel. */
static void store_results(const struct op2i_check *check) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if ((row->role == OP2I_ROW_WRITE || row->role == OP2I_ROW_UPDATE) && row->memory)
      memcpy(row->memory, check->frame[0] + row->at, row->bytes);
  }
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
    if (arg->kind == OP2I_ARG_ITER && op2i_modifies(arg->access))
      store_buffer(check, row);
    else if (op2i_arg_located(arg))
      offer(check, row);
    else if (op2i_arg_bounds(arg))
      store(arg, arg->dim, check->step->values.partials + arg->offset, check->frame[0] + row->at);
    else if (arg->kind == OP2I_ARG_GBL && row->role == OP2I_ROW_REDUCE)
      memcpy(row->memory, check->frame[0] + row->at, row->bytes);
    else if (row->role == OP2I_ROW_SUM || row->role == OP2I_ROW_REDUCE)
      store(arg, arg->dim, row->memory, check->frame[0] + row->at);
  }
}

/* ---- the backend ----------------------------------------------------------------------------- */

static op2_status run_elements(struct op2i_check *check) {
  op2_status status = OP2_SUCCESS;
  for (int64_t p = check->step->lo; !status && p < check->step->hi; p++) {
    op2i_fp_reset(); /* a kernel may have changed the floating-point environment */
    op2i_check_gather(check, p);
    status = op2i_check_judge(check);
    if (!status) status = op2i_check_collide(check);
    if (!status) store_results(check);
  }
  return status;
}

static op2_status run_step(void *state, struct op2i_step *step) {
  if (step->hi <= step->lo) return OP2_SUCCESS;
  /* The kernel of such a loop is op2's own. */
  if (step->loop->traits.per_nonzero) return op2i_backend_sequential.run_step(state, step);
  struct op2i_check check;
  const bool sampled = op2i_check_samples(step);
  op2_status status = op2i_step_begin(step, OP2I_STRANDS_MAX + 1); /* and one for a single
                                                                      element */
  if (status) return status;
  for (int s = 0; step->values.partials && s <= OP2I_STRANDS_MAX; s++)
    op2i_partial_init(step, step->values.partials + (size_t)s * (size_t)step->loop->partial_bytes);
  op2i_silent_constants(step);
  void *before = op2i_silent_begin(step);
  status = op2i_check_open(&check, step);
  if (!status) {
    const int64_t start = op2i_nanoseconds();
    op2i_kernels_enter(step->loop);
    status = sampled ? op2i_check_run_sample(&check) : run_elements(&check);
    op2i_kernels_leave(step->loop);
    const int64_t end = op2i_nanoseconds();
    step->time.seconds = step->time.elapsed = 1e-9 * (double)(end - start);
    struct op2i_trace *trace = step->loop->op.ctx->trace;
    if (trace) op2i_trace_loop(trace, OP2I_TRACK_WORKER, step->loop->profile.what, start, end);
    op2i_check_close(&check);
  }
  if (!status) op2i_step_combine(step, sampled ? 1 : OP2I_STRANDS_MAX);
  if (!status)
    op2i_silent_end(step, before);
  else
    op2i_free(before);
  return status;
}

const struct op2i_backend op2i_backend_check = {
    .name = "check",
    .never_recycles = true,
    .summary = "one thread that finds kernels which do not do what their access modes say",
    .variant = OP2I_CHECKED,
    .unavailable = op2i_always_available,
    .open = op2i_open_nothing,
    .close = op2i_close_nothing,
    .workers = op2i_one_worker,
    .most_workers = op2i_at_most_one,
    .run_step = run_step,
    .call = op2i_check_call,
};
