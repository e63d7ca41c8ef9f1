/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of OpenCL's devices where the library was built without OpenCL's headers. */
#include "device.h"
#include "error.h"

static const char *unavailable(void) {
  return "op2 was built without OpenCL (package opencl-c-headers, meson option opencl)";
}

static op2_status open_none(const char *which, struct op2i_device **device) {
  (void)which, (void)device;
  return op2i_error(OP2_ERR_UNAVAILABLE, "%s", unavailable());
}

static void list_none(struct op2i_text *out) { (void)out; }

/* There is never a device that the other functions could be called with. */
const struct op2i_device_kind op2i_device_opencl = {
    .name = "opencl", .unavailable = unavailable, .open = open_none, .list = list_none};
