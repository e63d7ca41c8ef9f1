/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MAT_ZERO_H
#define OP2I_MAT_ZERO_H

#include "sparse.h"

/* Have the kernel that makes a place's values zero. */
op2_status op2i_mat_need_zero(op2_mat mat);

#endif
