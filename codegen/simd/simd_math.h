/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_MATH_H
#define OP2I_SIMD_MATH_H

#include "simd_tree.h"

/* simd_math.c: the functions of <math.h> and <stdlib.h> that are known. */
struct op2i_simd_math {
  const char *name;
  const char *types; /* result and parameters: d double or, by the name, float; i int; l long */
  /* EACH: a call for each lane; FUSED: always computed by a text of the library's own */
  enum { OP2I_SIMD_EACH, OP2I_SIMD_SMALL, OP2I_SIMD_TEST, OP2I_SIMD_FUSED } how;
};
const struct op2i_simd_math *op2i_simd_math_find(const struct op2i_piece *name, bool *single);
int op2i_simd_math_arity(const struct op2i_simd_math *math);
/* The type of parameter n from 1, or of the result if n is 0. */
enum op2i_c_base op2i_simd_math_type(const struct op2i_simd_math *math, bool single, int n);

#endif
