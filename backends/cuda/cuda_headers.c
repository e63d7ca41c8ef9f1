/* SPDX-License-Identifier: BSD-3-Clause */
/* Replacements for those of C's headers that need no operating system, for compilers of device code,
 * which have no headers: the declarations that are not built in. */
#include "cuda_compile.h"

#include "c_functions.h"
#include "c_headers.h"
#include "entry.h"
#include "text.h"

static const char integers[] = "#ifndef OP2_STDINT\n#define OP2_STDINT\n" OP2I_STDINT
                               "typedef long intptr_t; typedef unsigned long uintptr_t;\n"
                               "#define SIZE_MAX UINT64_MAX\n#endif\n";
static const char limits[] =
    "#ifndef OP2_LIMITS\n#define OP2_LIMITS\n"
    "#define CHAR_BIT 8\n#define MB_LEN_MAX 16\n#define INT_MAX 2147483647\n#define INT_MIN "
    "(-INT_MAX - 1)\n"
    "#define UINT_MAX 4294967295U\n#define LONG_MAX 9223372036854775807L\n#define LONG_MIN "
    "(-LONG_MAX - 1)\n"
    "#define ULONG_MAX 18446744073709551615UL\n#define LLONG_MAX 9223372036854775807LL\n"
    "#define LLONG_MIN (-LLONG_MAX - 1)\n#define ULLONG_MAX 18446744073709551615ULL\n"
    "#define CHAR_MAX SCHAR_MAX\n#define CHAR_MIN SCHAR_MIN\n"
    "#define SCHAR_MAX 127\n#define SCHAR_MIN (-128)\n#define UCHAR_MAX 255\n#define SHRT_MAX "
    "32767\n"
    "#define SHRT_MIN (-32768)\n#define USHRT_MAX 65535\n#endif\n";
static const char reals[] =
    "#ifndef OP2_FLOAT\n#define OP2_FLOAT\n#define FLT_RADIX 2\n#define FLT_ROUNDS 1\n"
    "#define DECIMAL_DIG 21\n#define DBL_HAS_SUBNORM 1\n#define FLT_HAS_SUBNORM 1\n"
    "#define FLT_EVAL_METHOD 0\n"
    "#define DBL_MAX 1.7976931348623157e+308\n#define DBL_MIN 2.2250738585072014e-308\n"
    "#define DBL_EPSILON 2.2204460492503131e-16\n#define DBL_TRUE_MIN 4.9406564584124654e-324\n"
    "#define DBL_DIG 15\n#define DBL_MANT_DIG 53\n#define DBL_DECIMAL_DIG 17\n"
    "#define DBL_MAX_EXP 1024\n#define DBL_MIN_EXP (-1021)\n"
    "#define DBL_MAX_10_EXP 308\n#define DBL_MIN_10_EXP (-307)\n"
    "#define FLT_MAX 3.402823466e+38f\n#define FLT_MIN 1.175494351e-38f\n"
    "#define FLT_EPSILON 1.192092896e-07f\n#define FLT_TRUE_MIN 1.401298464e-45f\n"
    "#define FLT_DIG 6\n#define FLT_MANT_DIG 24\n#define FLT_DECIMAL_DIG 9\n"
    "#define FLT_MAX_EXP 128\n#define FLT_MIN_EXP (-125)\n"
    "#define FLT_MAX_10_EXP 38\n#define FLT_MIN_10_EXP (-37)\n#endif\n";

/* C++ computes exp(f) of a float in float, while C's exp() takes and returns double. tgmath.h is
 * for programs that want the former. */
#define OF_DOUBLE(name)  "#define " #name "(x) " #name "((double)(x))\n"
#define OF_DOUBLES(name) "#define " #name "(x, y) " #name "((double)(x), (double)(y))\n"
#define OF_THREE(name)                                                                             \
  "#define " #name "(x, y, z) " #name "((double)(x), (double)(y), (double)(z))\n"
