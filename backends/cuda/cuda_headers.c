/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers of C for NVRTC, which has none. CUDA has most of math.h built in, for float and double
 * under the same names, as in C++: there exp(f) of a float is computed in float, and sqrt(2) is
 * ambiguous. Whoever includes math.h gets what it says in C, where both take and give double. */
#include "cuda_device.h"

/* The layout of texts in texts is their own. */
/* clang-format off */
#define BEGIN(name)          "#ifndef OP2_" #name "\n#define OP2_" #name "\nextern \"C++\" {\n"
#define END                  "}\n#endif\n"
#define MISSING(name, value) "#ifndef " #name "\n#define " #name " " #value "\n#endif\n"
#define RENAME(name)         "#undef " #name "\n#define " #name " op2_" #name "\n"
#define INLINE               "static __inline__ __device__ "

/* ---- math.h ---------------------------------------------------------------------------------- */

#define OF_ONE(each) \
  each(acos) each(acosh) each(asin) each(asinh) each(atan) each(atanh) each(cbrt) each(ceil) \
  each(cos) each(cosh) each(erf) each(erfc) each(exp) each(exp2) each(expm1) each(fabs) \
  each(floor) each(lgamma) each(log) each(log10) each(log1p) each(log2) each(logb) \
  each(nearbyint) each(rint) each(round) each(sin) each(sinh) each(sqrt) each(tan) each(tanh) \
  each(tgamma) each(trunc)
#define OF_TWO(each) \
  each(atan2) each(copysign) each(fdim) each(fmax) each(fmin) each(fmod) each(hypot) \
  each(nextafter) each(pow) each(remainder)
#define TO_INTEGER(each) \
  each(int, ilogb) each(long, lrint) each(long, lround) each(long long, llrint) \
  each(long long, llround)

#define ONE(name)           INLINE "double op2_" #name "(double x) { return " #name "(x); }\n"
#define TWO(name) \
  INLINE "double op2_" #name "(double x, double y) { return " #name "(x, y); }\n"
#define INTEGER(type, name) INLINE #type " op2_" #name "(double x) { return " #name "(x); }\n"
#define RENAME_INTEGER(type, name) RENAME(name)

static const char math_h[] =
    BEGIN(MATH_H)
    OF_ONE(ONE)
    OF_TWO(TWO)
    TO_INTEGER(INTEGER)
    INLINE "double op2_fma(double x, double y, double z) { return fma(x, y, z); }\n"
    INLINE "double op2_frexp(double x, int *e) { return frexp(x, e); }\n"
    INLINE "double op2_modf(double x, double *whole) { return modf(x, whole); }\n"
    INLINE "double op2_remquo(double x, double y, int *q) { return remquo(x, y, q); }\n"
    INLINE "double op2_ldexp(double x, int n) { return ldexp(x, n); }\n"
    INLINE "double op2_scalbn(double x, int n) { return scalbn(x, n); }\n"
    INLINE "double op2_scalbln(double x, long n) { return scalbln(x, n); }\n"
    OF_ONE(RENAME)
    OF_TWO(RENAME)
    TO_INTEGER(RENAME_INTEGER)
    RENAME(fma)
    RENAME(frexp)
    RENAME(modf)
    RENAME(remquo)
    RENAME(ldexp)
    RENAME(scalbn)
    RENAME(scalbln)
    MISSING(M_E, 2.7182818284590452354)
    MISSING(M_LOG2E, 1.4426950408889634074)
    MISSING(M_LOG10E, 0.43429448190325182765)
    MISSING(M_LN2, 0.69314718055994530942)
    MISSING(M_LN10, 2.30258509299404568402)
    MISSING(M_PI, 3.14159265358979323846)
    MISSING(M_PI_2, 1.57079632679489661923)
    MISSING(M_PI_4, 0.78539816339744830962)
    MISSING(M_1_PI, 0.31830988618379067154)
    MISSING(M_2_PI, 0.63661977236758134308)
    MISSING(M_2_SQRTPI, 1.12837916709551257390)
    MISSING(M_SQRT2, 1.41421356237309504880)
    MISSING(M_SQRT1_2, 0.70710678118654752440)
    MISSING(INFINITY, ((float)__INFINITY__))
    MISSING(NAN, ((float)__NAN__))
    MISSING(HUGE_VAL, ((double)INFINITY))
    MISSING(HUGE_VALF, INFINITY)
    MISSING(FP_NAN, 0)
    MISSING(FP_INFINITE, 1)
    MISSING(FP_ZERO, 2)
    MISSING(FP_SUBNORMAL, 3)
    MISSING(FP_NORMAL, 4)
    "typedef float float_t;\n"
    "typedef double double_t;\n"
    INLINE "int op2_class(double x, double smallest) {\n"
    "  if (x != x) return FP_NAN;\n"
    "  if (x < 0) x = -x;\n"
    "  if (x == 0 || x == HUGE_VAL) return x == 0 ? FP_ZERO : FP_INFINITE;\n"
    "  return x < smallest ? FP_SUBNORMAL : FP_NORMAL;\n"
    "}\n"
    INLINE "int op2_classify(double x) { return op2_class(x, 0x1p-1022); }\n"
    INLINE "int op2_classify(float x) { return op2_class(x, 0x1p-126); }\n"
    "#define fpclassify(x) op2_classify(x)\n"
    "#define isnormal(x) (op2_classify(x) == FP_NORMAL)\n"
    "#define isgreater(x, y) ((x) > (y))\n"
    "#define isgreaterequal(x, y) ((x) >= (y))\n"
    "#define isless(x, y) ((x) < (y))\n"
    "#define islessequal(x, y) ((x) <= (y))\n"
    "#define islessgreater(x, y) ((x) < (y) || (x) > (y))\n"
    "#define isunordered(x, y) (isnan(x) || isnan(y))\n"
    END;

