/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_GBL_ALGEBRA_H
#define OP2I_GBL_ALGEBRA_H

#include "algebra.h"

/* Operations of globals. */

/* Queue a function of the library for a checked call on globals. */
op2_status op2i_gbl_algebra(const struct op2i_vector_call *call, const struct op2i_shape *shape);
/* Queue the last step of a norm, which computes it in `gbl` from the sums in `gbl` and in `parts`,
 * unless `parts` is null. */
op2_status op2i_gbl_finish_norm(op2_where where, enum op2i_vector_op op, op2_gbl gbl,
                                op2_gbl parts);
/* The square root of a sum of squares, given in units of 1, 2^600 and 2^-600. */
double op2i_norm_root(double squares, const double parts[OP2I_PARTS]);

#endif
