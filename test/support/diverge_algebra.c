/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of algebra, matrices and solvers, for diverge_case.h. */
#include <stdio.h>
#include <string.h>

#include "diverge_case.h"

#define VALUE(changed_) op2_scalar_value((changed_) ? 2 : 1)

/* ---- algebra of dats and globals ------------------------------------------------------------- */

/* A call for dats, and the same for globals. */
#define BOTH(name_, dat_call_, gbl_call_)                                                          \
  DIVERGE_STEP(dat_##name_) {                                                                      \
    const op2_dat u = w->q, v = w->b, o = changed ? w->b : w->x;                                   \
    (void)u, (void)v, (void)o;                                                                     \
    return dat_call_;                                                                              \
  }                                                                                                \
  DIVERGE_STEP(gbl_##name_) {                                                                      \
    const op2_gbl u = w->sum, v = w->parts, o = changed ? w->parts : w->by;                        \
    (void)u, (void)v, (void)o;                                                                     \
    return gbl_call_;                                                                              \
  }
BOTH(fill, op2_dat_fill(u, VALUE(changed)), op2_gbl_fill(u, VALUE(changed)))
BOTH(copy, op2_dat_copy(u, o), op2_gbl_copy(u, o))
BOTH(scale, op2_dat_scale(u, VALUE(changed)), op2_gbl_scale(u, VALUE(changed)))
BOTH(axpy, op2_dat_axpy(u, VALUE(changed), v), op2_gbl_axpy(u, VALUE(changed), v))
BOTH(aypx, op2_dat_aypx(u, VALUE(changed), v), op2_gbl_aypx(u, VALUE(changed), v))
BOTH(axpby, op2_dat_axpby(u, VALUE(false), VALUE(changed), v),
     op2_gbl_axpby(u, VALUE(false), VALUE(changed), v))
BOTH(pointwise_mult, op2_dat_pointwise_mult(u, o, v), op2_gbl_pointwise_mult(u, o, v))
BOTH(pointwise_div, op2_dat_pointwise_div(u, o, v), op2_gbl_pointwise_div(u, o, v))
BOTH(dot, op2_dat_dot(u, o, w->sum), op2_gbl_dot(w->by, o, w->sum))
BOTH(norm, op2_dat_norm(o, OP2_NORM_2, w->sum), op2_gbl_norm(o, OP2_NORM_2, w->sum))
BOTH(sum, op2_dat_sum(o, w->sum), op2_gbl_sum(o, w->sum))
BOTH(min, op2_dat_min(o, w->sum), op2_gbl_min(o, w->sum))
BOTH(max, op2_dat_max(o, w->sum), op2_gbl_max(o, w->sum))
#undef BOTH

#define STEP(name_)                                                                                \
  { #name_, "diverge_algebra.c:", name_, AS_USUAL }
#define BOTH(name_)                                                                                \
  {"dat_" #name_, "'" #name_, dat_##name_, AS_USUAL}, {                                            \
    "gbl_" #name_, "'" #name_, gbl_##name_, AS_USUAL                                               \
  }
static const struct diverge_step algebra[] = {BOTH(fill),
                                              BOTH(copy),
                                              BOTH(scale),
                                              BOTH(axpy),
                                              BOTH(aypx),
                                              BOTH(axpby),
                                              BOTH(pointwise_mult),
                                              BOTH(pointwise_div),
                                              BOTH(dot),
                                              BOTH(norm),
                                              BOTH(sum),
                                              BOTH(min),
                                              BOTH(max)};
#undef BOTH
DIVERGE_LIST(diverge_algebra, algebra);

/* ---- matrices and solvers -------------------------------------------------------------------- */

DIVERGE_STEP(sparsity_create) {
  const op2_map_pair pairs[] = {{w->ends, w->ends}, {w->self, w->self}};
  return op2_sparsity_create(changed ? 1 : 2, pairs, "sparsity", &w->sparsity);
}
DIVERGE_STEP(mat_create) {
  return op2_mat_create(w->sparsity, 1, 1, OP2_F64, changed ? "B" : "A", &w->mat);
}
DIVERGE_STEP(mat_zero) { return changed ? op2_dat_copy(w->q, w->b) : op2_mat_zero(w->mat); }
DIVERGE_STEP(assemble) {
  return op2_par_loop(w->fill, w->edges,
                      op2_arg_mat(w->mat, w->ends, w->ends, changed ? OP2_WRITE : OP2_INC));
}
DIVERGE_STEP(mat_zero_rows) { return op2_mat_zero_rows(w->mat, w->some, changed ? 2 : 1); }
DIVERGE_STEP(mat_zero_rows_columns) {
  return op2_mat_zero_rows_columns(w->mat, w->some, changed ? 2 : 1, w->x, w->b);
}
DIVERGE_STEP(mat_diagonal) { return op2_mat_diagonal(w->mat, changed ? w->b : w->q); }
DIVERGE_STEP(mat_mult) { return op2_mat_mult(w->mat, w->q, changed ? w->x : w->b); }
DIVERGE_STEP(mat_get) {
  double values[64 * DIVERGE_CELLS];
  return changed ? op2_flush(w->ctx) : op2_mat_get(w->mat, values);
}
DIVERGE_STEP(solver_create) {
  const op2_solver_options options = {.iterations = changed ? 70 : 90, .allow_failure = 1};
  op2_status status = op2_solver_create(w->ctx, &options, "solver", &w->solver);
  return status ? status : op2_solver_create(w->ctx, &options, "other", &w->other);
}
static op2_status apply(void *data, op2_dat x, op2_dat y) {
  (void)data;
  return op2_dat_copy(x, y);
}
DIVERGE_STEP(operator_create) {
  const op2_operator_desc desc = {.set = w->cells,
                                  .dim = 1,
                                  .type = OP2_F64,
                                  .apply = apply,
                                  .preconditioner = changed ? NULL : w->mat};
  return op2_operator_create(&desc, "identity", &w->op);
}
DIVERGE_STEP(solve) { return op2_solve(w->solver, w->mat, w->x, changed ? w->q : w->b); }
DIVERGE_STEP(solve_operator) {
  return op2_solve_operator(changed ? w->other : w->solver, w->op, w->x, w->b);
}
DIVERGE_STEP(solver_result) {
  op2_solve_result result;
  return op2_solver_result(changed ? w->solver : w->other, &result);
}

static const struct diverge_step matrices[] = {
    {"sparsity_create", "op2_sparsity_create", sparsity_create, AS_USUAL},
    {"mat_create", "op2_mat_create", mat_create, AS_USUAL},
    STEP(mat_zero),
    {"arg_mat", "loop 'fill'", assemble, AS_USUAL},
    STEP(mat_zero_rows),
    STEP(mat_zero_rows_columns),
    STEP(mat_diagonal),
    STEP(mat_mult),
    {"mat_get", "op2_mat_get", mat_get, AS_USUAL},
    {"solver_create", "op2_solver_create", solver_create, AS_USUAL},
    {"operator_create", "op2_operator_create", operator_create, AS_USUAL},
    STEP(solve),
    STEP(solve_operator),
    {"solver_result", "op2_solver_result", solver_result, AS_USUAL}};
DIVERGE_LIST(diverge_matrices, matrices);
