/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_KRYLOV_H
#define OP2I_KRYLOV_H

/* Iterative methods that solve systems of equations. They are made of loops, which they queue; the
 * host reads the residual once in each iteration. */

#include "methods.h"
#include "op2/algebra.h"
#include "op2/loop.h"
#include "solve.h"
#include "text.h"

/* Operations that a method queues carry the source position of the solve, so that messages name the
 * program's call instead of a line of the library. Functions that queue must have the workspace in
 * a variable `w`. */
#undef OP2_HERE
#define OP2_HERE (w->where)

/* ---- rounds.c: restart cycles, which all methods use ----------------------------------------- */

/* A restart cycle of a method: it begins with a residual that is computed from x, and ends when the
 * method has converged by its own residual, or cannot continue. */
struct op2i_round {
  /* The vector that the method changes; its values are always finite. */
  const op2_dat *x;
  double residual; /* norm of the residual at the beginning */
  double aim;      /* the method has converged if its residual is at most this */
  double most;     /* the method has diverged if its residual exceeds this */
  int it, last;    /* iterations so far in all cycles, and their limit */
  /* Set by the method at the end: true if its residual is small enough. */
  bool arrived;
  op2_reason reason; /* why no further cycle would help; OP2_NOT_SOLVED: one may */
  double known;      /* norm of b - A x, if the method has computed it; else negative */
  double gain; /* a further cycle pays if this one has multiplied the residual by less than this */
  /* True if the next cycle takes another direction: it may succeed though this one has gained
   * little. */
  bool turns;
  const op2_dat *backup; /* x before the cycle; null: the cycle cannot be undone */
  op2_solver solver;     /* which has the function that follows residuals */
  double unit;           /* residuals of the method are in this unit */
  int reported;          /* the last iteration whose residual was reported; -1: none */
};
typedef op2_status op2i_method(struct op2i_solve *solve, struct op2i_round *round);
/* True if the cycle ends with this residual, as the method computes it. */
bool op2i_round_ends(struct op2i_round *round, double residual);
/* Run cycles of a method until b - A x is small or no further progress is made. Each cycle begins
 * with this residual in r. */
op2_status op2i_solve_rounds(struct op2i_solve *solve, op2i_method *method, const op2_dat *r,
                             op2_solve_result *result);
/* The relative tolerance: that of the options, or the default for the type of x. */
double op2i_solve_rtol(const struct op2i_solve *solve);

/* ---- krylov.c: steps that methods share ------------------------------------------------------ */

/* Kernels that all methods have before their own: r = b - r, with b.b and r.r; the preconditioner
 * applied to r; and x + unit d, where that is finite. In these templates T stands for the type, N
 * for the dim, and P for value i of the preconditioned r, with the factors of the preconditioner in
 * d. Operations with one or two vectors are those of op2/algebra.h. */
enum { OP2I_RESIDUAL, OP2I_PRECONDITION, OP2I_ADVANCE, OP2I_OWN };
struct op2i_kernel_source {
  const char *name, *text;
};
/* Make these kernels for each field, `nvectors` vectors like x and ngbls globals of one value in
 * double precision, unless they exist. */
op2_status op2i_workspace_make(struct op2i_solve *solve, int nvectors, int ngbls, int nown,
                               const struct op2i_kernel_source *own);
op2_status op2i_workspace_kernel(op2_context ctx, const struct op2i_field *field, op2_type type,
                                 const struct op2i_kernel_source *source, op2_kernel *kernel);
/* Make vector k, like x, unless it exists from an earlier solve. */
op2_status op2i_workspace_vector(struct op2i_solve *solve, int k);
/* Make one more global of `dim` values in double precision, unless *gbl exists from an earlier
 * solve. */
op2_status op2i_workspace_gbl(struct op2i_solve *solve, int dim, op2_gbl *gbl);
void op2i_workspace_free(struct op2i_workspace *work);

/* y = A x */
op2_status op2i_solve_apply(struct op2i_solve *solve, const op2_dat *x, const op2_dat *y);
/* r = b - A x, with the squares of both norms in the workspace. */
op2_status op2i_solve_residual(struct op2i_solve *solve, const op2_dat *r);
/* Make the preconditioner, and set x to zero if the options ask for it. */
op2_status op2i_solve_begin(struct op2i_solve *solve);
/* Set a global to zero. */
op2_status op2i_solve_zero(op2_gbl gbl);
/* The square root of a global. */
op2_status op2i_solve_norm(op2_gbl gbl, double *value);

/* ---- vectors.c: vectors, with a dat for each field of the system ----------------------------- */

/* Queue the loop of kernel k for each field. Arguments that op2i_arg_vector() makes are the dats of
 * a vector; globals that kernels add to are not reset. */
enum { OP2I_VECTOR_ARGS = 16 }; /* of one loop, at most */
op2_status op2i_vector_loop_args(const struct op2i_workspace *w, int k, int nargs,
                                 const op2_arg *args);
/* Compilers warn of more arguments than the array has. */
#define op2i_vector_loop(w, k, ...)                                                                \
  op2i_vector_loop_args(w, k, (int)(sizeof((op2_arg[]){__VA_ARGS__}) / sizeof(op2_arg)),           \
                        (op2_arg[OP2I_VECTOR_ARGS]){__VA_ARGS__})
op2_arg op2i_arg_vector(const op2_dat *vector, op2_access access);
/* Operations of op2/algebra.h with vectors. */
op2_status op2i_vector_fill(const struct op2i_workspace *w, const op2_dat *x, double value);
op2_status op2i_vector_scale(const struct op2i_workspace *w, const op2_dat *x, double factor);
op2_status op2i_vector_copy(const struct op2i_workspace *w, const op2_dat *x, const op2_dat *y);
op2_status op2i_vector_dot(const struct op2i_workspace *w, const op2_dat *x, const op2_dat *y,
                           op2_gbl result);
/* The norm, for the host, computed with a work global, also where squares overflow or vanish. */
op2_status op2i_vector_norm(const struct op2i_workspace *w, const op2_dat *x, op2_gbl work,
                            double *norm);
/* Products with OP2I_VECTOR_BLOCK vectors of the workspace, the first of which is vector k, and
 * y += a of each times this vector. */
enum { OP2I_VECTOR_BLOCK = 8 };
op2_status op2i_vector_mdot(const struct op2i_workspace *w, const op2_dat *x, int k,
                            op2_gbl result);
op2_status op2i_vector_maxpy(const struct op2i_workspace *w, const op2_dat *y, op2_scalar a, int k);

#endif
