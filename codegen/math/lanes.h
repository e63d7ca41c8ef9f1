/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MATH_LANES_H
#define OP2I_MATH_LANES_H

#include "text.h"

/* Append the body of an operation on vectors (OP2I_MATH_LANES), like fused or root. */
void op2i_math_lanes(const char *name, int lanes, struct op2i_text *out);

#endif
