/* SPDX-License-Identifier: BSD-3-Clause */
/* The problem: volumes, widths, the length of time steps, and the temperatures at the start. */
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void centre(const mesh *m, int32_t cell, double at[2]) {
  at[0] = at[1] = 0.0;
  for (int k = 0; k < 4; k++)
    for (int d = 0; d < 2; d++)
      at[d] += 0.25 * m->x[2 * (int64_t)m->cell[4 * (int64_t)cell + k] + d];
}

static double distance(const double a[2], const double b[2]) {
  return hypot(a[0] - b[0], a[1] - b[1]);
}

static void add_areas(const mesh *m, double *area) {
  for (int64_t c = 0; c < m->ncell; c++) {
    const int32_t *node = m->cell + 4 * c;
    double twice = 0.0;
    for (int k = 0; k < 4; k++) {
      const double *a = m->x + 2 * (int64_t)node[k], *b = m->x + 2 * (int64_t)node[(k + 1) % 4];
      twice += a[0] * b[1] - a[1] * b[0];
    }
    for (int k = 0; k < 4; k++) area[node[k]] += 0.125 * fabs(twice);
  }
}

/* Heat flows between the centres of the cells on either side. */
static void add_weights(const mesh *m, double *weight) {
  for (int64_t e = 0; e < m->nedge; e++) {
    double left[2], right[2];
    centre(m, m->ecell[2 * e], left);
    centre(m, m->ecell[2 * e + 1], right);
    const double *a = m->x + 2 * (int64_t)m->edge[2 * e];
    const double *b = m->x + 2 * (int64_t)m->edge[2 * e + 1];
    weight[e] = distance(left, right) / distance(a, b);
  }
}

/* Time steps have half of the length at which the new temperature of some node would depend on its
 * neighbours alone; until it is known, `rate` holds the sum of the weights round each node. */
static void fill_rates(const mesh *m, problem *p) {
  double step = INFINITY;
  for (int64_t e = 0; e < m->nedge; e++)
    for (int k = 0; k < 2; k++) p->rate[m->edge[2 * e + k]] += p->weight[e];
  for (int64_t i = 0; i < m->nnode; i++)
    if (p->rate[i] > 0.0) step = fmin(step, 0.5 * p->area[i] / p->rate[i]);
  for (int64_t i = 0; i < m->nnode; i++) p->rate[i] = step / p->area[i];
}

/* It is hot in front of the section and cold far from it. */
static void fill_start(const mesh *m, double *start) {
  for (int64_t i = 0; i < m->nnode; i++) {
    const double x = m->x[2 * i] + 0.5, y = m->x[2 * i + 1];
    start[i] = 1.0 / (1.0 + 4.0 * (x * x + y * y));
  }
}

int problem_create(const mesh *m, problem *p, bench_error *error) {
  const size_t n = (size_t)m->nnode;
  problem made = {.area = calloc(n, sizeof *made.area),
                  .start = calloc(n, sizeof *made.start),
                  .rate = calloc(n, sizeof *made.rate),
                  .weight = calloc((size_t)m->nedge, sizeof *made.weight)};
  if (!made.area || !made.start || !made.rate || !made.weight) {
    problem_free(&made);
    return bench_fail(error, "out of memory for the problem");
  }
  add_areas(m, made.area);
  add_weights(m, made.weight);
  fill_rates(m, &made);
  fill_start(m, made.start);
  *p = made;
  return 0;
}

void problem_free(problem *p) {
  free(p->area);
  free(p->start);
  free(p->rate);
  free(p->weight);
  *p = (problem){0};
}

void outcome_line(int step, double change) {
  printf("%d %.15e\n", step, change);
  fflush(stdout);
}

void outcome_print(const outcome *end, const problem *p, const mesh *m, const double *u) {
  double heat = 0.0, hottest = 0.0;
  for (int64_t i = 0; i < m->nnode; i++) {
    heat += p->area[i] * u[i];
    hottest = fmax(hottest, u[i]);
  }
  printf("steps %d, %s\n", end->steps, end->steady ? "steady" : "not steady");
  printf("change %.15e\n", end->change);
  printf("heat %.15e\n", heat);
  printf("hottest %.15e\n", hottest);
}