/* ---- tgmath.h: integers count as double ------------------------------------------------------ */

#define GENERIC_ONE(name) \
  INLINE "float op2_tg_" #name "(float x) { return " #name "f(x); }\n" \
  "template <class T> " INLINE "double op2_tg_" #name "(T x) { return op2_" #name "(x); }\n" \
  "#undef " #name "\n#define " #name " op2_tg_" #name "\n"
#define GENERIC_TWO(name) \
  INLINE "float op2_tg_" #name "(float x, float y) { return " #name "f(x, y); }\n" \
  "template <class T, class U> " INLINE "double op2_tg_" #name "(T x, U y) {\n" \
  "  return op2_" #name "(x, y);\n}\n" \
  "#undef " #name "\n#define " #name " op2_tg_" #name "\n"
#define GENERIC_AND(type, name) \
  INLINE "float op2_tg_" #name "(float x, " #type " y) { return " #name "f(x, y); }\n" \
  "template <class T> " INLINE "double op2_tg_" #name "(T x, " #type " y) {\n" \
  "  return op2_" #name "(x, y);\n}\n" \
  "#undef " #name "\n#define " #name " op2_tg_" #name "\n"
#define GENERIC_INTEGER(type, name) \
  INLINE #type " op2_tg_" #name "(float x) { return " #name "f(x); }\n" \
  "template <class T> " INLINE #type " op2_tg_" #name "(T x) { return op2_" #name "(x); }\n" \
  "#undef " #name "\n#define " #name " op2_tg_" #name "\n"

static const char tgmath_h[] =
    "#include <math.h>\n"
    BEGIN(TGMATH_H)
    OF_ONE(GENERIC_ONE)
    OF_TWO(GENERIC_TWO)
    TO_INTEGER(GENERIC_INTEGER)
    GENERIC_AND(int, ldexp)
    GENERIC_AND(int, scalbn)
    GENERIC_AND(long, scalbln)
    GENERIC_AND(int *, frexp)
    INLINE "float op2_tg_fma(float x, float y, float z) { return fmaf(x, y, z); }\n"
    "template <class T, class U, class V> " INLINE "double op2_tg_fma(T x, U y, V z) {\n"
    "  return op2_fma(x, y, z);\n}\n"
    "#undef fma\n#define fma op2_tg_fma\n"
    END;

/* ---- types and limits ------------------------------------------------------------------------ */

#define INTEGERS(bits, type) \
  "typedef signed " #type " int" #bits "_t, int_least" #bits "_t, int_fast" #bits "_t;\n" \
  "typedef unsigned " #type " uint" #bits "_t, uint_least" #bits "_t, uint_fast" #bits "_t;\n"

