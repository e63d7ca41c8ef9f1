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
#include "mem.h"

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
  for (int d = 0; d < OP2I_ALL_VECTORS * work->n; d++) op2i_unref(work->dats[d]);
  for (int q = 0; q < OP2I_SQUARES; q++) op2i_unref(work->squares[q]);
  for (int g = 0; g < OP2I_WORK_GBLS; g++) op2i_unref(work->gbls[g]);
  for (int f = 0; f < work->n; f++) {
    struct op2i_field *field = &work->fields[f];
    for (int k = 0; k < OP2I_WORK_KERNELS; k++) op2i_unref(field->kernels[k]);
    op2i_unref(field->invert);
    op2i_unref(field->rows);
  }
  op2i_free(work->dats);
  op2i_free(work->fields);
  *work = (struct op2i_workspace){0};
}

op2_status op2i_workspace_kernel(op2_context ctx, const struct op2i_field *field, op2_type type,
                                 const struct op2i_kernel_source *source, op2_kernel *kernel) {
  char dim[16];
  struct op2i_text text = {0}, made = {0};
  snprintf(dim, sizeof dim, "%d", (int)field->dim);
  op2i_preconditioned(field, &made);
  const struct op2i_substitution substitutions[] = {
      {'T', op2i_type_c(type)}, {'N', dim}, {'P', made.failed ? "" : made.chars}};
  op2i_template_expand(source->text, 3, substitutions, &text);
  text.failed |= made.failed;
  op2i_text_free(&made);
  return op2i_template_kernel(ctx, source->name, &text, "a solver", kernel);
}

