/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of queueing, flushing and running a loop, in addition to the loop itself. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "subject.h"

enum { ELEMENTS = 3, BACKENDS = 3, MANY = 100 };

static const int64_t elements[ELEMENTS] = {1, 100, 10000};
static const char *const backends[BACKENDS] = {"starpu", "openmp", "sequential"};

typedef struct settings {
  int batches, loops;
  const char *backend; /* null: all backends */
  bool check;
} settings;

/* Nanoseconds per loop. */
typedef struct cost {
  double median, least;
} cost;

/* ---- execution modes of a loop --------------------------------------------------------------- */

typedef bool runner(subject *s, int loops);

static bool run_hand(subject *s, int loops, direct_loop *const *table) {
  direct_loop *volatile loop = table[s->shape]; /* volatile: no call may be left out */
  for (int i = 0; i < loops; i++) loop(s->elements, s->data, &s->sum);
  return true;
}

static bool run_plain(subject *s, int loops) { return run_hand(s, loops, direct_plain); }
static bool run_openmp(subject *s, int loops) { return run_hand(s, loops, direct_openmp); }

static bool run_queued(subject *s, int loops, int per_flush) {
  for (int i = 1; i <= loops; i++) {
    if (!succeeded(subject_queue(s), "op2_par_loop")) return false;
    if (i % per_flush == 0 && !succeeded(op2_flush(s->ctx), "op2_flush")) return false;
  }
  return true;
}

static bool run_each(subject *s, int loops) { return run_queued(s, loops, 1); }
static bool run_many(subject *s, int loops) { return run_queued(s, loops, MANY); }

static bool run_record(subject *s, int loops) {
  for (int i = 0; i < loops; i++)
    if (!succeeded(subject_queue(s), "op2_par_loop")) return false;
  return true;
}

/* ---- timing ---------------------------------------------------------------------------------- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int compare(const void *left, const void *right) {
  const double l = *(const double *)left, r = *(const double *)right;
  return (l > r) - (l < r);
}

/* One batch goes first untimed: it compiles, plans and warms caches. What is still queued after a
 * batch runs outside the timed part. */
static bool measure(const settings *o, runner *run, subject *s, int loops, cost *out) {
  double *ns = malloc((size_t)o->batches * sizeof *ns);
  bool good = ns;
  for (int b = -1; b < o->batches && good; b++) {
    const double begin = now();
    good = run(s, loops);
    if (b >= 0) ns[b] = (now() - begin) / loops;
    if (s->ctx) good = good && succeeded(op2_flush(s->ctx), "op2_flush");
  }
  if (good) {
    qsort(ns, (size_t)o->batches, sizeof *ns, compare);
    *out = (cost){ns[o->batches / 2], ns[0]};
  }
  free(ns);
  return good;
}

