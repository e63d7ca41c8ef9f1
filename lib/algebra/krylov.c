/* SPDX-License-Identifier: BSD-3-Clause */
/* What methods have in common: vectors, scalars and kernels to work with, and when to end. */
#include "krylov.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "text.h"

void op2i_workspace_free(struct op2i_workspace *work) {
  for (int d = 0; d < OP2I_WORK_DATS; d++) op2i_unref(work->dats[d]);
  for (int g = 0; g < OP2I_WORK_GBLS; g++) op2i_unref(work->gbls[g]);
  for (int k = 0; k < OP2I_WORK_KERNELS; k++) op2i_unref(work->kernels[k]);
  op2i_unref(work->rows);
  *work = (struct op2i_workspace){0};
}

static bool word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* T and N by themselves are replaced. */
static void spell(const char *text, op2_type type, int32_t dim, struct op2i_text *out) {
  for (const char *at = text; *at; at++) {
    bool alone = (at == text || !word(at[-1])) && !word(at[1]);
    if (alone && *at == 'T')
      op2i_text_add(out, "%s", op2i_type_c(type));
    else if (alone && *at == 'N')
      op2i_text_add(out, "%d", (int)dim);
    else
      op2i_text_bytes(out, at, 1);
  }
}

static op2_status make_kernel(op2_context ctx, const struct op2i_workspace *work,
                              const struct op2i_kernel_source *source, op2_kernel *kernel) {
  struct op2i_text text = {0};
  spell(source->text, work->type, work->dim, &text);
  const op2_kernel_desc desc = {.name = source->name, .source = text.chars};
  op2_status status = text.failed ? op2i_error_nomem("a solver") : OP2_SUCCESS;
  if (!status) status = op2_kernel_create(ctx, &desc, kernel);
  op2i_text_free(&text);
  return status;
}

op2_status op2i_workspace_make(struct op2i_solve *solve, int ndats, int ngbls, int nkernels,
                               const struct op2i_kernel_source *sources) {
  struct op2i_workspace *work = &solve->solver->work;
  op2_context ctx = solve->op.ctx;
  op2_status status = OP2_SUCCESS;
  if (work->rows != solve->x->set || work->dim != solve->x->dim || work->type != solve->x->type)
    op2i_workspace_free(work);
  if (!work->rows) work->rows = op2i_ref(solve->x->set);
  work->dim = solve->x->dim;
  work->type = solve->x->type;
  for (int d = 0; d < ndats && !status; d++)
    if (!work->dats[d])
      status = op2_dat_create(work->rows, work->dim, work->type, NULL, solve->solver->obj.name,
                              &work->dats[d]);
  for (int g = 0; g < ngbls && !status; g++)
    if (!work->gbls[g])
      status = op2_gbl_create(ctx, 1, OP2_F64, NULL, solve->solver->obj.name, &work->gbls[g]);
  for (int k = 0; k < nkernels && !status; k++)
    if (!work->kernels[k]) status = make_kernel(ctx, work, &sources[k], &work->kernels[k]);
  return status;
}

bool op2i_solve_ends(const op2_solver_options *options, double residual, double b, int iterations,
                     op2_solve_result *result) {
  result->residual = residual;
  result->iterations = iterations;
  result->reason = OP2_NOT_SOLVED;
  if (!isfinite(residual) || !isfinite(b))
    result->reason = OP2_DIVERGED_NAN;
  else if (residual <= options->atol)
    result->reason = OP2_CONVERGED_ATOL;
  else if (residual <= options->rtol * b)
    result->reason = OP2_CONVERGED_RTOL;
  else if (b > 0 && residual > options->dtol * b)
    result->reason = OP2_DIVERGED_DTOL;
  else if (iterations >= options->iterations)
    result->reason = OP2_DIVERGED_ITERATIONS;
  return result->reason != OP2_NOT_SOLVED;
}
