/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_GRAPHS_H
#define OP2I_DEVICE_GRAPHS_H

/* Launches that a program hands over together. A device that has graphs collects them; the graphs
 * are kept with the program. When it runs again, each is compared with what has been collected: the
 * arguments that have changed are changed in it, and a graph of other launches is made anew. So a
 * graph never has an address or a number that its launches would not have. */

#include "device.h"

struct op2i_device_graphs {
  struct op2i_device *device; /* null: no launch was collected yet */
  void *own;                  /* of the device's kind */
  int next;                   /* number of the graph that is handed over next */
  int n, nodes;               /* graphs, and launches and clears in them, of the last run */
  int64_t made;               /* graphs that were made so far */
};

/* Begin to collect a program's launches. The first time in a run of the program, `anew` is true. */
void op2i_device_collect(struct op2i_device *device, struct op2i_device_graphs *graphs, bool anew);
/* Hand over what was collected, and collect no more. Nothing to do if the device does not
 * collect. */
op2_status op2i_device_collected(struct op2i_device *device);
/* Free a program's graphs. */
void op2i_device_graphs_free(struct op2i_device_graphs *graphs);

/* Call this after each launch, or graph: without it launches that nobody waits for accumulate in
 * the host's memory. Every 512 of them the host waits for those before the previous such time, and
 * so never for the latest ones. */
op2_status op2i_device_pace(struct op2i_device *device);

/* Allocate and release memory for values that go along with launches. op2i_device_give() sends
 * them, behind the launches that were handed over before; while launches are collected, at the
 * latest when these are submitted. op2i_device_send_given() sends what has not been sent. */
op2_status op2i_device_given_alloc(struct op2i_device *device, size_t bytes, void **memory);
void op2i_device_given_release(struct op2i_device *device, void *memory, size_t bytes);
op2_status op2i_device_give(struct op2i_device *device, void *memory, const void *values,
                            size_t bytes);
op2_status op2i_device_send_given(struct op2i_device *device);
void op2i_device_given_close(struct op2i_device *device);

#endif