#define SCALED(name, type)            "#define " #name "(x, n) " #name "((double)(x), (" #type ")(n))\n"
#define WHOLE(name, type)             OF_DOUBLE(name)
#define SPLIT(name)                   "#define " #name "(x, p) " #name "((double)(x), p)\n"
#define QUOTIENT(name)                "#define " #name "(x, y, p) " #name "((double)(x), (double)(y), p)\n"
#define ABSOLUTE(name, type)          "#define " #name "(x) " #name "((" #type ")(x))\n"
#define AS_BUILT_IN(name)             "#undef " #name "\n"
#define TYPED_AS_BUILT_IN(name, type) AS_BUILT_IN(name)

/* The macros of C that tell classes of numbers apart and compare them. */
#define CLASSES(type, least)                                                                       \
  "static inline int op2_class(" type " x) {\n"                                                    \
  "  const " type " size = x < 0 ? -x : x;\n"                                                      \
  "  return x != x ? FP_NAN : size > " least "_MAX ? FP_INFINITE : size >= " least "_MIN ? "       \
  "FP_NORMAL : x == 0 ? FP_ZERO : FP_SUBNORMAL;\n"                                                 \
  "}\n"
#define COMPARISONS                                                                                \
  "#define FP_NAN 0\n#define FP_INFINITE 1\n#define FP_ZERO 2\n#define FP_SUBNORMAL 3\n"           \
  "#define FP_NORMAL 4\n#define fpclassify(x) op2_class(x)\n"                                      \
  "#define isnormal(x) (op2_class(x) == FP_NORMAL)\n"                                              \
  "#define isunordered(x, y) op2_unordered(x, y)\n#define islessgreater(x, y) op2_differ(x, y)\n"  \
  "#define isless(x, y) ((x) < (y))\n#define islessequal(x, y) ((x) <= (y))\n"                     \
  "#define isgreater(x, y) ((x) > (y))\n#define isgreaterequal(x, y) ((x) >= (y))\n"               \
  "static inline bool op2_unordered(double x, double y) { return x != x || y != y; }\n"            \
  "static inline bool op2_differ(double x, double y) { return x < y || x > y; }\n" CLASSES(        \
      "float", "FLT") CLASSES("double", "DBL")
/* The quotients are constants for NVRTC, so that tables may have them, unlike __int_as_float(). */
#define NUMBERS                                                                                    \
  "#include <float.h>\n#ifndef OP2_MATH\n#define OP2_MATH\n"                                       \
  "#define M_PI 3.14159265358979323846\n#define M_PI_2 1.57079632679489661923\n"                   \
  "#define M_PI_4 0.78539816339744830962\n#define M_1_PI 0.31830988618379067154\n"                 \
  "#define M_2_PI 0.63661977236758134308\n#define M_SQRT2 1.41421356237309504880\n"                \
  "#define M_SQRT1_2 0.70710678118654752440\n#define M_E 2.7182818284590452354\n"                  \
  "#define M_LN2 0.69314718055994530942\n#define M_LN10 2.30258509299404568402\n"                  \
  "#define M_LOG2E 1.4426950408889634074\n#define M_LOG10E 0.43429448190325182765\n"               \
  "#define M_2_SQRTPI 1.12837916709551257390\n"                                                    \
  "#ifndef INFINITY\n#define INFINITY (1.0f / 0.0f)\n#define NAN (0.0f / 0.0f)\n"                  \
  "#define HUGE_VAL (1.0 / 0.0)\n#define HUGE_VALF INFINITY\n#endif\n"                             \
  "#define FP_ILOGB0 (-2147483647 - 1)\n#define FP_ILOGBNAN (-2147483647 - 1)\n" COMPARISONS
