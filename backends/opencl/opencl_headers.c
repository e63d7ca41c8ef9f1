/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers of C for OpenCL C, which has none. Much of what C's declare is built into OpenCL C,
 * some of it with another meaning: exp(f) of a float is computed in float there, and abs(i) has
 * no sign. Whoever includes a header gets what it says in C: exp() takes and gives double, and
 * expf() is there. Without double precision, and in tgmath.h, OpenCL's own are what is wanted.
 * */
#include "opencl_device.h"

/* The layout of texts in texts is their own. */
/* clang-format off */
#define MISSING(name, value) "#ifndef " #name "\n#define " #name " " #value "\n#endif\n"
#define NULL_POINTER         MISSING(NULL, ((void *)0))

/* Names of OpenCL C may be macros: what takes their place is defined by them, and then gets their
 * names. */
#define RENAME(name) "#undef " #name "\n#define " #name " op2_" #name "\n"

/* ---- math.h, tgmath.h ----------------------------------------------------------------------- */

#define ONE_ARGUMENT(each) \
  each(acos) each(acosh) each(asin) each(asinh) each(atan) each(atanh) each(cbrt) each(ceil) \
  each(cos) each(cosh) each(erf) each(erfc) each(exp) each(exp2) each(expm1) each(fabs) \
  each(floor) each(lgamma) each(log) each(log10) each(log1p) each(log2) each(logb) each(rint) \
  each(round) each(sin) each(sinh) each(sqrt) each(tan) each(tanh) each(tgamma) each(trunc)
#define TWO_ARGUMENTS(each) \
  each(atan2) each(copysign) each(fdim) each(fmax) each(fmin) each(fmod) each(hypot) \
  each(nextafter) each(pow) each(remainder)

#define USE_1(name) "OP2_1(OP2_T, OP2_NAME(" #name "), " #name ")\n"
#define USE_2(name) "OP2_2(OP2_T, OP2_NAME(" #name "), " #name ")\n"

/* What there is of one type, under names that OP2_NAME() makes. */
#define OF_A_TYPE \
  ONE_ARGUMENT(USE_1) \
  TWO_ARGUMENTS(USE_2) \
  "static inline OP2_T OP2_NAME(fma)(OP2_T x, OP2_T y, OP2_T z) { return fma(x, y, z); }\n" \
  "static inline OP2_T OP2_NAME(frexp)(OP2_T x, int *e) { return frexp(x, e); }\n" \
  "static inline OP2_T OP2_NAME(modf)(OP2_T x, OP2_T *whole) { return modf(x, whole); }\n" \
  "static inline OP2_T OP2_NAME(remquo)(OP2_T x, OP2_T y, int *q) { return remquo(x, y, q); }\n" \
  "static inline OP2_T OP2_NAME(ldexp)(OP2_T x, int n) { return ldexp(x, n); }\n" \
  "static inline int OP2_NAME(ilogb)(OP2_T x) { return ilogb(x); }\n" \
  "static inline OP2_T OP2_NAME(nearbyint)(OP2_T x) { return rint(x); }\n" \
  "static inline OP2_T OP2_NAME(scalbn)(OP2_T x, int n) { return ldexp(x, n); }\n" \
  "static inline OP2_T OP2_NAME(scalbln)(OP2_T x, long n) {\n" \
  "  return ldexp(x, n > 9999 ? 9999 : n < -9999 ? -9999 : (int)n);\n" \
  "}\n" \
  "static inline long OP2_NAME(lrint)(OP2_T x) { return (long)rint(x); }\n" \
  "static inline long OP2_NAME(llrint)(OP2_T x) { return (long)rint(x); }\n" \
  "static inline long OP2_NAME(lround)(OP2_T x) { return (long)round(x); }\n" \
  "static inline long OP2_NAME(llround)(OP2_T x) { return (long)round(x); }\n"

