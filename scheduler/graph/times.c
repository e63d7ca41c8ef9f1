/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of a context, divided by what it was spent on, for op2_times_get(). */
#include "clock.h"
#include "error.h"
#include "fpenv.h"
#include "jit.h"
#include "op2/graph.h"
#include "sched_state.h"

void op2i_sched_starts(struct op2i_sched *sched) {
  if (!sched->stats.first_kernel) sched->stats.first_kernel = op2i_nanoseconds();
}

double op2i_prepare_begin(const struct op2i_sched *sched) {
  return op2i_seconds() - sched->stats.spent.compiling - sched->stats.spent.preparing;
}

void op2i_prepare_end(struct op2i_sched *sched, double begin) {
  sched->stats.spent.preparing += op2i_prepare_begin(sched) - begin;
}

static double positive(double seconds) { return seconds > 0 ? seconds : 0; }

op2_status op2_times_get(op2_context ctx, op2_times *times) {
  OP2I_FP_DEFAULT;
  op2_status status = op2i_context_validate(ctx, "op2_times_get");
  if (status) return status;
  if (!times) return op2i_error(OP2_ERR_ARG, "op2_times_get: where to put the times is null");
  const struct op2i_spent *spent = &ctx->sched->stats.spent;
  struct op2i_jit_stats jit;
  op2i_jit_statistics(ctx, &jit);
  double total = op2i_seconds() - 1e-9 * (double)ctx->born;
  double loops = spent->loops / op2_workers(ctx), waiting = positive(spent->running - loops);
  double known = loops + waiting + spent->compiling + spent->preparing;
  *times = (op2_times){.total = total > known ? total : known,
                       .loops = loops,
                       .waiting = waiting,
                       .compiling = spent->compiling,
                       .preparing = spent->preparing,
                       .elsewhere = positive(total - known),
                       .compiled = jit.compiled,
                       .loaded = jit.disk_hits};
  return OP2_SUCCESS;
}
