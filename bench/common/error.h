/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_ERROR_H
#define BENCH_ERROR_H

/** The reason why a function returned -1. */
typedef struct bench_error {
  char text[512];
} bench_error;

/** Put a message into *error, as printf() does, and return -1. */
__attribute__((format(printf, 2, 3))) int bench_fail(bench_error *error, const char *format, ...);

#endif
