/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of devices, opening and closing them. */
#include "device.h"
#include "device_graphs.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "error.h"
#include "mem.h"
#include "text.h"

#define DEVICE_KIND(id_, name_, summary_) &op2i_device_##name_,
const struct op2i_device_kind *const op2i_device_kinds[] = {
#include "kinds.def"
    NULL};
#undef DEVICE_KIND

#define DEVICE_KIND(id_, name_, summary_) ", " #name_
const char op2i_device_names[] =
#include "kinds.def"
    "";
#undef DEVICE_KIND

op2_status op2i_device_open(const struct op2i_device_kind *kind, const char *which, int node_rank,
                            int64_t limit, struct op2i_device **device) {
  op2_status status = kind->open(which, node_rank, device);
  if (!status) (*device)->memory.limit = limit;
  return status;
}

bool op2i_device_meant(const char *which, int number, const char *name) {
  size_t n = strlen(which);
  char digits[16];
  if (which[strspn(which, "0123456789")] == '\0') {
    snprintf(digits, sizeof digits, "%d", number);
    while (*which == '0' && which[1]) which++;
    return strcmp(which, digits) == 0;
  }
  for (; *name; name++)
    if (strncasecmp(name, which, n) == 0) return true;
  return false;
}

op2_status op2i_device_unknown(const struct op2i_device_kind *kind, const char *which) {
  struct op2i_text all = {0};
  kind->list(&all);
  op2_status status = op2i_error(OP2_ERR_OPTION, "no device is '%s'; there are\n%s", which,
                                 all.chars ? all.chars : "none");
  op2i_text_free(&all);
  return status;
}

void op2i_device_close(struct op2i_device *device) {
  if (!device) return;
  op2i_device_given_close(device);
  op2i_device_memory_close(device);
  if (device->behind) device->kind->unmark(device, device->behind);
  device->kind->close(device);
}