/* Long loops are repeated fewer times. */
static int loops_for(const settings *o, int e) {
  const int64_t fewer = elements[e] > 1000 ? o->loops / 10 : o->loops;
  return (int)((fewer + MANY - 1) / MANY) * MANY;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool start(const settings *o, const char *backend, op2_context *ctx) {
  const op2_options wishes = {.backend = backend, .queue_max = o->loops + MANY};
  return succeeded(op2_init(&wishes, ctx), "op2_init");
}

static bool table_recording(const settings *o) {
  op2_context ctx;
  if (!start(o, "sequential", &ctx)) return false;
  printf("Recording, ns per op2_par_loop: %d batches of %d\n", o->batches, o->loops);
  printf("%4s %9s %9s\n", "args", "median", "least");
  bool good = true;
  for (int shape = 0; shape < SHAPES && good; shape++) {
    subject s;
    cost c;
    good = subject_make(&s, shape, 1, ctx) && measure(o, run_record, &s, o->loops, &c);
    if (good) printf("%4d %9.1f %9.1f\n", shape_nargs(shape), c.median, c.least);
    subject_free(&s);
  }
  return succeeded(op2_finalize(&ctx), "op2_finalize") && good;
}

/* The loops by hand are measured before a backend starts its threads. */
static bool measure_hand(const settings *o, cost plain[ELEMENTS][SHAPES],
                         cost openmp[ELEMENTS][SHAPES]) {
  bool good = true;
  for (int e = 0; e < ELEMENTS; e++)
    for (int shape = 0; shape < SHAPES && good; shape++) {
      subject s;
      const int loops = loops_for(o, e);
      good = subject_make(&s, shape, elements[e], NULL) &&
             measure(o, run_plain, &s, loops, &plain[e][shape]) &&
             (!direct_has_openmp || measure(o, run_openmp, &s, loops, &openmp[e][shape]));
      subject_free(&s);
    }
  return good;
}

static void print_cost(cost c) { printf(" %9.0f %9.0f", c.median, c.least); }

static bool table_backend(const settings *o, const char *backend, cost plain[ELEMENTS][SHAPES],
                          cost openmp[ELEMENTS][SHAPES]) {
  op2_context ctx;
  if (!start(o, backend, &ctx)) return false;
  bool good = true;
  for (int e = 0; e < ELEMENTS; e++)
    for (int shape = 0; shape < SHAPES && good; shape++) {
      subject s;
      cost each, many;
      const int loops = loops_for(o, e);
      good = subject_make(&s, shape, elements[e], ctx) && measure(o, run_each, &s, loops, &each) &&
             measure(o, run_many, &s, loops, &many);
      if (good) {
        printf("%-10s %6" PRId64 " %4d", backend, elements[e], shape_nargs(shape));
        print_cost(plain[e][shape]);
        if (direct_has_openmp)
          print_cost(openmp[e][shape]);
        else
          printf(" %9s %9s", "-", "-");
        print_cost(each);
        print_cost(many);
        printf(" %9.0f %9.0f\n", each.least - plain[e][shape].least,
               many.least - plain[e][shape].least);
      }
      subject_free(&s);
    }
  return succeeded(op2_finalize(&ctx), "op2_finalize") && good;
}

static bool usable(const char *backend) {
  const char *why = op2_backend_unavailable(backend);
  if (why) printf("%s: not available: %s\n", backend, why);
  return !why;
}

static bool tables(const settings *o) {
  static cost plain[ELEMENTS][SHAPES], openmp[ELEMENTS][SHAPES];
  if (!table_recording(o) || !measure_hand(o, plain, openmp)) return false;
  printf("\nRunning, ns per loop, median and least of %d batches. hand: a call of the loop written "
         "by\nhand; omp for: the same shared among threads; each: one flush per loop; many: one "
         "flush per\n%d loops; beyond: least over least by hand.\n",
         o->batches, MANY);
  printf("%-10s %6s %4s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "backend", "size", "args",
         "hand", "least", "omp for", "least", "each", "least", "many", "least", "b. each",
         "b. many");
  bool good = true;
  for (int b = 0; b < BACKENDS && good; b++)
    if ((!o->backend || !strcmp(o->backend, backends[b])) && usable(backends[b]))
      good = table_backend(o, backends[b], plain, openmp);
  return good;
}

/* ---- checking -------------------------------------------------------------------------------- */

static bool check_one(const char *backend, int shape, int64_t n, op2_context ctx) {
  enum { ALONE = 20, TOGETHER = 2 * MANY };
  subject s;
  bool good = subject_make(&s, shape, n, ctx);
  if (good) {
    good = run_each(&s, ALONE) && run_many(&s, TOGETHER) && run_plain(&s, ALONE) &&
           run_openmp(&s, TOGETHER) && subject_agrees(&s);
    printf("%s: %s: %" PRId64 " elements, %d arguments\n", good ? "agrees" : "differs", backend, n,
           shape_nargs(shape));
  }
  subject_free(&s);
  return good;
}

static bool check(const settings *o) {
  bool good = true;
  for (int b = 0; b < BACKENDS; b++) {
    if ((o->backend && strcmp(o->backend, backends[b])) || !usable(backends[b])) continue;
    op2_context ctx;
    if (!start(o, backends[b], &ctx)) return false;
    for (int e = 0; e < ELEMENTS; e++)
      for (int shape = 0; shape < SHAPES; shape++)
        good = check_one(backends[b], shape, elements[e], ctx) && good;
    good = succeeded(op2_finalize(&ctx), "op2_finalize") && good;
  }
  return good;
}

/* ---- command line ---------------------------------------------------------------------------- */

static int usage(FILE *stream, int status) {
  fputs("usage: overhead [option]...\n"
        "  --batches N     measurements of each figure (default 31)\n"
        "  --loops N       loops in a measurement (default 2000), at most 100000\n"
        "  --backend NAME  starpu, openmp or sequential (default each that is there)\n"
        "  --check         compare results with the loops by hand, measure nothing\n"
        "  --help          print this and exit\n"
        "How loops are run is for the environment to say: OP2_FUSE=0, OP2_REPLAY=0, ...\n",
        stream);
  return status;
}

static bool read_count(const char *text, int most, int *count) {
  char *end;
  errno = 0;
  const long value = text ? strtol(text, &end, 10) : 0;
  if (!text || end == text || *end || errno || value < 1 || value > most) return false;
  *count = (int)value;
  return true;
}

static bool known_backend(const char *text, const char **backend) {
  for (int b = 0; b < BACKENDS; b++)
    if (text && !strcmp(text, backends[b])) *backend = backends[b];
  return *backend;
}

static bool parse(int argc, char **argv, settings *o) {
  enum { MOST_LOOPS = 100000 };
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(argv[i], "--check")) {
      o->check = true;
      continue;
    }
    const bool good = !strcmp(argv[i], "--batches") ? read_count(value, INT_MAX, &o->batches)
                      : !strcmp(argv[i], "--loops")
                          ? read_count(value, MOST_LOOPS, &o->loops)
                          : !strcmp(argv[i], "--backend") && known_backend(value, &o->backend);
    if (!good) {
      fprintf(stderr, "overhead: cannot make sense of %s %s\n", argv[i], value ? value : "");
      return false;
    }
    i++;
  }
  return true;
}

int main(int argc, char **argv) {
  settings o = {.batches = 31, .loops = 2000};
  if (argc == 2 && !strcmp(argv[1], "--help")) return usage(stdout, 0);
  if (!parse(argc, argv, &o)) return usage(stderr, 2);
  return (o.check ? check(&o) : tables(&o)) ? 0 : 1;
}
