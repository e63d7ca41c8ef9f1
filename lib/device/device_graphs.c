/* SPDX-License-Identifier: BSD-3-Clause */
/* Collecting launches, and limiting how many are handed over ahead of the device. */
#include "device_graphs.h"

enum { AHEAD = 512 };

void op2i_device_collect(struct op2i_device *device, struct op2i_device_graphs *graphs, bool anew) {
  if (anew) graphs->next = graphs->n = graphs->nodes = 0;
  graphs->device = device;
  device->graphs = graphs;
  device->collecting = true;
}

op2_status op2i_device_collected(struct op2i_device *device) {
  if (!device->collecting) return OP2_SUCCESS;
  device->collecting = false;
  op2_status status = device->kind->submit(device);
  device->graphs = NULL;
  return status;
}

void op2i_device_graphs_free(struct op2i_device_graphs *graphs) {
  if (graphs->device) graphs->device->kind->forget(graphs->device, graphs);
  *graphs = (struct op2i_device_graphs){.own = NULL};
}

op2_status op2i_device_pace(struct op2i_device *device) {
  double seconds;
  op2_status status = OP2_SUCCESS;
  if (++device->ahead % AHEAD != 0) return status;
  if (device->behind)
    status = device->kind->between(device, device->behind, device->behind, true, &seconds);
  return status ? status : device->kind->mark(device, &device->behind);
}
