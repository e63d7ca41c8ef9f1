/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured and given costs of steps and of copies to and from a device. */
#include "clock.h"
#include "device.h"
#include "mem.h"
#include "mesh.h"
#include "model.h"

/* Until a loop has run, the estimate assumes that its data come at BYTES_PER_NS. */
double op2i_loop_ns(const struct op2i_loop *loop) {
  enum { BYTES_PER_NS = 8 };
  const struct op2i_loop_data *data = loop->attached.sched_data;
  if (data->ns_per_element > 0) return data->ns_per_element;
  double elements = (double)loop->set->ends[OP2I_OWNED];
  return elements > 0 ? loop->bytes / elements / BYTES_PER_NS : 1;
}

/* The cost that OP2_PLACE_COSTS gives, in nanoseconds an element; -1: none is given. */
static double given(const struct op2i_loop *loop, bool device) {
  const char *costs = loop->op.ctx->config.place_costs;
  double ns = costs ? 0 : -1;
  for (int m = 0; m < op2i_loop_nmembers(loop) && ns >= 0; m++) {
    double own = op2i_cost_of(costs, op2i_loop_member(loop, m).kernel->obj.name, device);
    ns = own < 0 ? -1 : ns + own;
  }
  return ns;
}

double op2i_loop_cost(const struct op2i_loop *loop, bool device) {
  enum { HOST_RUNS_FIRST = 3 };
  const struct op2i_loop_data *data = loop->attached.sched_data;
  double ns = given(loop, device);
  if (ns >= 0) return ns;
  ns = device ? data->device_ns : data->ns_per_element;
  bool known =
      device ? data->device_runs >= OP2I_DEVICE_RUNS_FIRST : data->placed[0] >= HOST_RUNS_FIRST;
  return known && ns > 0 ? ns : -1;
}

static double step_ns(const struct op2i_step *step) {
  const struct op2i_loop_data *data = step->loop->attached.sched_data;
  bool known = step->where.place == OP2I_DEVICE && data->device_ns > 0;
  return (double)(step->hi - step->lo) * (known ? data->device_ns : op2i_loop_ns(step->loop));
}

double op2i_program_seconds(const struct op2i_step *steps, int64_t nsteps) {
  double ns = 0;
  for (int64_t s = 0; s < nsteps; s++)
    if (steps[s].loop) ns += step_ns(&steps[s]);
  return 1e-9 * ns;
}

/* ---- cost of copies -------------------------------------------------------------------------- */

/* Nanoseconds of a copy to the device and back. The second pass is timed, since the first one
 * allocates pages. -1: a copy failed. */
static double round_trip(struct op2i_device *device, void *there, void *here, size_t bytes) {
  double begin = 0;
  op2_status status = OP2_SUCCESS;
  for (int time = 0; time < 2 && !status; time++) {
    status = device->kind->wait(device);
    begin = op2i_seconds();
    if (!status) status = device->kind->put(device, there, 0, here, bytes);
    if (!status) status = device->kind->get(device, here, there, 0, bytes);
  }
  return status ? -1 : 1e9 * (op2i_seconds() - begin);
}

static void measure(struct op2i_sched *sched) {
  enum { LITTLE = 64, MUCH = 1 << 20 };
  struct op2i_device *device = sched->ctx->device;
  const struct op2i_device_counts counts = device->counts;
  double little = -1, much = -1;
  void *there = NULL, *here = op2i_calloc(1, MUCH);
  sched->costs.copy_ns = 20000; /* used where it cannot be measured */
  sched->costs.byte_ns = 0.1;
  if (here && !op2i_device_alloc(device, MUCH, &there)) {
    little = round_trip(device, there, here, LITTLE);
    much = round_trip(device, there, here, MUCH);
    op2i_device_release(device, there);
  }
  if (little > 0 && much > little) {
    sched->costs.copy_ns = little / 2;
    sched->costs.byte_ns = (much - little) / 2 / MUCH;
  }
  op2i_free(here);
  device->counts = counts; /* the counts are of copies of values, not of measurements */
}

void op2i_copy_cost(struct op2i_sched *sched, struct op2i_copy_cost *cost) {
  const char *costs = sched->ctx->config.place_costs;
  double copy = op2i_cost_of_copy(costs), byte = op2i_cost_of_byte(costs);
  if ((copy < 0 || byte < 0) && sched->costs.copy_ns <= 0) measure(sched);
  cost->copy_ns = copy < 0 ? sched->costs.copy_ns : copy;
  cost->byte_ns = byte < 0 ? sched->costs.byte_ns : byte;
}