static const char math_h[] =
    "#ifndef OP2_MATH_H\n"
    "#define OP2_MATH_H\n"
    "#define OP2_1(T, to, from) static inline T to(T x) { return from(x); }\n"
    "#define OP2_2(T, to, from) static inline T to(T x, T y) { return from(x, y); }\n"
    "#define OP2_T float\n"
    "#define OP2_NAME(name) name##f\n"
    OF_A_TYPE
    "#undef OP2_T\n"
    "#undef OP2_NAME\n"
    "#ifdef cl_khr_fp64\n"
    "#define OP2_T double\n"
    "#define OP2_NAME(name) op2_##name\n"
    OF_A_TYPE
    "#undef OP2_T\n"
    "#undef OP2_NAME\n"
    ONE_ARGUMENT(RENAME)
    TWO_ARGUMENTS(RENAME)
    RENAME(fma)
    RENAME(frexp)
    RENAME(modf)
    RENAME(remquo)
    RENAME(ldexp)
    RENAME(ilogb)
    RENAME(nearbyint)
    RENAME(scalbn)
    RENAME(scalbln)
    RENAME(lrint)
    RENAME(llrint)
    RENAME(lround)
    RENAME(llround)
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
    MISSING(HUGE_VAL, ((double)INFINITY))
    "#endif\n"
    MISSING(HUGE_VALF, INFINITY)
    "typedef float float_t;\n"
    "#ifdef cl_khr_fp64\n"
    "typedef double double_t;\n"
    "#endif\n"
    "#define FP_NAN 0\n"
    "#define FP_INFINITE 1\n"
    "#define FP_ZERO 2\n"
    "#define FP_SUBNORMAL 3\n"
    "#define FP_NORMAL 4\n"
    "#define fpclassify(x) (isnan(x) ? FP_NAN : isinf(x) "
    "? FP_INFINITE : (x) == 0 ? FP_ZERO : \\\n"
    "                       isnormal(x) ? FP_NORMAL : "
    "FP_SUBNORMAL)\n"
    "#endif\n";

/* Integers count as double. */
#define GENERIC_1(name) \
  "OP2_TG_1(" #name ")\n#undef " #name "\n#define " #name "(x) op2_tg_" #name "(op2_tg(x))\n"
#define GENERIC_2(name) \
  "OP2_TG_2(" #name ")\n#undef " #name "\n#define " #name "(x, y) op2_tg_" #name \
  "((OP2_TG_OF(x, y))(x), (OP2_TG_OF(x, y))(y))\n"

static const char tgmath_h[] =
    "#ifndef OP2_TGMATH_H\n"
    "#define OP2_TGMATH_H\n"
    "#include <math.h>\n"
    "#ifdef cl_khr_fp64\n"
    "#define OP2_TG(T) static inline T __attribute__((overloadable))\n"
    "OP2_TG(float) op2_tg(float x) { return x; }\n"
    "OP2_TG(double) op2_tg(double x) { return x; }\n"
    "OP2_TG(double) op2_tg(int x) { return x; }\n"
    "OP2_TG(double) op2_tg(uint x) { return x; }\n"
    "OP2_TG(double) op2_tg(long x) { return x; }\n"
    "OP2_TG(double) op2_tg(ulong x) { return x; }\n"
    "#define OP2_TG_OF(x, y) __typeof__(op2_tg(x) + op2_tg(y))\n"
    "#define OP2_TG_1(name) \\\n"
    "  OP2_TG(float) op2_tg_##name(float x) { return name##f(x); } \\\n"
    "  OP2_TG(double) op2_tg_##name(double x) { return op2_##name(x); }\n"
    "#define OP2_TG_2(name) \\\n"
    "  OP2_TG(float) op2_tg_##name(float x, float y) { return name##f(x, y); } \\\n"
    "  OP2_TG(double) op2_tg_##name(double x, double y) { return op2_##name(x, y); "
    "}\n"
    ONE_ARGUMENT(GENERIC_1)
    GENERIC_1(nearbyint)
    TWO_ARGUMENTS(GENERIC_2)
    "OP2_TG(float) op2_tg_fma(float x, float y, float z) { return fmaf(x, y, z); }\n"
    "OP2_TG(double) op2_tg_fma(double x, double y, double z) { return op2_fma(x, y, "
    "z); }\n"
    "OP2_TG(float) op2_tg_ldexp(float x, int n) { return ldexpf(x, n); }\n"
    "OP2_TG(double) op2_tg_ldexp(double x, int n) { return op2_ldexp(x, n); }\n"
    "OP2_TG(float) op2_tg_frexp(float x, int *e) { return frexpf(x, e); }\n"
    "OP2_TG(double) op2_tg_frexp(double x, int *e) { return op2_frexp(x, e); }\n"
    "#undef fma\n"
    "#define OP2_TG_OF3(x, y, z) __typeof__(op2_tg(x) + op2_tg(y) + op2_tg(z))\n"
    "#define fma(x, y, z) op2_tg_fma((OP2_TG_OF3(x, y, z))(x), (OP2_TG_OF3(x, y, "
    "z))(y), \\\n"
    "                                (OP2_TG_OF3(x, y, z))(z))\n"
    "#undef ldexp\n"
    "#define ldexp(x, n) op2_tg_ldexp(op2_tg(x), n)\n"
    "#undef scalbn\n"
    "#define scalbn(x, n) op2_tg_ldexp(op2_tg(x), n)\n"
    "#undef frexp\n"
    "#define frexp(x, e) op2_tg_frexp(op2_tg(x), e)\n"
    "#endif\n"
    "#endif\n";

