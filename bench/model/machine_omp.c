/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements with OpenMP's threads, whose barriers and regions the backend openmp uses; more than
 * eight of them wait in a tree, whose cost follows from lines that two of them exchange. The
 * machine may have other things to do, so the least of several figures counts. */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/clock.h"
#include "machine.h"

enum { TRIES = 15 };

/* Compilers do not leave out what is written here. */
extern volatile int machine_regions;
extern volatile bool machine_found;
volatile int machine_regions;
volatile bool machine_found;

/* ---- parts of dispatch ----------------------------------------------------------------------- */

static double barrier_ns(int threads) {
  enum { TURNS = 2000 };
  double least = INFINITY;
  for (int k = 0; k < TRIES; k++) {
    double took = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
      const double begin = clock_now();
      for (int i = 0; i < TURNS; i++) {
#pragma omp barrier
      }
      if (omp_get_thread_num() == 0) took = clock_now() - begin;
    }
    least = fmin(least, 1e9 * took / TURNS);
  }
  return least;
}

static double region_ns(int threads) {
  enum { REGIONS = 500 };
  double least = INFINITY;
  for (int k = 0; k < TRIES; k++) {
    const double begin = clock_now();
    for (int i = 0; i < REGIONS; i++) {
#pragma omp parallel num_threads(threads)
      machine_regions = i;
    }
    least = fmin(least, 1e9 * (clock_now() - begin) / REGIONS);
  }
  return least;
}

typedef void block_code(int64_t lo, int64_t hi);
static volatile int64_t seen;
static void nothing(int64_t lo, int64_t hi) { seen = hi - lo; }

static double take_ns(void) {
  enum { BLOCKS = 100000 };
  static _Alignas(128) int32_t taken;
  block_code *volatile run = nothing;
  double least = INFINITY;
  for (int k = 0; k < TRIES; k++) {
    const double begin = clock_now();
    taken = 0;
    while (__atomic_load_n(&taken, __ATOMIC_RELAXED) < BLOCKS) {
      const int32_t at = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
      run(at, at + 1);
    }
    least = fmin(least, 1e9 * (clock_now() - begin) / BLOCKS);
  }
  return least;
}

/* Two threads write a line in turn; half of that is a transfer. */
static double look_ns(void) {
  enum { LAPS = 5000 };
  static _Alignas(128) int lap;
  double least = INFINITY;
  for (int k = 0; k < TRIES; k++) {
    double took = 0;
    lap = 0;
#pragma omp parallel num_threads(2)
    {
      const int me = omp_get_thread_num();
#pragma omp barrier
      const double begin = clock_now();
      if (omp_get_num_threads() == 2)
        for (int i = me; i < 2 * LAPS; i += 2) {
          while (__atomic_load_n(&lap, __ATOMIC_ACQUIRE) != i) continue;
          __atomic_store_n(&lap, i + 1, __ATOMIC_RELEASE);
        }
#pragma omp barrier
      if (me == 0) took = clock_now() - begin;
    }
    least = fmin(least, 1e9 * took / (2 * LAPS));
  }
  return least;
}

/* One thread writes a line for each of many members, and the other one reads them all, as a member
 * does that looks whether blocks are left. */
static double scan_ns(void) {
  enum { LINES = 64, LAPS = 500 };
  static struct { _Alignas(128) int32_t value; } lines[LINES];
  double least = INFINITY;
  for (int k = 0; k < TRIES; k++) {
    double took = 0;
#pragma omp parallel num_threads(2)
    for (int i = 0; i < LAPS; i++) {
      if (omp_get_thread_num() == omp_get_num_threads() - 1)
        for (int l = 0; l < LINES; l++) __atomic_store_n(&lines[l].value, i, __ATOMIC_RELAXED);
#pragma omp barrier
      if (omp_get_thread_num() == 0) {
        const double begin = clock_now();
        bool left = false;
        for (int l = 0; l < LINES && !left; l++)
          left = __atomic_load_n(&lines[l].value, __ATOMIC_RELAXED) < i;
        machine_found = left;
        took += clock_now() - begin;
      }
#pragma omp barrier
    }
    least = fmin(least, 1e9 * took / ((double)LAPS * LINES));
  }
  return least;
}

/* ---- cores that several members share ---------------------------------------------------------- */

enum { SLICES = 64 };

/* More threads than cores read the clock all the time. A thread that sees it jump had no core
 * meanwhile, and had one since the last jump; the median of these times is the slice. */
