/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CNAMES_H
#define OP2I_CNAMES_H

/* The meaning of a name in C ("a keyword of C", "a macro of <math.h>", ...), or null if it has
 * none: then the user may use it. */
const char *op2i_c_name(const char *name);

#endif
