/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of a loop's launches: some runs are measured, and the others use the last
 * measurement. */
#include "device_clock.h"

enum { EVERY = 8 }; /* one of so many runs is measured */

static op2_status read_clock(struct op2i_device *device, struct op2i_device_clock *clock,
                             bool wait) {
  double seconds = -1;
  op2_status status = device->kind->between(device, clock->begin, clock->end, wait, &seconds);
  if (seconds >= 0) clock->seconds = seconds;
  clock->due = seconds < 0 && !status;
  return status;
}

/* Launches that are collected are not measured one by one. */
op2_status op2i_device_clock_begin(struct op2i_device *device, struct op2i_device_clock *clock) {
  if (device->collecting) return OP2_SUCCESS;
  op2_status status = clock->due ? read_clock(device, clock, false) : OP2_SUCCESS;
  clock->measuring = clock->runs++ % EVERY == 0 && !clock->due && !status;
  return clock->measuring ? device->kind->mark(device, &clock->begin) : status;
}

op2_status op2i_device_clock_end(struct op2i_device *device, struct op2i_device_clock *clock,
                                 double *seconds) {
  op2_status status = OP2_SUCCESS;
  if (clock->measuring) {
    status = device->kind->mark(device, &clock->end);
    clock->due = !status;
    if (clock->due && clock->seconds == 0) status = read_clock(device, clock, true);
  }
  clock->measuring = false;
  *seconds = clock->seconds;
  return status;
}

void op2i_device_clock_free(struct op2i_device *device, struct op2i_device_clock *clock) {
  device->kind->unmark(device, clock->begin);
  device->kind->unmark(device, clock->end);
  *clock = (struct op2i_device_clock){0};
}
