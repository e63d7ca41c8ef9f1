/* SPDX-License-Identifier: BSD-3-Clause */
/* C's headers for OpenCL C, which has most of their declarations built in and reads no system
 * files. A line that includes a header is replaced by one line with the missing declarations, so
 * that line numbers stay the same. */
#include <string.h>

#include "c_functions.h"
#include "c_headers.h"
#include "opencl_api.h"
#include "text.h"

static const char integers[] = "\n#ifndef OP2_STDINT\n#define OP2_STDINT\n" OP2I_STDINT
                               "#define SIZE_MAX UINT64_MAX\n#endif\n";
static const char limits[] = "\n#ifndef OP2_LIMITS\n#define OP2_LIMITS\n"
                             "#undef LLONG_MAX\n#undef LLONG_MIN\n#undef ULLONG_MAX\n"
                             "#define LLONG_MAX LONG_MAX\n#define LLONG_MIN LONG_MIN\n"
                             "#define ULLONG_MAX ULONG_MAX\n#undef MB_LEN_MAX\n"
                             "#define MB_LEN_MAX 16\n#endif\n";
/* OpenCL C has the rest of float.h. */
static const char reals[] =
    "\n#ifndef OP2_FLOAT\n#define OP2_FLOAT\n#undef FLT_ROUNDS\n#define FLT_ROUNDS 1\n"
    "#undef FLT_EVAL_METHOD\n#define FLT_EVAL_METHOD 0\n#undef DECIMAL_DIG\n"
    "#define DECIMAL_DIG 21\n#undef FLT_HAS_SUBNORM\n#define FLT_HAS_SUBNORM 1\n"
    "#undef DBL_HAS_SUBNORM\n#define DBL_HAS_SUBNORM 1\n#undef FLT_TRUE_MIN\n"
    "#define FLT_TRUE_MIN 1.401298464e-45f\n#undef DBL_TRUE_MIN\n"
    "#define DBL_TRUE_MIN 4.9406564584124654e-324\n#undef FLT_DECIMAL_DIG\n"
    "#define FLT_DECIMAL_DIG 9\n#undef DBL_DECIMAL_DIG\n#define DBL_DECIMAL_DIG 17\n#endif\n";
static const char library[] = "\n#ifndef OP2_STDLIB\n#define OP2_STDLIB\n" OP2I_STDLIB "#endif\n";
static const char output[] = "\n#ifndef EOF\n" OP2I_STDIO "#endif\n";
static const char strings[] =
    "\n#ifndef OP2_STRING\n#define OP2_STRING\n"
    "static inline void *op2_memcpy(void *to, const void *from, size_t n) {\n"
    "  for (size_t i = 0; i < n; i++) ((char *)to)[i] = ((const char *)from)[i];\n"
    "  return to;\n"
    "}\n"
    "static inline void *op2_memset(void *to, int value, size_t n) {\n"
    "  for (size_t i = 0; i < n; i++) ((unsigned char *)to)[i] = (unsigned char)value;\n"
    "  return to;\n"
    "}\n" OP2I_STRING "#define memcpy op2_memcpy\n#define memset op2_memset\n#endif\n";

/* The built-in exp(f) of a float is computed in float, while C's exp() takes and returns double.
 * tgmath.h is for programs that want the former. Names of OpenCL C may be macros, so functions that
 * call them are defined first, and take over the names afterwards. */
#define OF_TYPES(name, of_float, of_double, float_parameters, double_parameters, value)            \
  "OP2_FUNCTION(float, " of_float ", " #name ", " float_parameters ", " value ")\n"                \
  "OP2_DOUBLE_FUNCTION(double, " of_double ", " #name ", " double_parameters ", " value ")\n"
#define OF_BOTH(name, float_parameters, double_parameters, value)                                  \
  OF_TYPES(name, "float", "double", float_parameters, double_parameters, value)