/* ---- types and limits ----------------------------------------------------------------------- */

#define INTEGER(bits, type) \
  "typedef " #type " int" #bits "_t, int_least" #bits "_t, int_fast" #bits "_t;\n" \
  "typedef u" #type " uint" #bits "_t, uint_least" #bits "_t, uint_fast" #bits "_t;\n"

static const char stdint_h[] =
    "#ifndef OP2_STDINT_H\n"
    "#define OP2_STDINT_H\n"
    INTEGER(8, char)
    INTEGER(16, short)
    INTEGER(32, int)
    INTEGER(64, long)
    "typedef long intmax_t;\n"
    "typedef ulong uintmax_t;\n"
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
    MISSING(INTMAX_MIN, INT64_MIN)
    MISSING(INTMAX_MAX, INT64_MAX)
    MISSING(UINTMAX_MAX, UINT64_MAX)
    MISSING(SIZE_MAX, (~(size_t)0))
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
    "#endif\n";

#define FORMATS(bits, length) \
  "#define PRId" #bits " " length "d\"\n" \
  "#define PRIi" #bits " " length "i\"\n" \
  "#define PRIu" #bits " " length "u\"\n" \
  "#define PRIo" #bits " " length "o\"\n" \
  "#define PRIx" #bits " " length "x\"\n" \
  "#define PRIX" #bits " " length "X\"\n"

static const char inttypes_h[] =
    "#ifndef OP2_INTTYPES_H\n"
    "#define OP2_INTTYPES_H\n"
    "#include <stdint.h>\n"
    FORMATS(8, "\"")
    FORMATS(16, "\"")
    FORMATS(32, "\"")
    FORMATS(64, "\"l")
    FORMATS(MAX, "\"l")
    "#endif\n";

static const char stddef_h[] =
    NULL_POINTER
    "#undef offsetof\n"
    "#define offsetof(type, member) __builtin_offsetof(type, member)\n";

static const char stdbool_h[] =
    MISSING(bool, bool)
    MISSING(_Bool, bool)
    MISSING(true, 1)
    MISSING(false, 0)
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
    MISSING(FLT_MIN, 0x1.0p-126f)
    MISSING(FLT_TRUE_MIN, 0x1.0p-149f)
    MISSING(FLT_EPSILON, 0x1.0p-23f)
    "#ifdef cl_khr_fp64\n"
    MISSING(DBL_DIG, 15)
    MISSING(DBL_MANT_DIG, 53)
    MISSING(DBL_DECIMAL_DIG, 17)
    MISSING(DECIMAL_DIG, 17)
    MISSING(DBL_MAX_10_EXP, 308)
    MISSING(DBL_MAX_EXP, 1024)
    MISSING(DBL_MIN_10_EXP, (-307))
    MISSING(DBL_MIN_EXP, (-1021))
    MISSING(DBL_MAX, 0x1.fffffffffffffp1023)
    MISSING(DBL_MIN, 0x1.0p-1022)
    MISSING(DBL_TRUE_MIN, 0x1.0p-1074)
    MISSING(DBL_EPSILON, 0x1.0p-52)
    "#endif\n";

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
    MISSING(LLONG_MIN, LONG_MIN)
    MISSING(LLONG_MAX, LONG_MAX)
    MISSING(ULLONG_MAX, ULONG_MAX);

