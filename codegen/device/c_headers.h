/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_C_HEADERS_H
#define OP2I_C_HEADERS_H

/* Text of C's headers in words that CUDA C++ and OpenCL C have in common. Types have the sizes that
 * they have on 64-bit hosts with the GNU C library. */

#define OP2I_STDINT                                                                                \
  "typedef signed char int8_t; typedef unsigned char uint8_t;\n"                                   \
  "typedef short int16_t; typedef unsigned short uint16_t;\n"                                      \
  "typedef int int32_t; typedef unsigned int uint32_t;\n"                                          \
  "typedef long int64_t; typedef unsigned long uint64_t;\n"                                        \
  "typedef int8_t int_least8_t; typedef uint8_t uint_least8_t;\n"                                  \
  "typedef int16_t int_least16_t; typedef uint16_t uint_least16_t;\n"                              \
  "typedef int32_t int_least32_t; typedef uint32_t uint_least32_t;\n"                              \
  "typedef int64_t int_least64_t; typedef uint64_t uint_least64_t;\n"                              \
  "typedef int8_t int_fast8_t; typedef uint8_t uint_fast8_t;\n"                                    \
  "typedef int64_t int_fast16_t; typedef uint64_t uint_fast16_t;\n"                                \
  "typedef int64_t int_fast32_t; typedef uint64_t uint_fast32_t;\n"                                \
  "typedef int64_t int_fast64_t; typedef uint64_t uint_fast64_t;\n"                                \
  "typedef int64_t intmax_t; typedef uint64_t uintmax_t;\n"                                        \
  "#define INT8_MIN (-128)\n"                                                                      \
  "#define INT8_MAX 127\n"                                                                         \
  "#define UINT8_MAX 255\n"                                                                        \
  "#define INT16_MIN (-32768)\n"                                                                   \
  "#define INT16_MAX 32767\n"                                                                      \
  "#define UINT16_MAX 65535\n"                                                                     \
  "#define INT32_MIN (-2147483647 - 1)\n"                                                          \
  "#define INT32_MAX 2147483647\n"                                                                 \
  "#define UINT32_MAX 4294967295U\n"                                                               \
  "#define INT64_MIN (-9223372036854775807L - 1)\n"                                                \
  "#define INT64_MAX 9223372036854775807L\n"                                                       \
  "#define UINT64_MAX 18446744073709551615UL\n"                                                    \
  "#define INT_LEAST8_MIN INT8_MIN\n"                                                              \
  "#define INT_LEAST8_MAX INT8_MAX\n"                                                              \
  "#define UINT_LEAST8_MAX UINT8_MAX\n"                                                            \
  "#define INT_LEAST16_MIN INT16_MIN\n"                                                            \
  "#define INT_LEAST16_MAX INT16_MAX\n"                                                            \
  "#define UINT_LEAST16_MAX UINT16_MAX\n"                                                          \
  "#define INT_LEAST32_MIN INT32_MIN\n"                                                            \
  "#define INT_LEAST32_MAX INT32_MAX\n"                                                            \
  "#define UINT_LEAST32_MAX UINT32_MAX\n"                                                          \
  "#define INT_LEAST64_MIN INT64_MIN\n"                                                            \
  "#define INT_LEAST64_MAX INT64_MAX\n"                                                            \
  "#define UINT_LEAST64_MAX UINT64_MAX\n"                                                          \
  "#define INT_FAST8_MIN INT8_MIN\n"                                                               \
  "#define INT_FAST8_MAX INT8_MAX\n"                                                               \
  "#define UINT_FAST8_MAX UINT8_MAX\n"                                                             \
  "#define INT_FAST16_MIN INT64_MIN\n"                                                             \
  "#define INT_FAST16_MAX INT64_MAX\n"                                                             \
  "#define UINT_FAST16_MAX UINT64_MAX\n"                                                           \
  "#define INT_FAST32_MIN INT64_MIN\n"                                                             \
  "#define INT_FAST32_MAX INT64_MAX\n"                                                             \
  "#define UINT_FAST32_MAX UINT64_MAX\n"                                                           \
  "#define INT_FAST64_MIN INT64_MIN\n"                                                             \
  "#define INT_FAST64_MAX INT64_MAX\n"                                                             \
  "#define UINT_FAST64_MAX UINT64_MAX\n"                                                           \
  "#define INTMAX_MIN INT64_MIN\n"                                                                 \
  "#define INTMAX_MAX INT64_MAX\n"                                                                 \
  "#define UINTMAX_MAX UINT64_MAX\n"                                                               \
  "#define INTPTR_MIN INT64_MIN\n"                                                                 \
  "#define INTPTR_MAX INT64_MAX\n"                                                                 \
  "#define UINTPTR_MAX UINT64_MAX\n"                                                               \
  "#define PTRDIFF_MIN INT64_MIN\n"                                                                \
  "#define PTRDIFF_MAX INT64_MAX\n"                                                                \
  "#define INT8_C(n) n\n"                                                                          \
  "#define UINT8_C(n) n\n"                                                                         \
  "#define INT16_C(n) n\n"                                                                         \
  "#define UINT16_C(n) n\n"                                                                        \
  "#define INT32_C(n) n\n"                                                                         \
  "#define UINT32_C(n) n##U\n"                                                                     \
  "#define INT64_C(n) n##L\n"                                                                      \
  "#define UINT64_C(n) n##UL\n"                                                                    \
  "#define INTMAX_C(n) n##L\n"                                                                     \
  "#define UINTMAX_C(n) n##UL\n"                                                                   \
  "#define SIG_ATOMIC_MIN INT32_MIN\n"                                                             \
  "#define SIG_ATOMIC_MAX INT32_MAX\n"                                                             \
  "#define WCHAR_MIN INT32_MIN\n"                                                                  \
  "#define WCHAR_MAX INT32_MAX\n"                                                                  \
  "#define WINT_MIN 0U\n"                                                                          \
  "#define WINT_MAX UINT32_MAX\n"

