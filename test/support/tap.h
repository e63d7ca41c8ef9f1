/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_TAP_H
#define OP2_TEST_TAP_H

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Test Anything Protocol for C. A test program makes checks and ends with `return done();`, which
 * prints the plan, so a program that dies early has no plan and counts as failed. Only one thread
 * at a time may make checks. Every line is flushed at once, so that the checks made before a crash
 * can be read. */

#define TAP_FORMAT(fmt_, args_) __attribute__((format(printf, fmt_, args_)))

bool tap_ok(bool good, const char *file, int line, const char *format, ...) TAP_FORMAT(4, 5);
bool tap_is_int(int64_t got, int64_t want, const char *file, int line, const char *format, ...)
    TAP_FORMAT(5, 6);
bool tap_is_str(const char *got, const char *want, const char *file, int line, const char *format,
                ...) TAP_FORMAT(5, 6);
bool tap_check(op2_status status, const char *call, const char *file, int line);
bool tap_fails(op2_status status, op2_status want, const char *call, const char *file, int line);

/* Each returns true if the check passes; the last arguments are a printf format and its values,
 * which name the check. */
#define ok(cond, ...) tap_ok((cond), __FILE__, __LINE__, __VA_ARGS__)
#define is_int(got, want, ...)                                                                     \
  tap_is_int((int64_t)(got), (int64_t)(want), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...) tap_is_str((got), (want), __FILE__, __LINE__, __VA_ARGS__)
/* The call returns OP2_SUCCESS; if not, its message is printed. */
#define CHECK(call) tap_check((call), #call, __FILE__, __LINE__)
/* The call returns this status and leaves a message. */
#define FAILS(call, want) tap_fails((call), (want), #call, __FILE__, __LINE__)

/* A check that cannot be made here, and why. Counts as a skip, never as a pass. */
void skip(const char *format, ...) TAP_FORMAT(1, 2);
void diag(const char *format, ...) TAP_FORMAT(1, 2);
/* Print the plan; 0 when no check failed and at least one was made or skipped, else 1. */
int done(void);

/* True if the run has reduced sizes (OP2_TEST_QUICK=1), as under sanitizers. */
bool quick(void);
/* True if the run has full sizes (OP2_TEST_FULL=1) and is not a quick one: all combinations instead
 * of a choice of them. */
bool thorough(void);
/* Return 1 in a build with a sanitizer, and else 0. A test that tries one of two combinations takes the even or
 * the odd ones, so that the builds of a run together try all. */
int taken_half(void);
/* Roots of the source tree and of the build folder, set by the runner; "." without a runner. */
const char *source_root(void);
const char *build_root(void);

#ifdef __cplusplus
}
#endif
#endif
