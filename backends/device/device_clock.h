/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_CLOCK_H
#define OP2I_DEVICE_CLOCK_H

/* How long the device takes for the launches of one range of a loop. Nobody waits to know it, but once:
 * of the runs behind the first, one is measured now and then, and what came of it is known to a later
 * one. */

#include "device.h"

struct op2i_device_clock {
  void *begin, *end;   /* marks */
  bool measuring, due; /* marks are being set; both are, and were not looked at */
  int64_t runs;
  double seconds; /* of a run, by the last measurement; 0: none yet */
};

/* Around what a run hands over. *seconds is what it takes, as far as is known. */
op2_status op2i_device_clock_begin(struct op2i_device *device, struct op2i_device_clock *clock);
op2_status op2i_device_clock_end(struct op2i_device *device, struct op2i_device_clock *clock,
                                 double *seconds);
void op2i_device_clock_free(struct op2i_device *device, struct op2i_device_clock *clock);

#endif
