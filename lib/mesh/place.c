/* SPDX-License-Identifier: BSD-3-Clause */
/* The public interface to places: the state of a dat or global, moving a dat by hand, and counts of
 * transfers. */
#include "context.h"
#include "device.h"
#include "error.h"
#include "fpenv.h"
#include "gbl.h"
#include "mesh.h"
#include "op2/device.h"

op2_status op2_dat_state(op2_dat dat, op2_data_state *state) {
  op2_status status = op2i_object_validate(dat, OP2I_DAT, "op2_dat_state");
  if (status) return status;
  if (!state)
    return op2i_error(OP2_ERR_ARG, "op2_dat_state: dat '%s': where to put it is null",
                      dat->obj.name);
  *state = op2i_buffer_state(&dat->values, OP2I_OWNED_ROWS);
  return OP2_SUCCESS;
}

op2_status op2_gbl_state(op2_gbl gbl, op2_data_state *state) {
  op2_status status = op2i_object_validate(gbl, OP2I_GBL, "op2_gbl_state");
  if (status) return status;
  if (!state)
    return op2i_error(OP2_ERR_ARG, "op2_gbl_state: global '%s': where to put it is null",
                      gbl->obj.name);
  *state = op2i_buffer_state(&op2i_gbl_now(gbl)->values, OP2I_OWNED_ROWS);
  return OP2_SUCCESS;
}

/* The place where loops of the context's device, or of its shadow, work; the host if there is
 * neither. */
static enum op2i_place far_place(op2_context ctx) {
  return ctx->device ? OP2I_DEVICE : ctx->shadow ? OP2I_SHADOW : OP2I_HOST;
}

static op2_status check_move(op2_dat dat, op2_place place) {
  op2_status status = op2i_object_validate(dat, OP2I_DAT, "op2_dat_to");
  if (!status) status = op2i_context_validate(dat->obj.ctx, "op2_dat_to");
  if (status) return status;
  if (place != OP2_PLACE_HOST && place != OP2_PLACE_DEVICE)
    return op2i_error(OP2_ERR_ARG, "op2_dat_to: dat '%s': %d is not an op2_place", dat->obj.name,
                      (int)place);
  if (dat->open_writes)
    return op2i_error(OP2_ERR_STATE, "op2_dat_to: dat '%s' is open for writing", dat->obj.name);
  return OP2_SUCCESS;
}

op2_status op2_dat_to(op2_dat dat, op2_place place) {
  OP2I_FP_DEFAULT;
  void *data;
  op2i_object_call(dat, OP2I_DAT, "op2_dat_to", NULL, (uint64_t)place);
  op2_status status = check_move(dat, place);
  if (status) return status;
  op2_context ctx = dat->obj.ctx;
  enum op2i_place there = place == OP2_PLACE_HOST ? OP2I_HOST : far_place(ctx);
  status = op2i_scheduler.force(ctx->sched, &dat->res, false, "op2_dat_to", dat->obj.name);
  if (!status) status = op2i_resource_report(&dat->res);
  if (status || (place == OP2_PLACE_DEVICE && there == OP2I_HOST)) return status;
  return op2i_buffer_at(&dat->values, there, OP2_READ, OP2I_EVERY_ROW, &data);
}

op2_status op2_device_stats_get(op2_context ctx, op2_device_stats *stats) {
  op2_status status = op2i_context_validate(ctx, "op2_device_stats_get");
  if (status) return status;
  if (!stats) return op2i_error(OP2_ERR_ARG, "op2_device_stats_get: where to put them is null");
  const struct op2i_device *device = ctx->device ? ctx->device : ctx->shadow;
  *stats = (op2_device_stats){0};
  if (!device) return OP2_SUCCESS;
  const struct op2i_device_counts *counts = &device->counts;
  *stats = (op2_device_stats){.puts = counts->puts,
                              .put_bytes = counts->put_bytes,
                              .gets = counts->gets,
                              .get_bytes = counts->get_bytes,
                              .launches = counts->launches,
                              .host_loops = counts->host_runs,
                              .memory = device->memory.used,
                              .most_memory = device->memory.most};
  return OP2_SUCCESS;
}
