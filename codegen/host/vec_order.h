/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VEC_ORDER_H
#define OP2I_VEC_ORDER_H

#include "vec.h"

/* Short rows that lie one behind the other. */

/* Returns true if rows of so many values are loaded and stored as whole vectors. */
bool op2i_vec_ordered(const struct op2i_vec *v, op2_type type, int dim);
/* Append the helper function that loads the rows of a batch, or that stores them. */
void op2i_vec_add_load(const struct op2i_vec *v, op2_type type, int dim);
void op2i_vec_add_store(const struct op2i_vec *v, op2_type type, int dim);

#endif
