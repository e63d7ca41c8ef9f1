/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that the scheduler keeps with a loop: plans, footprints, measured costs, and the
 * reason why it has no code. */
#include "loopdata.h"
#include "plancache.h"

#include "backend.h"
#include "context.h"
#include "device.h"
#include "error.h"
#include "loop_device.h"
#include "mem.h"
#include "trace.h"

static void release_data(void *sched_data) {
  struct op2i_loop_data *data = sched_data;
  for (int r = 0; r < OP2I_RANGES; r++) {
    op2i_shared_plan_unref(data->plans[r]);
    for (int d = 0; data->footprints[r] && d < data->ndats; d++) {
      op2i_free(data->footprints[r][d].offs);
      op2i_free(data->footprints[r][d].intervals);
    }
    op2i_free(data->footprints[r]);
  }
  op2i_free(data->no_code);
  op2i_free(data->refused);
  op2i_free(data->cut);
  op2i_free(data);
}

/* The plan for a range. Where a device serialises conflicting elements by blocks, a block is as
 * large as the device's shared memory allows. The bytes that a block stages are known only once its
 * plan is made, so smaller blocks are tried until they fit. */
static op2_status get_plan(struct op2i_sched *sched, struct op2i_loop *loop, int range,
                           struct op2i_shared_plan **out) {
  const struct op2i_device *device = loop->op.ctx->device;
  struct op2i_device_form form;
  if (!device || loop->form.not_on_device) return op2i_plan_get(sched, loop, range, 0, out);
  op2i_loop_device_form(loop, device->kind->generic, &form);
  int32_t size = op2i_device_block(loop, &form);
  unsigned parts = size ? OP2I_PLAN_ELEMENTS : 0;
  if (form.nstages) parts |= OP2I_PLAN_STAGE;
  op2_status status = op2i_plan_get_sized(sched, loop, range, parts, size, out);
  while (!status && form.nstages && (*out)->plan->shared_bytes > device->limits.local_bytes) {
    op2i_shared_plan_unref(*out);
    *out = NULL;
    status = op2i_plan_get_sized(sched, loop, range, parts, size /= 2, out);
  }
  return status;
}

static op2_status fill(struct op2i_sched *sched, struct op2i_loop *loop,
                       struct op2i_loop_data *data) {
  for (int r = 0; r < loop->nranges; r++) {
    if (!sched->ctx->backend->needs_plan || data->plans[r]) continue;
    op2_status status = get_plan(sched, loop, r, &data->plans[r]);
    if (status) return status;
  }
  op2i_numbering_warn(sched, loop);
  data->ready = true;
  return OP2_SUCCESS;
}

op2_status op2i_loop_data(struct op2i_loop *loop, struct op2i_loop_data **out) {
  if (!loop->attached.sched_data) {
    struct op2i_loop_data *data = op2i_calloc(1, sizeof *data);
    if (!data) return op2i_error_nomem("a loop");
    data->compiling = -1;
    data->ndats = loop->op.ndats;
    loop->attached.sched_data = data;
    loop->attached.sched_release = release_data;
  }
  *out = loop->attached.sched_data;
  return OP2_SUCCESS;
}

op2_status op2i_loop_prepare(struct op2i_sched *sched, struct op2i_loop *loop) {
  struct op2i_loop_data *data = NULL;
  op2_status status = op2i_loop_data(loop, &data);
  if (status || data->ready) return status;
  double begin = op2i_prepare_begin(sched);
  const int64_t since = op2i_trace_begin(sched->ctx);
  status = fill(sched, loop, data);
  op2i_trace_end(sched->ctx, since, OP2I_WHAT_PLAN, NULL, 0);
  op2i_prepare_end(sched, begin);
  return status;
}
