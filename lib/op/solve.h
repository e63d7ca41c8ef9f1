/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SOLVE_H
#define OP2I_SOLVE_H

#include <stddef.h>

#include "op.h"
#include "op2/solve.h"
#include "sparse.h"

/* A system of equations: the operation that op2_solve() queues. Like loops, systems are found again
 * by their objects, so that a solve in a time loop is one operation. */
struct op2i_system {
  int n; /* blocks; 1 unless systems are nested */
  /* [n][n] Null where a block is zero; for an operator: its preconditioner, or null. */
  op2_mat *mat;
  op2_operator *shell; /* [n][n] null where a block is a matrix, or zero */
  op2_dat *x, *b;      /* [n] */
};

struct op2i_solve {
  struct op2i_op op;       /* resources: values of matrices, b, what an operator uses, x */
  struct op2i_solve *next; /* the context's list */
  op2_solver solver;
  struct op2i_system system;
};

/* A matrix that is given by loops. */
struct op2_operator_s {
  struct op2i_object obj;
  op2_operator_desc desc; /* without args */
  struct op2i_op uses;    /* only its tables: what the function uses beside x and y */
  struct op2i_kept kept;
};

/* A solver of another library, from a companion. */
struct op2i_engine {
  const char *name;
  /* Solve the system, inside the operation. changes[i] counts the changes of matrix i's values so
   * far. *says is any text on how the solve went; null: nothing more. */
  op2_status (*solve)(struct op2i_solve *solve, const int64_t *changes, op2_solve_result *result,
                      const char **details);
  /* The name of the method that the solver's next solve takes, if that is for symmetric matrices
   * alone; else null. */
  const char *(*symmetric_method)(op2_solver solver);
};

enum {
  OP2I_WORK_VECTORS = 108,
  OP2I_WORK_GBLS = 108,
  OP2I_WORK_KERNELS = 24,
  OP2I_RESTART_MOST = 100,
  OP2I_BLOCKS_MOST = 16
};

enum { OP2I_BB, OP2I_RR, OP2I_SQUARES };

/* A field is one of the dats of x. This is what a workspace has for it. */
struct op2i_field {
  op2_set rows;
  int32_t dim;
  bool blocks; /* the preconditioner has a block for each row, not a value for each of x */
  op2_kernel kernels[OP2I_WORK_KERNELS], invert;
};

/* Vectors of a workspace behind those of methods. */
enum {
  OP2I_FACTORS = OP2I_WORK_VECTORS, /* the preconditioner, which multiplies r by these values */
  /* The correction of x, in units of a residual that is too large or small to be squared. */
  OP2I_CORRECTION,
  OP2I_PRODUCT, /* the product of one block, before it is added to the others of its row */
  OP2I_ALL_VECTORS
};

/* The work vectors of a method, made for the sets and types of the solve before. All handles are
 * owned. A vector has a dat for each field. */
struct op2i_workspace {
  op2_where where; /* where the running solve was queued */
  op2_type type;
  int n;                         /* fields; 0: nothing has been made */
  struct op2i_field *fields;     /* [n] */
  op2_dat *dats;                 /* [OP2I_ALL_VECTORS][n]; null: not requested yet */
  op2_gbl squares[OP2I_SQUARES]; /* squares of the norms of b and of b - A x */
  op2_gbl gbls[OP2I_WORK_GBLS];
};
/* The dats of vector k. */
static inline op2_dat *op2i_work(const struct op2i_workspace *work, int k) {
  return work->dats + (ptrdiff_t)k * work->n;
}

struct op2_solver_s {
  struct op2i_object obj;
  op2_solver_options options; /* with defaults in place of zeros */
  bool own_rtol;              /* the program has given a relative tolerance */
  char *prefix;
  struct op2i_solve *last;      /* queued; null: none, or it is gone */
  int64_t queued;               /* solves that were queued so far: the number of the last one */
  int64_t ran;                  /* the number of the latest one that has run; 0: none */
  op2_solve_result result;      /* result of that solve */
  op2_monitor_function monitor; /* null: nobody follows the residuals */
  void *monitor_data;
  struct op2i_kept kept;
  struct op2i_workspace work;
};

extern const struct op2i_op_kind op2i_solve_kind;

#endif
