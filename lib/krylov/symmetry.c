/* SPDX-License-Identifier: BSD-3-Clause */
/* A warning for methods that need a symmetric matrix, if rows of the matrix were zeroed without
 * their columns. */
#include "context.h"
#include "krylov.h"
#include "log.h"
#include "operator.h"

static const char *method_of(const struct op2i_solve *solve) {
  const op2_solver_options *o = &solve->solver->options;
  const struct op2i_engine *engine = solve->op.ctx->engine;
  if (engine && o->library != OP2_LIBRARY_OP2) return engine->symmetric_method(solve->solver);
  const struct op2i_method_kind *kind = op2i_method_kind(o->method);
  return kind->symmetric ? kind->words : NULL;
}

void op2i_warn_of_rows(const struct op2i_solve *solve, op2_where where) {
  const struct op2i_system *system = &solve->system;
  for (int m = 0; m < system->n * system->n; m++) {
    op2_mat mat = system->mat[m];
    if (system->shell[m] || !mat || !mat->rows_zeroed || mat->warned_of_rows) continue;
    const char *method = method_of(solve);
    if (!method) return;
    mat->warned_of_rows = true;
    op2i_log(solve->op.ctx, OP2I_LOG_WARN,
             "%s:%d: op2_solve by '%s': rows of matrix '%s' were made zero (op2_mat_zero_rows) and "
             "it is not symmetric, as %s needs it: the solve may not converge. "
             "op2_mat_zero_rows_columns keeps a matrix symmetric, and GMRES and BiCGSTAB solve "
             "with others",
             where.file, where.line, solve->solver->obj.name, mat->obj.name, method);
  }
}
