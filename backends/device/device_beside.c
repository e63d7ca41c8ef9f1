/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices for a backend that has workers of the host as well. */
#include "device_beside.h"

#include <string.h>

#include "context.h"
#include "device.h"
#include "error.h"
#include "place_rule.h"

op2_status op2i_device_beside(op2_context ctx) {
  static const struct op2i_device_kind *const kinds[] = {&op2i_device_cuda, &op2i_device_opencl};
  const char *wanted, *why[2];
  if (!op2i_rules_want_device(ctx->config.place, &wanted)) return OP2_SUCCESS;
  for (int k = 0; k < 2; k++) {
    why[k] = "another kind is asked for";
    if (wanted && strcmp(wanted, kinds[k]->name) != 0) continue;
    why[k] = kinds[k]->unavailable();
    if (!why[k]) return kinds[k]->open(ctx->config.device, &ctx->device);
  }
  return op2i_error(OP2_ERR_UNAVAILABLE,
                    "OP2_PLACE is '%s', and there is no device: cuda: %s; opencl: %s",
                    ctx->config.place, why[0], why[1]);
}