#define TO_INTEGER(name, type, value) OF_TYPES(name, type, type, "(float x)", "(double x)", value)
#define DEFINE_1(name)                OF_BOTH(name, "(float x)", "(double x)", #name "(x)")
#define DEFINE_2(name)                OF_BOTH(name, "(float x, float y)", "(double x, double y)", #name "(x, y)")
#define DEFINE_3(name)                                                                             \
  OF_BOTH(name, "(float x, float y, float z)", "(double x, double y, double z)", #name "(x, y, z)")
#define DEFINE_SCALED(name, type)                                                                  \
  OF_BOTH(name, "(float x, " #type " n)", "(double x, " #type " n)",                               \
          "ldexp(x, (int)clamp(n, (" #type ")-10000, (" #type ")10000))")
#define DEFINE_QUOTIENT(name)                                                                      \
  OF_BOTH(name, "(float x, float y, int *n)", "(double x, double y, int *n)", #name "(x, y, n)")
/* OpenCL C has no functions that round to integers, and leaves it to the device which exponents
 * zero, NaN and infinities have. */
#define DEFINE_WHOLE                                                                               \
  TO_INTEGER(ilogb, "int", "x == 0 || isnan(x) ? INT_MIN : isinf(x) ? INT_MAX : ilogb(x)")         \
  TO_INTEGER(lrint, "long", "(long)rint(x)")                                                       \
  TO_INTEGER(llrint, "long", "(long)rint(x)")                                                      \
  TO_INTEGER(lround, "long", "(long)round(x)")                                                     \
  TO_INTEGER(llround, "long", "(long)round(x)")
#define DEFINE_SPLIT                                                                               \
  OF_BOTH(frexp, "(float x, int *n)", "(double x, int *n)", "frexp(x, n)")                         \
  OF_BOTH(modf, "(float x, float *whole)", "(double x, double *whole)", "modf(x, whole)")
#define RENAME(name, to) "#undef " #name "\n#define " #name " " to "\n"
#define AS_IN_C(name)                                                                              \
  RENAME(name, "op2_double_" #name)                                                                \
  RENAME(name##f, "op2_float_" #name)
#define TYPED_AS_IN_C(name, type)     AS_IN_C(name)
#define OF_ANY_TYPE(name)             RENAME(name, "op2_any_" #name)
#define TYPED_OF_ANY_TYPE(name, type) OF_ANY_TYPE(name)
/* In tgmath.h a whole number counts as a double. */
#define REAL                                                                                       \
  "#define OP2_REAL(x) _Generic((x), float: (x), default: (double)(x))\n"                          \
  "#define OP2_COMMON(x, y) \\\n"                                                                  \
  "  _Generic(OP2_REAL(x) + OP2_REAL(y), float: OP2_REAL(x), default: (double)(x))\n"
#define ANY(name, parameters, arguments)                                                           \
  "#undef " #name "\n#define " #name parameters " op2_any_" #name arguments "\n"
#define ANY_1(name) ANY(name, "(x)", "(OP2_REAL(x))")
#define ANY_2(name) ANY(name, "(x, y)", "(OP2_COMMON(x, y), OP2_COMMON(y, x))")
#define ANY_3(name)                                                                                \
  ANY(name, "(x, y, z)",                                                                           \
      "(OP2_COMMON(x, (y) + (z)), OP2_COMMON(y, (x) + (z)), OP2_COMMON(z, (x) + (y)))")

/* The built-in abs() of an int returns an unsigned integer. */
#define ABSOLUTE                                                                                   \
  "static inline int op2_abs(int i) { return i < 0 ? -i : i; }\n"                                  \
  "static inline long op2_labs(long i) { return i < 0 ? -i : i; }\n" RENAME(abs, "op2_abs")        \
      RENAME(labs, "op2_labs") RENAME(llabs, "op2_labs")
/* The built-in isless() does not take numbers of two types. */
#define COMPARE(name, than) "#undef " #name "\n#define " #name "(x, y) ((x) " than " (y))\n"
#define COMPARISONS                                                                                \
  COMPARE(isless, "<")                                                                             \
  "#undef islessgreater\n#define islessgreater(x, y) op2_differ(x, y)\n"                           \
  "#undef isunordered\n#define isunordered(x, y) op2_unordered(x, y)\n"                            \
  "#ifdef cl_khr_fp64\n"                                                                           \
  "static inline int op2_unordered(double x, double y) { return x != x || y != y; }\n"             \
  "static inline int op2_differ(double x, double y) { return x < y || x > y; }\n"                  \
  "#else\n"                                                                                        \
  "static inline int op2_unordered(float x, float y) { return x != x || y != y; }\n"               \
  "static inline int op2_differ(float x, float y) { return x < y || x > y; }\n"                    \
  "#endif\n" COMPARE(islessequal, "<=") COMPARE(isgreater, ">") COMPARE(isgreaterequal, ">=")
#define CLASSES                                                                                    \
  "#define FP_NAN 0\n#define FP_INFINITE 1\n#define FP_ZERO 2\n#define FP_SUBNORMAL 3\n"           \
  "#define FP_NORMAL 4\n" TO_INTEGER(                                                              \
      fpclassify, "int",                                                                           \
      "isnan(x) ? FP_NAN : isinf(x) ? FP_INFINITE : isnormal(x) ? FP_NORMAL : "                    \
      "x == 0 ? FP_ZERO : FP_SUBNORMAL") OF_ANY_TYPE(fpclassify) RENAME(FP_ILOGB0, "INT_MIN")      \
      RENAME(FP_ILOGBNAN, "INT_MIN") COMPARISONS

#define FUNCTIONS                                                                                  \
  "\n#ifndef OP2_MATH\n#define OP2_MATH\n"                                                         \
  "#undef INFINITY\n#undef NAN\n#undef HUGE_VAL\n#undef HUGE_VALF\n"                               \
  "#define INFINITY (1.0f / 0.0f)\n#define NAN (0.0f / 0.0f)\n#define HUGE_VAL (1.0 / 0.0)\n"      \
  "#define HUGE_VALF INFINITY\n"                                                                   \
  "#define OP2_FUNCTION(type, result, name, parameters, value) \\\n"                               \
  "  static inline result op2_##type##_##name parameters { return value; } \\\n"                   \
  "  static inline result __attribute__((overloadable)) op2_any_##name parameters { \\\n"          \
  "    return value; \\\n"                                                                         \
  "  }\n"                                                                                          \
  "#ifdef cl_khr_fp64\n"                                                                           \
  "#define OP2_DOUBLE_FUNCTION OP2_FUNCTION\n"                                                     \
  "#else\n"                                                                                        \
  "#define OP2_DOUBLE_FUNCTION(type, result, name, parameters, value)\n"                           \
  "#endif\n"                                                                                       \
  "#define nearbyint rint\n" OP2I_ONE_ARGUMENT(DEFINE_1) OP2I_TWO_ARGUMENTS(DEFINE_2)              \
      OP2I_THREE_ARGUMENTS(DEFINE_3) OP2I_SCALED(DEFINE_SCALED) OP2I_QUOTIENT(DEFINE_QUOTIENT)     \
          DEFINE_WHOLE DEFINE_SPLIT                                                                \
          OP2I_ONE_ARGUMENT(AS_IN_C) OP2I_TWO_ARGUMENTS(AS_IN_C) OP2I_THREE_ARGUMENTS(AS_IN_C)     \
              OP2I_SCALED(TYPED_AS_IN_C) OP2I_WHOLE(TYPED_AS_IN_C) OP2I_SPLIT(AS_IN_C)             \
                  OP2I_QUOTIENT(AS_IN_C) ABSOLUTE CLASSES "#endif\n"
static const char functions[] = FUNCTIONS;
static const char of_any_type[] =
    FUNCTIONS "#ifndef OP2_TGMATH\n#define OP2_TGMATH\n" REAL OP2I_ONE_ARGUMENT(ANY_1)
        OP2I_TWO_ARGUMENTS(ANY_2) OP2I_THREE_ARGUMENTS(ANY_3) OP2I_SCALED(TYPED_OF_ANY_TYPE)
            OP2I_WHOLE(TYPED_OF_ANY_TYPE) OF_ANY_TYPE(frexp) OP2I_QUOTIENT(OF_ANY_TYPE) "#endif\n";
static const char definitions[] =
    "\n#ifndef offsetof\n#define offsetof(type, member) __builtin_offsetof(type, member)\n#endif\n";
static const char assertions[] = "\n#undef assert\n" OP2I_ASSERT;

static const struct {
  const char *name, *text;
} headers[] = {{"stdint.h", integers},
               {"inttypes.h", integers},
               {"math.h", functions},
               {"tgmath.h", of_any_type},
               {"stdbool.h", "\n" OP2I_STDBOOL},
               {"assert.h", assertions},
               {"float.h", reals},
               {"limits.h", limits},
               {"stddef.h", definitions},
               {"stdlib.h", library},
               {"string.h", strings},
               {"stdio.h", output},
               {"iso646.h", "\n" OP2I_ISO646("")},
               {"stdalign.h", "\n" OP2I_STDALIGN},
               {"stdnoreturn.h", "\n" OP2I_STDNORETURN},
               {"complex.h", ""},
               {"errno.h", ""},
               {"ctype.h", ""},
               {"stdarg.h", ""},
               {"time.h", ""}};

/* Return the text that replaces a line which includes one of C's headers; null: the line stays. */
static const char *replacement(const char *line, size_t length) {
  const char *at = line, *end = line + length;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  if (at == end || *at++ != '#') return NULL;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  if ((size_t)(end - at) < 7 || memcmp(at, "include", 7) != 0) return NULL;
  for (at += 7; at < end && (*at == ' ' || *at == '\t');) at++;
  if (at == end || *at++ != '<') return NULL;
  for (size_t h = 0; h < sizeof headers / sizeof *headers; h++) {
    size_t n = strlen(headers[h].name);
    if ((size_t)(end - at) > n && memcmp(at, headers[h].name, n) == 0 && at[n] == '>')
      return headers[h].text;
  }
  return NULL;
}

void op2i_opencl_source(const char *source, struct op2i_text *out) {
  while (*source) {
    size_t length = strcspn(source, "\n");
    const char *text = replacement(source, length);
    if (text)
      op2i_text_add(out, "%s", text);
    else
      op2i_text_bytes(out, source, length);
    op2i_text_add(out, "\n");
    source += length + (source[length] == '\n');
  }
}