#define OP2I_STDLIB "#define EXIT_SUCCESS 0\n#define EXIT_FAILURE 1\n#define RAND_MAX 2147483647\n"

#define OP2I_STDIO "#define EOF (-1)\n"
#define OP2I_ASSERT                                                                                \
  "#undef static_assert\n#define static_assert _Static_assert\n#define assert(x)\n"
#define OP2I_STDBOOL                                                                               \
  "#undef bool\n#undef true\n#undef false\n#define bool _Bool\n#define true 1\n"                   \
  "#define false 0\n#undef __bool_true_false_are_defined\n"                                        \
  "#define __bool_true_false_are_defined 1\n"
#define OP2I_STDALIGN                                                                              \
  "#undef alignas\n#undef alignof\n#define alignas _Alignas\n#define alignof _Alignof\n"
#define OP2I_STDNORETURN "#define noreturn _Noreturn\n"

/* Words of iso646.h; `prefix` is what they begin with in the text. */
#define OP2I_ISO646(prefix)                                                                        \
  "#define " prefix "and &&\n#define " prefix "and_eq &=\n#define " prefix                         \
  "bitand &\n#define " prefix "bitor |\n#define " prefix "compl ~\n#define " prefix                \
  "not !\n#define " prefix "not_eq !=\n#define " prefix "or ||\n#define " prefix                   \
  "or_eq |=\n#define " prefix "xor ^\n#define " prefix "xor_eq ^=\n"

/* Functions of string.h but memcpy() and memset(). */
#define OP2I_STRING                                                                                \
  "static inline void *op2_memmove(void *to, const void *from, size_t n) {\n"                      \
  "  char *out = (char *)to;\n"                                                                    \
  "  const char *in = (const char *)from;\n"                                                       \
  "  for (size_t i = 0; i < n; i++)\n"                                                             \
  "    if (out < in) out[i] = in[i]; else out[n - 1 - i] = in[n - 1 - i];\n"                       \
  "  return to;\n"                                                                                 \
  "}\n"                                                                                            \
  "static inline int op2_memcmp(const void *first, const void *second, size_t n) {\n"              \
  "  const unsigned char *a = (const unsigned char *)first, *b = (const unsigned char *)second;\n" \
  "  for (size_t i = 0; i < n; i++)\n"                                                             \
  "    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;\n"                                           \
  "  return 0;\n"                                                                                  \
  "}\n"                                                                                            \
  "static inline size_t op2_strlen(const char *text) {\n"                                          \
  "  size_t n = 0;\n"                                                                              \
  "  while (text[n]) n++;\n"                                                                       \
  "  return n;\n"                                                                                  \
  "}\n"                                                                                            \
  "static inline char *op2_strcpy(char *to, const char *from) {\n"                                 \
  "  for (size_t i = 0; (to[i] = from[i]); i++) {}\n"                                              \
  "  return to;\n"                                                                                 \
  "}\n"                                                                                            \
  "static inline int op2_strncmp(const char *a, const char *b, size_t n) {\n"                      \
  "  size_t i = 0;\n"                                                                              \
  "  while (i < n && a[i] && a[i] == b[i]) i++;\n"                                                 \
  "  return i == n ? 0 : (unsigned char)a[i] - (unsigned char)b[i];\n"                             \
  "}\n"                                                                                            \
  "static inline int op2_strcmp(const char *a, const char *b) {\n"                                 \
  "  return op2_strncmp(a, b, ~(size_t)0);\n"                                                      \
  "}\n"                                                                                            \
  "#define memmove op2_memmove\n#define memcmp op2_memcmp\n#define strlen op2_strlen\n"            \
  "#define strcpy op2_strcpy\n#define strcmp op2_strcmp\n#define strncmp op2_strncmp\n"

#endif
