/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators as PETSc's shell matrices: a product copies x into a dat, calls the program's function,
 * which queues y = A x, and copies y out. */
#include "context.h"
#include "petsc_calls.h"
#include "petsc_copy.h"
#include "petsc_objects.h"

/* PETSc's objects for an operator, kept with it. */
struct kept_shell {
  struct op2i_petsc_kept kept;
  const struct op2i_companion *op2;
  op2_operator op; /* owns this struct */
  op2_dat x, y;
  Mat mat;
  op2_status failed; /* status of a product, of which PETSc only knows that it has failed */
};

static void drop_shell(struct op2i_petsc_kept *kept) {
  struct kept_shell *own = (struct kept_shell *)kept;
  if (own->mat) (void)MatDestroy(&own->mat);
  own->mat = NULL;
}

/* Make a dat that is lent to the operator's function, which must not destroy it. */
static op2_status make_lent(const op2_operator_desc *desc, const char *name, op2_dat *dat) {
  if (*dat) return OP2_SUCCESS;
  op2_status status = op2_dat_create(desc->set, desc->dim, desc->type, NULL, name, dat);
  if (status) return status;
  op2i_object_own(*dat);
  (*dat)->obj.lent = true;
  return OP2_SUCCESS;
}

static void free_lent(op2_dat *dat) {
  if (*dat) (*dat)->obj.lent = false;
  op2_dat_destroy(dat);
}

static void free_kept(void *data) {
  struct kept_shell *own = data;
  op2i_petsc_let_go(&own->kept);
  free_lent(&own->x);
  free_lent(&own->y);
  own->op2->free(own);
}

static op2_status put_in(const struct kept_shell *own, const PetscScalar *from) {
  const int64_t n = own->x->set->ends[OP2I_OWNED] * own->x->dim;
  void *rows;
  op2_status status = own->op2->dat_open(own->x, OP2_WRITE, "a product", &rows);
  if (status) return status;
  op2i_petsc_convert(own->x->type, n, rows, (PetscScalar *)from, true);
  return own->op2->dat_close(own->x, OP2_WRITE, "a product");
}

static op2_status take_out(const struct kept_shell *own, PetscScalar *to) {
  const int64_t n = own->y->set->ends[OP2I_OWNED] * own->y->dim;
  void *rows;
  op2_status status = own->op2->dat_open(own->y, OP2_READ, "a product", &rows);
  if (status) return status;
  op2i_petsc_convert(own->y->type, n, rows, to, false);
  return own->op2->dat_close(own->y, OP2_READ, "a product");
}

/* The diagonal comes by the dat for results of products. */
static PetscErrorCode take_diagonal(struct kept_shell *own, Vec diagonal) {
  PetscScalar *to;
  own->op2->admit(own->y);
  op2_status status = own->op2->operator_diagonal(own->op, own->y);
  PetscErrorCode code = VecGetArrayWrite(diagonal, &to);
  if (code) return code;
  if (!status) status = take_out(own, to);
  code = VecRestoreArrayWrite(diagonal, &to);
  own->failed = status;
  if (status) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER, "%s", op2_error_message());
  return code;
}

static PetscErrorCode apply(struct kept_shell *own, Vec x, Vec y) {
  const PetscScalar *from;
  PetscScalar *to;
  PetscErrorCode code = VecGetArrayRead(x, &from);
  if (code) return code;
  own->op2->admit(own->x);
  own->op2->admit(own->y);
  op2_status status = put_in(own, from);
  code = VecRestoreArrayRead(x, &from);
  if (!status) status = own->op2->operator_apply(own->op, own->x, own->y);
  if (!code) code = VecGetArrayWrite(y, &to);
  if (code) return code;
  if (!status) status = take_out(own, to);
  code = VecRestoreArrayWrite(y, &to);
  own->failed = status;
  if (status) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER, "%s", op2_error_message());
  return code;
}

/* PETSc calls this in the program's floating-point environment, which the operator's function gets,
 * too. */
static PetscErrorCode multiply(Mat A, Vec x, Vec y) {
  struct kept_shell *own;
  struct op2i_fp_scope scope;
  PetscErrorCode code = MatShellGetContext(A, &own);
  if (code) return code;
  own->op2->fp_enter(&scope);
  code = apply(own, x, y);
  own->op2->fp_leave(&scope);
  return code;
}

static PetscErrorCode get_diagonal(Mat A, Vec diagonal) {
  struct kept_shell *own;
  struct op2i_fp_scope scope;
  PetscErrorCode code = MatShellGetContext(A, &own);
  if (code) return code;
  own->op2->fp_enter(&scope);
  code = take_diagonal(own, diagonal);
  own->op2->fp_leave(&scope);
  return code;
}

static PetscErrorCode create(struct kept_shell *own, MPI_Comm comm) {
  const op2_dat x = own->x;
  const PetscInt n = (PetscInt)(x->set->ends[OP2I_OWNED] * x->dim);
  PetscErrorCode code =
      MatCreateShell(comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, own, &own->mat);
  if (!code) code = MatShellSetOperation(own->mat, MATOP_MULT, (void (*)(void))multiply);
  if (!code && own->op->desc.diagonal)
    code = MatShellSetOperation(own->mat, MATOP_GET_DIAGONAL, (void (*)(void))get_diagonal);
  if (!code) code = MatSetBlockSize(own->mat, x->dim);
  return code ? code : PetscObjectSetName((PetscObject)own->mat, own->op->obj.name);
}

static op2_status have_kept(struct op2i_petsc_scope *scope, op2_operator op,
                            struct kept_shell **out) {
  if (!op->kept.data) {
    struct kept_shell *own = scope->op2->calloc(1, sizeof *own);
    if (!own) return scope->op2->error_nomem("an operator of PETSc");
    own->kept.drop = drop_shell;
    own->op2 = scope->op2;
    own->op = op;
    op->kept = (struct op2i_kept){own, free_kept};
  }
  *out = op->kept.data;
  return OP2_SUCCESS;
}

op2_status op2i_petsc_shell(struct op2i_petsc_scope *scope, op2_operator op, Mat *A) {
  const op2_operator_desc *desc = &op->desc;
  struct kept_shell *own = NULL;
  PetscErrorCode code = 0;
  MPI_Comm comm;
  op2_status status = have_kept(scope, op, &own);
  if (op->obj.ctx->comm) status = scope->op2->agree(op->obj.ctx->comm, status);
  if (!status) status = make_lent(desc, op->obj.name, &own->x);
  if (!status) status = make_lent(desc, op->obj.name, &own->y);
  if (!status) status = op2i_petsc_comm(scope->op2, op->obj.ctx, &comm);
  if (status) return status;
  if (!own->mat) code = create(own, comm);
  if (!code) code = op2i_petsc_keep(&own->kept);
  *A = own->mat;
  return op2i_petsc_status(scope, code, "operator", op->obj.name);
}

op2_status op2_operator_petsc(op2_operator op, Mat *A) {
  struct op2i_petsc_scope scope;
  op2_status status = op2i_petsc_enter(&scope, "op2_operator_petsc");
  if (status) return status;
  scope.op2->object_call(op, OP2I_OPERATOR, "op2_operator_petsc", NULL, 0);
  status = scope.op2->validate(op, OP2I_OPERATOR, "op2_operator_petsc");
  if (!status && !A)
    status = scope.op2->error(OP2_ERR_ARG, "op2_operator_petsc: operator '%s': a null pointer",
                              op->obj.name);
  Mat made = NULL;
  if (!status) status = op2i_petsc_shell(&scope, op, &made);
  if (!status) *A = made;
  op2i_petsc_leave(&scope);
  return status;
}