static const char mathematics[] =
    NUMBERS OP2I_ONE_ARGUMENT(OF_DOUBLE) OP2I_TWO_ARGUMENTS(OF_DOUBLES)
        OP2I_THREE_ARGUMENTS(OF_THREE) OP2I_SCALED(SCALED) OP2I_WHOLE(WHOLE) OP2I_SPLIT(SPLIT)
            OP2I_QUOTIENT(QUOTIENT) OP2I_ABSOLUTE(ABSOLUTE) "#endif\n";
/* In tgmath.h a whole number counts as a double, and arguments of two types are converted
 * (devgen_dialect.c). */
#define ANY_1(name) "#undef " #name "\n#define " #name "(x) " #name "(op2_real(x))\n"
#define ANY_2(name)                                                                                \
  "#undef " #name "\n#define " #name "(x, y) " #name "(op2_common(x, y), op2_common(y, x))\n"
#define ANY_3(name)                                                                                \
  "#undef " #name "\n#define " #name "(x, y, z) op2_any_" #name                                    \
  "(op2_common(x, (y) + (z)), op2_common(y, (x) + (z)), op2_common(z, (x) + (y)))\n"
static const char of_any_type[] = NUMBERS "#endif\n" OP2I_ONE_ARGUMENT(ANY_1)
    OP2I_TWO_ARGUMENTS(ANY_2) OP2I_THREE_ARGUMENTS(ANY_3) OP2I_SCALED(TYPED_AS_BUILT_IN)
        OP2I_WHOLE(TYPED_AS_BUILT_IN) AS_BUILT_IN(frexp) OP2I_QUOTIENT(AS_BUILT_IN);

#define DEFINITIONS                                                                                \
  "#ifndef OP2_STDDEF\n#define OP2_STDDEF\n#ifndef NULL\n#define NULL 0\n#endif\n"                 \
  "typedef unsigned long size_t; typedef long ptrdiff_t;\n"                                        \
  "#define offsetof(type, member) ((size_t)&((type *)0)->member)\n#endif\n"
static const char definitions[] = DEFINITIONS, library[] = DEFINITIONS OP2I_STDLIB;
/* memcpy() and memset() are built in. */
static const char strings[] =
    DEFINITIONS "#ifndef OP2_STRING\n#define OP2_STRING\n" OP2I_STRING "#endif\n";

#define NONE "\n" /* hipRTC takes no header without a text */
const struct op2i_cuda_header op2i_cuda_headers[] = {{"stdint.h", integers},
                                                     {"inttypes.h", integers},
                                                     {"limits.h", limits},
                                                     {"float.h", reals},
                                                     {"math.h", mathematics},
                                                     {"tgmath.h", of_any_type},
                                                     {"stddef.h", definitions},
                                                     {"stdbool.h", OP2I_STDBOOL},
                                                     {"stdlib.h", library},
                                                     {"string.h", strings},
                                                     {"stdio.h", OP2I_STDIO},
                                                     {"assert.h", OP2I_ASSERT},
                                                     {"iso646.h", OP2I_ISO646("op2_word_")},
                                                     {"stdalign.h", OP2I_STDALIGN},
                                                     {"stdnoreturn.h", OP2I_STDNORETURN},
                                                     {"complex.h", NONE},
                                                     {"errno.h", NONE},
                                                     {"ctype.h", NONE},
                                                     {"stdarg.h", NONE},
                                                     {"time.h", NONE}};
_Static_assert(sizeof op2i_cuda_headers / sizeof *op2i_cuda_headers == OP2I_CUDA_HEADERS,
               "the number of headers");

unsigned op2i_cuda_headers_digest(void) {
  struct op2i_text texts = {0};
  for (int h = 0; h < OP2I_CUDA_HEADERS; h++)
    op2i_text_add(&texts, "%s", op2i_cuda_headers[h].text);
  struct op2i_key key = op2i_digest(texts.chars ? texts.chars : "", texts.length);
  op2i_text_free(&texts);
  return (unsigned)key.low;
}
