/* SPDX-License-Identifier: BSD-3-Clause */
/* Dats as PETSc's vectors. */
#include "context.h"
#include "mesh.h"
#include "petsc_calls.h"
#include "petsc_copy.h"
#include "petsc_objects.h"

static PetscInt values_of(op2_dat dat) { return (PetscInt)(dat->set->ends[OP2I_OWNED] * dat->dim); }

PetscErrorCode op2i_petsc_vec(MPI_Comm comm, op2_dat dat, void *rows, bool reads, Vec *v) {
  const PetscInt n = values_of(dat);
  PetscScalar *own;
  PetscMPIInt ranks;
  PetscErrorCode code;
  MPI_Comm_size(comm, &ranks);
  if (dat->type == OP2_F64)
    return ranks == 1 ? VecCreateSeqWithArray(comm, dat->dim, n, rows, v)
                      : VecCreateMPIWithArray(comm, dat->dim, n, PETSC_DETERMINE, rows, v);
  code = VecCreate(comm, v);
  if (!code) code = VecSetSizes(*v, n, PETSC_DETERMINE);
  if (!code) code = VecSetBlockSize(*v, dat->dim);
  if (!code) code = VecSetType(*v, VECSTANDARD);
  if (!code) code = VecGetArrayWrite(*v, &own);
  if (code) return code;
  for (PetscInt i = 0; i < n && !reads; i++) own[i] = 0;
  if (reads) op2i_petsc_convert(dat->type, n, rows, own, false);
  return VecRestoreArrayWrite(*v, &own);
}

PetscErrorCode op2i_petsc_vec_end(op2_dat dat, void *rows, bool writes, Vec *v) {
  PetscErrorCode code = 0;
  if (writes && dat->type != OP2_F64) {
    const PetscScalar *own;
    code = VecGetArrayRead(*v, &own);
    if (!code) op2i_petsc_convert(dat->type, values_of(dat), rows, (PetscScalar *)own, true);
    if (!code) code = VecRestoreArrayRead(*v, &own);
  }
  PetscErrorCode end = VecDestroy(v);
  return code ? code : end;
}

/* ---- the interface --------------------------------------------------------------------------- */

/* The dat of an open Vec, attached to it. */
struct open_dat {
  const struct op2i_companion *op2;
  op2_dat dat;
  op2_access access;
  void *rows;
  PetscObjectState state; /* when the program got it */
};
static const char key[] = "op2_dat";

static PetscErrorCode free_open(void *data) {
  struct open_dat *open = data;
  open->op2->free(open);
  return 0;
}

static PetscErrorCode note_view(const struct op2i_companion *op2, struct open_dat what, Vec v) {
  PetscContainer container;
  struct open_dat *open = op2->calloc(1, sizeof *open);
  if (!open) return PETSC_ERR_MEM;
  *open = what;
  PetscErrorCode code = PetscContainerCreate(PETSC_COMM_SELF, &container);
  if (code) {
    op2->free(open);
    return code;
  }
  code = PetscContainerSetPointer(container, open);
  if (!code) code = PetscContainerSetUserDestroy(container, free_open);
  if (!code) code = PetscObjectCompose((PetscObject)v, key, (PetscObject)container);
  PetscErrorCode end = PetscContainerDestroy(&container);
  return code ? code : end;
}

static struct open_dat *noted(Vec v) {
  PetscContainer container = NULL;
  void *open = NULL;
  if (PetscObjectQuery((PetscObject)v, key, (PetscObject *)&container) || !container) return NULL;
  return PetscContainerGetPointer(container, &open) ? NULL : open;
}

static op2_status check_view(const struct op2i_companion *op2, op2_dat dat, op2_access access,
                             const void *out) {
  op2->object_call(dat, OP2I_DAT, "op2_dat_petsc", NULL, (uint64_t)access);
  op2_status status = op2->validate(dat, OP2I_DAT, "op2_dat_petsc");
  if (status) return status;
  const char *name = dat->obj.name;
  if (!out) return op2->error(OP2_ERR_ARG, "op2_dat_petsc: dat '%s': a null pointer", name);
  if (access < OP2_READ || access > OP2_RW)
    return op2->error(OP2_ERR_ACCESS, "op2_dat_petsc: dat '%s': the access is READ, WRITE or RW",
                      name);
  if (dat->type != OP2_F64 && dat->type != OP2_F32)
    return op2->error(OP2_ERR_TYPE, "op2_dat_petsc: dat '%s' is neither double nor float", name);
  if (dat->set->ends[OP2I_OWNED] <= PETSC_MAX_INT / dat->dim) return OP2_SUCCESS;
  return op2->error(OP2_ERR_RANGE,
                    "op2_dat_petsc: dat '%s' has more values than PETSc's integers count", name);
}

