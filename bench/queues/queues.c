/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of queues that differ from step to step: the same loops with fusion by default and
 * without it (OP2_FUSE=0), each in a process of its own, first with an empty cache of compiled
 * loops and then with the filled one. Results must be bitwise equal. Memory is the most that a
 * process had beyond what it had before its first loop, and beyond what it had after a tenth of
 * its loops. */
#define _GNU_SOURCE
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/option.h"
#include "op2.h"

/* clang-format off */
OP2_KERNEL(blend, (const double *x, double *y), { y[0] = 0.5 * y[0] + 0.25 * x[0]; });
OP2_KERNEL(copy, (const double *x, double *y), { y[0] = x[0]; });
OP2_KERNEL(gain, (const double *x, double *y), { y[0] = y[0] + 0.01 * (x[0] - y[0]); });
OP2_KERNEL(turn, (const double *x, double *y), { y[0] = 1.0 - 0.5 * (x[0] + y[0]); });
/* clang-format on */

enum { KERNELS = 4, PER_STEP = 10, POOL = 30 };
static const op2_kernel_desc *const descs[KERNELS] = {&blend_kernel, &copy_kernel, &gain_kernel,
                                                      &turn_kernel};
static const op2_access accesses[KERNELS] = {OP2_RW, OP2_WRITE, OP2_RW, OP2_RW};

typedef struct settings {
  int loops, length, steps, size, dats, rounds;
  const char *queue;
  run_options run;
} settings;

static const option table[] = {
    {"--queue", "NAME", "random, full, anew or pool (default each)", PROGRAM_COMPARES, option_text,
     offsetof(settings, queue)},
    {"--loops", "N", "loops of the queue that is flushed once (default 2000)", PROGRAM_COMPARES,
     option_positive, offsetof(settings, loops)},
    {"--length", "N", "loops of the queue that runs when it is full (default 100000)",
     PROGRAM_COMPARES, option_positive, offsetof(settings, length)},
    {"--steps", "N", "steps of ten loops (default 200)", PROGRAM_COMPARES, option_positive,
     offsetof(settings, steps)},
    {"--size", "N", "elements (default 64)", PROGRAM_COMPARES, option_positive,
     offsetof(settings, size)},
    {"--dats", "N", "dats that loops are drawn over (default 30)", PROGRAM_COMPARES,
     option_positive, offsetof(settings, dats)},
    {"--rounds", "N", "measurements, of which the least count (default 3)", PROGRAM_COMPARES,
     option_positive, offsetof(settings, rounds)},
    {0},
};

/* A sequence in which loops are chosen. */
enum kind { RANDOM, FULL, ANEW, POOLED };
typedef struct queue {
  const char *name, *what;
  enum kind kind;
} queue;

static const queue queues[] = {
    {"random", "loops in random order, flushed once", RANDOM},
    {"full", "loops in random order, run when the queue is full", FULL},
    {"anew", "steps of ten loops chosen anew", ANEW},
    {"pool", "steps of ten loops out of thirty, which are drawn at the start", POOLED},
};
enum { QUEUES = sizeof queues / sizeof *queues };

static bool in_steps(const queue *q) { return q->kind == ANEW || q->kind == POOLED; }
/* The number of steps, or of loops where there are none. */
static int repeats_of(const settings *o, const queue *q) {
  return in_steps(q) ? o->steps : q->kind == FULL ? o->length : o->loops;
}

/* ---- the loops ------------------------------------------------------------------------------- */

typedef struct mesh {
  op2_context ctx;
  op2_set set;
  op2_dat *dats;
  op2_kernel kernels[KERNELS];
} mesh;

typedef struct loop {
  int kernel, from, to;
} loop;

static uint64_t state;
static int draw(int n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)n);
}

static loop draw_loop(const settings *o) {
  loop l = {.kernel = draw(KERNELS), .from = draw(o->dats), .to = draw(o->dats - 1)};
  l.to += l.to >= l.from;
  return l;
}

static bool good(op2_status status) {
  if (status) fprintf(stderr, "queues: %s\n", op2_error_message());
  return !status;
}

static op2_status put(const mesh *m, loop l) {
  return op2_par_loop(m->kernels[l.kernel], m->set, op2_arg_direct(m->dats[l.from], OP2_READ),
                      op2_arg_direct(m->dats[l.to], accesses[l.kernel]));
}

