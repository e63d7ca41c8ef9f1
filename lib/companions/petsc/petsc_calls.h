/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PETSC_CALLS_H
#define OP2I_PETSC_CALLS_H

#include "petsc_objects.h"

/* Calls of PETSc, with its errors as this library's. */

/* Begin a section that calls PETSc. Other threads wait; the same thread may enter again. Fails if
 * PETSc is not initialised. */
op2_status op2i_petsc_enter(struct op2i_petsc_scope *scope, const char *call);
void op2i_petsc_leave(struct op2i_petsc_scope *scope);
/* Convert the result of a call to a status; an error names the object `name`. */
op2_status op2i_petsc_status(const struct op2i_petsc_scope *scope, PetscErrorCode code,
                             const char *what, const char *name);
/* The MPI communicator of a context; MPI_COMM_SELF if it has one rank. */
op2_status op2i_petsc_comm(const struct op2i_companion *op2, op2_context ctx, MPI_Comm *comm);
bool op2i_petsc_is_there(void);
/* *changed becomes true on all ranks if PETSc has changed, on any rank, an object handed out for
 * reading, so that all ranks react alike. A failure of one rank is one of all. Collective, with one
 * message if nothing failed. */
op2_status op2i_petsc_agree_on_change(const struct op2i_companion *op2, op2_context ctx,
                                      op2_status status, bool *changed);
/* PETSc's objects that are kept with an object of op2. They are destroyed when PETSc ends, if this
 * comes before the end of the object. */
struct op2i_petsc_kept {
  struct op2i_petsc_kept *prev, *next;
  void (*drop)(struct op2i_petsc_kept *kept); /* destroys PETSc's objects */
};
PetscErrorCode op2i_petsc_keep(struct op2i_petsc_kept *kept);
/* Remove it from the list, and destroy PETSc's objects. */
void op2i_petsc_let_go(struct op2i_petsc_kept *kept);

#endif
