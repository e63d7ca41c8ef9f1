/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts that all methods share: vectors, scalars, kernels, and the steps at the beginning and
 * end. */
#include "krylov.h"
#include "operator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "gbl.h"
#include "kernel_template.h"

static const struct op2i_kernel_source common[OP2I_OWN] = {
    [OP2I_RESIDUAL] = {"residual", "void residual(const T *b, T *r, double *bb, double *rr) {\n"
                                   "  for (int i = 0; i < N; i++) {\n    r[i] = b[i] - r[i];\n"
                                   "    bb[0] += (double)b[i] * (double)b[i];\n"
                                   "    rr[0] += (double)r[i] * (double)r[i];\n  }\n}\n"},
    [OP2I_PRECONDITION] = {"precondition", "void precondition(const T *d, const T *r, T *z) {\n"
                                           "  for (int i = 0; i < N; i++) z[i] = P;\n}\n"},
    [OP2I_ADVANCE] = {"advance", "void advance(T *x, const T *d, const double *unit) {\n"
                                 "  for (int i = 0; i < N; i++) {\n"
                                 "    const T to = x[i] + (T)(unit[0] * (double)d[i]);\n"
                                 "    x[i] = to - to == 0 ? to : x[i];\n  }\n}\n"},
};

void op2i_workspace_free(struct op2i_workspace *work) {
  op2i_unref(work->factors);
  op2i_unref(work->invert);
  op2i_unref(work->correction);
  for (int q = 0; q < OP2I_SQUARES; q++) op2i_unref(work->squares[q]);
  for (int d = 0; d < OP2I_WORK_DATS; d++) op2i_unref(work->dats[d]);
  for (int g = 0; g < OP2I_WORK_GBLS; g++) op2i_unref(work->gbls[g]);
  for (int k = 0; k < OP2I_WORK_KERNELS; k++) op2i_unref(work->kernels[k]);
  op2i_unref(work->rows);
  *work = (struct op2i_workspace){0};
}

op2_status op2i_workspace_kernel(op2_context ctx, const struct op2i_workspace *work,
                                 const struct op2i_kernel_source *source, op2_kernel *kernel) {
  char dim[16];
  struct op2i_text text = {0}, made = {0};
  snprintf(dim, sizeof dim, "%d", (int)work->dim);
  op2i_preconditioned(work, &made);
  const struct op2i_substitution substitutions[] = {
      {'T', op2i_type_c(work->type)}, {'N', dim}, {'P', made.failed ? "" : made.chars}};
  op2i_template_expand(source->text, 3, substitutions, &text);
  text.failed |= made.failed;
  op2i_text_free(&made);
  return op2i_template_kernel(ctx, source->name, &text, "a solver", kernel);
}

static op2_status need_dat(struct op2i_solve *solve, int32_t dim, op2_dat *dat) {
  const struct op2i_workspace *work = &solve->solver->work;
  op2_status status = OP2_SUCCESS;
  if (!*dat)
    status = op2_dat_create(work->rows, dim, work->type, NULL, solve->solver->obj.name, dat);
  if (status) return status;
  op2i_object_own(*dat);
  (*dat)->obj.lent = true;
  op2i_resource_admit(&(*dat)->res);
  return status;
}

op2_status op2i_workspace_dat(struct op2i_solve *solve, op2_dat *dat) {
  return need_dat(solve, (*solve->system.x)->dim, dat);
}

op2_status op2i_workspace_gbl(struct op2i_solve *solve, int dim, op2_gbl *gbl) {
  op2_context ctx = solve->op.ctx;
  op2_status status = OP2_SUCCESS;
  if (!*gbl) status = op2_gbl_create(ctx, dim, OP2_F64, NULL, solve->solver->obj.name, gbl);
  if (status) return status;
  op2i_object_own(*gbl);
  op2i_gbl_admit(*gbl);
  return OP2_SUCCESS;
}

op2_status op2i_workspace_make(struct op2i_solve *solve, int ndats, int ngbls, int nown,
                               const struct op2i_kernel_source *own) {
  struct op2i_workspace *work = &solve->solver->work;
  op2_context ctx = solve->op.ctx;
  op2_dat x = *solve->system.x;
  const bool blocks = op2i_preconditioner_blocks(solve);
  if (work->rows != x->set || work->dim != x->dim || work->type != x->type ||
      work->blocks != blocks)
    op2i_workspace_free(work);
  if (!work->rows) work->rows = op2i_ref(x->set);
  work->where = ctx->running;
  work->dim = x->dim;
  work->type = x->type;
  work->blocks = blocks;
  op2_status status = need_dat(solve, blocks ? x->dim * x->dim : x->dim, &work->factors);
  for (int d = 0; d < ndats && !status; d++) status = need_dat(solve, x->dim, &work->dats[d]);
  for (int q = 0; q < OP2I_SQUARES && !status; q++)
    status = op2i_workspace_gbl(solve, 1, &work->squares[q]);
  for (int g = 0; g < ngbls && !status; g++) status = op2i_workspace_gbl(solve, 1, &work->gbls[g]);
  for (int k = 0; k < OP2I_OWN + nown && !status; k++)
    if (!work->kernels[k])
      status = op2i_workspace_kernel(ctx, work, k < OP2I_OWN ? &common[k] : &own[k - OP2I_OWN],
                                     &work->kernels[k]);
  return status;
}

/* ---- steps that methods share ---------------------------------------------------------------- */

op2_status op2i_solve_zero(op2_gbl gbl) {
  static const double nothing = 0;
  return op2_gbl_set(gbl, &nothing);
}

op2_status op2i_solve_norm(op2_gbl gbl, double *value) {
  op2_status status = op2_gbl_get(gbl, value);
  *value = sqrt(*value);
  return status;
}

op2_status op2i_solve_apply(struct op2i_solve *solve, op2_dat x, op2_dat y) {
  const struct op2i_system *system = &solve->system;
  const struct op2i_workspace *w = &solve->solver->work;
  return system->shell ? op2i_operator_apply(system->shell, x, y)
                       : op2_mat_mult(*system->mat, x, y);
}

op2_status op2i_solve_residual(struct op2i_solve *solve, op2_dat r) {
  const struct op2i_workspace *w = &solve->solver->work;
  op2_status status = op2i_solve_zero(w->squares[OP2I_BB]);
  if (!status) status = op2i_solve_zero(w->squares[OP2I_RR]);
  if (!status) status = op2i_solve_apply(solve, *solve->system.x, r);
  if (status) return status;
  return op2_par_loop(w->kernels[OP2I_RESIDUAL], w->rows,
                      op2_arg_direct(*solve->system.b, OP2_READ), op2_arg_direct(r, OP2_RW),
                      op2_arg_gbl(w->squares[OP2I_BB], OP2_INC),
                      op2_arg_gbl(w->squares[OP2I_RR], OP2_INC));
}

op2_status op2i_solve_begin(struct op2i_solve *solve) {
  const struct op2i_workspace *w = &solve->solver->work;
  op2_status status = OP2_SUCCESS;
  if (solve->solver->options.start_at_zero)
    status = op2_dat_fill(*solve->system.x, op2_scalar_value(0));
  return status ? status : op2i_preconditioner_make(solve);
}
