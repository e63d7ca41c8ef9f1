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

/* Print a line of the table for a part that is not a loop; shares are of the total time. */
static void print_part(const char *part, double seconds, const op2_times *times) {
  printf("%-42s %12.4f %7.1f\n", part, seconds, 100 * seconds / times->total);
}

static bool print_loops(op2_context ctx, const op2_times *times) {
  const int workers = op2_workers(ctx);
  op2_profile p;
  op2_status status;
  printf("%-24s %-8s %8s %12s %7s %8s %8s\n", "loop", "set", "calls", "seconds", "%", "GB", "GB/s");
  for (int i = 0; (status = op2_profile_get(ctx, i, &p)) == OP2_SUCCESS; i++) {
    const double seconds = p.seconds / workers;
    printf("%-24s %-8s %8" PRId64 " %12.4f %7.1f %8.2f %8.2f\n", p.kernel, p.set, p.calls, seconds,
           100 * seconds / times->total, 1e-9 * p.bytes,
           seconds > 0 ? 1e-9 * p.bytes / seconds : 0);
  }
  return status == OP2_ERR_RANGE || report_ok(status, "op2_profile_get");
}

static bool print_table(op2_context ctx) {
  op2_times times;
  char compiling[80];
  if (!report_ok(op2_times_get(ctx, &times), "op2_times_get") || !print_loops(ctx, &times))
    return false;
  snprintf(compiling, sizeof compiling, "compiling (%" PRId64 " anew, %" PRId64 " from the cache)",
           times.compiled, times.loaded);
  print_part("waiting for one another", times.waiting, &times);
  print_part(compiling, times.compiling, &times);
  print_part("preparing loops", times.preparing, &times);
  print_part("the program itself", times.elsewhere, &times);
  print_part("total", times.total, &times);
  printf("\nSeconds on the clock since op2_init. A loop has those that the %d workers spent in it, "
         "divided\nby their number; waiting is what they spent between loops. GB is what a loop "
         "by itself has to\nmove at least.\n",
         op2_workers(ctx));
  return true;
}

/* Print the messages of rank 0 and the time that it waited for others. */
static bool print_halos(op2_context ctx) {
  op2_comm_stats sent;
  if (ranks_number() == 1) return true;
  if (!report_ok(op2_comm_stats_get(ctx, &sent), "op2_comm_stats_get")) return false;
  printf("halos: %" PRId64 " messages of %" PRId64 " bytes in %" PRId64
         " exchanges, %.6f s on their "
         "way, %.6f s waited for\n",
         sent.messages, sent.bytes, sent.exchanges, sent.travelling, sent.waited);
  return true;
}

/* Print the transfers between rank 0's host and device, if it has one. */
static bool print_device(op2_context ctx) {
  op2_device_stats moved;
  if (!report_ok(op2_device_stats_get(ctx, &moved), "op2_device_stats_get")) return false;
  if (!moved.launches && !moved.host_loops) return true;
  printf("device: %" PRId64 " transfers there of %" PRId64 " bytes, %" PRId64 " back of %" PRId64
         " bytes, %" PRId64 " launches, %" PRId64 " loops on the host\n",
         moved.puts, moved.put_bytes, moved.gets, moved.get_bytes, moved.launches,
         moved.host_loops);
  return true;
}

bool report_run(op2_context ctx, const run_times *times, const char *iterations) {
  double most[] = {times->mesh, times->setup, times->loop, times->timed};
  ranks_greatest(most, 4);
  printf("backend %s, %d workers", op2_backend_name(ctx), op2_workers(ctx));
  if (ranks_number() > 1) printf(" on rank 0 of %d", ranks_number());
  printf("\ntotal_time_s %.6f (mesh %.3f, setup %.3f, %s %.3f)\n", most[0] + most[1] + most[2],
         most[0], most[1], iterations, most[2]);
  if (times->iterations > 0)
    printf("time_per_iteration_ms %.6f\n", 1e3 * most[3] / (double)times->iterations);
  if (!print_halos(ctx) || !print_device(ctx)) return false;
  putchar('\n');
  return print_table(ctx);
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
