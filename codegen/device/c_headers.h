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
  "#define UINTMAX_C(n) n##UL\n"

#endif
