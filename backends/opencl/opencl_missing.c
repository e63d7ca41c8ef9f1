/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kind of a build without OpenCL. */
#include "device.h"
#include "error.h"

static const char *unavailable(void) {
  return "op2 was built without OpenCL (package opencl-c-headers, meson option opencl)";
}

static op2_status open_device(const char *which, int node_rank, struct op2i_device **device) {
  (void)which;
  (void)node_rank;
  (void)device;
  return op2i_error(OP2_ERR_UNAVAILABLE, "%s", unavailable());
}

static void list(struct op2i_text *out) { (void)out; }

const struct op2i_device_kind op2i_device_opencl = {
    .name = "opencl", .unavailable = unavailable, .open = open_device, .list = list};
