/* SPDX-License-Identifier: BSD-3-Clause */
/* The backends that run loops on a device, one launch after the other. Loops that cannot run there
 * run on the host's processors. */
#include "backend.h"
#include "context.h"
#include "device.h"
#include "device_beside.h"
#include "device_graphs.h"
#include "device_run.h"
#include "error.h"
#include "mem.h"
#include "registry.h"
#include "stateless.h"

struct state {
  struct op2i_device *device; /* owned by the context */
  const struct op2i_backend *host;
  void *host_state;
};

static op2_status open_state(op2_context ctx, const struct op2i_device_kind *kind, void **out) {
  const char *why = kind->unavailable();
  if (why)
    return op2i_error(OP2_ERR_UNAVAILABLE, "backend %s is not available: %s", kind->name, why);
  struct state *state = op2i_calloc(1, sizeof *state);
  if (!state) return op2i_error_nomem("the backend");
  state->host = op2i_backend_openmp.unavailable() ? &op2i_backend_sequential : &op2i_backend_openmp;
  op2_status status = state->host->open(ctx, &state->host_state);
  if (!status) {
    status = op2i_device_have(ctx, kind);
    if (status) state->host->close(state->host_state);
  }
  if (status) {
    op2i_free(state);
    return status;
  }
  state->device = ctx->device;
  *out = state;
  return OP2_SUCCESS;
}

/* The device is closed with the context, because objects that outlive this backend have values
 * there. */
static void close_state(void *data) {
  struct state *state = data;
  state->host->close(state->host_state);
  op2i_free(state);
}

static int workers(void *data) {
  const struct state *state = data;
  return state->host->workers(state->host_state);
}

static op2_status run_step(void *data, struct op2i_step *step) {
  struct state *state = data;
  if (step->where.place == OP2I_DEVICE) return op2i_device_run(state->device, step);
  op2_status status = op2i_device_collected(state->device);
  if (status) return status;
  state->device->counts.host_runs += step->range == 0;
  return state->host->run_step(state->host_state, step);
}

static op2_status prepare_step(void *data, struct op2i_step *step) {
  (void)data;
  return op2i_device_prepare(step);
}

#define DEVICE_KIND(id_, name_, summary_)                                                          \
  static const char *name_##_unavailable(void) { return op2i_device_##name_.unavailable(); }       \
  static op2_status open_##name_(op2_context ctx, void **state) {                                  \
    return open_state(ctx, &op2i_device_##name_, state);                                           \
  }                                                                                                \
  const struct op2i_backend op2i_backend_##name_ = {                                               \
      .name = #name_,                                                                              \
      .summary = summary_,                                                                         \
      .variant = OP2I_##id_,                                                                       \
      .needs_plan = true,                                                                          \
      .passes = true,                                                                              \
      .unavailable = name_##_unavailable,                                                          \
      .open = open_##name_,                                                                        \
      .close = close_state,                                                                        \
      .workers = workers,                                                                          \
      .prepare_step = prepare_step,                                                                \
      .run_step = run_step,                                                                        \
  };
#include "kinds.def"
