/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "yardstick.h"

/** @file kernels.h
 * All kernels. */

extern const yardstick yardstick_fill, yardstick_axpy, yardstick_update; /* fill.c */
extern const yardstick yardstick_dense12, yardstick_row144, yardstick_hex8,
    yardstick_row27; /* dense.c */

/** The table, which a row without a name ends. */
extern const yardstick *const yardsticks[];

#endif
