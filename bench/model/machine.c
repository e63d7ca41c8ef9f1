/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Between the sizes that were measured. */
static double at_size(const machine *m, const double *ns, double bytes) {
  if (bytes <= m->bytes[0]) return ns[0];
  for (int s = 1; s < MACHINE_SIZES; s++)
    if (bytes <= m->bytes[s]) {
      const double part = log(bytes / m->bytes[s - 1]) / log(m->bytes[s] / m->bytes[s - 1]);
      return ns[s - 1] + part * (ns[s] - ns[s - 1]);
    }
  return ns[MACHINE_SIZES - 1];
}

double machine_more_ns(const machine *m, double ns, double before, double bytes, int threads) {
  const int t = (threads < MACHINE_THREADS ? threads : MACHINE_THREADS) - 1;
  double known[MACHINE_KERNELS], more[MACHINE_KERNELS];
  for (int k = 0; k < MACHINE_KERNELS; k++) {
    known[k] = at_size(m, m->byte_ns[0][k], before);
    more[k] = fmax(0, at_size(m, m->byte_ns[t][k], bytes) - known[k]);
  }
  if (ns <= known[0]) return more[0];
  for (int k = 1; k < MACHINE_KERNELS; k++)
    if (ns <= known[k]) {
      const double part = log(ns / known[k - 1]) / log(known[k] / known[k - 1]);
      return more[k - 1] + part * (more[k] - more[k - 1]);
    }
  return more[MACHINE_KERNELS - 1];
}

static int compare(const void *left, const void *right) {
  const double l = *(const double *)left, r = *(const double *)right;
  return (l > r) - (l < r);
}

/* Put the median of a number that all have at the same offset into *out. */
static void take_median(const machine *several, int n, size_t offset, machine *out) {
  double values[MACHINE_MOST];
  for (int i = 0; i < n; i++)
    values[i] = *(const double *)(const void *)((const char *)&several[i] + offset);
  qsort(values, (size_t)n, sizeof *values, compare);
  *(double *)(void *)((char *)out + offset) = values[n / 2];
}

machine machine_median(const machine *several, int n) {
  static const size_t costs[] = {offsetof(machine, costs.take),   offsetof(machine, costs.look),
                                 offsetof(machine, costs.scan),   offsetof(machine, costs.barrier),
                                 offsetof(machine, costs.member), offsetof(machine, costs.region),
                                 offsetof(machine, costs.queue),  offsetof(machine, costs.slice)};
  machine out = several[0];
  for (size_t c = 0; c < sizeof costs / sizeof *costs; c++) take_median(several, n, costs[c], &out);
  for (size_t i = 0; i < sizeof out.byte_ns / sizeof(double); i++)
    take_median(several, n, offsetof(machine, byte_ns) + i * sizeof(double), &out);
  return out;
}

void machine_print(const machine *m, FILE *stream) {
  const sim_costs *c = &m->costs;
  fprintf(stream, "constants, in nanoseconds, on %d cores:\n", m->cores);
  fprintf(stream, "  take blocks %.1f; read another member's line %.1f, each of many %.1f\n",
          c->take, c->look, c->scan);
  fprintf(stream, "  end of a turn %.1f, and %.1f for each further member", c->barrier, c->member);
  fprintf(stream, "; in a tree %.0f for 64 members, %.0f for 128\n", sim_turn_end(c, 64),
          sim_turn_end(c, 128));
  fprintf(stream, "  parallel region %.0f for each member; slice of a shared core %.0f\n",
          c->region, c->slice);
  fprintf(stream, "  combine two partial results %.1f; from loop to loop %.0f; queue a loop %.0f\n",
          c->fold, c->start, c->queue);
  fprintf(stream, "  a byte in a working set of so many KiB:");
  for (int s = 0; s < MACHINE_SIZES; s++) fprintf(stream, " %.0f", m->bytes[s] / 1024);
  for (int t = 0; t < MACHINE_THREADS; t++)
    for (int k = 0; k < MACHINE_KERNELS; k++) {
      fprintf(stream, "\n    %d thread%s, kernel %d:", t + 1, t ? "s" : " ", k + 1);
      for (int s = 0; s < MACHINE_SIZES; s++) fprintf(stream, " %.4f", m->byte_ns[t][k][s]);
    }
  fputc('\n', stream);
}
