/* SPDX-License-Identifier: BSD-3-Clause */
/* Work on large arrays that is divided among threads, and the memory of such arrays. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mem.h"
#include "parallel.h"
#include "rows.h"
#include "tap.h"

/* ---- threads that cannot be made ---- */

static int threads_left = -1; /* number of threads that can still be made; -1: any number */

typedef int create_thread(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Replaces the function of the C library, for op2 as well. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
  create_thread *real;
  *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  if (threads_left == 0) return EAGAIN;
  if (threads_left > 0) threads_left--;
  return real(thread, attributes, start, argument);
}

/* ---- ranges ---- */

struct tally {
  int64_t least, *seen;
  _Atomic int calls;
  _Atomic bool small;
};

static void count_range(void *argument, int64_t lo, int64_t hi) {
  struct tally *tally = argument;
  tally->calls++;
  if (hi - lo < tally->least) tally->small = true;
  for (int64_t i = lo; i < hi; i++) tally->seen[i]++;
}

/* True if each of n numbers is seen once, in this many ranges of at least `least` numbers. */
static bool shared_out(int threads, int64_t n, int64_t least, int calls) {
  struct tally tally = {.least = least, .seen = calloc((size_t)n + 1, sizeof(int64_t))};
  if (!tally.seen) return false;
  op2i_parallel(threads, n, least, count_range, &tally);
  bool good = tally.calls == calls && (calls == 1 || !tally.small) && tally.seen[n] == 0;
  for (int64_t i = 0; i < n; i++) good = good && tally.seen[i] == 1;
  free(tally.seen);
  return good;
}

static int at_most(int count, int limit) { return count < limit ? count : limit; }

static void test_ranges(int cpus) {
  ok(shared_out(1, 1000, 1, 1), "one thread");
  ok(shared_out(0, 1000, 1, 1), "none is one");
  ok(shared_out(4, 0, 1, 1), "nothing to do");
  ok(shared_out(4, 1000, 1, at_most(4, cpus)), "as many ranges as threads");
  ok(shared_out(4, 1003, 502, 1), "too little for two");
  ok(shared_out(4, 1003, 501, at_most(2, cpus)), "enough for two");
  ok(shared_out(4, 1003, 250, at_most(4, cpus)), "enough for four");
  ok(shared_out(7, 7, 1, at_most(7, cpus)), "one each");
  ok(shared_out(100, 1000, 1, at_most(16, cpus)), "16 are the most");
  bool good = true;
  for (int made = 0; made < 16; made++) {
    threads_left = made;
    good = good && shared_out(16, 1000, 1, at_most(16, cpus));
  }
  threads_left = -1;
  ok(good, "without threads the caller does it all");
}

/* New threads inherit the caller's affinity: on a single CPU they would only share it, so the
 * caller works alone. */
static void test_bound(void) {
  cpu_set_t before, one;
  int first = 0;
  if (sched_getaffinity(0, sizeof before, &before)) {
    skip("a bound caller: the CPUs of this thread are not told");
    return;
  }
  while (!CPU_ISSET(first, &before)) first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  if (sched_setaffinity(0, sizeof one, &one)) {
    skip("a bound caller: this thread cannot be bound");
    return;
  }
  ok(shared_out(4, 1000, 1, 1), "a caller bound to one CPU works alone");
  ok(!sched_setaffinity(0, sizeof before, &before), "and is set free again");
}

/* ---- rows ---- */

enum { ROWS = 600000 };

static void fill(unsigned char *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)(i * 2654435761u >> 13);
}

/* number[i] = 7 i mod ROWS, which is a permutation. */
static bool moves(size_t bytes, const int64_t *number) {
  unsigned char *in = malloc(ROWS * bytes), *out = malloc(ROWS * bytes),
                *back = malloc(ROWS * bytes);
  bool good = in && out && back;
  if (good) {
    fill(in, ROWS * bytes);
    op2i_rows_gather(4, ROWS, number, bytes, in, out);
    for (size_t i = 0; i < ROWS; i++)
      good = good && !memcmp(out + i * bytes, in + (size_t)number[i] * bytes, bytes);
    op2i_rows_scatter(4, ROWS, number, bytes, out, back);
    good = good && !memcmp(in, back, ROWS * bytes);
    op2i_rows_copy(4, ROWS, bytes, in, out);
    good = good && !memcmp(in, out, ROWS * bytes);
  }
  free(in);
  free(out);
  free(back);
  return good;
}

static void test_rows(void) {
  static const size_t sizes[] = {1, 4, 8, 12, 16, 32, 40};
  int64_t *number = malloc(ROWS * sizeof *number);
  for (int64_t i = 0; number && i < ROWS; i++) number[i] = 7 * i % ROWS;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    ok(number && moves(sizes[s], number), "rows of %zu bytes go there and back", sizes[s]);
  free(number);
}

/* ---- memory ---- */

static bool is_aligned(const void *data, uintptr_t to) { return (uintptr_t)data % to == 0; }

static void test_memory(void) {
  enum { PAGE = 2 << 20, KINDS = 2 };
  static const size_t sizes[] = {0, 1, 63, 64, 4096, 200000, PAGE - 1, PAGE, PAGE + 1, 5 * PAGE};
  bool lines = true, pages = true, zero = true, room = true;
  for (size_t s = 0; s < KINDS * sizeof sizes / sizeof *sizes; s++) {
    const size_t bytes = sizes[s / KINDS];
    unsigned char *data = s % KINDS ? op2i_alloc_raw(bytes) : op2i_alloc_data(bytes);
    room = room && data;
    if (!data) continue;
    lines = lines && is_aligned(data, 64);
    pages = pages && (bytes < PAGE || is_aligned(data, PAGE));
    for (size_t i = 0; i < bytes && s % KINDS == 0; i++) zero = zero && !data[i];
    memset(data, 0xA5, bytes);
    op2i_free_data(data);
  }
  ok(room, "there is room");
  ok(lines, "on cache lines");
  ok(pages, "large arrays on huge pages");
  ok(zero, "zero where asked for");
  ok(!op2i_alloc_raw(SIZE_MAX) && !op2i_alloc_data(SIZE_MAX - 64) && !op2i_alloc_raw(PTRDIFF_MAX),
     "nothing larger than an object can be");
  op2i_free_data(NULL);
}

/* malloc_trim() initialises glibc's allocator in a way that is not thread-safe if the program has
 * another allocator. */
#ifdef __GLIBC__
#include <malloc.h>

static _Atomic int trimming, trims, most_trimming;

/* Replaces the function of the C library. */
int malloc_trim(size_t kept) {
  const struct timespec nap = {.tv_nsec = 2000000};
  (void)kept;
  int now = ++trimming;
  if (now > most_trimming) most_trimming = now;
  nanosleep(&nap, NULL);
  trims++;
  trimming--;
  return 0;
}

static void *give_back(void *unused) {
  op2i_mem_give_back();
  return unused;
}

static void test_give_back(void) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  int made = 0;
  while (made < THREADS && !pthread_create(&threads[made], NULL, give_back, NULL)) made++;
  for (int t = 0; t < made; t++) pthread_join(threads[t], NULL);
  ok(made == THREADS && trims == THREADS && most_trimming == 1,
     "freed memory is given back by one thread at a time");
}
#else
static void test_give_back(void) { skip("the C library keeps freed memory to itself"); }
#endif

int main(void) {
  cpu_set_t mine;
  test_ranges(sched_getaffinity(0, sizeof mine, &mine) ? 16 : CPU_COUNT(&mine));
  test_bound();
  test_rows();
  test_memory();
  test_give_back();
  return done();
}
