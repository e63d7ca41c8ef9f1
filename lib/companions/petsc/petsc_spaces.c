/* SPDX-License-Identifier: BSD-3-Clause */
/* Null spaces, which the program sets on one Mat, and which apply to all forms of the matrix in
 * PETSc. */
#include "petsc_objects.h"

static const struct {
  PetscErrorCode (*get)(Mat A, MatNullSpace *space), (*set)(Mat A, MatNullSpace space);
} space_of[OP2I_PETSC_SPACES] = {
    {MatGetNullSpace, MatSetNullSpace},
    {MatGetTransposeNullSpace, MatSetTransposeNullSpace},
    {MatGetNearNullSpace, MatSetNearNullSpace},
};

void op2i_petsc_drop_spaces(struct op2i_petsc_spaces *spaces) {
  for (int s = 0; s < OP2I_PETSC_SPACES; s++) (void)MatNullSpaceDestroy(&spaces->space[s]);
}

static bool is_current(const struct op2i_petsc_form *form, int64_t renumberings) {
  return form->mat && form->renumberings == renumberings;
}

/* Take over the null space of the first form that has a new one. */
static PetscErrorCode notice(struct op2i_petsc_spaces *spaces, int s,
                             const struct op2i_petsc_form *forms) {
  for (int f = 0; f < OP2I_PETSC_FORMS; f++) {
    MatNullSpace has = NULL;
    if (!is_current(&forms[f], spaces->renumberings)) continue;
    PetscErrorCode code = space_of[s].get(forms[f].mat, &has);
    if (!code && has == spaces->space[s]) continue;
    if (!code && has) code = PetscObjectReference((PetscObject)has);
    if (!code) code = MatNullSpaceDestroy(&spaces->space[s]);
    if (!code) spaces->space[s] = has;
    return code;
  }
  return 0;
}

PetscErrorCode op2i_petsc_notice_spaces(struct op2i_petsc_spaces *spaces,
                                        const struct op2i_petsc_form *forms, int64_t renumberings) {
  PetscErrorCode code = 0;
  if (spaces->renumberings != renumberings) op2i_petsc_drop_spaces(spaces);
  spaces->renumberings = renumberings;
  for (int s = 0; s < OP2I_PETSC_SPACES && !code; s++) code = notice(spaces, s, forms);
  return code;
}

PetscErrorCode op2i_petsc_set_spaces(const struct op2i_petsc_spaces *spaces,
                                     const struct op2i_petsc_form *forms) {
  PetscErrorCode code = 0;
  for (int f = 0; f < OP2I_PETSC_FORMS; f++)
    for (int s = 0; s < OP2I_PETSC_SPACES && !code; s++) {
      MatNullSpace has = NULL;
      if (!is_current(&forms[f], spaces->renumberings)) continue;
      code = space_of[s].get(forms[f].mat, &has);
      if (!code && has != spaces->space[s]) code = space_of[s].set(forms[f].mat, spaces->space[s]);
    }
  return code;
}
