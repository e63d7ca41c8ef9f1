/* SPDX-License-Identifier: BSD-3-Clause */
/* Zeroing rows of a matrix except for the diagonal, or rows and columns: loops over their nonzeros,
 * and over the rows if a right-hand side is corrected. */
#include <inttypes.h>
#include <stdio.h>

#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "kernel.h"
#include "loop_arg.h"
#include "mat_zero.h"
#include "op2/loop.h"
#include "slices.h"
#include "sparse.h"

static op2_status need_kernel(op2_mat mat) {
  char source[256];
  const char *type = op2i_type_c(mat->type);
  int n = mat->row_dim;
  if (mat->set_diagonal) return OP2_SUCCESS;
  snprintf(source, sizeof source,
           "void set_diagonal(%s *a, const %s *d) {\n"
           "  for (int i = 0; i < %d; i++) a[i] = i %% %d == 0 ? d[0] : 0;\n}\n",
           type, type, n * n, n + 1);
  return op2i_kernel_create_own(mat->obj.ctx, "set_diagonal", source, &mat->set_diagonal);
}

/* One call, with the data that checks and messages need. */
struct call {
  op2_where where;
  const char *name;
  op2_mat mat;
  op2_set rows;
  double diagonal;
  bool columns;
};

static op2_status check_dense(const struct call *c) {
  if (!c->mat->sparsity->flipped) return OP2_SUCCESS;
  return op2i_error(
      OP2_ERR_UNAVAILABLE,
      "%s:%d: %s, matrix '%s' has one row, of set '%s': op2_mat_zero() makes all of it "
      "zero",
      c->where.file, c->where.line, c->name, c->mat->obj.name, c->rows->base->obj.name);
}

static op2_status check_rows(const struct call *c) {
  op2_status status = op2i_object_validate(c->mat, OP2I_MAT, c->name);
  if (!status) status = op2i_object_validate(c->rows, OP2I_SET, c->name);
  if (status) return status;
  const struct op2_mat_s *mat = c->mat;
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  const struct op2_set_s *rows = op2i_sparsity_row_set(sparsity),
                         *columns = op2i_sparsity_column_set(sparsity);
  if (c->rows->base != rows)
    return op2i_error(OP2_ERR_MISMATCH,
                      "%s:%d: %s, matrix '%s': '%s' is of set '%s', and the rows are of '%s'",
                      c->where.file, c->where.line, c->name, mat->obj.name, c->rows->obj.name,
                      c->rows->base->obj.name, rows->obj.name);
  if (c->diagonal == 0 && !c->columns) return check_dense(c);
  if (rows != columns || mat->row_dim != mat->column_dim)
    return op2i_error(OP2_ERR_MISMATCH,
                      "%s:%d: %s, matrix '%s' has no diagonal: rows are of set '%s' with "
                      "dim %" PRId32 ", columns of '%s' with %" PRId32,
                      c->where.file, c->where.line, c->name, mat->obj.name, rows->obj.name,
                      mat->row_dim, columns->obj.name, mat->column_dim);
  return OP2_SUCCESS;
}

/* Queue loops that set the nonzeros to zero, and those on the diagonal to the value. */
static op2_status queue_zeros(const struct call *c, const struct op2i_row_nonzeros *nonzeros) {
  op2_mat mat = c->mat;
  const float narrow = (float)c->diagonal;
  const void *value = mat->type == OP2_F32 ? (const void *)&narrow : &c->diagonal;
  const op2_arg args[] = {op2_arg_direct(mat->values, OP2_WRITE), op2_arg_val(value, 1, mat->type)};
  op2_status status =
      op2_par_loop_at(c->where, mat->zero, c->columns ? nonzeros->cross : nonzeros->all, 1, args);
  if (status || c->diagonal == 0) return status;
  return op2_par_loop_at(c->where, mat->set_diagonal, nonzeros->on_diagonal, 2, args);
}

