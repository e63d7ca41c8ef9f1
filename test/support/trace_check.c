/* SPDX-License-Identifier: BSD-3-Clause */
/* Judge a file of OP2_TRACE by the rules of its format, and, with the file of OP2_REPORT in JSON from
 * the same run, whether the loops of each kernel took the same time in both, within 2 %.
 *   trace_check TRACE.json [REPORT.json]
 * Loops were not fused (OP2_FUSE=0): fused ones have names of their own in a trace. The last line has
 * the greatest difference in percent. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"
#include "trace_case.h"

static const double allowed = 2;

/* On a device the report counts all workers for its time. */
static double workers_of(const struct json *trace, const struct json *report) {
  const char *backend = json_text(report, "backend");
  return strcmp(backend, "opencl") != 0 && strcmp(backend, "cuda") != 0 &&
                 strcmp(backend, "hip") != 0
             ? 1
             : json_number(json_member(trace, "otherData"), "workers");
}

/* The times of a kernel are the sum over its sets, since slices of a trace have its name alone. */
static double reported(const struct json *report, const char *kernel) {
  const struct json *loops = json_member(report, "loops");
  double seconds = 0;
  for (const struct json *loop = loops ? loops->first : NULL; loop; loop = loop->next)
    if (!strcmp(json_text(loop, "kernel"), kernel)) seconds += json_number(loop, "worker_seconds");
  return 1e6 * seconds;
}

static bool agree(const struct json *trace, const struct json *report) {
  const struct json *loops = json_member(report, "loops");
  double worst = 0;
  if (!loops || !loops->first) return false;
  for (const struct json *loop = loops->first; loop; loop = loop->next) {
    const char *kernel = json_text(loop, "kernel");
    const double want = reported(report, kernel),
                 got = workers_of(trace, report) * trace_loop_us(trace, kernel);
    const double percent = want > 0 ? 100 * fabs(got - want) / want : got > 0 ? INFINITY : 0;
    if (percent > allowed)
      printf("%s: %.3f us in the trace, %.3f us in the report\n", kernel, got, want);
    worst = fmax(worst, percent);
  }
  printf("difference %.4f\n", worst);
  return worst <= allowed;
}

int main(int argc, char **argv) {
  struct json *trace = argc > 1 ? json_read(argv[1]) : NULL,
              *report = argc > 2 ? json_read(argv[2]) : NULL;
  bool good = trace && trace_is_valid(trace) && (argc < 3 || (report && agree(trace, report)));
  if (!trace || (argc > 2 && !report)) printf("a file is not there, or is not JSON\n");
  json_free(trace);
  json_free(report);
  return good ? 0 : 1;
}
