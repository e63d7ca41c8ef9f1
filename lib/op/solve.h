/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SOLVE_H
#define OP2I_SOLVE_H

#include "op.h"
#include "op2/solve.h"
#include "sparse.h"

/* A system of equations: the operation that op2_solve() queues. Like loops they are found again by
 * their objects, so that a solve in a time loop is one operation. */
struct op2i_solve {
  struct op2i_op op;       /* the matrix's values, b, x */
  struct op2i_solve *next; /* the context's list */
  op2_solver solver;
  op2_mat mat;
  op2_dat x, b;
};

enum {
  OP2I_WORK_DATS = 108,
  OP2I_WORK_GBLS = 108,
  OP2I_WORK_KERNELS = 16,
  OP2I_RESTART_MOST = 100
};

/* What a method works with, made for the sets and types of the solve before: all handles are owned. */
struct op2i_workspace {
  op2_set rows;
  int32_t dim;
  op2_type type;
  op2_dat dats[OP2I_WORK_DATS];
  op2_gbl gbls[OP2I_WORK_GBLS];
  op2_kernel kernels[OP2I_WORK_KERNELS];
};

struct op2_solver_s {
  struct op2i_object obj;
  op2_solver_options options; /* without zeros */
  char *prefix;
  struct op2i_solve *last; /* queued; null: none, or it is gone */
  op2_solve_result result; /* of the one that ran last */
  struct op2i_workspace work;
};

extern const struct op2i_op_kind op2i_solve_kind;

#endif
