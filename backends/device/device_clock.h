/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_CLOCK_H
#define OP2I_DEVICE_CLOCK_H

/* The device's time for the launches of one range of a loop. Only the first measurement is waited
 * for. Later, some runs are measured, and a subsequent run reads the result. */

#include "device.h"

struct op2i_device_clock {
  void *begin, *end;   /* marks in the device's queue */
  bool measuring, due; /* True while marks are being set; true if both are set and not yet read */
  int64_t runs;
  double seconds; /* time of the last measured run; 0: not measured yet */
};

/* Call these before and after a run submits its launches. *seconds is the last known time of a
 * run. */
op2_status op2i_device_clock_begin(struct op2i_device *device, struct op2i_device_clock *clock);
op2_status op2i_device_clock_end(struct op2i_device *device, struct op2i_device_clock *clock,
                                 double *seconds);
void op2i_device_clock_free(struct op2i_device *device, struct op2i_device_clock *clock);

#endif
