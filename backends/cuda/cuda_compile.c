/* SPDX-License-Identifier: BSD-3-Clause */
/* Compilation of CUDA C to a cubin with NVRTC. NVRTC has no C headers: it is given replacements for
 * those that need no operating system, with the declarations that are not built in. */
#include <stdio.h>
#include <string.h>

#include "c_functions.h"
#include "cuda_api.h"
#include "entry.h"
#include "error.h"
#include "mem.h"
#include "text.h"

static const char integers[] =
    "#ifndef OP2_STDINT\n#define OP2_STDINT\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long "
    "int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;\n"
    "typedef unsigned long uint64_t; typedef long intptr_t; typedef unsigned long uintptr_t;\n"
    "typedef long intmax_t; typedef unsigned long uintmax_t;\n"
    "#define INT8_MAX 127\n#define INT16_MAX 32767\n#define INT32_MAX 2147483647\n"
    "#define INT64_MAX 9223372036854775807L\n#define INT8_MIN (-128)\n#define INT16_MIN (-32768)\n"
    "#define INT32_MIN (-2147483647 - 1)\n#define INT64_MIN (-INT64_MAX - 1L)\n"
    "#define UINT8_MAX 255\n#define UINT16_MAX 65535\n#define UINT32_MAX 4294967295U\n"
    "#define UINT64_MAX 18446744073709551615UL\n#define SIZE_MAX UINT64_MAX\n"
    "#define INT64_C(n) n##L\n#define UINT64_C(n) n##UL\n#define INT32_C(n) n\n#define UINT32_C(n) "
    "n##U\n"
    "#endif\n";
static const char limits[] =
    "#ifndef OP2_LIMITS\n#define OP2_LIMITS\n"
    "#define CHAR_BIT 8\n#define INT_MAX 2147483647\n#define INT_MIN (-INT_MAX - 1)\n"
    "#define UINT_MAX 4294967295U\n#define LONG_MAX 9223372036854775807L\n#define LONG_MIN "
    "(-LONG_MAX - 1)\n"
    "#define ULONG_MAX 18446744073709551615UL\n#define LLONG_MAX LONG_MAX\n#define LLONG_MIN "
    "LONG_MIN\n"
    "#define SCHAR_MAX 127\n#define SCHAR_MIN (-128)\n#define UCHAR_MAX 255\n#define SHRT_MAX "
    "32767\n"
    "#define SHRT_MIN (-32768)\n#define USHRT_MAX 65535\n#endif\n";
static const char reals[] =
    "#ifndef OP2_FLOAT\n#define OP2_FLOAT\n"
    "#define DBL_MAX 1.7976931348623157e+308\n#define DBL_MIN 2.2250738585072014e-308\n"
    "#define DBL_EPSILON 2.2204460492503131e-16\n#define DBL_DIG 15\n#define DBL_MANT_DIG 53\n"
    "#define FLT_MAX 3.402823466e+38f\n#define FLT_MIN 1.175494351e-38f\n"
    "#define FLT_EPSILON 1.192092896e-07f\n#define FLT_DIG 6\n#define FLT_MANT_DIG 24\n#endif\n";
/* C++ computes exp(f) of a float in float, while C's exp() takes and returns double. tgmath.h is
 * for programs that want the former. */
#define OF_DOUBLE(name)   "#define " #name "(x) " #name "((double)(x))\n"
#define OF_DOUBLES(name)  "#define " #name "(x, y) " #name "((double)(x), (double)(y))\n"
#define AS_BUILT_IN(name) "#undef " #name "\n"
#define NUMBERS                                                                                    \
  "#ifndef OP2_MATH\n#define OP2_MATH\n"                                                           \
  "#define M_PI 3.14159265358979323846\n#define M_PI_2 1.57079632679489661923\n"                   \
  "#define M_PI_4 0.78539816339744830962\n#define M_1_PI 0.31830988618379067154\n"                 \
  "#define M_2_PI 0.63661977236758134308\n#define M_SQRT2 1.41421356237309504880\n"                \
  "#define M_SQRT1_2 0.70710678118654752440\n#define M_E 2.7182818284590452354\n"                  \
  "#define M_LN2 0.69314718055994530942\n#define M_LN10 2.30258509299404568402\n"                  \
  "#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000LL))\n"                                \
  "#define INFINITY (__int_as_float(0x7f800000))\n#define NAN "                                    \
  "(__int_as_float(0x7fffffff))\n"
static const char mathematics[] = NUMBERS //
    OP2I_ONE_ARGUMENT(OF_DOUBLE) OP2I_TWO_ARGUMENTS(
        OF_DOUBLES) "#define fma(x, y, z) fma((double)(x), (double)(y), (double)(z))\n"
                    "#define ldexp(x, n) ldexp((double)(x), n)\n"
                    "#endif\n";
