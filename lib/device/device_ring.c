/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the host from which a device reads small transfers. */
#include "device_ring.h"

#include <string.h>

enum { ALIGNMENT = 64 };

/* Begin the next part, when the device has read what is there. */
static op2_status turn(struct op2i_device *device, struct op2i_device_ring *ring) {
  int next = (ring->part + 1) % OP2I_RING_PARTS;
  double seconds;
  op2_status status = device->kind->mark(device, &ring->marks[ring->part]);
  void *mark = ring->marks[next];
  if (!status && mark) status = device->kind->between(device, mark, mark, true, &seconds);
  if (status) return status;
  ring->part = next;
  ring->used = 0;
  return OP2_SUCCESS;
}

op2_status op2i_device_ring_copy(struct op2i_device *device, struct op2i_device_ring *ring,
                                 const void *host, size_t bytes, void **copy) {
  int64_t taken = ((int64_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (ring->used + taken > OP2I_RING_PART) {
    op2_status status = turn(device, ring);
    if (status) return status;
  }
  char *room = ring->room + (int64_t)ring->part * OP2I_RING_PART + ring->used;
  memcpy(room, host, bytes);
  ring->used += taken;
  *copy = room;
  return OP2_SUCCESS;
}

void op2i_device_ring_close(struct op2i_device *device, struct op2i_device_ring *ring) {
  for (int p = 0; p < OP2I_RING_PARTS; p++) {
    device->kind->unmark(device, ring->marks[p]);
    ring->marks[p] = NULL;
  }
}
