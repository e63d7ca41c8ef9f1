/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SOLVE_H
#define OP2I_SOLVE_H

#include "op.h"
#include "op2/solve.h"
#include "sparse.h"

/* A system of equations: the operation that op2_solve() queues. Like loops they are found again by
 * their objects, so that a solve in a time loop is one operation. */
struct op2i_system {
  int n;        /* blocks, one but of nested systems */
  op2_mat *mat; /* [n][n], null where a block is zero; of an operator its preconditioner, or null */
  op2_operator shell; /* null: matrices */
  op2_dat *x, *b;     /* [n] */
};

struct op2i_solve {
  struct op2i_op op;       /* values of matrices, b, what an operator uses, x */
  struct op2i_solve *next; /* the context's list */
  op2_solver solver;
  struct op2i_system system;
};

/* A matrix that is loops. */
struct op2_operator_s {
  struct op2i_object obj;
  op2_operator_desc desc; /* without args */
  struct op2i_op uses;    /* only its tables: what the function uses beside x and y */
  struct op2i_kept kept;
};

/* Another library that solves: a companion's. */
struct op2i_engine {
  const char *name;
  /* Does it, inside the operation. The values of matrix i are those after changes[i] of them. What it
   * says of how that went may be anything; null: nothing more. */
  op2_status (*solve)(struct op2i_solve *solve, const int64_t *changes, op2_solve_result *result,
                      const char **says);
  /* The name of the method that the solver's next solve takes, if that is for symmetric matrices
   * alone; else null. */
  const char *(*symmetric_method)(op2_solver solver);
};

enum {
  OP2I_WORK_DATS = 108,
  OP2I_WORK_GBLS = 108,
  OP2I_WORK_KERNELS = 24,
  OP2I_RESTART_MOST = 100,
  OP2I_BLOCKS_MOST = 16
};

enum { OP2I_BB, OP2I_RR, OP2I_SQUARES };

/* What a method works with, made for the sets and types of the solve before: all handles are owned. */
struct op2i_workspace {
  op2_where where; /* of the solve that runs */
  op2_set rows;
  int32_t dim;
  op2_type type;
  bool blocks;     /* the preconditioner has a block for each row, and not a value for each of x */
  op2_dat factors; /* it: what it makes of r is the product with r, or with the blocks */
  op2_dat correction; /* of x, in units of a residual that is too large or small to be squared */
  op2_gbl squares[OP2I_SQUARES]; /* of the norms of b and of b - A x */
  op2_dat dats[OP2I_WORK_DATS];
  op2_gbl gbls[OP2I_WORK_GBLS];
  op2_kernel kernels[OP2I_WORK_KERNELS], invert;
};

struct op2_solver_s {
  struct op2i_object obj;
  op2_solver_options options; /* without zeros */
  bool own_rtol;              /* the program has given a relative tolerance */
  char *prefix;
  struct op2i_solve *last; /* queued; null: none, or it is gone */
  int64_t queued;          /* solves that were queued so far: the number of the last one */
  int64_t ran;             /* the number of the latest one that has run; 0: none */
  op2_solve_result result; /* of that one */
  struct op2i_kept kept;
  struct op2i_workspace work;
};

extern const struct op2i_op_kind op2i_solve_kind;

#endif
