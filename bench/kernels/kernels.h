/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "yardstick.h"

/** @file kernels.h
 * All kernels, by their names in kernels.def. */

#define KERNEL(name) extern const yardstick yardstick_##name;
#include "kernels.def"
#undef KERNEL

#endif