static op2_status prepare_rows(const struct call *c, const struct op2i_row_nonzeros **nonzeros) {
  const struct op2i_row_request request = {c->name, c->rows, c->diagonal != 0, c->columns};
  op2_status status = op2i_mat_need_zero(c->mat);
  if (!status && c->diagonal != 0) status = need_kernel(c->mat);
  return status ? status : op2i_sparsity_row_nonzeros(c->mat->sparsity, &request, nonzeros);
}

op2_status op2_mat_zero_rows_at(op2_where where, op2_mat mat, op2_set rows, double diagonal) {
  OP2I_FP_DEFAULT;
  const struct op2i_row_nonzeros *nonzeros = NULL;
  if (!where.file) where.file = "?";
  const struct call call = {where, "op2_mat_zero_rows", mat, rows, diagonal, false};
  op2_status status = check_rows(&call);
  if (status) return status;
  const struct op2i_behalf before =
      op2i_context_behalf(mat->obj.ctx, call.name, mat->obj.name, where);
  status = prepare_rows(&call, &nonzeros);
  if (!status) status = queue_zeros(&call, nonzeros);
  if (!status) mat->rows_zeroed = true;
  op2i_context_behalf_end(mat->obj.ctx, before);
  return status;
}

/* ---- rows and columns ------------------------------------------------------------------------ */

static op2_status check_dat(const struct call *c, op2_dat dat, const char *which) {
  char what[64];
  snprintf(what, sizeof what, "%s, %s", c->name, which);
  op2_status status = op2i_object_validate(dat, OP2I_DAT, what);
  if (status) return status;
  const struct op2_mat_s *mat = c->mat;
  if (dat->set != mat->sparsity->rows || dat->dim != mat->row_dim)
    return op2i_error(OP2_ERR_MISMATCH,
                      "%s:%d: %s, matrix '%s', %s: dat '%s' is on set '%s' with dim %" PRId32
                      ", and the rows are of '%s' with %" PRId32,
                      c->where.file, c->where.line, c->name, mat->obj.name, which, dat->obj.name,
                      dat->set->obj.name, dat->dim, mat->sparsity->rows->obj.name, mat->row_dim);
  if (dat->type == mat->type) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_TYPE, "%s:%d: %s, matrix '%s' is %s, and dat '%s' (%s) is %s",
                    c->where.file, c->where.line, c->name, mat->obj.name, op2i_type_name(mat->type),
                    dat->obj.name, which, op2i_type_name(dat->type));
}

/* Check, before the first loop is queued, what the loops would otherwise find one after the
 * other. */
static op2_status check_system(const struct call *c, op2_dat x, op2_dat b) {
  op2_status status = OP2_SUCCESS;
  if (c->mat->values->open_reads || c->mat->values->open_writes)
    return op2i_error(OP2_ERR_STATE,
                      "%s:%d: %s: matrix '%s' is open (op2_mat_petsc_end is missing)",
                      c->where.file, c->where.line, c->name, c->mat->obj.name);
  if (!x && !b) return OP2_SUCCESS;
  if (!x || !b)
    return op2i_error(
        OP2_ERR_ARG,
        "%s:%d: %s, matrix '%s': %s is null, and %s is not: the values in x correct b, "
        "or both are null",
        c->where.file, c->where.line, c->name, c->mat->obj.name, x ? "b" : "x", x ? "x" : "b");
  status = check_dat(c, x, "x");
  if (!status) status = check_dat(c, b, "b");
  if (!status && x == b)
    status = op2i_error(OP2_ERR_ARG, "%s:%d: %s, matrix '%s': dat '%s' is x and b as well",
                        c->where.file, c->where.line, c->name, c->mat->obj.name, x->obj.name);
  if (!status && (x->open_writes || b->open_reads || b->open_writes))
    status = op2i_error(OP2_ERR_STATE, "%s:%d: %s, matrix '%s': dat '%s' is open", c->where.file,
                        c->where.line, c->name, c->mat->obj.name,
                        x->open_writes ? x->obj.name : b->obj.name);
  return status;
}