static const char of_any_type[] = NUMBERS "#endif\n" OP2I_ONE_ARGUMENT(AS_BUILT_IN)
    OP2I_TWO_ARGUMENTS(AS_BUILT_IN) AS_BUILT_IN(fma) AS_BUILT_IN(ldexp);
static const char definitions[] =
    "#ifndef OP2_STDDEF\n#define OP2_STDDEF\n#ifndef NULL\n#define NULL 0\n#endif\n"
    "typedef unsigned long size_t; typedef long ptrdiff_t;\n#endif\n";

static const char *const names[] = {"stdint.h", "inttypes.h", "limits.h", "float.h",
                                    "math.h",   "tgmath.h",   "stddef.h", "stdbool.h",
                                    "stdlib.h", "string.h",   "stdio.h",  "assert.h"};
static const char *const headers[] = {integers,    integers,    limits,      reals,
                                      mathematics, of_any_type, definitions, "",
                                      definitions, definitions, "",          "#define assert(x)\n"};
enum { HEADERS = sizeof names / sizeof *names, OPTIONS = 64 };

void op2i_cuda_compiler(char *name, size_t room) {
  struct op2i_text all = {0};
  for (int h = 0; h < HEADERS; h++) op2i_text_add(&all, "%s", headers[h]);
  struct op2i_key key = op2i_digest(all.chars ? all.chars : "", all.length);
  snprintf(name, room, "NVRTC %s, headers %08x", op2i_nvrtc_version(), (unsigned)key.low);
  op2i_text_free(&all);
}

static void take_log(const struct op2i_nvrtc_api *nvrtc, op2i_nvrtc_program program,
                     struct op2i_text *log) {
  size_t bytes = 0;
  if (nvrtc->nvrtcGetProgramLogSize(program, &bytes) || bytes < 2) return;
  char *text = op2i_malloc(bytes);
  if (text && !nvrtc->nvrtcGetProgramLog(program, text)) op2i_text_add(log, "%s", text);
  op2i_free(text);
}

static op2_status take_cubin(const struct op2i_nvrtc_api *nvrtc, op2i_nvrtc_program program,
                             void **binary, size_t *bytes) {
  if (nvrtc->nvrtcGetCUBINSize(program, bytes) || *bytes == 0)
    return op2i_error(OP2_ERR_COMPILE, "NVRTC made no code for this device");
  *binary = op2i_malloc(*bytes);
  if (!*binary) return op2i_error_nomem("compiled code");
  if (!nvrtc->nvrtcGetCUBIN(program, *binary)) return OP2_SUCCESS;
  op2i_free(*binary);
  *binary = NULL;
  return op2i_error(OP2_ERR_COMPILE, "NVRTC made no code for this device");
}

static op2_status compile(const struct op2i_nvrtc_api *nvrtc, op2i_nvrtc_program program,
                          const char *target, const char *const *includes) {
  char architecture[96], folders[OPTIONS][300];
  const char *options[OPTIONS + 8] = {architecture,      "--std=c++17",       "--fmad=false",
                                      "--prec-div=true", "--prec-sqrt=true",  "--ftz=false",
                                      "-default-device", "--disable-warnings"};
  int n = 8;
  snprintf(architecture, sizeof architecture, "--gpu-architecture=%s", target);
  for (int i = 0; includes && includes[i] && i < OPTIONS; i++) {
    snprintf(folders[i], sizeof folders[i], "-I%s", includes[i]);
    options[n++] = folders[i];
  }
  int result = nvrtc->nvrtcCompileProgram(program, n, options);
  return result ? op2i_error(OP2_ERR_COMPILE, "NVRTC does not compile it for %s (error %d)", target,
                             result)
                : OP2_SUCCESS;
}

op2_status op2i_cuda_compile(const char *source, const char *target, const char *const *includes,
                             struct op2i_text *log, void **binary, size_t *bytes) {
  const char *why;
  const struct op2i_nvrtc_api *nvrtc = op2i_nvrtc_api(&why);
  op2i_nvrtc_program program;
  if (!nvrtc) return op2i_error(OP2_ERR_UNAVAILABLE, "%s", why);
  if (nvrtc->nvrtcCreateProgram(&program, source, "loop.cu", HEADERS, headers, names))
    return op2i_error_nomem("NVRTC");
  op2_status status = compile(nvrtc, program, target, includes);
  if (status)
    take_log(nvrtc, program, log);
  else
    status = take_cubin(nvrtc, program, binary, bytes);
  nvrtc->nvrtcDestroyProgram(&program);
  return status;
}