static int see_slices(double seconds, double *slices) {
  const double jump = 300e-6, begin = clock_now();
  double last = begin, since = begin;
  int n = 0;
  while (last - begin < seconds && n < SLICES) {
    const double now = clock_now();
    if (now - last > jump) {
      if (since > begin) slices[n++] = 1e9 * (last - since);
      since = now;
    }
    last = now;
  }
  return n;
}

static int compare(const void *left, const void *right) {
  const double l = *(const double *)left, r = *(const double *)right;
  return (l > r) - (l < r);
}

static double slice_ns(int cores) {
  double slices[SLICES];
  int n = 0;
#pragma omp parallel num_threads(3 * cores)
  {
    double mine[SLICES];
    const int got = see_slices(0.3, mine);
#pragma omp critical
    for (int i = 0; i < got && n < SLICES; i++) slices[n++] = mine[i];
  }
  if (n == 0) return INFINITY;
  qsort(slices, (size_t)n, sizeof *slices, compare);
  return slices[n / 2];
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Kernels that read three arrays and write one of them, and compute so much in between. */
typedef void pass_kernel(double *restrict a, const double *b, const double *c, int64_t n);

#define KERNEL(name_, rounds_)                                                                     \
  static void name_(double *restrict a, const double *b, const double *c, int64_t n) {             \
    for (int64_t i = 0; i < n; i++) {                                                              \
      double v = 0.5 * a[i] + b[i] * c[i];                                                         \
      for (int r = 0; r < (rounds_); r++) v = 0.5 * v + c[i];                                      \
      a[i] = v;                                                                                    \
    }                                                                                              \
  }
KERNEL(pass_least, 0)
KERNEL(pass_little, 8)
KERNEL(pass_some, 20)
KERNEL(pass_much, 40)
static pass_kernel *const kernels[MACHINE_KERNELS] = {pass_least, pass_little, pass_some,
                                                      pass_much};

/* Each thread passes over its parts of the arrays. */
static double pass_seconds(pass_kernel *run, double *data, int64_t space, int64_t n, int threads,
                           int passes) {
  double took = 0;
#pragma omp parallel num_threads(threads)
  {
    const int64_t me = omp_get_thread_num(), all = omp_get_num_threads();
    const int64_t lo = n * me / all, part = n * (me + 1) / all - lo;
    double begin = 0;
    for (int p = 0; p <= passes; p++) {
      if (p == 1) {
#pragma omp barrier
        begin = clock_now();
      }
      run(data + lo, data + space + lo, data + 2 * space + lo, part);
    }
#pragma omp barrier
    if (me == 0) took = clock_now() - begin;
  }
  return took;
}

static double pass_ns(pass_kernel *run, double *data, int64_t space, int64_t n, int threads) {
  enum { PASS_TRIES = 7 };
  const double bytes_of_one = 4 * sizeof(double), least_bytes = 16e6;
  const int passes = (int)fmax(1, least_bytes / (bytes_of_one * (double)n));
  double least = INFINITY;
  for (int k = 0; k < PASS_TRIES; k++)
    least = fmin(least, pass_seconds(run, data, space, n, threads, passes));
  return 1e9 * least / (bytes_of_one * (double)n / threads * passes);
}

static bool measure_bytes(machine *m) {
  const int64_t most = (int64_t)128 << 20, space = most / 24;
  double *data = malloc((size_t)(3 * space) * sizeof *data);
  if (!data) return false;
  for (int64_t i = 0; i < 3 * space; i++) data[i] = 0.25;
  for (int s = 0; s < MACHINE_SIZES; s++) {
    m->bytes[s] = (double)(most >> (MACHINE_SIZES - 1 - s));
    for (int t = 0; t < MACHINE_THREADS; t++)
      for (int k = 0; k < MACHINE_KERNELS; k++)
        m->byte_ns[t][k][s] = pass_ns(kernels[k], data, space, (int64_t)(m->bytes[s] / 24), t + 1);
  }
  free(data);
  return true;
}

bool machine_measure(machine *m) {
  *m = (machine){.cores = omp_get_num_procs()};
  m->costs.take = take_ns();
  m->costs.look = look_ns();
  m->costs.scan = scan_ns();
  m->costs.barrier = barrier_ns(1);
  m->costs.member = fmax(0, barrier_ns(2) - m->costs.barrier);
  m->costs.region = fmax(0, region_ns(2) - region_ns(1));
  m->costs.slice = slice_ns(m->cores);
  if (!machine_queue_ns(&m->costs.queue)) return false;
  return measure_bytes(m);
}
