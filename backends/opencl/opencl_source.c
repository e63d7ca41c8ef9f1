/* SPDX-License-Identifier: BSD-3-Clause */
/* C's headers for OpenCL C, which has most of their declarations built in and reads no system
 * files. A line that includes a header is replaced by one line with the missing declarations, so
 * that line numbers stay the same. */
#include <string.h>

#include "c_functions.h"
#include "opencl_api.h"
#include "text.h"

static const char integers[] =
    "\n#ifndef OP2_STDINT\n#define OP2_STDINT\n"
    "typedef char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;\n"
    "typedef uchar uint8_t; typedef ushort uint16_t; typedef uint uint32_t; typedef ulong "
    "uint64_t;\n"
    "#define INT8_MAX 127\n#define INT16_MAX 32767\n#define INT32_MAX 2147483647\n"
    "#define INT64_MAX 9223372036854775807L\n#define INT8_MIN (-128)\n#define INT16_MIN (-32768)\n"
    "#define INT32_MIN (-2147483647 - 1)\n#define INT64_MIN (-INT64_MAX - 1L)\n"
    "#define UINT8_MAX 255\n#define UINT16_MAX 65535\n#define UINT32_MAX 4294967295U\n"
    "#define UINT64_MAX 18446744073709551615UL\n"
    "#define INT64_C(n) n##L\n#define UINT64_C(n) n##UL\n#define INT32_C(n) n\n#define UINT32_C(n) "
    "n##U\n"
    "#endif\n";

/* The built-in exp(f) of a float is computed in float, while C's exp() takes and returns double.
 * tgmath.h is for programs that want the former. Names of OpenCL C may be macros, so functions that
 * call them are defined first, and take over the names afterwards. */
#define OF_BOTH(name, float_parameters, double_parameters, arguments)                              \
  "OP2_FUNCTION(float, " #name ", " float_parameters ", " arguments ")\n"                          \
  "OP2_DOUBLE_FUNCTION(double, " #name ", " double_parameters ", " arguments ")\n"
#define DEFINE_1(name)   OF_BOTH(name, "(float x)", "(double x)", "(x)")
#define DEFINE_2(name)   OF_BOTH(name, "(float x, float y)", "(double x, double y)", "(x, y)")
#define RENAME(name, to) "#undef " #name "\n#define " #name " " to "\n"
#define AS_IN_C(name)                                                                              \
  RENAME(name, "op2_double_" #name)                                                                \
  RENAME(name##f, "op2_float_" #name)
#define OF_ANY_TYPE(name) RENAME(name, "op2_any_" #name)

#define FUNCTIONS                                                                                  \
  "\n#ifndef OP2_MATH\n#define OP2_MATH\n"                                                         \
  "#define OP2_FUNCTION(type, name, parameters, arguments) \\\n"                                   \
  "  static inline type op2_##type##_##name parameters { return name arguments; } \\\n"            \
  "  static inline type __attribute__((overloadable)) op2_any_##name parameters { \\\n"            \
  "    return name arguments; \\\n"                                                                \
  "  }\n"                                                                                          \
  "#ifdef cl_khr_fp64\n"                                                                           \
  "#define OP2_DOUBLE_FUNCTION OP2_FUNCTION\n"                                                     \
  "#else\n"                                                                                        \
  "#define OP2_DOUBLE_FUNCTION(type, name, parameters, arguments)\n"                               \
  "#endif\n" OP2I_ONE_ARGUMENT(DEFINE_1) OP2I_TWO_ARGUMENTS(DEFINE_2)                              \
      OF_BOTH(fma, "(float x, float y, float z)", "(double x, double y, double z)", "(x, y, z)")   \
          OF_BOTH(ldexp, "(float x, int n)", "(double x, int n)", "(x, n)")                        \
              OP2I_ONE_ARGUMENT(AS_IN_C) OP2I_TWO_ARGUMENTS(AS_IN_C) AS_IN_C(fma)                  \
                  AS_IN_C(ldexp) "#endif\n"
static const char functions[] = FUNCTIONS;
static const char of_any_type[] =
    FUNCTIONS "#ifndef OP2_TGMATH\n#define OP2_TGMATH\n" OP2I_ONE_ARGUMENT(OF_ANY_TYPE)
        OP2I_TWO_ARGUMENTS(OF_ANY_TYPE) OF_ANY_TYPE(fma) OF_ANY_TYPE(ldexp) "#endif\n";
/* The built-in abs() of an int returns an unsigned integer. */
static const char absolutes[] =
    "\n#ifndef OP2_STDLIB\n#define OP2_STDLIB\n"
    "static inline int op2_abs(int i) { return i < 0 ? -i : i; }\n"
    "static inline long op2_labs(long i) { return i < 0 ? -i : i; }\n" RENAME(abs, "op2_abs")
        RENAME(labs, "op2_labs") RENAME(llabs, "op2_labs") "#endif\n";
static const char truth[] = "\n#ifndef __bool_true_false_are_defined\n"
                            "#define __bool_true_false_are_defined 1\n#endif\n";
static const char assertions[] = "\n#ifndef assert\n#define assert(x)\n#endif\n";

static const struct {
  const char *name, *text;
} headers[] = {{"stdint.h", integers},    {"inttypes.h", integers}, {"math.h", functions},
               {"tgmath.h", of_any_type}, {"stdbool.h", truth},     {"assert.h", assertions},
               {"float.h", ""},           {"limits.h", ""},         {"stddef.h", ""},
               {"stdlib.h", absolutes},   {"string.h", ""},         {"stdio.h", ""}};

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
