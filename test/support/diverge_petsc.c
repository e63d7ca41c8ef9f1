/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of PETSc's views and solvers, for diverge_case.h. */
#include "diverge_case.h"
#include "op2/petsc.h"

DIVERGE_STEP(petsc_use) { return changed ? op2_flush(w->ctx) : op2_petsc_use(w->ctx, 0, NULL); }
DIVERGE_STEP(mat_petsc) {
  Mat A = w->view;
  op2_status status = op2_mat_petsc(w->mat, changed ? OP2_RW : OP2_READ, MATAIJ, &A);
  w->view = A;
  return status;
}
DIVERGE_STEP(mat_petsc_end) {
  Mat A = w->view;
  op2_status status = changed ? op2_flush(w->ctx) : op2_mat_petsc_end(w->mat, &A);
  if (!status && !changed) w->view = A;
  return status;
}
DIVERGE_STEP(nested_petsc) {
  Mat A = NULL;
  const op2_mat mats[] = {w->mat};
  op2_status status = op2_nested_petsc(1, 1, mats, changed ? OP2_RW : OP2_READ, MATAIJ, &A);
  return status ? status : op2_nested_petsc_end(1, 1, mats, &A);
}
DIVERGE_STEP(dat_petsc) {
  Vec v = w->view;
  op2_status status = op2_dat_petsc(w->q, changed ? OP2_RW : OP2_READ, &v);
  w->view = v;
  return status;
}
DIVERGE_STEP(dat_petsc_end) {
  Vec v = w->view;
  op2_status status = changed ? op2_flush(w->ctx) : op2_dat_petsc_end(w->q, &v);
  if (!status && !changed) w->view = v;
  return status;
}
DIVERGE_STEP(operator_petsc) {
  Mat A = NULL;
  return changed ? op2_flush(w->ctx) : op2_operator_petsc(w->op, &A);
}
DIVERGE_STEP(solver_petsc) {
  KSP ksp = NULL;
  return op2_solver_petsc(changed ? w->other : w->solver, &ksp);
}
DIVERGE_STEP(solve) { return op2_solve(w->solver, w->mat, w->x, changed ? w->q : w->b); }
DIVERGE_STEP(solve_nested) {
  const op2_mat mats[] = {w->mat};
  const op2_dat x[] = {w->x}, b[] = {changed ? w->q : w->b};
  return op2_solve_nested(w->other, 1, mats, x, b);
}
DIVERGE_STEP(solver_result) {
  op2_solve_result result;
  return op2_solver_result(changed ? w->solver : w->other, &result);
}

static const struct diverge_step petsc[] = {
    {"petsc_use", "op2_petsc_use", petsc_use, AS_USUAL},
    {"mat_petsc", "op2_mat_petsc", mat_petsc, AS_USUAL},
    {"mat_petsc_end", "op2_mat_petsc_end", mat_petsc_end, AS_USUAL},
    {"nested_petsc", "op2_mat_petsc", nested_petsc, AS_USUAL},
    {"dat_petsc", "op2_dat_petsc", dat_petsc, AS_USUAL},
    {"dat_petsc_end", "op2_dat_petsc_end", dat_petsc_end, AS_USUAL},
    {"operator_petsc", "op2_operator_petsc", operator_petsc, AS_USUAL},
    {"solver_petsc", "op2_solver_petsc", solver_petsc, AS_USUAL},
    {"solve by PETSc", "diverge_petsc.c:", solve, AS_USUAL},
    {"solve_nested by PETSc", "diverge_petsc.c:", solve_nested, AS_USUAL},
    {"solver_result by PETSc", "op2_solver_result", solver_result, AS_USUAL}};
DIVERGE_LIST(diverge_petsc, petsc);
