/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "progress.h"

bool report_ok(op2_status status, const char *call) {
  if (status == OP2_SUCCESS) return true;
  progress_clear();
  fprintf(stderr, "%s: %.*s: %s (%s)\n", report_name, (int)strcspn(call, "("), call,
          op2_error_message(), op2_status_name(status));
  return false;
}

static bool print_loops(op2_context ctx) {
  op2_profile p;
  op2_status status;
  printf("%-24s %-8s %8s %12s %10s %14s\n", "loop", "set", "calls", "seconds", "GB", "GB/s/worker");
  for (int i = 0; (status = op2_profile_get(ctx, i, &p)) == OP2_SUCCESS; i++)
    printf("%-24s %-8s %8" PRId64 " %12.4f %10.3f %14.2f\n", p.kernel, p.set, p.calls, p.seconds,
           1e-9 * p.bytes, p.seconds > 0 ? 1e-9 * p.bytes / p.seconds : 0.0);
  return status == OP2_ERR_RANGE || report_ok(status, "op2_profile_get");
}

bool report_run(op2_context ctx, const run_times *times, const char *iterations) {
  printf("backend %s, %d workers\n", op2_backend_name(ctx), op2_workers(ctx));
  printf("total_time_s %.6f (mesh %.3f, setup %.3f, %s %.3f)\n",
         times->mesh + times->setup + times->loop, times->mesh, times->setup, iterations,
         times->loop);
  if (times->iterations > 0)
    printf("time_per_iteration_ms %.6f\n", 1e3 * times->timed / (double)times->iterations);
  printf(
      "\nSeconds are of work, summed over the workers; GB is what a loop has to move at least.\n");
  return print_loops(ctx);
}

static bool write_text(op2_context ctx, const char *path, op2_status (*write)(op2_context, FILE *),
                       const char *call) {
  if (!path) return true;
  const bool standard = !strcmp(path, "-");
  FILE *file = standard ? stdout : fopen(path, "w");
  if (!file) {
    perror(path);
    return false;
  }
  const bool written = report_ok(write(ctx, file), call);
  if (standard ? fflush(file) : fclose(file)) {
    perror(path);
    return false;
  }
  return written;
}

bool report_graph(op2_context ctx, const char *path) {
  return write_text(ctx, path, op2_graph_write_dot, "op2_graph_write_dot");
}

bool report_explain(op2_context ctx, const char *path) {
  return write_text(ctx, path, op2_explain, "op2_explain");
}
