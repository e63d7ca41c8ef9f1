/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CLOCK_H
#define OP2I_CLOCK_H

#include <stdint.h>

/* Time since some moment, for measuring and for deadlines: CLOCK_MONOTONIC. */
int64_t op2i_nanoseconds(void);
double op2i_seconds(void);

#endif
