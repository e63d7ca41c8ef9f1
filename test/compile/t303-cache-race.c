/* SPDX-License-Identifier: BSD-3-Clause */
/* Many processes and threads start at once with an empty cache. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "t3-rig.h"

enum { PROCESSES = 16, LOOPS = 6, THREADS = 6 };

/* Loops first..LOOPS-1 in one call, so that processes with a different first loop merge them
 * differently. */
static bool all_right(const char *cache, int first, struct op2i_jit_stats *stats) {
  char sources[LOOPS][2048];
  struct op2i_jit_code units[LOOPS];
  op2_context ctx = rig_context(cache, NULL, NULL);
  bool right = true;
  for (int part = 0; part < 2; part++) {
    int from = part ? 0 : first, n = (part ? first : LOOPS) - from;
    for (int i = 0; i < n; i++) {
      rig_source(sources[i], sizeof sources[i], from + i, NULL);
      units[i] = (struct op2i_jit_code){
          .source = sources[i], .mergeable = (from + i) % 3 != 0, .label = "race"};
    }
    right = right && op2i_jit_get(ctx, n, units) == OP2_SUCCESS;
    for (int i = 0; i < n; i++)
      right =
          right && units[i].function && ((rig_fn)units[i].function)(5.0) == 5.0 * (from + i) + 1;
  }
  *stats = rig_stats(ctx);
  rig_end(ctx);
  return right;
}

static void race(int round) {
  char cache[RIG_PATH];
  struct op2i_jit_stats stats;
  pid_t pids[PROCESSES];
  int gate[2], right = 0;
  rig_path(cache, "cache-%d", round);
  if (pipe(gate) != 0) return;
  for (int i = 0; i < PROCESSES; i++) {
    pids[i] = fork();
    if (pids[i] != 0) continue;
    char byte;
    close(gate[1]);
    ssize_t got = read(gate[0], &byte, 1); /* returns when the parent opens the gate for all */
    bool good = got == 0 && all_right(cache, i % LOOPS, &stats);
    _exit(good && stats.rejected == 0 && stats.failed == 0 ? 0 : 1);
  }
  close(gate[0]);
  close(gate[1]);
  for (int i = 0; i < PROCESSES; i++) {
    int status;
    right +=
        waitpid(pids[i], &status, 0) == pids[i] && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  is_int(right, PROCESSES,
         "%d processes on a cold cache, round %d: right numbers, nothing rejected", PROCESSES,
         round);
  ok(all_right(cache, 0, &stats) && stats.disk_hits == LOOPS && stats.compiled == 0,
     "afterwards all is on disk");
  rig_path(cache, "cache-%d/" OP2I_ABI, round);
  is_int(rig_count(cache, ""), 2 * LOOPS, "one file per loop under two names, and no other");
}

static void *thread(void *cache) {
  struct op2i_jit_stats stats;
  bool right = true;
  for (int i = 0; i < 3; i++) right = all_right(cache, i, &stats) && right;
  return right ? cache : NULL;
}

static void test_threads(void) {
  char cache[RIG_PATH];
  pthread_t threads[THREADS];
  int right = 0;
  rig_path(cache, "cache-threads");
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, thread, cache);
  for (int i = 0; i < THREADS; i++) {
    void *result;
    pthread_join(threads[i], &result);
    right += result != NULL;
  }
  is_int(right, THREADS, "%d threads, each with contexts of its own, on a cold cache", THREADS);
  is_int(rig_count(rig_root, "op2-scratch-"), 0, "no scratch folder is left");
}

/* Print the time to find a loop on disk; there is no check of it, since the machine may be busy. */
static void report_hit_time(void) {
  enum { TIMES = 50 };
  char cache[RIG_PATH], table[] = "static const double table[2000] = {1, 2, 3};\n"
                                  "double OP2_NAME(look)(int i) { return table[i]; }";
  struct op2i_jit_code unit;
  double best = 1;
  rig_path(cache, "cache-time");
  for (int i = 0; i < TIMES; i++) {
    struct timespec from, to;
    op2_context ctx = rig_context(cache, NULL, NULL);
    rig_get(ctx, 1, table, &unit); /* finds the compiler and opens the cache */
    rig_end(ctx);
    ctx = rig_context(cache, NULL, NULL);
    clock_gettime(CLOCK_MONOTONIC, &from);
    rig_get(ctx, 1, table, &unit);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    if (rig_stats(ctx).disk_hits == 1 && seconds < best) best = seconds;
    rig_end(ctx);
  }
  diag("a hit on disk, opening compiler and cache included: %.3f ms at best", 1e3 * best);
}

int main(void) {
  rig_open();
  for (int round = 0; round < (quick() ? 1 : 3); round++) race(round);
  test_threads();
  report_hit_time();
  rig_close();
  return done();
}
