/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of queues that differ from step to step: the same loops with fusion by default and
 * without it (OP2_FUSE=0), each in a context of its own, first with an empty cache of compiled
 * loops and then with the filled one. Results must be bitwise equal. */
#define _GNU_SOURCE
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  int loops, steps, size, dats, rounds;
  const char *queue;
  run_options run;
} settings;

static const option table[] = {
    {"--queue", "NAME", "random, anew or pool (default each)", PROGRAM_COMPARES, option_text,
     offsetof(settings, queue)},
    {"--loops", "N", "loops of the long queue (default 2000)", PROGRAM_COMPARES, option_positive,
     offsetof(settings, loops)},
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
typedef struct queue {
  const char *name, *what;
  bool pooled; /* True if each loop is one of POOL that are drawn at the start */
  bool steps;
} queue;

static const queue queues[] = {
    {"random", "loops in random order, flushed once", false, false},
    {"anew", "steps of ten loops chosen anew", false, true},
    {"pool", "steps of ten loops out of thirty", true, true},
};
enum { QUEUES = sizeof queues / sizeof *queues };

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

static op2_status run(const settings *o, const queue *q, const mesh *m) {
  loop pool[POOL];
  const int n = q->steps ? o->steps * PER_STEP : o->loops;
  op2_status status = OP2_SUCCESS;
  state = 20;
  for (int i = 0; i < POOL; i++) pool[i] = draw_loop(o);
  for (int i = 1; i <= n && !status; i++) {
    status = put(m, q->pooled ? pool[draw(POOL)] : draw_loop(o));
    if (!status && q->steps && i % PER_STEP == 0) status = op2_flush(m->ctx);
  }
  return status ? status : op2_flush(m->ctx);
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

/* Measure the seconds from the first loop to the end of the last; `values` gets the results. */
static bool measure_in(const settings *o, const queue *q, const char *cache, bool fuse, mesh *m,
                       double *values, double *seconds) {
  const op2_options options = {.backend = o->run.backend,
                               .threads = o->run.threads,
                               .cache_dir = cache,
                               .queue_max = o->loops};
  fuse ? unsetenv("OP2_FUSE") : setenv("OP2_FUSE", "0", 1);
  if (!good(op2_init(&options, &m->ctx))) return false;
  bool right = good(declare(o, m, values));
  const double begin = clock_now();
  right = right && good(run(o, q, m));
  *seconds = clock_now() - begin;
  right = right && good(collect(o, m, values));
  for (int d = 0; d < o->dats; d++) op2_dat_destroy(&m->dats[d]);
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&m->kernels[k]);
  op2_set_destroy(&m->set);
  return good(op2_finalize(&m->ctx)) && right;
}

/* Each queue runs with an empty cache, and then with the filled one. */
enum { CACHES = 2 };

static bool measure(const settings *o, const queue *q, bool fuse, double *values[CACHES],
                    double seconds[CACHES]) {
  char cache[] = P_tmpdir "/op2-queues-XXXXXX";
  mesh m = {.dats = calloc((size_t)o->dats, sizeof(op2_dat))};
  bool right = m.dats && mkdtemp(cache);
  if (!right) perror("queues");
  for (int c = 0; c < CACHES && right; c++)
    right = measure_in(o, q, cache, fuse, &m, values[c], &seconds[c]);
  if (m.dats) nftw(cache, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  free(m.dats);
  return right;
}

/* ---- the table ------------------------------------------------------------------------------- */

enum { WAYS = 2 * CACHES };

static bool compare(const settings *o, const queue *q, double *values[WAYS], bool *same) {
  const size_t bytes = (size_t)o->dats * (size_t)o->size * sizeof(double);
  double least[WAYS] = {1e30, 1e30, 1e30, 1e30};
  *same = true;
  for (int r = 0; r < o->rounds; r++) {
    double seconds[WAYS];
    if (!measure(o, q, false, values, seconds)) return false;
    if (!measure(o, q, true, values + CACHES, seconds + CACHES)) return false;
    for (int w = 0; w < WAYS; w++) {
      if (seconds[w] < least[w]) least[w] = seconds[w];
      *same = *same && !memcmp(values[0], values[w], bytes);
    }
  }
  printf("%-8s", q->name);
  for (int c = 0; c < CACHES; c++)
    printf(" %10.1f %9.1f %6.2f", 1e3 * least[c], 1e3 * least[CACHES + c],
           least[CACHES + c] / least[c]);
  printf("  %s  %d %s\n", *same ? "same bits" : "BITS DIFFER", q->steps ? o->steps : o->loops,
         q->what);
  return true;
}

int main(int argc, char **argv) {
  settings o = {.loops = 2000, .steps = 200, .size = 64, .dats = 30, .rounds = 3};
  int exit_status = option_parse(argc, argv, PROGRAM_COMPARES, table, &o, &o.run);
  if (exit_status >= 0) return exit_status;
  bool known = !o.queue;
  for (int q = 0; q < QUEUES; q++) known = known || !strcmp(o.queue, queues[q].name);
  if (!known || o.dats < 2) {
    fputs("queues: --queue is random, anew or pool, and --dats at least 2\n", stderr);
    return 2;
  }
  const size_t bytes = (size_t)o.dats * (size_t)o.size * sizeof(double);
  double *all = malloc(WAYS * bytes), *values[WAYS];
  for (int w = 0; w < WAYS && all; w++) values[w] = all + (size_t)w * (bytes / sizeof *all);
  bool right = all, same = true;
  printf("Milliseconds, the least of %d, with an empty cache of compiled loops and with a filled "
         "one; ratio: as it comes over OP2_FUSE=0.\n%-8s",
         o.rounds, "queue");
  for (int c = 0; c < CACHES; c++) printf(" %10s %9s %6s", "OP2_FUSE=0", "fused", "ratio");
  printf("\n");
  for (int q = 0; q < QUEUES && right; q++) {
    bool alike;
    if (o.queue && strcmp(o.queue, queues[q].name)) continue;
    right = compare(&o, &queues[q], values, &alike);
    same = same && alike;
    fflush(stdout);
  }
  free(all);
  return right && same ? 0 : 1;
}