static op2_status open_dat(struct op2i_petsc_scope *scope, op2_dat dat, op2_access access,
                           Vec *out) {
  const struct op2i_companion *op2 = scope->op2;
  struct open_dat open = {op2, dat, access, NULL, 0};
  Vec v = NULL;
  MPI_Comm comm;
  op2_status status = op2i_petsc_comm(op2, dat->obj.ctx, &comm);
  if (!status) status = op2->dat_open(dat, access, "op2_dat_petsc", &open.rows);
  if (status) return status;
  PetscErrorCode code = op2i_petsc_vec(comm, dat, open.rows, access != OP2_WRITE, &v);
  if (!code) code = PetscObjectSetName((PetscObject)v, dat->obj.name);
  if (!code) code = PetscObjectStateGet((PetscObject)v, &open.state);
  if (!code) code = note_view(op2, open, v);
  if (!code && access == OP2_READ) code = VecLockReadPush(v);
  if (!code) {
    *out = v;
    return OP2_SUCCESS;
  }
  if (v) (void)VecDestroy(&v);
  (void)op2->dat_close(dat, access, "op2_dat_petsc");
  return op2i_petsc_status(scope, code, "dat", dat->obj.name);
}

/* PETSc's collective functions wait for other ranks and do not notice if these are in different
 * calls. Such ranks are detected here, before those functions are called. */
static op2_status meet(const struct op2i_petsc_scope *scope, op2_dat dat) {
  struct op2i_comm *comm = dat->obj.ctx->comm;
  return comm ? scope->op2->agree(comm, OP2_SUCCESS) : OP2_SUCCESS;
}

op2_status op2_dat_petsc(op2_dat dat, op2_access access, Vec *v) {
  struct op2i_petsc_scope scope;
  op2_status status = op2i_petsc_enter(&scope, "op2_dat_petsc");
  if (status) return status;
  status = check_view(scope.op2, dat, access, v);
  if (!status) status = meet(&scope, dat);
  if (!status) status = open_dat(&scope, dat, access, v);
  op2i_petsc_leave(&scope);
  return status;
}

/* A Vec that was handed out for reading may have changed its state, possibly on another rank only.
 * If it uses the dat's own memory, the dat counts as changed, here and in the halos of other
 * ranks. */
static op2_status look_at_read(const struct op2i_petsc_scope *scope, struct open_dat *open, Vec v) {
  op2_dat dat = open->dat;
  PetscObjectState state = open->state;
  PetscErrorCode code = PetscObjectStateGet((PetscObject)v, &state);
  bool changed = !code && state != open->state && dat->type == OP2_F64;
  op2_status status = op2i_petsc_status(scope, code, "dat", dat->obj.name);
  status = op2i_petsc_agree_on_change(scope->op2, dat->obj.ctx, status, &changed);
  if (status || !changed) return status;
  status = scope->op2->host_rows(dat, OP2_RW, &open->rows);
  scope->op2->make_stale(dat);
  dat->changes++;
  return status;
}

op2_status op2_dat_petsc_end(op2_dat dat, Vec *v) {
  struct op2i_petsc_scope scope;
  op2_status status = op2i_petsc_enter(&scope, "op2_dat_petsc_end");
  if (status) return status;
  scope.op2->object_call(dat, OP2I_DAT, "op2_dat_petsc_end", NULL, 0);
  status = scope.op2->validate(dat, OP2I_DAT, "op2_dat_petsc_end");
  struct open_dat *open = !status && v && *v ? noted(*v) : NULL;
  if (!status && (!open || open->dat != dat))
    status = scope.op2->error(OP2_ERR_STATE, "op2_dat_petsc_end: this Vec of dat '%s' is not open",
                              dat->obj.name);
  if (!status) status = meet(&scope, dat);
  if (!status) {
    op2_access access = open->access;
    PetscErrorCode code = access == OP2_READ ? VecLockReadPop(*v) : 0;
    if (access == OP2_READ) status = look_at_read(&scope, open, *v);
    PetscErrorCode end = op2i_petsc_vec_end(dat, open->rows, access != OP2_READ, v);
    if (!status) status = op2i_petsc_status(&scope, code ? code : end, "dat", dat->obj.name);
    op2_status closed = scope.op2->dat_close(dat, access, "op2_dat_petsc_end");
    if (!status) status = closed;
  }
  op2i_petsc_leave(&scope);
  return status;
}