static const char stdint_h[] =
    BEGIN(STDINT_H)
    INTEGERS(8, char)
    INTEGERS(16, short)
    INTEGERS(32, int)
    INTEGERS(64, long)
    "typedef long intptr_t, intmax_t;\n"
    "typedef unsigned long uintptr_t, uintmax_t;\n"
    MISSING(INT8_MIN, (-128))
    MISSING(INT8_MAX, 127)
    MISSING(UINT8_MAX, 255)
    MISSING(INT16_MIN, (-32768))
    MISSING(INT16_MAX, 32767)
    MISSING(UINT16_MAX, 65535)
    MISSING(INT32_MIN, (-2147483647 - 1))
    MISSING(INT32_MAX, 2147483647)
    MISSING(UINT32_MAX, 4294967295U)
    MISSING(INT64_MIN, (-9223372036854775807L - 1))
    MISSING(INT64_MAX, 9223372036854775807L)
    MISSING(UINT64_MAX, 18446744073709551615UL)
    MISSING(INTPTR_MIN, INT64_MIN)
    MISSING(INTPTR_MAX, INT64_MAX)
    MISSING(UINTPTR_MAX, UINT64_MAX)
    MISSING(INTMAX_MIN, INT64_MIN)
    MISSING(INTMAX_MAX, INT64_MAX)
    MISSING(UINTMAX_MAX, UINT64_MAX)
    MISSING(PTRDIFF_MIN, INT64_MIN)
    MISSING(PTRDIFF_MAX, INT64_MAX)
    MISSING(SIZE_MAX, UINT64_MAX)
    "#define INT8_C(c) c\n"
    "#define UINT8_C(c) c\n"
    "#define INT16_C(c) c\n"
    "#define UINT16_C(c) c\n"
    "#define INT32_C(c) c\n"
    "#define UINT32_C(c) c##U\n"
    "#define INT64_C(c) c##L\n"
    "#define UINT64_C(c) c##UL\n"
    "#define INTMAX_C(c) c##L\n"
    "#define UINTMAX_C(c) c##UL\n"
    END;

#define FORMAT(bits, length, conversion) \
  "#define PRI" #conversion #bits " \"" length #conversion "\"\n"
#define FORMATS(bits, length) \
  FORMAT(bits, length, d) FORMAT(bits, length, i) FORMAT(bits, length, u) \
  FORMAT(bits, length, o) FORMAT(bits, length, x) FORMAT(bits, length, X)

static const char inttypes_h[] =
    "#include <stdint.h>\n"
    BEGIN(INTTYPES_H)
    FORMATS(8, "")
    FORMATS(16, "")
    FORMATS(32, "")
    FORMATS(64, "l")
    FORMATS(MAX, "l")
    FORMATS(PTR, "l")
    END;

/* CUDA has size_t, ptrdiff_t and NULL. */
static const char stddef_h[] =
    MISSING(NULL, 0)
    "#undef offsetof\n"
    "#define offsetof(type, member) ((size_t) & (((type *)0)->member))\n";

static const char stdbool_h[] =
    MISSING(bool, bool)
    MISSING(_Bool, bool)
    MISSING(true, true)
    MISSING(false, false)
    MISSING(__bool_true_false_are_defined, 1);

static const char float_h[] =
    MISSING(FLT_RADIX, 2)
    MISSING(FLT_ROUNDS, 1)
    MISSING(FLT_EVAL_METHOD, 0)
    MISSING(FLT_DIG, 6)
    MISSING(FLT_MANT_DIG, 24)
    MISSING(FLT_DECIMAL_DIG, 9)
    MISSING(FLT_MAX_10_EXP, 38)
    MISSING(FLT_MAX_EXP, 128)
    MISSING(FLT_MIN_10_EXP, (-37))
    MISSING(FLT_MIN_EXP, (-125))
    MISSING(FLT_MAX, 0x1.fffffep127f)
    MISSING(FLT_MIN, 0x1p-126f)
    MISSING(FLT_TRUE_MIN, 0x1p-149f)
    MISSING(FLT_EPSILON, 0x1p-23f)
    MISSING(DBL_DIG, 15)
    MISSING(DBL_MANT_DIG, 53)
    MISSING(DBL_DECIMAL_DIG, 17)
    MISSING(DECIMAL_DIG, 17)
    MISSING(DBL_MAX_10_EXP, 308)
    MISSING(DBL_MAX_EXP, 1024)
    MISSING(DBL_MIN_10_EXP, (-307))
    MISSING(DBL_MIN_EXP, (-1021))
    MISSING(DBL_MAX, 0x1.fffffffffffffp1023)
    MISSING(DBL_MIN, 0x1p-1022)
    MISSING(DBL_TRUE_MIN, 0x1p-1074)
    MISSING(DBL_EPSILON, 0x1p-52);

