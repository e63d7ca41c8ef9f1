/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool report_ok(op2_status status, const char *call) {
  if (status == OP2_SUCCESS) return true;
  const int name = (int)strcspn(call, "(");
  fprintf(stderr, "tsunami: %.*s: %s (%s)\n", name, call, op2_error_message(),
          op2_status_name(status));
  return false;
}

static void print_loop(const op2_profile *p) {
  const double gb = 1e-9 * p->bytes;
  printf("%-24s %-8s %8" PRId64 " %12.4f %10.3f %14.2f\n", p->kernel, p->set, p->calls, p->seconds,
         gb, p->seconds > 0 ? gb / p->seconds : 0.0);
}

bool report_run(op2_context ctx, const run_times *times) {
  const double total = times->mesh + times->setup + times->loop;
  printf("backend %s, %d workers\n", op2_backend_name(ctx), op2_workers(ctx));
  printf("total_time_s %.6f (mesh %.3f, setup %.3f, time loop %.3f)\n", total, times->mesh,
         times->setup, times->loop);
  if (times->iterations > 0)
    printf("time_per_iteration_ms %.6f\n", 1e3 * times->timed / (double)times->iterations);
  puts("\nSeconds are of work, summed over the workers; GB is what a loop has to move at least.");
  printf("%-24s %-8s %8s %12s %10s %14s\n", "loop", "set", "calls", "seconds", "GB", "GB/s/worker");
  op2_profile p;
  op2_status status = OP2_SUCCESS;
  for (int i = 0; (status = op2_profile_get(ctx, i, &p)) == OP2_SUCCESS; i++) print_loop(&p);
  return status == OP2_ERR_RANGE || report_ok(status, "op2_profile_get");
}
