/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MAT_ZERO_H
#define OP2I_MAT_ZERO_H

#include "sparse.h"

/* Make the kernel that sets the values of a nonzero to zero, unless there is one. */
op2_status op2i_mat_need_zero(op2_mat mat);

#endif
