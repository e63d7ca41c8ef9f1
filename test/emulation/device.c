/* SPDX-License-Identifier: BSD-3-Clause */
/* Which devices a process sees: all, or those that CUDA_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES lists, up to
 * the first number that no device has. */
#include <stdlib.h>

#include "driver.h"

/* Return how many are visible; *device is the one at `number` among them. */
static int look(int number, int *device) {
  const int all = (int)emulation_setting("devices", 1);
  const char *list = getenv("CUDA_VISIBLE_DEVICES");
  int n = 0;
  if (!list) list = getenv("HIP_VISIBLE_DEVICES");
  *device = number;
  if (!list) return all;
  for (char *end; *list; n++) {
    const long listed = strtol(list, &end, 10);
    if (end == list || listed < 0 || listed >= all) break;
    if (n == number) *device = (int)listed;
    list = *end == ',' ? end + 1 : end;
  }
  return n;
}

int emulation_devices(void) {
  int device;
  return look(0, &device);
}

int emulation_device(int number) {
  int device;
  return number >= 0 && number < look(number, &device) ? device : -1;
}
