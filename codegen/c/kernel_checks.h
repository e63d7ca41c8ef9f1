/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_KERNEL_CHECKS_H
#define OP2I_KERNEL_CHECKS_H

#include "signature.h"

/* Properties of a kernel that are read off its source. */

/* length.c: the estimated operations of a call, where an addition counts as one. */
double op2i_source_operations(const char *source);
/* precision.c: true if the source names `double` or has a constant of double precision. */
bool op2i_source_doubles(const char *source);
/* precision.c: true if the source has numbers of type long double. */
bool op2i_source_extended(const char *source);
/* recursion.c: true if a function of the source calls itself, directly or through others. */
bool op2i_source_recurs(const char *source);

#endif
