/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_OPERATOR_H
#define OP2I_OPERATOR_H

#include "krylov.h"

/* Operators and preconditioners, as the methods apply them. */

/* Let the function that the user gave for the operator queue y = A x. */
op2_status op2i_operator_apply(op2_operator op, op2_dat x, op2_dat y);
/* Let the user's function for the diagonal, which must exist, queue it. */
op2_status op2i_operator_diagonal(op2_operator op, op2_dat diagonal);
/* OP2_ERR_STATE, once, if the operator's function, or a call that it has queued, has destroyed a
 * dat that was lent to it: x, y or another one. The library's own dats are still valid then. If the
 * operator is null, it may be any of a system. */
op2_status op2i_operator_check_lent(op2_context ctx, op2_operator op, op2_dat x, op2_dat y);
/* symmetry.c: warn, once for each matrix, if rows of a matrix were zeroed, which leaves it not
 * symmetric, and the method needs a symmetric one. */
void op2i_warn_of_rows(const struct op2i_solve *solve, op2_where where);
/* True if the preconditioner of a field consists of blocks. */
bool op2i_preconditioner_blocks(const struct op2i_solve *solve, int field);
/* Append the expression for P. */
void op2i_preconditioned(const struct op2i_field *field, struct op2i_text *out);
/* Compute the factors in the workspace. */
op2_status op2i_preconditioner_make(struct op2i_solve *solve);
/* Apply the preconditioner to r; the result is z. */
op2_status op2i_solve_precondition(struct op2i_solve *solve, const op2_dat *r, const op2_dat *z);

#endif