static const char limits_h[] =
    MISSING(CHAR_BIT, 8)
    MISSING(SCHAR_MIN, (-128))
    MISSING(SCHAR_MAX, 127)
    MISSING(UCHAR_MAX, 255)
    MISSING(CHAR_MIN, (-128))
    MISSING(CHAR_MAX, 127)
    MISSING(SHRT_MIN, (-32768))
    MISSING(SHRT_MAX, 32767)
    MISSING(USHRT_MAX, 65535)
    MISSING(INT_MIN, (-2147483647 - 1))
    MISSING(INT_MAX, 2147483647)
    MISSING(UINT_MAX, 4294967295U)
    MISSING(LONG_MIN, (-9223372036854775807L - 1))
    MISSING(LONG_MAX, 9223372036854775807L)
    MISSING(ULONG_MAX, 18446744073709551615UL)
    MISSING(LLONG_MIN, (-9223372036854775807LL - 1))
    MISSING(LLONG_MAX, 9223372036854775807LL)
    MISSING(ULLONG_MAX, 18446744073709551615ULL);

/* ---- functions ------------------------------------------------------------------------------- */

/* CUDA's abs() of a double gives a double; malloc() and free() are built in. */
static const char stdlib_h[] =
    BEGIN(STDLIB_H)
    MISSING(NULL, 0)
    MISSING(EXIT_SUCCESS, 0)
    MISSING(EXIT_FAILURE, 1)
    INLINE "int op2_abs(int x) { return x < 0 ? -x : x; }\n"
    INLINE "long op2_labs(long x) { return x < 0 ? -x : x; }\n"
    INLINE "long long op2_llabs(long long x) { return x < 0 ? -x : x; }\n"
    RENAME(abs)
    RENAME(labs)
    RENAME(llabs)
    INLINE "void abort(void) { __trap(); }\n"
    END;

/* memcpy() and memset() are built in. */
static const char string_h[] =
    BEGIN(STRING_H)
    MISSING(NULL, 0)
    INLINE "void *memmove(void *to, const void *from, size_t n) {\n"
    "  unsigned char *t = (unsigned char *)to;\n"
    "  const unsigned char *f = (const unsigned char *)from;\n"
    "  if (t <= f) for (size_t i = 0; i < n; i++) t[i] = f[i];\n"
    "  else for (size_t i = n; i > 0; i--) t[i - 1] = f[i - 1];\n"
    "  return to;\n"
    "}\n"
    INLINE "int memcmp(const void *one, const void *other, size_t n) {\n"
    "  const unsigned char *a = (const unsigned char *)one, *b = (const unsigned char *)other;\n"
    "  for (size_t i = 0; i < n; i++) if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;\n"
    "  return 0;\n"
    "}\n"
    END;

static const char stdio_h[] = MISSING(NULL, 0); /* printf() is built in */

/* What fails on a device loses it, as on the host it ends the program. */
static const char assert_h[] =
    "#undef assert\n"
    "#ifdef NDEBUG\n"
    "#define assert(condition) ((void)0)\n"
    "#else\n"
    "#define assert(condition) \\\n"
    "  ((condition) ? (void)0 \\\n"
    "               : __assertfail(#condition, __FILE__, __LINE__, __func__, sizeof(char)))\n"
    "#endif\n"
    MISSING(_Static_assert, static_assert);

/* clang-format on */

const char *const op2i_cuda_header_names[OP2I_CUDA_HEADERS] = {
    "assert.h", "float.h",  "inttypes.h", "limits.h", "math.h",   "stdbool.h",
    "stddef.h", "stdint.h", "stdio.h",    "stdlib.h", "string.h", "tgmath.h",
};
const char *const op2i_cuda_headers[OP2I_CUDA_HEADERS] = {
    assert_h, float_h,  inttypes_h, limits_h, math_h,   stdbool_h,
    stddef_h, stdint_h, stdio_h,    stdlib_h, string_h, tgmath_h,
};