/* ---- functions ------------------------------------------------------------------------------ */

static const char stdlib_h[] =
    "#ifndef OP2_STDLIB_H\n"
    "#define OP2_STDLIB_H\n"
    NULL_POINTER
    "static inline int op2_abs(int x) { return x < 0 ? -x : x; }\n"
    "static inline long op2_labs(long x) { return x < 0 ? -x : x; }\n"
    RENAME(abs)
    RENAME(labs)
    "#define llabs op2_labs\n"
    "#endif\n";

/* Where pointers say what memory they point into, there is one of each for each. */
static const char string_h[] =
    "#ifndef OP2_STRING_H\n"
    "#define OP2_STRING_H\n"
    NULL_POINTER
    "#define OP2_COPY(TO, FROM) \\\n"
    "  static inline TO void *__attribute__((overloadable)) op2_memmove( \\\n"
    "      TO void *to, const FROM void *from, size_t n) { \\\n"
    "    TO char *t = (TO char *)to; \\\n"
    "    const FROM char *f = (const FROM char *)from; \\\n"
    "    if ((size_t)t <= (size_t)f) for (size_t i = 0; i < n; i++) t[i] = f[i]; \\\n"
    "    else for (size_t i = n; i > 0; i--) t[i - 1] = f[i - 1]; \\\n"
    "    return to; \\\n"
    "  } \\\n"
    "  static inline int __attribute__((overloadable)) op2_memcmp( \\\n"
    "      const TO void *to, const FROM void *from, size_t n) { \\\n"
    "    const TO uchar *t = (const TO uchar *)to; \\\n"
    "    const FROM uchar *f = (const FROM uchar *)from; \\\n"
    "    for (size_t i = 0; i < n; i++) if (t[i] != f[i]) return t[i] < f[i] ? -1 : 1; \\\n"
    "    return 0; \\\n"
    "  }\n"
    "#define OP2_COPIES(TO) \\\n"
    "  OP2_COPY(TO, __private) OP2_COPY(TO, __global) OP2_COPY(TO, __local) \\\n"
    "  OP2_COPY(TO, __constant) \\\n"
    "  static inline TO void *__attribute__((overloadable)) op2_memset( \\\n"
    "      TO void *to, int byte, size_t n) { \\\n"
    "    for (size_t i = 0; i < n; i++) ((TO uchar *)to)[i] = (uchar)byte; \\\n"
    "    return to; \\\n"
    "  }\n"
    "OP2_COPIES(__private)\n"
    "OP2_COPIES(__global)\n"
    "OP2_COPIES(__local)\n"
    "#define memcpy op2_memmove\n"
    "#define memmove op2_memmove\n"
    "#define memcmp op2_memcmp\n"
    "#define memset op2_memset\n"
    "#endif\n";

static const char stdio_h[] = NULL_POINTER; /* printf() is built in */

/* Nothing that runs on a device can end the program: it is told and goes on. */
static const char assert_h[] =
    "#undef assert\n"
    "#ifdef NDEBUG\n"
    "#define assert(condition) ((void)0)\n"
    "#else\n"
    "#define assert(condition) \\\n"
    "  ((condition) ? (void)0 \\\n"
    "               : (void)printf(\"line %d: assertion '%s' failed\\n\", __LINE__, #condition))\n"
    "#endif\n"
    MISSING(static_assert, _Static_assert);

/* clang-format on */

const struct op2i_opencl_header op2i_opencl_headers[OP2I_OPENCL_HEADERS] = {
    {"assert.h", assert_h}, {"float.h", float_h},   {"inttypes.h", inttypes_h},
    {"limits.h", limits_h}, {"math.h", math_h},     {"stdbool.h", stdbool_h},
    {"stddef.h", stddef_h}, {"stdint.h", stdint_h}, {"stdio.h", stdio_h},
    {"stdlib.h", stdlib_h}, {"string.h", string_h}, {"tgmath.h", tgmath_h},
};
