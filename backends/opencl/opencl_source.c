/* SPDX-License-Identifier: BSD-3-Clause */
/* C's headers for OpenCL C, which has most of what they declare built in, and reads no files of the
 * system's: a line that includes one becomes a line with what is missing, so that lines keep their
 * numbers. */
#include <string.h>

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
static const char functions[] =
    "\n#ifndef OP2_MATH\n#define OP2_MATH\n"
    "#define fabsf(x) fabs((float)(x))\n#define sqrtf(x) sqrt((float)(x))\n"
    "#define expf(x) exp((float)(x))\n#define logf(x) log((float)(x))\n"
    "#define sinf(x) sin((float)(x))\n#define cosf(x) cos((float)(x))\n#define tanf(x) "
    "tan((float)(x))\n"
    "#define asinf(x) asin((float)(x))\n#define acosf(x) acos((float)(x))\n"
    "#define atanf(x) atan((float)(x))\n#define sinhf(x) sinh((float)(x))\n"
    "#define coshf(x) cosh((float)(x))\n#define tanhf(x) tanh((float)(x))\n"
    "#define log10f(x) log10((float)(x))\n#define log2f(x) log2((float)(x))\n"
    "#define exp2f(x) exp2((float)(x))\n#define cbrtf(x) cbrt((float)(x))\n"
    "#define floorf(x) floor((float)(x))\n#define ceilf(x) ceil((float)(x))\n"
    "#define roundf(x) round((float)(x))\n#define truncf(x) trunc((float)(x))\n"
    "#define rintf(x) rint((float)(x))\n"
    "#define powf(x, y) pow((float)(x), (float)(y))\n#define fmodf(x, y) fmod((float)(x), "
    "(float)(y))\n"
    "#define atan2f(x, y) atan2((float)(x), (float)(y))\n"
    "#define hypotf(x, y) hypot((float)(x), (float)(y))\n"
    "#define copysignf(x, y) copysign((float)(x), (float)(y))\n"
    "#define fmaf(x, y, z) fma((float)(x), (float)(y), (float)(z))\n#endif\n";
static const char truth[] = "\n#ifndef __bool_true_false_are_defined\n"
                            "#define __bool_true_false_are_defined 1\n#endif\n";
static const char assertions[] = "\n#ifndef assert\n#define assert(x)\n#endif\n";

static const struct {
  const char *name, *text;
} headers[] = {{"stdint.h", integers},  {"inttypes.h", integers}, {"math.h", functions},
               {"tgmath.h", functions}, {"stdbool.h", truth},     {"assert.h", assertions},
               {"float.h", ""},         {"limits.h", ""},         {"stddef.h", ""},
               {"stdlib.h", ""},        {"string.h", ""},         {"stdio.h", ""}};

/* The text for a line that includes a header of C's, else null. */
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
