/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads for work on large arrays outside of loops. They end when the work is done: the threads of
 * a pool would have to spin or be woken, and would compete with the backend's own threads. */
#define _GNU_SOURCE
#include "parallel.h"

#include <pthread.h>
#include <sched.h>

#include "affinity.h"
#include "fpenv.h"

/* More threads than this would only wait for the same memory. */
enum { THREADS_MAX = 16 };

struct piece {
  void (*work)(void *arg, int64_t lo, int64_t hi);
  void *arg;
  int64_t lo, hi;
  pthread_t thread;
};

static void *do_piece(void *argument) {
  OP2I_FP_DEFAULT;
  struct piece *piece = argument;
  piece->work(piece->arg, piece->lo, piece->hi);
  return NULL;
}

/* The number of CPUs for new threads. They inherit the CPUs of the calling thread; if an OpenMP
 * runtime has bound it to one place of several, they get the CPUs of all places. */
static int64_t usable_cpus(pthread_attr_t *attributes) {
  int numbers[OP2I_CPU_NUMBERS];
  bool narrow;
  cpu_set_t cpus;
  int n = op2i_process_cpus(numbers, &narrow);
  if (!narrow) return n ? n : THREADS_MAX;
  CPU_ZERO(&cpus);
  for (int i = 0; i < n; i++) CPU_SET(numbers[i], &cpus);
  return pthread_attr_setaffinity_np(attributes, sizeof cpus, &cpus) ? 1 : n;
}

static int64_t count_pieces(int64_t threads, int64_t n, int64_t least, pthread_attr_t *attributes) {
  int64_t count = threads < THREADS_MAX ? threads : THREADS_MAX;
  if (count > n / least) count = n / least;
  if (count < 2) return 1;
  int64_t cpus = usable_cpus(attributes);
  return count < cpus ? count : cpus;
}

void op2i_parallel(int threads, int64_t n, int64_t least,
                   void (*work)(void *arg, int64_t lo, int64_t hi), void *arg) {
  struct piece pieces[THREADS_MAX];
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes)) {
    work(arg, 0, n);
    return;
  }
  int64_t count = count_pieces(threads, n, least, &attributes), begun = 1;
  for (int64_t p = 0; p < count; p++)
    pieces[p] = (struct piece){.work = work,
                               .arg = arg,
                               .lo = n / count * p,
                               .hi = p + 1 < count ? n / count * (p + 1) : n};
  while (begun < count &&
         !pthread_create(&pieces[begun].thread, &attributes, do_piece, &pieces[begun]))
    begun++;
  pthread_attr_destroy(&attributes);
  do_piece(&pieces[0]);
  for (int64_t p = begun; p < count; p++) do_piece(&pieces[p]);
  for (int64_t p = 1; p < begun; p++) pthread_join(pieces[p].thread, NULL);
}
