/* SPDX-License-Identifier: BSD-3-Clause */
/* What steps take, as far as it was measured. */
#include "place.h"

/* Until a loop has run: as if its data came at this rate. */
double op2i_loop_ns(const struct op2i_loop *loop) {
  enum { BYTES_PER_NS = 8 };
  const struct op2i_loop_data *data = loop->sched_data;
  if (data->ns_per_element > 0) return data->ns_per_element;
  double elements = (double)loop->set->ends[OP2I_OWNED];
  return elements > 0 ? loop->bytes / elements / BYTES_PER_NS : 1;
}

static double step_ns(const struct op2i_step *step) {
  const struct op2i_loop_data *data = step->loop->sched_data;
  bool known = step->place == OP2I_DEVICE && data->device_ns > 0;
  return (double)(step->hi - step->lo) * (known ? data->device_ns : op2i_loop_ns(step->loop));
}

double op2i_program_seconds(const struct op2i_step *steps, int64_t nsteps) {
  double ns = 0;
  for (int64_t s = 0; s < nsteps; s++)
    if (steps[s].loop) ns += step_ns(&steps[s]);
  return 1e-9 * ns;
}
