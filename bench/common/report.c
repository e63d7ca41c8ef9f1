/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "progress.h"
#include "ranks.h"

bool report_ok(op2_status status, const char *call) {
  if (status == OP2_SUCCESS) return true;
  progress_clear();
  fprintf(stderr, "%s: %.*s: %s (%s)\n", report_name, (int)strcspn(call, "("), call,
          op2_error_message(), op2_status_name(status));
  return false;
}

bool report_init(const run_options *run, op2_context *ctx) {
  const op2_options options = {
      .backend = run->backend, .threads = run->threads, .eager = run->eager};
  return report_ok(ranks_init(&options, ctx), "op2_init");
}

bool report_run(op2_context ctx, const run_times *times, const char *iterations) {
  double most[] = {times->mesh, times->setup, times->loop, times->timed};
  ranks_greatest(most, 4);
  printf("total_time_s %.6f (mesh %.3f, setup %.3f, %s %.3f)\n", most[0] + most[1] + most[2],
         most[0], most[1], iterations, most[2]);
  if (times->iterations > 0)
    printf("time_per_iteration_ms %.6f\n", 1e3 * most[3] / (double)times->iterations);
  return !ranks_first() || report_ok(op2_report(ctx, stdout), "op2_report");
}

void report_renumbering(double seconds, const run_times *times) {
  if (seconds > 0 && times->iterations > 0 && times->timed > 0)
    printf("renumbering took as long as %.1f iterations\n",
           seconds * (double)times->iterations / times->timed);
}

bool report_finalize(op2_context *ctx, bool good) {
  if (!good && ranks_number() > 1) (void)ranks_end(EXIT_FAILURE);
  return report_ok(op2_finalize(ctx), "op2_finalize") && good;
}

bool report_dump(op2_dat dat, int64_t n, int dim, double last, const char *path) {
  const void *values = NULL;
  bench_error error;
  if (!path) return true;
  TRY(ranks_values_begin(dat, n, (size_t)dim * sizeof(double), &values));
  const int rc = values ? dump_write(path, values, n * dim, last, &error) : 0;
  if (rc) fprintf(stderr, "%s: %s\n", report_name, error.text);
  TRY(ranks_values_end(dat, &values));
  return rc == 0;
fail:
  return false;
}

static bool write_text(op2_context ctx, const char *path, op2_status (*write)(op2_context, FILE *),
                       const char *call) {
  if (!path || !ranks_first()) return true;
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
