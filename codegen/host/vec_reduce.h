/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VEC_REDUCE_H
#define OP2I_VEC_REDUCE_H

#include "vec.h"

/* Text for reductions in vectors. */

void op2i_vec_begin_reduction(const struct op2i_vec *v, int a);
/* Go on to the vector of the next strands. */
void op2i_vec_next_turn(const struct op2i_vec *v, int a, const char *last, const char *indent);
void op2i_vec_end_reduction(const struct op2i_vec *v, int a);

#endif
