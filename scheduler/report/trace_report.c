/* SPDX-License-Identifier: BSD-3-Clause */
/* The file for the timeline of a context. */
#include <string.h>

#include "backend.h"
#include "comm.h"
#include "context.h"
#include "error.h"
#include "log.h"
#include "report_file.h"
#include "trace.h"
#include "trace_report.h"

/* Each rank has a file: without "%r" in the name its number comes before the ending. */
static void find_path(op2_context ctx, char *path, size_t size) {
  const char *name = ctx->config.trace, *slash = strrchr(name, '/');
  const char *base = slash ? slash + 1 : name, *dot = strrchr(base, '.');
  const int stem = (int)(dot && dot > base ? (size_t)(dot - name) : strlen(name));
  char pattern[4096];
  const bool several = ctx->comm && ctx->comm->size > 1 && !strstr(name, "%r");
  snprintf(pattern, sizeof pattern, several ? "%.*s-%%r%s" : "%.*s%s", stem, name, name + stem);
  op2i_report_path(ctx, pattern, 0, path, size);
}

static void warn(op2_context ctx) {
  char path[4096];
  find_path(ctx, path, sizeof path);
  op2i_log(ctx, OP2I_LOG_WARN, "the trace could not be written to '%s': %s", path,
           op2_error_message());
}

void op2i_trace_start(op2_context ctx) {
  const char *name = ctx->config.trace;
  if (!name || !*name || !strcmp(name, "0")) return;
  char path[4096];
  find_path(ctx, path, sizeof path);
  FILE *stream = op2i_report_open(path, "OP2_TRACE");
  if (!stream || op2i_trace_open(ctx, stream, ctx->backend->name)) warn(ctx);
}

void op2i_trace_stop(op2_context ctx) {
  if (op2i_trace_close(ctx)) warn(ctx);
}