/* Make two kernels: the first sums up the contributions of the marked columns to a row, the second
 * corrects the right-hand side by this sum. Values of x at other columns are not used: they may be
 * NaN. */
static op2_status need_kernels(op2_mat mat) {
  char lift[320], eliminate[320];
  const char *type = op2i_type_c(mat->type);
  const int n = mat->row_dim;
  if (mat->lift && mat->eliminate) return OP2_SUCCESS;
  snprintf(lift, sizeof lift,
           "void lift(%s *y, const %s *a, const %s *x, const int *marked) {\n"
           "  for (int i = 0; i < %d; i++)\n    for (int j = 0; j < %d; j++)\n"
           "      y[i] += marked[0] ? a[i * %d + j] * x[j] : 0;\n}\n",
           type, type, type, n, n, n);
  snprintf(eliminate, sizeof eliminate,
           "void eliminate(%s *b, const %s *x, const %s *y, const int *marked, const %s *d) {\n"
           "  for (int i = 0; i < %d; i++) b[i] = marked[0] ? d[0] * x[i] : b[i] - y[i];\n}\n",
           type, type, type, type, n);
  op2_status status = OP2_SUCCESS;
  if (!mat->lift) status = op2i_kernel_create_own(mat->obj.ctx, "lift", lift, &mat->lift);
  if (!status && !mat->eliminate)
    status = op2i_kernel_create_own(mat->obj.ctx, "eliminate", eliminate, &mat->eliminate);
  return status;
}

static op2_status queue_correction(const struct call *c, const struct op2i_row_nonzeros *nonzeros,
                                   op2_dat x, op2_dat b) {
  op2_mat mat = c->mat;
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  const float narrow = (float)c->diagonal;
  const void *value = mat->type == OP2_F32 ? (const void *)&narrow : &c->diagonal;
  op2_status status = need_kernels(mat);
  if (!status && !mat->lifted)
    status =
        op2_dat_create(sparsity->rows, mat->row_dim, mat->type, NULL, mat->obj.name, &mat->lifted);
  if (status) return status;
  op2i_object_own(mat->lifted);
  const op2_arg lift[] = {op2_arg_direct(mat->lifted, OP2_WRITE),
                          op2_arg_dat(mat->values, OP2I_EACH, sparsity->entries, OP2_READ),
                          op2_arg_dat(x, OP2I_EACH, sparsity->across, OP2_READ),
                          op2_arg_dat(nonzeros->marked, OP2I_EACH, sparsity->across, OP2_READ)};
  const op2_arg eliminate[] = {
      op2_arg_direct(b, OP2_RW), op2_arg_direct(x, OP2_READ), op2_arg_direct(mat->lifted, OP2_READ),
      op2_arg_direct(nonzeros->marked, OP2_READ), op2_arg_val(value, 1, mat->type)};
  status = op2_par_loop_at(c->where, mat->lift, sparsity->rows, 4, lift);
  return status ? status : op2_par_loop_at(c->where, mat->eliminate, sparsity->rows, 5, eliminate);
}

op2_status op2_mat_zero_rows_columns_at(op2_where where, op2_mat mat, op2_set rows, double diagonal,
                                        op2_dat x, op2_dat b) {
  OP2I_FP_DEFAULT;
  const struct op2i_row_nonzeros *nonzeros = NULL;
  if (!where.file) where.file = "?";
  const struct call call = {where, "op2_mat_zero_rows_columns", mat, rows, diagonal, true};
  op2_status status = check_rows(&call);
  if (!status) status = check_system(&call, x, b);
  if (status) return status;
  const struct op2i_behalf before =
      op2i_context_behalf(mat->obj.ctx, call.name, mat->obj.name, where);
  status = prepare_rows(&call, &nonzeros);
  if (!status && x) status = queue_correction(&call, nonzeros, x, b);
  if (!status) status = queue_zeros(&call, nonzeros);
  op2i_context_behalf_end(mat->obj.ctx, before);
  return status;
}
