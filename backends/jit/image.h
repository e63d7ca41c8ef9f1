/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_IMAGE_H
#define OP2I_IMAGE_H

#include "file.h"

/* Return null if `image` is a complete shared object for this machine whose tables a loader can
 * follow, else what is wrong with it. A loader does not check what it reads: if headers promise
 * more than the file has, or a relocation names a wrong address, the process crashes. Changed
 * instructions, which no table reveals, are not detected, except for stretches of zeros, which lost
 * blocks of a file leave. */
const char *op2i_image_fault(struct op2i_bytes image);

#endif
