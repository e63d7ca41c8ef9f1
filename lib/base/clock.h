/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CLOCK_H
#define OP2I_CLOCK_H

#include <stdint.h>

/* Time since an unspecified moment, by CLOCK_MONOTONIC, for measurements and deadlines. */
int64_t op2i_nanoseconds(void);
double op2i_seconds(void);

#endif
