/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of programs that are loops: made from what is worked out for the loop, and counted when they
 * have run. */
#include "program.h"

struct op2i_step op2i_step_make(const struct op2i_loop *loop, int range,
                                enum op2i_variant variant) {
  const struct op2i_loop_data *data = loop->sched_data;
  return (struct op2i_step){.kind = OP2I_STEP_LOOP,
                            .loop = (struct op2i_loop *)loop,
                            .entry = loop->entry[op2i_loop_form(loop, variant)],
                            .call = {.dat = data->dat,
                                     .map = data->map,
                                     .subset = loop->set->idx,
                                     .number = loop->set->base->number},
                            .lo = loop->ranges[range].lo,
                            .hi = loop->ranges[range].hi,
                            .reduces = loop->ranges[range].reduces,
                            .range = range,
                            .plan = data->plans[range] ? data->plans[range]->plan : NULL};
}

static void count_run(struct op2i_loop *loop, const struct op2i_step *step, double seconds) {
  loop->profile_seconds += seconds;
  if (step->range == 0) loop->profile_calls++;
  loop->profile_elements += step->hi - step->lo;
}

/* The profile is about kernels: those of a fused loop share its time by the data that each would
 * move alone. */
static void count_members(const struct op2i_loop *loop, const struct op2i_step *step) {
  double bytes = 0;
  for (int m = 0; m < loop->nmembers; m++) bytes += loop->origins[m]->bytes;
  for (int m = 0; m < loop->nmembers; m++) {
    double share = bytes > 0 ? loop->origins[m]->bytes / bytes : 1.0 / loop->nmembers;
    count_run(loop->origins[m], step, share * step->seconds);
  }
}

void op2i_step_account(const struct op2i_step *step) {
  struct op2i_loop *loop = step->loop;
  struct op2i_loop_data *data = loop->sched_data;
  double elements = (double)(step->hi - step->lo);
  struct op2i_spent *spent = &loop->op.ctx->sched->spent;
  spent->loops += step->seconds;
  spent->running += step->clock_seconds;
  count_run(loop, step, step->seconds);
  if (loop->members) count_members(loop, step);
  if (elements < 1 || step->seconds <= 0) return;
  double ns = 1e9 * step->seconds / elements;
  data->ns_per_element = data->ns_per_element > 0 ? 0.75 * data->ns_per_element + 0.25 * ns : ns;
}
