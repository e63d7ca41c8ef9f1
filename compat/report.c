/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints lines for a program, reads clocks, and reports what loops cost. */
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

void op_timing_output(void) {
  op2_profile line;
  op2i_compat_close_view();
  op2i_compat_check(op2_flush(op2i_compat.ctx), "op_timing_output");
  if (!op_is_root()) return;
  printf("%-24s %-16s %10s %12s %10s\n", "kernel", "set", "calls", "seconds", "GB/s");
  for (int i = 0; op2_profile_get(op2i_compat.ctx, i, &line) == OP2_SUCCESS; i++)
    printf("%-24s %-16s %10lld %12.6f %10.3f\n", line.kernel, line.set, (long long)line.calls,
           line.seconds,
           line.seconds > 0 ? 1e-9 * line.bytes * op2_workers(op2i_compat.ctx) / line.seconds : 0);
  printf("%lld loops ran at once, for the result of a reduction or by their address\n",
         (long long)op2i_compat.forced);
}

void op_diagnostic_output(void) {
  if (!op_is_root()) return;
  printf("%lld sets, %lld maps, %lld dats; backend %s with %d workers\n",
         (long long)op2i_compat.nsets, (long long)op2i_compat.nmaps, (long long)op2i_compat.ndats,
         op2_backend_name(op2i_compat.ctx), op2_workers(op2i_compat.ctx));
  if (op2i_compat.diags > 1)
    op2i_compat_check(op2_explain(op2i_compat.ctx, stdout), "op_diagnostic_output");
}
