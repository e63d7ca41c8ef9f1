/* SPDX-License-Identifier: BSD-3-Clause */
/* Macros and functions of C's headers. */
#include "forms.h"

#include <stddef.h>

static const struct form list[] = {
    {.name = "limits",
     .headers = "<limits.h>",
     .body = "out[0] = INT_MAX / 3 + CHAR_BIT; out[1] = LLONG_MAX / 3; out[2] = "
             "(double)ULLONG_MAX; out[3] = CHAR_MIN + SHRT_MAX;\n"
             "out[4] = (double)LONG_MIN + UINT_MAX + ULONG_MAX; out[5] = MB_LEN_MAX + SCHAR_MIN + "
             "USHRT_MAX + UCHAR_MAX;"},
    {.name = "reals",
     .headers = "<float.h>",
     .body = "out[0] = DBL_MAX; out[1] = DBL_EPSILON + FLT_EPSILON; out[2] = DBL_MIN + "
             "FLT_TRUE_MIN; out[3] = DBL_DIG + FLT_DIG + DBL_DECIMAL_DIG + DECIMAL_DIG;\n"
             "out[4] = FLT_MAX_10_EXP + DBL_MIN_10_EXP + FLT_RADIX + FLT_ROUNDS + FLT_EVAL_METHOD; "
             "out[5] = DBL_HAS_SUBNORM + FLT_HAS_SUBNORM;"},
    {.name = "constants_of_math",
     .headers = "<math.h>",
     .body = "out[0] = M_PI + M_E + M_LOG2E + M_LOG10E; out[1] = M_LN2 + M_LN10 + M_PI_2 + M_PI_4; "
             "out[2] = M_1_PI + M_2_PI + M_2_SQRTPI + M_SQRT2 + M_SQRT1_2;\n"
             "out[3] = HUGE_VALF; out[4] = FP_ILOGB0 + (double)FP_ILOGBNAN + FP_NAN + FP_INFINITE "
             "+ FP_ZERO * 3 + FP_SUBNORMAL * 5 + FP_NORMAL * 7;\n"
             "out[5] = HUGE_VAL == INFINITY;"},
    {.name = "macros_as_values",
     .headers = "<math.h> <stdlib.h> <stdint.h> <stdbool.h> <stdio.h>",
     .before = "#define NONE NULL\n#define BIG HUGE_VALF\n",
     .body = "double *p = NONE; float g = BIG; bool b = true; int e = EXIT_FAILURE + EXIT_SUCCESS "
             "+ EOF; _Bool c = n; bool d = f;\n"
             "out[0] = p == NULL; out[1] = g; out[2] = b + false + e; out[3] = c + d * 2; out[4] = "
             "sizeof(bool); out[5] = RAND_MAX;"},
    {.name = "whole_numbers",
     .headers = "<stdint.h> <inttypes.h>",
     .body = "int_least8_t a = (int_least8_t)n; uint_fast16_t b = 5; intmax_t c = n; uintptr_t d = "
             "7; intptr_t e = -1;\n"
             "out[0] = a + b + c; out[1] = d + e; out[2] = INT64_MAX / 3 + INT32_MIN; out[3] = "
             "SIZE_MAX / 3 + PTRDIFF_MIN;\n"
             "out[4] = INT8_C(3) + UINT64_C(7) + INTMAX_C(2); out[5] = SIG_ATOMIC_MAX + WCHAR_MAX "
             "+ WINT_MAX;"},
    {.name = "classes",
     .headers = "<math.h>",
     .body = "const double q = x / x, r = x / 0.0; out[0] = (isnan(q) != 0) + 2 * (isinf(r) != 0) "
             "+ 4 * (isfinite(x) != 0);\n"
             "out[1] = (isnormal(x) != 0) + 2 * (isnormal(f) != 0) + 4 * (fpclassify(f) == "
             "FP_SUBNORMAL) + 8 * fpclassify(x);\n"
             "out[2] = (signbit(x) != 0) + 2 * (signbit(-f) != 0); out[3] = isless(x, f) + 2 * "
             "isgreaterequal(x, 2.0) + 4 * islessgreater(x, f);\n"
             "out[4] = isunordered(x, q) != 0; out[5] = islessequal(f, f) + isgreater(f, 2);"},
    {.name = "bytes",
     .headers = "<string.h>",
     .body = "double a[4] = {x, f, n, 1}, b[4]; unsigned char z[8];\n"
             "memmove(a + 1, a, 3 * sizeof *a); memcpy(b, a, sizeof b); memset(z, n, sizeof z); "
             "out[0] = a[1] + a[3]; out[1] = b[2];\n"
             "out[2] = memcmp(a, b, sizeof a) == 0; out[3] = z[3]; memset(b, 0, 2 * sizeof *b); "
             "out[4] = b[1] + b[2]; out[5] = memcmp(&x, &a[0], 8) < 0;"},
    {.name = "texts",
     .headers = "<string.h>",
     .body = "char s[8] = \"four\", t[8]; strcpy(t, s); out[0] = strlen(s) + strlen(\"abc\"); "
             "out[1] = strcmp(s, t) == 0; out[2] = strncmp(s, \"fo\", 2) == 0;\n"
             "out[3] = strcmp(s, \"five\") > 0;"},
    {.name = "structs_as_bytes",
     .headers = "<string.h>",
     .before = "struct part { double a; int k; };\n",
     .body = "struct part p = {x, n}, q; unsigned long u; memcpy(&q, &p, sizeof q); memcpy(&u, &x, "
             "sizeof u); out[0] = q.a + q.k; out[1] = (double)(u >> 32);"},
    {.name = "offsets",
     .headers = "<stddef.h>",
     .before = "struct part { char c; double a; float w[3]; };\n",
     .body = "out[0] = offsetof(struct part, a) + offsetof(struct part, w[1]); size_t s = "
             "sizeof(struct part); ptrdiff_t d = &out[3] - out; out[1] = s; out[2] = d;\n"
             "out[3] = *(double *)((char *)&(struct part){.a = x} + offsetof(struct part, a));"},
    {.name = "words_for_operators",
     .headers = "<iso646.h>",
     .body = "out[0] = (n > 2 and x > 1) or not n; out[1] = (n bitand 3) xor 1; out[2] = compl n;"},
    {.name = "headers_of_others",
     .headers = "<complex.h> <errno.h> <ctype.h> <stdarg.h> <stdalign.h> <stdnoreturn.h> <time.h>",
     .body = "alignas(16) double w[2] = {x, 1}; out[0] = w[0] + w[1]; out[1] = alignof(double);"},
    {.name = "assertion",
     .headers = "<assert.h>",
     .body = "assert(n < 100); static_assert(sizeof n == 4, \"int\"); out[0] = x;"},
    {.name = "absolute",
     .headers = "<stdlib.h> <math.h>",
     .body = "out[0] = abs(n) + labs(n) + llabs(n); out[1] = abs(x < 1e9 ? x : 0); out[2] = "
             "fabs(f) + fabsf(x) + fabs(n);"},
    {.name = "exact_functions",
     .headers = "<math.h>",
     .body = "out[0] = sqrt(fabs(x)) + sqrtf(fabsf(f)); out[1] = floor(x) + ceil(f) + trunc(x) + "
             "rint(f) + round(x); out[2] = fmin(x, f) + fmax(n, x) + fminf(f, 2) + fmaxf(x, 1);\n"
             "out[3] = fmod(x, 3) + copysign(2, f) + fdim(x, n) + nearbyint(x); out[4] = ldexp(x, "
             "n) + scalbn(f, 3) + scalbln(x, 2L); out[5] = fma(x, f, n) + remainder(x, 2.5);"},
    {.name = "exact_functions_of_float",
     .headers = "<math.h>",
     .body = "out[0] = floorf(f) + ceilf(f) + truncf(f) + rintf(f) + roundf(f) + nearbyintf(f); "
             "out[1] = fmodf(f, 3) + copysignf(2, f) + fdimf(f, 1) + remainderf(f, 2.5f);\n"
             "out[2] = ldexpf(f, 2) + scalbnf(f, 3) + scalblnf(f, 2); out[3] = nextafterf(f, 0); "
             "out[4] = nextafter(x, f); out[5] = logbf(f < 1 ? 2 : f) + logb(x);"},
    {.name = "parts_of_numbers",
     .headers = "<math.h>",
     .body = "int e, q; double w; float v; out[0] = frexp(x, &e) + e; out[1] = modf(x, &w) + w; "
             "out[2] = frexpf(f, &e) + modff(f, &v) + v; out[3] = ilogb(x) / 2 + ilogb(f) / 2;\n"
             "out[4] = lround(f < 1e9f ? f : 1) + lrint(x) + llround(x) + llrint(f < 1e9f ? f : "
             "2); out[5] = remquo(x, 3, &q); out[0] += q & 7;"},
    {.name = "towards",
     .headers = "<math.h>",
     .body = "out[0] = nexttoward(x, 0); out[1] = nexttowardf(f, 0);",
     .cuda = "",
     .opencl = ""},
    {.name = "any_type",
     .headers = "<tgmath.h>",
     .body = "out[0] = sqrt(fabs(f)); out[1] = floor(f) + fabs(x); out[2] = fmin(f, x) + fmax(f, "
             "2.0f); out[3] = sizeof(sqrt(f)); out[4] = copysign(f, -1) + fma(f, f, f); out[5] = "
             "sizeof(fmax(f, n));"},
    {.name = "numbers_beyond_double",
     .body = "long double l = x; l /= 3; out[0] = l;",
     .cuda = "long double",
     .opencl = "long double"},
    {.name = "printed",
     .headers = "<stdio.h>",
     .body = "if (n == 12345) printf(\"%d\\n\", n); out[0] = x;"},
};

const struct forms forms_headers = {list, sizeof list / sizeof *list};