/* The most kilobytes that this process has had in memory. */
static int64_t peak(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) ? 0 : usage.ru_maxrss;
}

/* One process has measured this. */
typedef struct measurement {
  double seconds;          /* from the first loop to the end of the last */
  int64_t grown, grown_on; /* kilobytes: in all, and after a tenth of the loops */
  bool right;
} measurement;

static op2_status run(const settings *o, const queue *q, const mesh *m, measurement *out) {
  loop pool[POOL];
  const int n = repeats_of(o, q) * (in_steps(q) ? PER_STEP : 1);
  const int64_t before = peak();
  int64_t tenth = before;
  op2_status status = OP2_SUCCESS;
  state = 20;
  for (int i = 0; i < POOL; i++) pool[i] = draw_loop(o);
  for (int i = 1; i <= n && !status; i++) {
    status = put(m, q->kind == POOLED ? pool[draw(POOL)] : draw_loop(o));
    if (!status && in_steps(q) && i % PER_STEP == 0) status = op2_flush(m->ctx);
    if (i == n / 10) tenth = peak();
  }
  if (!status) status = op2_flush(m->ctx);
  out->grown = peak() - before;
  out->grown_on = peak() - tenth;
  return status;
}

/* ---- one measurement ------------------------------------------------------------------------- */

static op2_status declare(const settings *o, mesh *m, double *values) {
  op2_status status = op2_set_create(m->ctx, o->size, "cells", &m->set);
  for (int k = 0; k < KERNELS && !status; k++)
    status = op2_kernel_create(m->ctx, descs[k], &m->kernels[k]);
  for (int d = 0; d < o->dats && !status; d++) {
    char name[16];
    snprintf(name, sizeof name, "d%d", d);
    for (int i = 0; i < o->size; i++) values[i] = 0.1 * d + 0.001 * i;
    status = op2_dat_create(m->set, 1, OP2_F64, values, name, &m->dats[d]);
  }
  return status;
}

static op2_status collect(const settings *o, const mesh *m, double *values) {
  op2_status status = OP2_SUCCESS;
  for (int d = 0; d < o->dats && !status; d++)
    status = op2_dat_get(m->dats[d], values + (size_t)d * (size_t)o->size);
  return status;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where) {
  (void)st, (void)type, (void)where;
  return remove(path);
}

/* Measure in this process; `values` gets the results. */
static bool measure_here(const settings *o, const queue *q, const char *cache, bool fuse, mesh *m,
                         double *values, measurement *out) {
  const op2_options options = {.backend = o->run.backend,
                               .threads = o->run.threads,
                               .cache_dir = cache,
                               .queue_max = q->kind == FULL ? 0 : o->loops};
  fuse ? unsetenv("OP2_FUSE") : setenv("OP2_FUSE", "0", 1);
  if (!good(op2_init(&options, &m->ctx))) return false;
  bool right = good(declare(o, m, values));
  const double begin = clock_now();
  right = right && good(run(o, q, m, out));
  out->seconds = clock_now() - begin;
  right = right && good(collect(o, m, values));
  for (int d = 0; d < o->dats; d++) op2_dat_destroy(&m->dats[d]);
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&m->kernels[k]);
  op2_set_destroy(&m->set);
  return good(op2_finalize(&m->ctx)) && right;
}

/* Measure in a process of its own, so that memory freed by an earlier one is not used again. The
 * results come back in memory that both share. */
static bool measure_in(const settings *o, const queue *q, const char *cache, bool fuse, mesh *m,
                       double *values, measurement *out) {
  *out = (measurement){0};
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    out->right = measure_here(o, q, cache, fuse, m, values, out);
    _exit(!out->right);
  }
  if (child < 0) perror("queues: fork");
  return child > 0 && waitpid(child, NULL, 0) == child && out->right;
}

/* Each queue runs with an empty cache, and then with the filled one; without fusion, and with it. */
enum { CACHES = 2, MODES = 2 * CACHES };

/* Memory that the processes share. */
typedef struct shared {
  measurement measured[MODES];
  double values[];
} shared;

static double *values_of(const settings *o, shared *s, int mode) {
  return s->values + (size_t)mode * (size_t)o->dats * (size_t)o->size;
}

