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

/* Return the rank's entry of a list that is separated by commas, as a text that the caller frees. Ranks
 * take the entries in turn. */
static char *entry_of(const char *which, int node_rank) {
  int n = 1;
  for (const char *at = which; (at = strchr(at, ',')); at++) n++;
  for (int skipped = node_rank % n; skipped > 0; skipped--) which = strchr(which, ',') + 1;
  char *entry = op2i_strdup(which);
  if (entry) entry[strcspn(entry, ",")] = '\0';
  return entry;
}

op2_status op2i_device_open(const struct op2i_device_kind *kind, const char *which, int node_rank,
                            int64_t limit, struct op2i_device **device) {
  char *entry = which ? entry_of(which, node_rank) : NULL;
  if (which && !entry) return op2i_error_nomem("the name of a device");
  op2_status status = kind->open(entry, node_rank, device);
  op2i_free(entry);
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
