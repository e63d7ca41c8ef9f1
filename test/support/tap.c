/* SPDX-License-Identifier: BSD-3-Clause */
#include "tap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks, failures;

/* Text after "# ": a newline would end the comment and a '#' in a name would start a directive. */
static void put_line(const char *start, const char *text) {
  printf("%s", start);
  for (const char *c = text; *c; c++) {
    if (*c == '\n' && c[1])
      printf("\n# ");
    else if (*c != '\n')
      putchar(*c);
  }
  putchar('\n');
  fflush(stdout);
}

static void put_result(bool good, const char *format, va_list args) {
  char name[512];
  vsnprintf(name, sizeof name, format, args);
  for (char *c = name; *c; c++)
    if (*c == '#' || *c == '\n') *c = ' ';
  checks++;
  if (!good) failures++;
  printf("%s %d - %s\n", good ? "ok" : "not ok", checks, name);
  fflush(stdout);
}

static void put_place(const char *file, int line) { diag("  at %s:%d", file, line); }

bool tap_ok(bool good, const char *file, int line, const char *format, ...) {
  va_list args;
  va_start(args, format);
  put_result(good, format, args);
  va_end(args);
  if (!good) put_place(file, line);
  return good;
}

bool tap_is_int(int64_t got, int64_t want, const char *file, int line, const char *format, ...) {
  va_list args;
  va_start(args, format);
  put_result(got == want, format, args);
  va_end(args);
  if (got == want) return true;
  put_place(file, line);
  diag("  got %" PRId64 ", expected %" PRId64, got, want);
  return false;
}

bool tap_is_str(const char *got, const char *want, const char *file, int line, const char *format,
                ...) {
  bool same = got && want ? strcmp(got, want) == 0 : got == want;
  va_list args;
  va_start(args, format);
  put_result(same, format, args);
  va_end(args);
  if (same) return true;
  put_place(file, line);
  put_line("# got: ", got ? got : "(null)");
  put_line("# expected: ", want ? want : "(null)");
  return false;
}

bool tap_check(op2_status status, const char *call, const char *file, int line) {
  if (tap_ok(status == OP2_SUCCESS, file, line, "%s", call)) return true;
  diag("  %s: %s", op2_status_name(status), op2_error_message());
  return false;
}

bool tap_fails(op2_status status, op2_status want, const char *call, const char *file, int line) {
  bool good = status == want && op2_error_message()[0] != '\0';
  tap_ok(good, file, line, "%s gives %s", call, op2_status_name(want));
  if (!good) diag("  %s: %s", op2_status_name(status), op2_error_message());
  return good;
}

void skip(const char *format, ...) {
  char reason[512];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  for (char *c = reason; *c; c++)
    if (*c == '\n') *c = ' ';
  printf("ok %d # SKIP %s\n", ++checks, reason);
  fflush(stdout);
}

void diag(const char *format, ...) {
  char text[8192];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  put_line("# ", text);
}

int done(void) {
  printf("1..%d\n", checks);
  fflush(stdout);
  return failures > 0 || checks == 0;
}

static bool asked(const char *name) {
  const char *value = getenv(name);
  return value && *value && strcmp(value, "0") != 0;
}

bool quick(void) { return asked("OP2_TEST_QUICK"); }

bool thorough(void) { return asked("OP2_TEST_FULL") && !quick(); }

int taken_half(void) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  return 1;
#else
  return 0;
#endif
}

static const char *root(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : ".";
}

const char *source_root(void) { return root("OP2_TEST_SOURCE"); }
const char *build_root(void) { return root("OP2_TEST_BUILD"); }