static bool measure(const settings *o, const queue *q, bool fuse, shared *s) {
  char cache[] = P_tmpdir "/op2-queues-XXXXXX";
  mesh m = {.dats = calloc((size_t)o->dats, sizeof(op2_dat))};
  bool right = m.dats && mkdtemp(cache);
  if (!right) perror("queues");
  for (int c = 0; c < CACHES && right; c++) {
    const int mode = fuse * CACHES + c;
    right = measure_in(o, q, cache, fuse, &m, values_of(o, s, mode), &s->measured[mode]);
  }
  if (m.dats) nftw(cache, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  free(m.dats);
  return right;
}

/* ---- the table ------------------------------------------------------------------------------- */

static double least_of(double least, double seconds) { return seconds < least ? seconds : least; }

/* Measure once more with and without fusion; `best` keeps the least seconds and the most memory. */
static bool round_of(const settings *o, const queue *q, shared *s, measurement best[MODES],
                     bool *same) {
  const size_t bytes = (size_t)o->dats * (size_t)o->size * sizeof(double);
  if (!measure(o, q, false, s) || !measure(o, q, true, s)) return false;
  for (int w = 0; w < MODES; w++) {
    const measurement *now = &s->measured[w];
    best[w].seconds = least_of(best[w].seconds, now->seconds);
    if (now->grown > best[w].grown) best[w].grown = now->grown;
    if (now->grown_on > best[w].grown_on) best[w].grown_on = now->grown_on;
    *same = *same && !memcmp(values_of(o, s, 0), values_of(o, s, w), bytes);
  }
  return true;
}

static bool compare(const settings *o, const queue *q, shared *s, bool *same) {
  measurement best[MODES] = {
      {.seconds = 1e30}, {.seconds = 1e30}, {.seconds = 1e30}, {.seconds = 1e30}};
  *same = true;
  for (int r = 0; r < o->rounds; r++)
    if (!round_of(o, q, s, best, same)) return false;
  printf("%-8s", q->name);
  for (int c = 0; c < CACHES; c++)
    printf(" %10.1f %9.1f %6.2f", 1e3 * best[c].seconds, 1e3 * best[CACHES + c].seconds,
           best[CACHES + c].seconds / best[c].seconds);
  const measurement *warm = &best[MODES - 1];
  printf(" %7.1f %7.1f  %s  %d %s\n", (double)warm->grown / 1024, (double)warm->grown_on / 1024,
         *same ? "same bits" : "BITS DIFFER", repeats_of(o, q), q->what);
  return true;
}

static void print_head(const settings *o) {
  printf(
      "Milliseconds, the least of %d, with an empty cache of compiled loops and with a filled "
      "one; ratio: as it comes over OP2_FUSE=0. Megabytes by which memory grew as it comes, with "
      "a filled cache: in all, and after a tenth of the loops.\n%-8s",
      o->rounds, "queue");
  for (int c = 0; c < CACHES; c++) printf(" %10s %9s %6s", "OP2_FUSE=0", "fused", "ratio");
  printf(" %7s %7s\n", "grows", "later");
}

int main(int argc, char **argv) {
  settings o = {.loops = 2000, .length = 100000, .steps = 200, .size = 64, .dats = 30, .rounds = 3};
  int exit_status = option_parse(argc, argv, PROGRAM_COMPARES, table, &o, &o.run);
  if (exit_status >= 0) return exit_status;
  bool known = !o.queue;
  for (int q = 0; q < QUEUES; q++) known = known || !strcmp(o.queue, queues[q].name);
  if (!known || o.dats < 2) {
    fputs("queues: --queue is random, full, anew or pool, and --dats at least 2\n", stderr);
    return 2;
  }
  const size_t bytes = sizeof(shared) + MODES * (size_t)o.dats * (size_t)o.size * sizeof(double);
  shared *s = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  bool right = s != MAP_FAILED, same = true;
  if (!right) perror("queues: mmap");
  print_head(&o);
  for (int q = 0; q < QUEUES && right; q++) {
    bool alike = true;
    if (o.queue && strcmp(o.queue, queues[q].name)) continue;
    right = compare(&o, &queues[q], s, &alike);
    same = same && alike;
  }
  return right && same ? 0 : 1;
}
