/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of the C library that vectorised kernels may call. */
#include <string.h>

#include "simd_math.h"
#include "simd_parse.h"

static const struct op2i_simd_math functions[] = {
    {"fabs", "dd", OP2I_SIMD_SMALL},      {"copysign", "ddd", OP2I_SIMD_SMALL},
    {"sqrt", "dd", OP2I_SIMD_SMALL},      {"fmin", "ddd", OP2I_SIMD_SMALL},
    {"fmax", "ddd", OP2I_SIMD_SMALL},     {"isnan", "id", OP2I_SIMD_TEST},
    {"isinf", "id", OP2I_SIMD_TEST},      {"isfinite", "id", OP2I_SIMD_TEST},
    {"floor", "dd", OP2I_SIMD_SMALL},     {"ceil", "dd", OP2I_SIMD_SMALL},
    {"trunc", "dd", OP2I_SIMD_SMALL},     {"rint", "dd", OP2I_SIMD_SMALL},
    {"nearbyint", "dd", OP2I_SIMD_SMALL}, {"abs", "ii", OP2I_SIMD_SMALL},
    {"labs", "ll", OP2I_SIMD_SMALL},      {"llabs", "ll", OP2I_SIMD_SMALL},
    {"fdim", "ddd", OP2I_SIMD_SMALL},     {"fma", "dddd", OP2I_SIMD_SMALL},
    {"round", "dd", OP2I_SIMD_EACH},      {"exp", "dd", OP2I_SIMD_EACH},
    {"exp2", "dd", OP2I_SIMD_EACH},       {"expm1", "dd", OP2I_SIMD_EACH},
    {"log", "dd", OP2I_SIMD_EACH},        {"log2", "dd", OP2I_SIMD_EACH},
    {"log10", "dd", OP2I_SIMD_EACH},      {"log1p", "dd", OP2I_SIMD_EACH},
    {"logb", "dd", OP2I_SIMD_EACH},       {"sin", "dd", OP2I_SIMD_EACH},
    {"cos", "dd", OP2I_SIMD_EACH},        {"tan", "dd", OP2I_SIMD_EACH},
    {"asin", "dd", OP2I_SIMD_EACH},       {"acos", "dd", OP2I_SIMD_EACH},
    {"atan", "dd", OP2I_SIMD_EACH},       {"sinh", "dd", OP2I_SIMD_EACH},
    {"cosh", "dd", OP2I_SIMD_EACH},       {"tanh", "dd", OP2I_SIMD_EACH},
    {"asinh", "dd", OP2I_SIMD_EACH},      {"acosh", "dd", OP2I_SIMD_EACH},
    {"atanh", "dd", OP2I_SIMD_EACH},      {"cbrt", "dd", OP2I_SIMD_EACH},
    {"erf", "dd", OP2I_SIMD_EACH},        {"erfc", "dd", OP2I_SIMD_EACH},
    {"tgamma", "dd", OP2I_SIMD_EACH},     {"atan2", "ddd", OP2I_SIMD_EACH},
    {"pow", "ddd", OP2I_SIMD_EACH},       {"hypot", "ddd", OP2I_SIMD_EACH},
    {"fmod", "ddd", OP2I_SIMD_EACH},      {"remainder", "ddd", OP2I_SIMD_EACH},
    {"nextafter", "ddd", OP2I_SIMD_EACH}, {"ldexp", "ddi", OP2I_SIMD_EACH},
    {"scalbn", "ddi", OP2I_SIMD_EACH},    {"ilogb", "id", OP2I_SIMD_EACH},
    {"lrint", "ld", OP2I_SIMD_EACH},      {"lround", "ld", OP2I_SIMD_EACH},
    {"llrint", "ld", OP2I_SIMD_EACH},     {"llround", "ld", OP2I_SIMD_EACH}};

/* These are the functions that simd_contract.c puts into the source. */
static const struct op2i_simd_math fused[] = {{"fused", "dddd", OP2I_SIMD_FUSED},
                                              {"fused_minus", "dddd", OP2I_SIMD_FUSED}};

const struct op2i_simd_math *op2i_simd_math_find(const struct op2i_piece *name, bool *single) {
  *single = false;
  if (op2i_piece_is(name, "op2_fused_f64")) return &fused[0];
  if (op2i_piece_is(name, "op2_fused_minus_f64")) return &fused[1];
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    const struct op2i_simd_math *math = &functions[i];
    struct op2i_piece stem = *name;
    *single = false;
    if (op2i_piece_is(&stem, math->name)) return math;
    stem.length--;
    *single = math->how != OP2I_SIMD_TEST && strchr(math->types, 'd');
    if (*single && name->text[stem.length] == 'f' && op2i_piece_is(&stem, math->name)) return math;
  }
  return NULL;
}

int op2i_simd_math_arity(const struct op2i_simd_math *math) { return (int)strlen(math->types) - 1; }

enum op2i_c_base op2i_simd_math_type(const struct op2i_simd_math *math, bool single, int n) {
  switch (math->types[n]) {
  case 'i': return OP2I_C_I32;
  case 'l': return sizeof(long) == 8 || strncmp(math->name, "ll", 2) == 0 ? OP2I_C_I64 : OP2I_C_I32;
  default: return single ? OP2I_C_F32 : OP2I_C_F64;
  }
}
