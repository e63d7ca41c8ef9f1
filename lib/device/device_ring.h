/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_RING_H
#define OP2I_DEVICE_RING_H

/* Memory of the host from which a device reads small transfers. It has parts that are used in turn,
 * and a part is filled again only when the device has passed a mark that was set behind its
 * transfers. So the host waits only when it is a whole ring ahead of the device. */

#include "device.h"

enum {
  OP2I_RING_PARTS = 8,
  OP2I_RING_PART = 128 << 10, /* bytes */
  OP2I_RING_BYTES = OP2I_RING_PARTS * OP2I_RING_PART,
  OP2I_RING_MOST = 64 << 10 /* bytes of the largest transfer */
};

struct op2i_device_ring {
  char *room;   /* [OP2I_RING_BYTES], which the device's kind allocates and frees; null: none yet */
  int part;     /* the one that is being filled */
  int64_t used; /* bytes of it */
  void *marks[OP2I_RING_PARTS]; /* null: the device never read the part */
};

/* Copy at most OP2I_RING_MOST bytes into the ring. Before the next call the transfer of the copy has
 * to be submitted. */
op2_status op2i_device_ring_copy(struct op2i_device *device, struct op2i_device_ring *ring,
                                 const void *host, size_t bytes, void **copy);
/* Destroy the marks, when the device has done its work. */
void op2i_device_ring_close(struct op2i_device *device, struct op2i_device_ring *ring);

#endif
