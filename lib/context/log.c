/* SPDX-License-Identifier: BSD-3-Clause */
/* Log lines to stderr, up to the log level of the context. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

#include "context.h"

void op2i_log(op2_context ctx, int level, const char *format, ...) {
  static const char *const names[] = {"", "error", "warning", "info", "debug"};
  int limit = ctx ? ctx->config.log_level : OP2I_LOG_WARN;
  if (level > limit) return;
  /* One write per line, so that lines of several threads and processes stay whole. */
  char line[1024];
  int used = snprintf(line, sizeof line, "op2 %s: ", names[level]);
  va_list args;
  va_start(args, format);
  vsnprintf(line + used, sizeof line - (size_t)used - 1, format, args);
  va_end(args);
  fprintf(stderr, "%s\n", line);
}
