/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PETSC_OBJECTS_H
#define OP2I_PETSC_OBJECTS_H

/* Objects of PETSc that represent those of op2, and calls of PETSc. Functions that return a
 * PetscErrorCode are called between enter() and leave(). */

#include <stdbool.h>

#include "companion.h"
#include "op2/petsc.h"
#include "solve.h"

/* PETSc documents and exports this function, but declares it only in a private header. */
PETSC_EXTERN PetscErrorCode PetscObjectStateGet(PetscObject, PetscObjectState *);

/* ---- calling PETSc (petsc_calls.c) ---- */

/* The message of PETSc's first error since enter(), and the floating-point environment of the
 * caller. The struct must not move between enter and leave. */
struct op2i_petsc_scope {
  struct op2i_fp_scope fp;
  const struct op2i_companion *op2;
  char words[300];
};

/* ---- matrices (petsc_mat.c, petsc_copy.c) ---- */

/* The positions of a matrix's values in PETSc's: the entries of each row in columns of this rank,
 * and after them those in columns of other ranks, which PETSc orders by their numbers. */
struct op2i_petsc_layout {
  int64_t nrows;
  int64_t *own, *other; /* [nrows + 1] entries in all previous rows */
  /* [other[nrows]] position in its row of each entry in columns of other ranks */
  int32_t *order;
};

struct op2i_petsc_form {
  Mat mat; /* null: not requested yet */
  /* The Mat that has the values: `mat` itself, or for a dense row the Mat of its transpose. */
  Mat stored;
  const void *wrapped;             /* the matrix's own values; null: the Mat has copies */
  struct op2i_petsc_layout layout; /* for copies */
  /* Counters of the matrix when the form was made, and when values were copied. */
  int64_t renumberings, changes;
};
enum { OP2I_PETSC_AIJ, OP2I_PETSC_BAIJ, OP2I_PETSC_FORMS };

/* petsc_spaces.c: the null spaces that all forms of a matrix share: the null space, that of the
 * transpose, and the near null space. References are held, so that new ones can be distinguished
 * from them. */
enum { OP2I_PETSC_SPACES = 3 };
struct op2i_petsc_spaces {
  MatNullSpace space[OP2I_PETSC_SPACES];
  int64_t renumberings; /* counter of the matrix when they were set */
};
/* Take over the null spaces that the program has set or removed on one form since the last call,
 * for all forms. After renumbering they are dropped, as their vectors are in the old order. */
PetscErrorCode op2i_petsc_notice_spaces(struct op2i_petsc_spaces *spaces,
                                        const struct op2i_petsc_form *forms, int64_t renumberings);
/* Set them on all forms. */
PetscErrorCode op2i_petsc_set_spaces(const struct op2i_petsc_spaces *spaces,
                                     const struct op2i_petsc_form *forms);
void op2i_petsc_drop_spaces(struct op2i_petsc_spaces *spaces);

/* The form for a type of PETSc; -1: none. */
int op2i_petsc_form_of(const struct op2_mat_s *mat, const char *type);
/* Get the matrix in this form, with the values that it has after `changes` changes, which must be
 * present. */
op2_status op2i_petsc_mat(struct op2i_petsc_scope *scope, op2_mat mat, int form, int64_t changes,
                          Mat *A);

/* ---- dats (petsc_vec.c) ---- */

/* Make a Vec for the rows of a dat: it uses their memory, or, if they are float, memory of its own,
 * with copies of their values if `reads`. */
PetscErrorCode op2i_petsc_vec(MPI_Comm comm, op2_dat dat, void *rows, bool reads, Vec *v);
/* Destroy the Vec. If it has memory of its own and `writes` is set, its values are first copied to
 * the rows. */
PetscErrorCode op2i_petsc_vec_end(op2_dat dat, void *rows, bool writes, Vec *v);

extern const struct op2i_engine op2i_petsc_engine;

#endif
