/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_IMAGE_H
#define OP2I_IMAGE_H

#include "file.h"

/* Null when `image` is a whole shared object for this machine that a loader can follow through all
 * its tables, else what is wrong with it. A loader believes what it reads: it maps less of a file
 * than its headers promise, writes where a relocation says, and dies of it. What a table alone
 * cannot show - other instructions than the compiler made - is not seen, but for stretches of zeros
 * in their place, which lost blocks of a file leave. */
const char *op2i_image_fault(struct op2i_bytes image);

#endif
