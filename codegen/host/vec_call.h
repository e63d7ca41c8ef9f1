/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VEC_CALL_H
#define OP2I_VEC_CALL_H

#include "vec.h"

/* Text for the calls of kernels in a batch. */

/* The call of member m for the lanes of a batch. */
void op2i_vec_call(const struct op2i_vec *v, int m);

#endif
