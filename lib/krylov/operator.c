/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators: matrices that are defined by functions of the program, which queue loops. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "krylov.h"
#include "loop.h"
#include "loop_validate.h"
#include "mem.h"
#include "operator.h"

static void release_operator(void *object) {
  op2_operator op = object;
  op2i_kept_free(&op->kept);
  for (int d = 0; d < op->uses.ndats; d++) op2i_unref(op->uses.dats[d]);
  for (int g = 0; g < op->uses.ngbls; g++) op2i_unref(op->uses.gbls[g]);
  op2i_op_free_tables(&op->uses);
  op2i_unref(op->desc.preconditioner);
  op2i_unref(op->desc.set);
}

/* ---- checks of arguments --------------------------------------------------------------------- */

static op2_status check_preconditioner(const op2_operator_desc *desc, const char *name) {
  op2_mat mat = desc->preconditioner;
  if (!mat) return OP2_SUCCESS;
  char what[300];
  snprintf(what, sizeof what, "operator '%.200s', the preconditioner", name);
  op2_status status = op2i_object_validate(mat, OP2I_MAT, what);
  if (status) return status;
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  if (sparsity->rows == desc->set && sparsity->columns == desc->set && mat->row_dim == desc->dim &&
      mat->column_dim == desc->dim && mat->type == desc->type)
    return OP2_SUCCESS;
  return op2i_error(OP2_ERR_MISMATCH,
                    "%s: matrix '%s' is not of the operator's shape: rows and columns of set '%s', "
                    "blocks of %d * %d, %s",
                    what, mat->obj.name, desc->set->obj.name, desc->dim, desc->dim,
                    op2i_type_name(desc->type));
}

static op2_status check_arg(const op2_operator_desc *desc, int n, const char *name) {
  const op2_arg *arg = &desc->args[n];
  char what[300];
  enum op2i_tag tag;
  snprintf(what, sizeof what, "operator '%.200s', argument %d", name, n);
  if (!op2i_arg_tag(arg, &tag) ||
      (tag != OP2I_TAG_DAT && tag != OP2I_TAG_GBL && tag != OP2I_TAG_MAT))
    return op2i_error(OP2_ERR_ARG,
                      "%s: not made by op2_arg_direct(), op2_arg_gbl() or "
                      "op2_arg_mat()",
                      what);
  enum op2i_kind kind = tag == OP2I_TAG_DAT ? OP2I_DAT : tag == OP2I_TAG_GBL ? OP2I_GBL : OP2I_MAT;
  const struct op2i_object *object = arg->object;
  op2_status status = op2i_object_validate(object, kind, what);
  if (status) return status;
  if (object->ctx != desc->set->obj.ctx)
    return op2i_error(OP2_ERR_MISMATCH, "%s: '%s' belongs to another context", what, object->name);
  bool good =
      kind == OP2I_DAT ? arg->access >= OP2_READ && arg->access <= OP2_RW : arg->access == OP2_READ;
  if (good) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_ACCESS,
                    "%s ('%s'): operators READ globals and matrices, and READ, WRITE or RW dats",
                    what, object->name);
}

static op2_status check_description(const op2_operator_desc *desc, const char *name) {
  if (!desc) return op2i_error(OP2_ERR_ARG, "operator '%s': its description is null", name);
  op2_status status = op2i_object_validate(desc->set, OP2I_SET, "op2_operator_create");
  if (!status) status = op2i_context_validate(desc->set->obj.ctx, "op2_operator_create");
  if (status) return status;
  if (desc->set->base != desc->set)
    return op2i_error(OP2_ERR_ARG, "operator '%s': '%s' is a subset; rows are whole sets", name,
                      desc->set->obj.name);
  if (!desc->apply) return op2i_error(OP2_ERR_ARG, "operator '%s': the function is null", name);
  if (desc->dim < 1)
    return op2i_error(OP2_ERR_ARG, "operator '%s': dim %d is not positive", name, desc->dim);
  if (desc->type != OP2_F64 && desc->type != OP2_F32)
    return op2i_error(OP2_ERR_TYPE, "operator '%s': values are double or float", name);
  if (desc->nargs < 0 || (desc->nargs > 0 && !desc->args))
    return op2i_error(OP2_ERR_ARG, "operator '%s': no arguments", name);
  for (int n = 0; n < desc->nargs && !status; n++) status = check_arg(desc, n, name);
  return status ? status : check_preconditioner(desc, name);
}

/* ---- creating an operator -------------------------------------------------------------------- */

static void add_use(struct op2i_op *uses, const op2_arg *arg) {
  enum op2i_tag tag;
  if (!op2i_arg_tag(arg, &tag)) return;
  if (tag == OP2I_TAG_GBL) {
    int before = uses->ngbls;
    int32_t g = op2i_number_of((void **)uses->gbls, &uses->ngbls, arg->object);
    if (uses->ngbls > before) op2i_ref(arg->object);
    uses->gbl_access[g] = OP2_READ;
    return;
  }
  op2_dat dat = tag == OP2I_TAG_MAT ? ((op2_mat)arg->object)->values : arg->object;
  int before = uses->ndats;
  int32_t d = op2i_number_of((void **)uses->dats, &uses->ndats, dat);
  bool known = uses->ndats == before;
  if (!known) op2i_ref(dat);
  uses->dat_access[d] =
      !known || uses->dat_access[d] == (op2_access)arg->access ? (op2_access)arg->access : OP2_RW;
}

