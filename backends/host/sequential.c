/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference backend: one call of the generated code for the whole range, in element order. A
 * loop without reductions is split into several independent calls while messages are in flight. */
#include "backend.h"
#include "clock.h"
#include "comm.h"
#include "context.h"
#include "fpenv.h"
#include "loop.h"
#include "partial.h"
#include "registry.h"
#include "stateless.h"
#include "trace.h"

enum { PIECE = 4096 }; /* elements */

static void run(struct op2i_step *step) {
  struct op2i_comm *comm = step->loop->op.ctx->comm;
  bool whole = !comm || comm->flying == 0 || step->loop->partial_bytes > 0;
  for (int64_t lo = step->lo, hi; lo < step->hi; lo = hi) {
    op2i_fp_reset(); /* a kernel of an earlier loop may have changed it */
    hi = whole || step->hi - lo < PIECE ? step->hi : lo + PIECE;
    op2i_step_apply(step, lo, hi, step->values.partials);
    if (!whole) op2i_comm_progress(comm);
  }
}

static op2_status run_step(void *state, struct op2i_step *step) {
  (void)state;
  op2_status status = op2i_step_begin(step, 1);
  if (status) return status;
  op2i_partial_init(step, step->values.partials);
  const int64_t start = op2i_nanoseconds();
  run(step);
  const int64_t end = op2i_nanoseconds();
  step->time.seconds = step->time.elapsed = 1e-9 * (double)(end - start);
  struct op2i_trace *trace = step->loop->op.ctx->trace;
  if (trace) op2i_trace_loop(trace, OP2I_TRACK_WORKER, step->loop->profile.what, start, end);
  op2i_step_combine(step, 1);
  return OP2_SUCCESS;
}

const struct op2i_backend op2i_backend_sequential = {
    .name = "sequential",
    .summary = "one thread, element by element: the reference for all others",
    .variant = OP2I_PLAIN,
    .unavailable = op2i_always_available,
    .open = op2i_open_nothing,
    .close = op2i_close_nothing,
    .workers = op2i_one_worker,
    .most_workers = op2i_at_most_one,
    .run_step = run_step,
};
