/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "rehearse.h"

#include <stdlib.h>
#include <time.h>

#include "op2.h"

/* openmp shares no loop with less data than 64 KiB, so blocks have enough elements. */
enum { ELEMENTS = 16384 };

static void doze(double ms) {
  const long ns = (long)(1e6 * ms);
  if (ns > 0)
    nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
}

/* The first element of each block sleeps. */
static void rest_all(const double *ms, double *left, double *right) {
  doze(*ms);
  *left += 1;
  *right += 1;
}
static void rest_each(const double *ms, double *x) {
  doze(*ms);
  *x += 1;
}
static void rest_sum(const double *ms, double *x, double *sum) {
  doze(*ms);
  *x += 1;
  *sum += 1;
}
OP2_KERNEL_FUNCTION(rest_all, (const double *ms, double *left, double *right), OP2_ANY_THREADS);
OP2_KERNEL_FUNCTION(rest_each, (const double *ms, double *x), OP2_ANY_THREADS);
OP2_KERNEL_FUNCTION(rest_sum, (const double *ms, double *x, double *sum), OP2_ANY_THREADS);

typedef struct stage {
  op2_context ctx;
  op2_set elements, ends;
  op2_map map;
  op2_dat none, ms, x, y; /* x is on the elements, y on the ends of blocks */
  op2_gbl sum;
  op2_kernel all, each, add;
} stage;

#define DO(call)                                                                                   \
  if ((status = (call)) != OP2_SUCCESS) return status

static int64_t block_size(const rehearsal *what) {
  return what->blocks < ELEMENTS ? (ELEMENTS + what->blocks - 1) / what->blocks : 1;
}

static op2_status declare(const rehearsal *what, const int32_t *map, const double *ms, stage *s) {
  const int64_t n = block_size(what) * what->blocks;
  op2_status status;
  DO(op2_set_create(s->ctx, n, "elements", &s->elements));
  DO(op2_set_create(s->ctx, what->blocks + 1, "ends", &s->ends));
  DO(op2_map_create(s->elements, s->ends, 2, map, "map", &s->map));
  DO(op2_dat_create(s->elements, 1, OP2_F64, NULL, "none", &s->none));
  DO(op2_dat_create(s->elements, 1, OP2_F64, ms, "ms", &s->ms));
  DO(op2_dat_create(s->elements, 1, OP2_F64, NULL, "x", &s->x));
  DO(op2_dat_create(s->ends, 1, OP2_F64, NULL, "y", &s->y));
  DO(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "sum", &s->sum));
  DO(op2_kernel_create(s->ctx, &rest_all_kernel, &s->all));
  DO(op2_kernel_create(s->ctx, &rest_each_kernel, &s->each));
  return op2_kernel_create(s->ctx, &rest_sum_kernel, &s->add);
}

static op2_status run_once(const rehearsal *what, stage *s, op2_dat ms) {
  op2_status status;
  if (what->coloured) {
    DO(op2_par_loop(s->all, s->elements, op2_arg_direct(ms, OP2_READ),
                    op2_arg_dat(s->y, 0, s->map, OP2_INC), op2_arg_dat(s->y, 1, s->map, OP2_INC)));
  } else if (what->partials) {
    DO(op2_par_loop(s->add, s->elements, op2_arg_direct(ms, OP2_READ), op2_arg_direct(s->x, OP2_RW),
                    op2_arg_gbl(s->sum, OP2_INC)));
  } else {
    DO(op2_par_loop(s->each, s->elements, op2_arg_direct(ms, OP2_READ),
                    op2_arg_direct(s->x, OP2_RW)));
  }
  return op2_flush(s->ctx);
}

static void destroy(stage *s) {
  op2_kernel_destroy(&s->all);
  op2_kernel_destroy(&s->each);
  op2_kernel_destroy(&s->add);
  op2_gbl_destroy(&s->sum);
  op2_dat_destroy(&s->none);
  op2_dat_destroy(&s->ms);
  op2_dat_destroy(&s->x);
  op2_dat_destroy(&s->y);
  op2_map_destroy(&s->map);
  op2_set_destroy(&s->elements);
  op2_set_destroy(&s->ends);
}

/* Fill the map and how long elements sleep. */
static void fill(const rehearsal *what, int32_t *map, double *ms) {
  const int64_t size = block_size(what);
  for (int64_t i = 0; i < size * what->blocks; i++) {
    const int32_t block = (int32_t)(i / size);
    map[2 * i] = block;
    map[2 * i + 1] = block + 1;
    ms[i] = i % size == 0 ? what->ms[block] : 0;
  }
}

static op2_status run_both(const rehearsal *what, const int32_t *map, const double *ms) {
  const op2_options options = {
      .backend = "openmp", .threads = what->members, .block_size = (int)block_size(what)};
  stage s = {0};
  op2_status status = op2_init(&options, &s.ctx);
  if (status) return status;
  status = declare(what, map, ms, &s);
  if (!status) status = run_once(what, &s, s.none);
  if (!status) status = run_once(what, &s, s.ms);
  destroy(&s);
  const op2_status ended = op2_finalize(&s.ctx);
  return status ? status : ended;
}

int rehearse(const rehearsal *what, const char *path, record *r, bench_error *error) {
  const size_t n = (size_t)(block_size(what) * what->blocks);
  int32_t *map = malloc(2 * n * sizeof *map);
  double *ms = malloc(n * sizeof *ms);
  int failed = map && ms ? 0 : bench_fail(error, "out of memory for a rehearsal");
  if (!failed) {
    fill(what, map, ms);
    setenv("OP2_SCHEDULE", path, 1);
    if (run_both(what, map, ms)) failed = bench_fail(error, "%s", op2_error_message());
    unsetenv("OP2_SCHEDULE");
  }
  free(map);
  free(ms);
  return failed ? failed : record_read(path, r, error);
}

sim_turn rehearsal_turn(const rehearsal *what, int32_t colour) {
  const int32_t step = what->coloured ? 2 : 1, n = (what->blocks - colour + step - 1) / step;
  double *block = malloc(((size_t)n + 1) * sizeof *block);
  for (int32_t b = 0; block && b < n; b++) block[b] = 1e6 * what->ms[colour + b * step];
  return (sim_turn){.team = SIM_OPENMP,
                    .members = what->members,
                    .cores = what->members,
                    .blocks = n,
                    .joined = !what->coloured && !what->partials,
                    .block = block};
}
