/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CALL_MAT_H
#define OP2I_CALL_MAT_H

#include "op2/call.h"
#include "sparse.h"

/* Matrices as functions of calls get them: rows in compressed form, in the program's numbers. */

/* Make the rows of a matrix, whose values must be present unless they are to be overwritten. */
op2_status op2i_call_lend_mat(op2_mat mat, op2_access access, op2_mat_rows **rows);
/* Free the rows. If the access writes, their values are stored in the matrix first. */
op2_status op2i_call_take_mat_back(op2_mat mat, op2_access access, op2_mat_rows *rows);

#endif
