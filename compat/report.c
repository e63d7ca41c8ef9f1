/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints lines for a program, reads clocks, and reports what loops cost. */
#include <errno.h>
#include <sys/resource.h>
#include <time.h>

#include "compat.h"

void op_printf(const char *format, ...) {
  if (!op_is_root()) return;
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}

void op_print(const char *line) { op_printf("%s\n", line); }

void op_timers_core(double *cpu, double *elapsed) {
  struct rusage usage;
  struct timespec now;
  getrusage(RUSAGE_SELF, &usage);
  clock_gettime(CLOCK_MONOTONIC, &now);
  *cpu = (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
  *elapsed = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whoever reads the clock wants what was called before to be done. */
void op_timers(double *cpu, double *elapsed) {
  if (op2i_compat.ctx) {
    op2i_compat_close_view();
    op2i_compat_check(op2_flush(op2i_compat.ctx), "op_timers");
  }
  op_timers_core(cpu, elapsed);
}

void deviceSync(void) {
  double cpu, elapsed;
  op_timers(&cpu, &elapsed);
}

void op_mpi_barrier(void) {
  deviceSync();
  (void)op2_compat_any(0);
}

/* How a table of loops is written. */
struct table {
  const char *head, *row;
};

static void print_loops(FILE *file, const struct table *table) {
  op2_profile line;
  fprintf(file, table->head, "kernel", "set", "calls", "seconds", "GB/s");
  for (int i = 0; op2_profile_get(op2i_compat.ctx, i, &line) == OP2_SUCCESS; i++)
    fprintf(file, table->row, line.kernel, line.set, (long long)line.calls, line.seconds,
            line.seconds > 0 ? 1e-9 * line.bytes * op2_workers(op2i_compat.ctx) / line.seconds : 0);
}

static void print_times(FILE *file) {
  static const struct table columns = {"%-24s %-16s %10s %12s %10s\n",
                                       "%-24s %-16s %10lld %12.6f %10.3f\n"};
  print_loops(file, &columns);
  fprintf(file, "%lld loops ran at once, for the result of a reduction or by their address\n",
          (long long)op2i_compat.forced);
}

static void print_csv(FILE *file) {
  static const struct table commas = {"%s,%s,%s,%s,%s\n", "%s,%s,%lld,%.9g,%.9g\n"};
  print_loops(file, &commas);
}

/* The first rank writes a report to a file. */
static void report_to(const char *name, const char *call, void (*print)(FILE *)) {
  deviceSync();
  if (!op_is_root()) return;
  FILE *file = fopen(name, "w");
  if (!file) op2i_compat_end("%s: %s cannot be written: %s", call, name, strerror(errno));
  print(file);
  if (ferror(file) | fclose(file)) op2i_compat_end("%s: %s cannot be written", call, name);
}

void op_timing_output(void) {
  deviceSync();
  if (op_is_root()) print_times(stdout);
}

void op_timing_output_2_file(const char *file) {
  report_to(file, "op_timing_output_2_file", print_times);
}

void op_timings_to_csv(const char *file) { report_to(file, "op_timings_to_csv", print_csv); }

void op_err_print(const char *error, int argument, const char *name) {
  op2i_compat_end("%s in argument %d of %s", error, argument, name);
}

void op_diagnostic_output(void) {
  if (!op_is_root()) return;
  printf("%lld sets, %lld maps, %lld dats; backend %s with %d workers\n",
         (long long)op2i_compat.nsets, (long long)op2i_compat.nmaps, (long long)op2i_compat.ndats,
         op2_backend_name(op2i_compat.ctx), op2_workers(op2i_compat.ctx));
  if (OP_diags > 1) op2i_compat_check(op2_explain(op2i_compat.ctx, stdout), "op_diagnostic_output");
}
