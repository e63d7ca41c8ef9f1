/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the constants and captured values of loops, which go along with launches. Small ones
 * share a block, of which the host has a copy, so that all that has changed in it before a graph is
 * launched takes one transfer. Others, and those of devices on which memory has no addresses, have
 * blocks of their own. */
#include <string.h>

#include "device_graphs.h"
#include "mem.h"

enum { BYTES = OP2I_GIVEN_UNIT * OP2I_GIVEN_UNITS, MOST = BYTES / 8 };

static int units_of(size_t bytes) { return (int)((bytes + OP2I_GIVEN_UNIT - 1) / OP2I_GIVEN_UNIT); }

/* Return true if the shared block is there; it is allocated at its first use. */
static bool have_block(struct op2i_device *device) {
  struct op2i_device_given *given = &device->given;
  if (given->here || given->refused) return given->here != NULL;
  given->here = op2i_calloc(1, BYTES);
  given->refused = !given->here || op2i_device_alloc(device, BYTES, &given->there);
  if (!given->refused) return true;
  op2i_free(given->here);
  given->here = NULL;
  return false;
}

/* Return the first of n free units in succession, or -1. */
static int find_units(const struct op2i_device_given *given, int n) {
  for (int u = 0, found = 0; u < OP2I_GIVEN_UNITS; u++) {
    found = given->taken[u] ? 0 : found + 1;
    if (found == n) return u + 1 - n;
  }
  return -1;
}

/* Return the place of memory in the shared block, or -1 if it is a block of its own. */
static int64_t place_of(const struct op2i_device *device, const void *memory) {
  const uintptr_t at = (uintptr_t)memory, begin = (uintptr_t)device->given.there;
  return device->given.here && at >= begin && at < begin + BYTES ? (int64_t)(at - begin) : -1;
}

op2_status op2i_device_given_alloc(struct op2i_device *device, size_t bytes, void **memory) {
  struct op2i_device_given *given = &device->given;
  int first = -1;
  if (device->kind->addresses && bytes <= MOST && have_block(device))
    first = find_units(given, units_of(bytes));
  if (first < 0) return op2i_device_alloc(device, bytes, memory);
  memset(given->taken + first, true, (size_t)units_of(bytes));
  *memory = (char *)given->there + (size_t)first * OP2I_GIVEN_UNIT;
  return OP2_SUCCESS;
}

void op2i_device_given_release(struct op2i_device *device, void *memory, size_t bytes) {
  const int64_t place = place_of(device, memory);
  if (place < 0) {
    op2i_device_release(device, memory);
    return;
  }
  memset(device->given.taken + place / OP2I_GIVEN_UNIT, false, (size_t)units_of(bytes));
}

op2_status op2i_device_send_given(struct op2i_device *device) {
  struct op2i_device_given *given = &device->given;
  const int64_t first = given->first, bytes = given->end - first;
  if (bytes == 0) return OP2_SUCCESS;
  given->first = given->end = 0;
  return device->kind->put(device, given->there, (size_t)first, given->here + first, (size_t)bytes);
}

/* Launches that are collected read the values that were there before. */
op2_status op2i_device_give(struct op2i_device *device, void *memory, const void *values,
                            size_t bytes) {
  struct op2i_device_given *given = &device->given;
  const int64_t place = place_of(device, memory);
  op2_status status = OP2_SUCCESS;
  if (place < 0) return device->kind->put(device, memory, 0, values, bytes);
  if (device->collecting) status = device->kind->settle(device, memory);
  if (status) return status;
  memcpy(given->here + place, values, bytes);
  if (given->first == given->end) given->first = given->end = place;
  if (place < given->first) given->first = place;
  if (place + (int64_t)bytes > given->end) given->end = place + (int64_t)bytes;
  return device->collecting ? OP2_SUCCESS : op2i_device_send_given(device);
}

void op2i_device_given_close(struct op2i_device *device) {
  if (device->given.here) op2i_device_release(device, device->given.there);
  op2i_free(device->given.here);
  device->given = (struct op2i_device_given){.here = NULL};
}
