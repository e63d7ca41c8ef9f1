/* SPDX-License-Identifier: BSD-3-Clause */
#include "twin.h"

#include <math.h>
#include <omp.h>

#include "common/lanes.h"

/* Parts of a set begin at multiples of this, so that no two threads write to one line. */
enum { GRAIN = 16 };

static int make_plan(crew *c, int map, bench_error *error) {
  const problem_map *m = &c->p->map[map];
  const int64_t n = c->p->size[m->from], parts = 2 * c->threads;
  const int64_t size = ((n + parts - 1) / parts + GRAIN - 1) / GRAIN * GRAIN;
  if (c->plan[map].order) return 0;
  return plan_create(&c->plan[map], m->rows, n, m->arity, c->p->size[m->to], size, error);
}

int crew_make(crew *c, const yardstick *y, const problem *p, int threads, bench_error *error) {
  *c = (crew){.threads = threads, .p = p};
  for (int t = 0; t < MOST_TWINS && threads > 1; t++)
    for (int k = 0; k < MOST_PHASES; k++)
      if (y->twins[t].phase[k].adds && make_plan(c, y->twins[t].phase[k].adds - 1, error))
        return -1;
  return 0;
}

void crew_free(crew *c) {
  for (int m = 0; m < MOST_MAPS; m++) plan_free(&c->plan[m]);
}

static arrays arrays_of(const problem *p, double *most) {
  arrays a = {.most = most};
  for (int d = 0; d < p->ndat; d++) a.dat[d] = p->dat[d].data;
  for (int m = 0; m < p->nmap; m++) a.map[m] = p->map[m].rows;
  return a;
}

/* Where part i of so many parts of n elements begins. */
static int64_t part(int64_t n, int i, int parts) {
  return i == parts ? n : n / GRAIN * i / parts * GRAIN;
}

static void run_equal(const crew *c, const twin_phase *phase, const arrays *a) {
  const int64_t n = c->p->size[phase->set];
  const int me = omp_get_thread_num(), all = omp_get_num_threads();
  phase->run(a, part(n, me, all), part(n, me + 1, all));
#pragma omp barrier
}

static void run_colours(const plan *blocks, const twin_phase *phase, const arrays *a) {
  for (int64_t k = 0; k < blocks->ncolour; k++) {
#pragma omp for schedule(static)
    for (int64_t i = blocks->start[k]; i < blocks->start[k + 1]; i++)
      phase->run(a, blocks->order[i] * blocks->size, plan_block_end(blocks, blocks->order[i]));
  }
}

static double run_together(const crew *c, const twin *t) {
  double all = 0;
#pragma omp parallel num_threads(c->threads) reduction(max : all)
  {
    double most = 0;
    const arrays a = arrays_of(c->p, &most);
    for (int k = 0; k < MOST_PHASES && t->phase[k].run; k++)
      if (t->phase[k].adds)
        run_colours(&c->plan[t->phase[k].adds - 1], &t->phase[k], &a);
      else
        run_equal(c, &t->phase[k], &a);
    all = most;
  }
  return all;
}

double crew_run(const crew *c, const twin *t) {
  if (c->threads > 1) return run_together(c, t);
  double most = 0;
  const arrays a = arrays_of(c->p, &most);
  for (int k = 0; k < MOST_PHASES && t->phase[k].run; k++)
    t->phase[k].run(&a, 0, c->p->size[t->phase[k].set]);
  return most;
}

/* Add up n values; several sums at a time, so that it does not wait for additions. */
static double add_up(const double *data, int64_t n) {
  lanes sum[8] = {{0}};
  int64_t i = 0;
  for (; i + 8 * LANES <= n; i += 8 * LANES)
    for (int k = 0; k < 8; k++) sum[k] += lanes_load(data + i + k * LANES);
  for (int k = 1; k < 8; k++) sum[0] += sum[k];
  double all = lanes_sum(sum[0]);
  for (; i < n; i++) all += data[i];
  return all;
}

void crew_read(int threads, const double *data, int64_t bytes) {
  const int64_t n = bytes / 8;
  double sum = 0;
  if (threads == 1) {
    sum = add_up(data, n);
  } else {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
      const int me = omp_get_thread_num(), all = omp_get_num_threads();
      sum = add_up(data + part(n, me, all), part(n, me + 1, all) - part(n, me, all));
    }
  }
  volatile double result = sum;
  (void)result;
}

void crew_change(int threads, double *data, int64_t bytes) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
  for (int64_t i = 0; i < bytes / 8; i++) data[i] = 0.5 - data[i];
}
