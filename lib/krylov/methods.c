/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of methods and preconditioners. */
#include "methods.h"

#include <stddef.h>

static const struct op2i_method_kind methods[] = {
#define METHOD(id_, name_, words_, petsc_, ...)                                                    \
  [OP2_METHOD_##id_] = {words_, petsc_, op2i_solve_##name_, __VA_ARGS__},
#include "methods.def"
};

static const struct op2i_preconditioner_kind preconditioners[] = {
    [OP2_PRECONDITIONER_NONE] = {.none = true, .petsc = "none"},
    [OP2_PRECONDITIONER_JACOBI] = {.petsc = "jacobi"},
    [OP2_PRECONDITIONER_BLOCK_JACOBI] = {.blocks = true, .petsc = "pbjacobi"},
};

const struct op2i_method_kind *op2i_method_kind(op2_method method) {
  const size_t row = (size_t)(method ? method : OP2_METHOD_CG);
  return row < sizeof methods / sizeof *methods ? &methods[row] : NULL;
}

const struct op2i_preconditioner_kind *op2i_preconditioner_kind(op2_preconditioner preconditioner) {
  const size_t row = (size_t)(preconditioner ? preconditioner : OP2_PRECONDITIONER_JACOBI);
  return row < sizeof preconditioners / sizeof *preconditioners ? &preconditioners[row] : NULL;
}
