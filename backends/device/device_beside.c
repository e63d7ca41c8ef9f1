/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening of the context's device: the device of a device backend, or a device beside the host's
 * workers. */
#include "device_beside.h"

#include <string.h>

#include "comm.h"
#include "context.h"
#include "device.h"
#include "device_rows.h"
#include "error.h"
#include "place_rule.h"
#include "text.h"

op2_status op2i_device_have(op2_context ctx, const struct op2i_device_kind *kind) {
  const struct op2i_config *config = &ctx->config;
  op2_status status =
      op2i_device_open(kind, config->device, ctx->comm ? ctx->comm->node_rank.rank : 0,
                       (int64_t)config->device_mb << 20, &ctx->device);
  if (!status) ctx->device->move_rows = op2i_device_move_rows;
  if (status != OP2_ERR_OPTION) return status;
  return op2i_error(status, "%s: %s", config->device_by, op2_error_message());
}

op2_status op2i_device_beside(op2_context ctx) {
  const char *wanted;
  struct op2i_text whys = {0};
  if (!op2i_rules_want_device(ctx->config.place, &wanted)) return OP2_SUCCESS;
  for (int k = 0; op2i_device_kinds[k]; k++) {
    const struct op2i_device_kind *kind = op2i_device_kinds[k];
    bool other = wanted && strcmp(wanted, kind->name) != 0;
    const char *why = other ? "another kind is asked for" : kind->unavailable();
    if (!why) {
      op2i_text_free(&whys);
      return op2i_device_have(ctx, kind);
    }
    op2i_text_add(&whys, "; %s: %s", kind->name, why);
  }
  op2_status status = op2i_error(OP2_ERR_UNAVAILABLE, "OP2_PLACE is '%s', and there is no device%s",
                                 ctx->config.place, whys.chars ? whys.chars : "");
  op2i_text_free(&whys);
  return status;
}
