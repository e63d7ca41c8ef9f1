/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CNAMES_H
#define OP2I_CNAMES_H

/* What C says a name is ("a keyword of C", "a macro of <math.h>", ...), or null when it says
 * nothing: the name is the user's to give. */
const char *op2i_c_name(const char *name);

#endif
