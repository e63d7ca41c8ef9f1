/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PETSC_OBJECTS_H
#define OP2I_PETSC_OBJECTS_H

/* Objects of PETSc that stand for those of op2, and how PETSc is called. Functions that return a
 * PetscErrorCode are called between enter() and leave(). */

#include <stdbool.h>

#include "companion.h"
#include "op2/petsc.h"
#include "solve.h"

/* PETSc documents and exports this function, and declares it in a header of its own alone. */
PETSC_EXTERN PetscErrorCode PetscObjectStateGet(PetscObject, PetscObjectState *);

/* ---- how PETSc is called (petsc_calls.c) ---- */

/* What PETSc said of the first error since enter(), and the floating-point environment of the
 * caller. The structure stays where it is between enter and leave. */
struct op2i_petsc_manner {
  struct op2i_fp_scope fp;
  const struct op2i_companion *op2;
  char words[300];
};
/* Another thread waits; one that is inside enters again. Fails where PETSc is not there to be called. */
op2_status op2i_petsc_enter(struct op2i_petsc_manner *manner, const char *call);
void op2i_petsc_leave(struct op2i_petsc_manner *manner);
/* What became of a call, as an error of the object called `name`. */
op2_status op2i_petsc_status(const struct op2i_petsc_manner *manner, PetscErrorCode code,
                             const char *what, const char *name);
/* The ranks of a context, and how they are called in one: itself, where it is alone. */
op2_status op2i_petsc_comm(const struct op2i_companion *op2, op2_context ctx, MPI_Comm *comm);
bool op2i_petsc_is_there(void);

/* Whether PETSc has changed what was handed out to be read, on any rank: what follows from it is done by
 * all of them, or by none. A failure of one is one of all. Collective, one message if nothing
 * failed. */
op2_status op2i_petsc_agree_on_change(const struct op2i_companion *op2, op2_context ctx,
                                      op2_status status, bool *changed);

/* All that is kept of PETSc goes when PETSc does, before what it is kept with. */
struct op2i_petsc_kept {
  struct op2i_petsc_kept *prev, *next;
  void (*drop)(struct op2i_petsc_kept *kept); /* destroys what it has of PETSc */
};
PetscErrorCode op2i_petsc_keep(struct op2i_petsc_kept *kept);
/* Take it from the list, and destroy what it has of PETSc. */
void op2i_petsc_let_go(struct op2i_petsc_kept *kept);

/* ---- matrices (petsc_mat.c, petsc_copy.c) ---- */

/* Where a matrix's values are in PETSc's: the rows' entries in columns of this rank, and after them those
 * in columns of others, which PETSc has in the order of their numbers. */
struct op2i_petsc_layout {
  int64_t nrows;
  int64_t *own, *other; /* [nrows + 1]: entries in rows before it */
  int32_t *order;       /* [other[nrows]]: the others' places within their row's */
};

struct op2i_petsc_form {
  Mat mat;                         /* null: not asked for yet */
  const void *wrapped;             /* the matrix's own values; null: copies */
  struct op2i_petsc_layout layout; /* of copies */
  int64_t renumberings, changes;   /* of the matrix, when it was made and when it was copied */
};
enum { OP2I_PETSC_AIJ, OP2I_PETSC_BAIJ, OP2I_PETSC_FORMS };

/* petsc_spaces.c: null spaces of a matrix's forms, which all have the same: the null space, that of
 * the transpose, and the near one. They are referenced, so that others are told from them. */
enum { OP2I_PETSC_SPACES = 3 };
struct op2i_petsc_spaces {
  MatNullSpace space[OP2I_PETSC_SPACES];
  int64_t renumberings; /* of the matrix, when they were set */
};
/* What the program has set at one form since, or taken from it, is what all are to have. After
 * renumbering the vectors of a space are in another order, so there are none. */
PetscErrorCode op2i_petsc_notice_spaces(struct op2i_petsc_spaces *spaces,
                                        const struct op2i_petsc_form *forms, int64_t renumberings);
/* Set them at all forms. */
PetscErrorCode op2i_petsc_set_spaces(const struct op2i_petsc_spaces *spaces,
                                     const struct op2i_petsc_form *forms);
void op2i_petsc_drop_spaces(struct op2i_petsc_spaces *spaces);

/* Which form is meant by a type; -1: none. */
int op2i_petsc_form_of(const struct op2_mat_s *mat, const char *type);
/* The matrix in this form, with its values after so many changes, which are there. */
op2_status op2i_petsc_mat(struct op2i_petsc_manner *manner, op2_mat mat, int form, int64_t changes,
                          Mat *A);
/* Between the values of a matrix and those of PETSc's, here and of other ranks, blocks row after row or
 * (BAIJ) column after column: from it, or `back` into it. */
struct op2i_petsc_values {
  PetscScalar *own, *other; /* the latter null: there are none */
};
void op2i_petsc_copy(const struct op2_mat_s *mat, const struct op2i_petsc_layout *layout,
                     bool columns_first, void *values, struct op2i_petsc_values petsc, bool back);

/* ---- dats (petsc_vec.c) ---- */

/* A Vec over these rows: theirs, or where they are float one of its own, with their values if `reads`. */
PetscErrorCode op2i_petsc_vec(MPI_Comm comm, op2_dat dat, void *rows, bool reads, Vec *v);
/* Its values into them where it has its own, if `writes`; and it goes. */
PetscErrorCode op2i_petsc_vec_end(op2_dat dat, void *rows, bool writes, Vec *v);
/* From n values of a type to doubles, and the other way. */
void op2i_petsc_convert(op2_type type, int64_t n, void *values, PetscScalar *scalars, bool back);

/* ---- operators and solving ---- */

op2_status op2i_petsc_shell(struct op2i_petsc_manner *manner, op2_operator op, Mat *A);
extern const struct op2i_engine op2i_petsc_engine;

#endif