op2_status op2i_workspace_vector(struct op2i_solve *solve, int k) {
  const struct op2i_workspace *work = &solve->solver->work;
  op2_status status = OP2_SUCCESS;
  for (int f = 0; f < work->n && !status; f++) {
    const struct op2i_field *field = &work->fields[f];
    const int32_t rows = k == OP2I_FACTORS && field->blocks ? field->dim : 1;
    op2_dat *dat = &op2i_work(work, k)[f];
    if (!*dat)
      status = op2_dat_create(field->rows, rows * field->dim, work->type, NULL,
                              solve->solver->obj.name, dat);
    if (status) break;
    op2i_object_own(*dat);
    (*dat)->obj.lent = true;
    op2i_resource_admit(&(*dat)->res);
  }
  return status;
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

/* True if the workspace was made for such x, or not made yet. */
static bool fits(const struct op2i_solve *solve) {
  const struct op2i_workspace *work = &solve->solver->work;
  const struct op2i_system *system = &solve->system;
  if (work->n && (work->n != system->n || work->type != (*system->x)->type)) return false;
  for (int f = 0; f < work->n; f++) {
    const struct op2i_field *field = &work->fields[f];
    if (field->rows != system->x[f]->set || field->dim != system->x[f]->dim ||
        field->blocks != op2i_preconditioner_blocks(solve, f))
      return false;
  }
  return true;
}

static op2_status make_fields(struct op2i_solve *solve) {
  struct op2i_workspace *work = &solve->solver->work;
  const struct op2i_system *system = &solve->system;
  const size_t n = (size_t)system->n;
  struct op2i_field *fields = op2i_calloc(n, sizeof *fields);
  op2_dat *dats = op2i_calloc(n * OP2I_ALL_VECTORS, sizeof *dats);
  if (!fields || !dats) {
    op2i_free(fields);
    op2i_free(dats);
    return op2i_context_abort_ranks(solve->op.ctx, op2i_error_nomem("a solver"));
  }
  for (int f = 0; f < system->n; f++) {
    fields[f].rows = op2i_ref(system->x[f]->set);
    fields[f].dim = system->x[f]->dim;
    fields[f].blocks = op2i_preconditioner_blocks(solve, f);
  }
  work->type = (*system->x)->type;
  work->n = system->n;
  work->fields = fields;
  work->dats = dats;
  return OP2_SUCCESS;
}

op2_status op2i_workspace_make(struct op2i_solve *solve, int nvectors, int ngbls, int nown,
                               const struct op2i_kernel_source *own) {
  struct op2i_workspace *work = &solve->solver->work;
  op2_context ctx = solve->op.ctx;
  op2_status status = OP2_SUCCESS;
  if (!fits(solve)) op2i_workspace_free(work);
  if (!work->n) status = make_fields(solve);
  work->where = ctx->running;
  if (!status) status = op2i_workspace_vector(solve, OP2I_FACTORS);
  if (!status && work->n > 1) status = op2i_workspace_vector(solve, OP2I_PRODUCT);
  for (int v = 0; v < nvectors && !status; v++) status = op2i_workspace_vector(solve, v);
  for (int q = 0; q < OP2I_SQUARES && !status; q++)
    status = op2i_workspace_gbl(solve, 1, &work->squares[q]);
  for (int g = 0; g < ngbls && !status; g++) status = op2i_workspace_gbl(solve, 1, &work->gbls[g]);
  for (int f = 0; f < work->n && !status; f++)
    for (int k = 0; k < OP2I_OWN + nown && !status; k++)
      if (!work->fields[f].kernels[k])
        status = op2i_workspace_kernel(ctx, &work->fields[f], work->type,
                                       k < OP2I_OWN ? &common[k] : &own[k - OP2I_OWN],
                                       &work->fields[f].kernels[k]);
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

/* y = the sum of the products of a row of blocks. The loops that add are fused with the products. */
static op2_status apply_row(struct op2i_solve *solve, int i, const op2_dat *x, op2_dat y) {
  const struct op2i_workspace *w = &solve->solver->work;
  const op2_mat *mat = solve->system.mat + (ptrdiff_t)i * w->n;
  const op2_operator *shell = solve->system.shell + (ptrdiff_t)i * w->n;
  const op2_dat product = op2i_work(w, OP2I_PRODUCT)[i];
  op2_status status = OP2_SUCCESS;
  bool begun = false;
  for (int j = 0; j < w->n && !status; j++) {
    const op2_dat to = begun ? product : y;
    if (!mat[j] && !shell[j]) continue;
    status = shell[j] ? op2i_operator_apply(shell[j], x[j], to) : op2_mat_mult(mat[j], x[j], to);
    if (!status && begun) status = op2_dat_axpy(y, op2_scalar_value(1), product);
    begun = true;
  }
  if (!begun) status = op2_dat_fill(y, op2_scalar_value(0));
  return status;
}

op2_status op2i_solve_apply(struct op2i_solve *solve, const op2_dat *x, const op2_dat *y) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < solve->system.n && !status; i++) status = apply_row(solve, i, x, y[i]);
  return status;
}

op2_status op2i_solve_residual(struct op2i_solve *solve, const op2_dat *r) {
  const struct op2i_workspace *w = &solve->solver->work;
  op2_status status = op2i_solve_zero(w->squares[OP2I_BB]);
  if (!status) status = op2i_solve_zero(w->squares[OP2I_RR]);
  if (!status) status = op2i_solve_apply(solve, solve->system.x, r);
  if (status) return status;
  return op2i_vector_loop(w, OP2I_RESIDUAL, op2i_arg_vector(solve->system.b, OP2_READ),
                          op2i_arg_vector(r, OP2_RW), op2_arg_gbl(w->squares[OP2I_BB], OP2_INC),
                          op2_arg_gbl(w->squares[OP2I_RR], OP2_INC));
}

op2_status op2i_solve_begin(struct op2i_solve *solve) {
  const struct op2i_workspace *w = &solve->solver->work;
  op2_status status = OP2_SUCCESS;
  if (solve->solver->options.start_at_zero) status = op2i_vector_fill(w, solve->system.x, 0);
  return status ? status : op2i_preconditioner_make(solve);
}
