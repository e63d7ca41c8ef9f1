/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_KRYLOV_H
#define OP2I_KRYLOV_H

/* Methods that solve systems of equations, made of loops: they queue, and look at the residual once an
 * iteration. */

#include "op2/algebra.h"
#include "op2/loop.h"
#include "solve.h"
#include "text.h"

/* What a method queues has the place of the solve, so that messages name the program's call and no
 * line of the library. Functions that queue have the workspace at hand as `w`. */
#undef OP2_HERE
#define OP2_HERE (w->where)

/* Each fails where loops fail; how it ended is in *result. */
typedef op2_status op2i_solve_function(struct op2i_solve *solve, op2_solve_result *result);
op2i_solve_function op2i_solve_cg, op2i_solve_minres, op2i_solve_gmres, op2i_solve_bicgstab;

/* ---- rounds.c: the frame of all methods ------------------------------------------------------ */

/* A method's way from a residual that was computed from x to where it has arrived by its own
 * residual, or cannot go on. */
struct op2i_round {
  op2_dat x;       /* what the method changes; its values are finite whatever happens */
  double residual; /* the norm of the residual at the beginning */
  double aim;      /* the method has arrived where its residual is at most that, */
  double most;     /* and diverges where it is greater than that */
  int it, last;    /* iterations so far, of all rounds, and how many there may be */
  /* What the method says at the end. */
  bool arrived;
  op2_reason reason; /* why no further round would help; OP2_NOT_SOLVED: one may */
  double known;      /* the norm of b - A x, where the method has computed it; else negative */
  double gain; /* a further round is worth while if this one has multiplied the residual by less */
  /* The next round takes another way: it may bring more, though this one has brought less. */
  bool turns;
  op2_dat backup; /* x as it was before the round; null: the round cannot be taken back */
};
typedef op2_status op2i_method(struct op2i_solve *solve, struct op2i_round *round);
/* Whether the round ends with this residual, the method's own. */
bool op2i_round_ends(struct op2i_round *round, double residual);
/* Rounds of a method, until b - A x is small or they bring nothing more. Each finds that residual
 * in r. */
op2_status op2i_solve_rounds(struct op2i_solve *solve, op2i_method *method, op2_dat r,
                             op2_solve_result *result);
/* The relative tolerance: what the solver was given, or the default for the type of x. */
double op2i_solve_rtol(const struct op2i_solve *solve);

/* ---- krylov.c: what they have in common ------------------------------------------------------ */

/* Kernels that all methods have before their own: r = b - r, with b.b and r.r; what the
 * preconditioner makes of r; and x + unit d, where that is finite. In their texts T stands for the
 * type, N for the dim, and P for value i of what the preconditioner makes of r, with its factors in
 * d. What is done with one or two vectors is op2/algebra.h's. */
enum { OP2I_RESIDUAL, OP2I_PRECONDITION, OP2I_ADVANCE, OP2I_OWN };
struct op2i_kernel_source {
  const char *name, *text;
};
/* Have them, so many dats like x and so many globals of one value in double precision. */
op2_status op2i_workspace_make(struct op2i_solve *solve, int ndats, int ngbls, int nown,
                               const struct op2i_kernel_source *own);
op2_status op2i_workspace_kernel(op2_context ctx, const struct op2i_workspace *work,
                                 const struct op2i_kernel_source *source, op2_kernel *kernel);
/* Make one more dat like x, unless *dat is one from an earlier solve. */
op2_status op2i_workspace_dat(struct op2i_solve *solve, op2_dat *dat);
/* Make one more global of `dim` values in double precision, unless *gbl is one from an earlier
 * solve. */
op2_status op2i_workspace_gbl(struct op2i_solve *solve, int dim, op2_gbl *gbl);
void op2i_workspace_free(struct op2i_workspace *work);

/* y = A x, as the program's function queues it. */
op2_status op2i_operator_apply(op2_operator op, op2_dat x, op2_dat y);
/* OP2_ERR_STATE, once, if the function, or a call that it has queued, has destroyed a dat that was
 * lent to it: x or y, or another one. Those of the library are still there. */
op2_status op2i_operator_check_lent(op2_operator op, op2_dat x, op2_dat y);
/* y = A x */
op2_status op2i_solve_apply(struct op2i_solve *solve, op2_dat x, op2_dat y);
/* r = b - A x, with the squares of both norms in the workspace. */
op2_status op2i_solve_residual(struct op2i_solve *solve, op2_dat r);
/* Make the preconditioner, and set x to zero where the options ask for that. */
op2_status op2i_solve_begin(struct op2i_solve *solve);
/* The global is zero. */
op2_status op2i_solve_zero(op2_gbl gbl);
/* The square root of a global. */
op2_status op2i_solve_norm(op2_gbl gbl, double *value);

/* symmetry.c: warn of a matrix that is not symmetric, since rows were made zero, and of a method
 * that needs it to be; once for each matrix. */
void op2i_warn_of_rows(const struct op2i_solve *solve, op2_where where);

/* ---- preconditioner.c ------------------------------------------------------------------------ */

/* Whether it has blocks. */
bool op2i_preconditioner_blocks(const struct op2i_solve *solve);
/* What P stands for. */
void op2i_preconditioned(const struct op2i_workspace *work, struct op2i_text *out);
/* The workspace's factors. */
op2_status op2i_preconditioner_make(struct op2i_solve *solve);
/* z is what it makes of r. */
op2_status op2i_solve_precondition(struct op2i_solve *solve, op2_dat r, op2_dat z);

#endif
