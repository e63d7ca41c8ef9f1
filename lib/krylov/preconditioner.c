/* SPDX-License-Identifier: BSD-3-Clause */
/* Preconditioners of the library's own methods: the inverse of a matrix's diagonal, or of the
 * diagonal blocks. Kernels of the methods apply them together with their own work. */
#include "krylov.h"
#include "operator.h"

static const struct op2i_kernel_source
    values = {"invert", "void invert(T *d) {\n"
                        "  for (int i = 0; i < N; i++) d[i] = d[i] == 0 ? 1 : 1 / d[i];\n}\n"},
    amounts = {"invert_amount",
               "#include <math.h>\n"
               "void invert_amount(T *d) {\n"
               "  for (int i = 0; i < N; i++) d[i] = d[i] == 0 ? 1 : 1 / fabs(d[i]);\n}\n"},
    /* Gauss-Jordan elimination by columns, with partial pivoting. */
    blocks = {"invert_block",
              "#include <math.h>\n"
              "void invert_block(T *d) {\n"
              "  T a[N][N], b[N][N];\n"
              "  int regular = 1;\n"
              "  for (int i = 0; i < N; i++)\n"
              "    for (int j = 0; j < N; j++) {\n"
              "      a[i][j] = d[i * N + j];\n"
              "      b[i][j] = i == j ? 1 : 0;\n"
              "    }\n"
              "  for (int k = 0; k < N; k++) {\n"
              "    int best = k;\n"
              "    for (int i = k + 1; i < N; i++)\n"
              "      if (fabs(a[i][k]) > fabs(a[best][k])) best = i;\n"
              "    for (int j = 0; j < N; j++) {\n"
              "      const T in_a = a[k][j], in_b = b[k][j];\n"
              "      a[k][j] = a[best][j];\n"
              "      b[k][j] = b[best][j];\n"
              "      a[best][j] = in_a;\n"
              "      b[best][j] = in_b;\n"
              "    }\n"
              "    const T by = a[k][k] == 0 ? 0 : 1 / a[k][k];\n"
              "    if (by == 0) regular = 0;\n"
              "    for (int j = 0; j < N; j++) {\n"
              "      a[k][j] *= by;\n"
              "      b[k][j] *= by;\n"
              "    }\n"
              "    for (int i = 0; i < N; i++) {\n"
              "      const T times = i == k ? 0 : a[i][k];\n"
              "      for (int j = 0; j < N; j++) {\n"
              "        a[i][j] -= times * a[k][j];\n"
              "        b[i][j] -= times * b[k][j];\n"
              "      }\n"
              "    }\n"
              "  }\n"
              "  for (int i = 0; i < N; i++)\n"
              "    for (int j = 0; j < N; j++) d[i * N + j] = regular ? b[i][j] : i == j ? 1 : 0;\n"
              "}\n"};

/* The block on the diagonal that has the rows of a field, as a matrix and as an operator. Either is
 * null where there is none; an operator may have a matrix for its preconditioner. */
static op2_mat diagonal_mat(const struct op2i_solve *solve, int field) {
  return solve->system.mat[field * solve->system.n + field];
}

static op2_operator diagonal_shell(const struct op2i_solve *solve, int field) {
  return solve->system.shell[field * solve->system.n + field];
}

/* True if the diagonal comes from a function of the operator. */
static bool by_function(const struct op2i_solve *solve, int field) {
  const op2_operator shell = diagonal_shell(solve, field);
  return shell && shell->desc.diagonal;
}

/* True if a field has no preconditioner. An operator may have nothing to make one of. */
static bool none(const struct op2i_solve *solve, int field) {
  return (!diagonal_mat(solve, field) && !by_function(solve, field)) ||
         op2i_preconditioner_kind(solve->solver->options.preconditioner)->none;
}

bool op2i_preconditioner_blocks(const struct op2i_solve *solve, int field) {
  return !none(solve, field) && solve->system.x[field]->dim > 1 &&
         op2i_preconditioner_kind(solve->solver->options.preconditioner)->blocks;
}

void op2i_preconditioned(const struct op2i_field *field, struct op2i_text *out) {
  if (!field->blocks) {
    op2i_text_add(out, "d[i] * r[i]");
    return;
  }
  for (int j = 0; j < field->dim; j++)
    op2i_text_add(out, "%sd[i * %d + %d] * r[%d]", j ? " + " : "(", (int)field->dim, j, j);
  op2i_text_add(out, ")");
}

/* Minimal residuals need a definite preconditioner even if the matrix is not definite, so it uses
 * the absolute values of the diagonal. Without a preconditioner the factors are 1: this costs
 * reading one more vector, and avoids a second form of every kernel. */
static op2_status make_factors(struct op2i_solve *solve, int f) {
  const struct op2i_workspace *w = &solve->solver->work;
  struct op2i_field *field = &w->fields[f];
  op2_dat factors = op2i_work(w, OP2I_FACTORS)[f];
  if (none(solve, f)) return op2_dat_fill(factors, op2_scalar_value(1));
  op2_status status = by_function(solve, f)
                          ? op2i_operator_diagonal(diagonal_shell(solve, f), factors)
                          : op2_mat_diagonal(diagonal_mat(solve, f), factors);
  const bool definite = op2i_method_kind(solve->solver->options.method)->definite;
  const struct op2i_kernel_source *of_values = definite ? &amounts : &values;
  if (!status && !field->invert)
    status = op2i_workspace_kernel(solve->op.ctx, field, w->type,
                                   field->blocks ? &blocks : of_values, &field->invert);
  if (status) return status;
  return op2_par_loop(field->invert, field->rows, op2_arg_direct(factors, OP2_RW));
}

op2_status op2i_preconditioner_make(struct op2i_solve *solve) {
  op2_status status = OP2_SUCCESS;
  for (int f = 0; f < solve->system.n && !status; f++) status = make_factors(solve, f);
  return status;
}

op2_status op2i_solve_precondition(struct op2i_solve *solve, const op2_dat *r, const op2_dat *z) {
  const struct op2i_workspace *w = &solve->solver->work;
  const op2_dat *factors = op2i_work(w, OP2I_FACTORS);
  op2_status status = OP2_SUCCESS;
  for (int f = 0; f < w->n && !status; f++) {
    const struct op2i_field *field = &w->fields[f];
    status = field->blocks
                 ? op2_par_loop(field->kernels[OP2I_PRECONDITION], field->rows,
                                op2_arg_direct(factors[f], OP2_READ),
                                op2_arg_direct(r[f], OP2_READ), op2_arg_direct(z[f], OP2_WRITE))
                 : op2_dat_pointwise_mult(z[f], factors[f], r[f]);
  }
  return status;
}
