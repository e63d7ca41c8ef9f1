/* SPDX-License-Identifier: BSD-3-Clause */
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double field(double x, double y);

static double stream(double x, double y) {
  (void)y;
  return x;
}
static double nothing(double x, double y) {
  (void)x;
  (void)y;
  return 0.0;
}
static double plane(double x, double y) { return 1.0 + 2.0 * x - 3.0 * y; }
static double wave(double x, double y) { return sin(x / 4.0) * cos(y / 5.0); }
static double wave_source(double x, double y) { return (1.0 / 16.0 + 1.0 / 25.0) * wave(x, y); }

static const struct {
  const char *name;
  field *value; /* u where it is given, and everywhere if the solution is known */
  field *source;
  bool known; /* True if the solution is known; then u is given on the whole boundary */
} kinds[] = {
    [PROBLEM_FLOW] = {"flow", stream, nothing, false},
    [PROBLEM_LINEAR] = {"linear", plane, nothing, true},
    [PROBLEM_WAVE] = {"wave", wave, wave_source, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void mark_boundary(const mesh *m, bool whole, char *mark) {
  for (int64_t b = 0; b < m->nbedge; b++)
    if (whole || m->bound[b] == MESH_FAR_FIELD)
      mark[m->bedge[2 * b]] = mark[m->bedge[2 * b + 1]] = 1;
}

/* Mark `node` and the corner of the cell that coincides with it, unless the cell has the node
 * itself. */
static void mark_double(const mesh *m, const int32_t *corner, int32_t node, char *mark) {
  for (int k = 0; k < 4; k++)
    if (corner[k] == node) return;
  const double *x = m->x + 2 * (int64_t)node;
  mark[node] = 1;
  for (int k = 0; k < 4; k++) {
    const double *y = m->x + 2 * (int64_t)corner[k];
    if (x[0] == y[0] && x[1] == y[1]) mark[corner[k]] = 1;
  }
}

/* An edge between two cells of which one does not have its nodes lies on a cut: for the elements
 * both its sides are boundary. */
static void mark_cut(const mesh *m, char *mark) {
  for (int64_t e = 0; e < m->nedge; e++)
    for (int side = 0; side < 2; side++) {
      const int32_t *corner = m->cell + 4 * (int64_t)m->ecell[2 * e + side];
      mark_double(m, corner, m->edge[2 * e], mark);
      mark_double(m, corner, m->edge[2 * e + 1], mark);
    }
}

static void fill(problem *p, const mesh *m, const char *mark) {
  for (int64_t i = 0; i < m->nnode; i++) {
    const double x = m->x[2 * i], y = m->x[2 * i + 1];
    if (mark[i]) p->fixed[p->nfixed++] = (int32_t)i;
    p->start[i] = mark[i] ? kinds[p->kind].value(x, y) : 0.0;
    p->source[i] = kinds[p->kind].source(x, y);
  }
}

static int find(const char *name, problem_kind *kind, bench_error *error) {
  for (int i = 0; i < KINDS; i++)
    if (!strcmp(kinds[i].name, name)) {
      *kind = (problem_kind)i;
      return 0;
    }
  return bench_fail(error, "no problem is named %s: there are flow, linear and wave", name);
}

int problem_create(const char *name, const mesh *m, problem *p, bench_error *error) {
  const size_t n = (size_t)m->nnode;
  problem made = {0};
  if (find(name, &made.kind, error)) return -1;
  made.fixed = malloc(n * sizeof *made.fixed);
  made.start = malloc(n * sizeof *made.start);
  made.source = malloc(n * sizeof *made.source);
  char *mark = calloc(n, 1);
  const bool good = made.fixed && made.start && made.source && mark;
  if (good) {
    mark_boundary(m, kinds[made.kind].known, mark);
    if (kinds[made.kind].known) mark_cut(m, mark);
    fill(&made, m, mark);
    *p = made;
  } else {
    problem_free(&made);
  }
  free(mark);
  return good ? 0 : bench_fail(error, "out of memory for the problem");
}

void problem_free(problem *p) {
  free(p->fixed);
  free(p->start);
  free(p->source);
  *p = (problem){0};
}

void outcome_line(int iteration, double residual) {
  printf("%d %.15e\n", iteration, residual);
  fflush(stdout);
}

void outcome_print(const outcome *end, const problem *p, const mesh *m, const double *u) {
  double squares = 0, largest = 0;
  for (int64_t i = 0; i < m->nnode; i++) {
    squares += u[i] * u[i];
    largest = fmax(largest, fabs(u[i] - kinds[p->kind].value(m->x[2 * i], m->x[2 * i + 1])));
  }
  printf("iterations %d, %s\n", end->iterations, end->converged ? "converged" : "not converged");
  printf("residual %.15e\n", end->residual);
  printf("solution_rms %.15e\n", sqrt(squares / (double)m->nnode));
  if (kinds[p->kind].known) printf("largest_error %.6e\n", largest);
}
