/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads for work on large arrays outside of loops. They end with the work: a pool would have to
 * spin or be woken, and would meet the backend's own threads. */
#define _GNU_SOURCE
#include "parallel.h"

#include <pthread.h>
#include <sched.h>

/* More threads than these wait for the same memory. */
enum { THREADS_MAX = 16 };

struct piece {
  void (*work)(void *arg, int64_t lo, int64_t hi);
  void *arg;
  int64_t lo, hi;
  pthread_t thread;
};

static void *do_piece(void *argument) {
  struct piece *piece = argument;
  piece->work(piece->arg, piece->lo, piece->hi);
  return NULL;
}

/* New threads may run where this one may; OpenMP binds it to one CPU if told so. */
static int64_t usable_cpus(void) {
  cpu_set_t cpus;
  return sched_getaffinity(0, sizeof cpus, &cpus) ? THREADS_MAX : CPU_COUNT(&cpus);
}

static int64_t count_pieces(int64_t threads, int64_t n, int64_t least) {
  int64_t count = threads < THREADS_MAX ? threads : THREADS_MAX;
  if (count > n / least) count = n / least;
  if (count < 2) return 1;
  int64_t cpus = usable_cpus();
  return count < cpus ? count : cpus;
}

void op2i_parallel(int threads, int64_t n, int64_t least,
                   void (*work)(void *arg, int64_t lo, int64_t hi), void *arg) {
  struct piece pieces[THREADS_MAX];
  int64_t count = count_pieces(threads, n, least), begun = 1;
  for (int64_t p = 0; p < count; p++)
    pieces[p] = (struct piece){.work = work,
                               .arg = arg,
                               .lo = n / count * p,
                               .hi = p + 1 < count ? n / count * (p + 1) : n};
  while (begun < count && !pthread_create(&pieces[begun].thread, NULL, do_piece, &pieces[begun]))
    begun++;
  do_piece(&pieces[0]);
  for (int64_t p = begun; p < count; p++) do_piece(&pieces[p]);
  for (int64_t p = 1; p < begun; p++) pthread_join(pieces[p].thread, NULL);
}