static op2_status make_operator(const op2_operator_desc *desc, const char *name,
                                op2_operator *out) {
  char room[OP2I_NAME_ROOM];
  op2_context ctx = desc ? op2i_object_context(desc->set, OP2I_SET) : NULL;
  name = op2i_object_name(ctx, OP2I_OPERATOR, name, room);
  op2_status status = check_description(desc, name);
  if (status) return status;
  op2_operator op = op2i_calloc(1, sizeof *op);
  if (!op) return op2i_error_nomem("an operator");
  op->uses.ctx = desc->set->obj.ctx;
  status = op2i_op_tables(&op->uses, (size_t)desc->nargs + 1);
  if (!status)
    status = op2i_object_init(op, desc->set->obj.ctx, OP2I_OPERATOR, name, release_operator);
  if (status) {
    op2i_op_free_tables(&op->uses);
    op2i_free(op);
    return status;
  }
  op->desc = *desc;
  op->desc.args = NULL;
  op->desc.set = op2i_ref(desc->set);
  op->desc.preconditioner = op2i_ref(desc->preconditioner);
  for (int n = 0; n < desc->nargs; n++) add_use(&op->uses, &desc->args[n]);
  *out = op;
  return OP2_SUCCESS;
}

/* The addresses of the function and its data are left out: they may differ from rank to rank. */
static uint64_t digest(const op2_operator_desc *desc, const char *name) {
  const int32_t shape[] = {desc->dim, (int32_t)desc->type};
  uint64_t digest = op2i_digest_bytes(op2i_digest_text(0, name), shape, sizeof shape);
  digest = op2i_object_digest(digest, desc->preconditioner);
  for (int n = 0; n < desc->nargs; n++)
    digest = op2i_hash_word(op2i_object_digest(digest, desc->args[n].object),
                            (uint64_t)desc->args[n].access);
  return digest;
}

op2_status op2_operator_create(const op2_operator_desc *desc, const char *name, op2_operator *out) {
  op2_operator op = NULL;
  if (!out)
    return op2i_error(OP2_ERR_ARG, "op2_operator_create: where to put the operator is null");
  if (desc) op2i_object_call(desc->set, OP2I_SET, "op2_operator_create", name, 0);
  op2_status status = make_operator(desc, name, &op);
  if (!desc || !op2i_object_is(desc->set, OP2I_SET)) return status;
  status = op2i_context_agree(desc->set->obj.ctx, status);
  if (!status)
    op2i_object_call(desc->set, OP2I_SET, "op2_operator_create", name, digest(desc, name));
  if (status)
    op2_operator_destroy(&op);
  else
    *out = op;
  return status;
}

/* ---- applying an operator -------------------------------------------------------------------- */

op2_status op2i_operator_check_lent(op2_context ctx, op2_operator op, op2_dat x, op2_dat y) {
  const void *destroyed = ctx->lent_destroyed;
  ctx->lent_destroyed = NULL;
  if (!destroyed) return OP2_SUCCESS;
  return op2i_error(
      OP2_ERR_STATE, "the function of %s%s%s destroys %s, which it is lent and does not own",
      op ? "operator '" : "an operator of the system", op ? op->obj.name : "", op ? "'" : "",
      destroyed == x   ? "x"
      : destroyed == y ? "y"
                       : "the x or y of an earlier product");
}

/* If a call of the library failed inside a function, its message is part of the failure. The
 * function may return any number: a return value alone does not make the context unusable. */
static op2_status returned(op2_operator op, const char *function, op2_status status) {
  if (!status) return OP2_SUCCESS;
  const char *name = op2_status_name(status), *inside = op2_error_message();
  const bool known = strcmp(name, op2_status_name((op2_status)-1)) != 0;
  const bool usable = known && (status != OP2_ERR_FATAL || op->obj.ctx->fatal);
  return op2i_error(usable ? status : OP2_ERR_CALL, "the %s of operator '%s' returned %s (%d)%s%s",
                    function, op->obj.name, known ? name : "a number that is no op2_status",
                    (int)status, *inside ? ": " : "", inside);
}

/* Call the function for products, or without x the one for the diagonal. An earlier message is not
 * part of a failure, so it is cleared. */
static op2_status call_function(op2_operator op, op2_dat x, op2_dat y) {
  (void)op2i_error(OP2_SUCCESS, "%s", "");
  struct op2i_fp_scope *scope = op2i_fp_window_open();
  const op2_status status =
      x ? op->desc.apply(op->desc.data, x, y) : op->desc.diagonal(op->desc.data, y);
  op2i_fp_window_close(scope, true);
  return status;
}

/* The x of the first product may be a dat of the program, which exists until the solve ends. */
op2_status op2i_operator_apply(op2_operator op, op2_dat x, op2_dat y) {
  const bool whole = !x->obj.given_up;
  const op2_status status = call_function(op, x, y);
  if (whole && x->obj.given_up) op->obj.ctx->lent_destroyed = &x->obj;
  const op2_status lent = op2i_operator_check_lent(op->obj.ctx, op, x, y);
  return lent ? lent : returned(op, "function", status);
}

op2_status op2i_operator_diagonal(op2_operator op, op2_dat diagonal) {
  const op2_status status = call_function(op, NULL, diagonal);
  if (op->obj.ctx->lent_destroyed != &diagonal->obj) {
    const op2_status lent = op2i_operator_check_lent(op->obj.ctx, op, NULL, NULL);
    return lent ? lent : returned(op, "function for the diagonal", status);
  }
  op->obj.ctx->lent_destroyed = NULL;
  return op2i_error(OP2_ERR_STATE,
                    "the function for the diagonal of operator '%s' destroys the dat that it is "
                    "lent and does not own",
                    op->obj.name);
}

void op2_operator_destroy(op2_operator *op) {
  if (!op) return;
  if (op2i_object_leave(*op, OP2I_OPERATOR)) op2i_unref(*op);
  *op = NULL;
}
