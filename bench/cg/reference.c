/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/dump.h"
#include "common/reference.h"

/* ---- elements ---- */

/* A bilinear quadrilateral at one of the four Gauss points: its functions, their derivatives by x
 * and y times the Jacobian, and the Jacobian. */
typedef struct point {
  double n[4], dx[4], dy[4], area;
} point;

static point gauss_point(const double corner[4][2], int g) {
  static const double s[4] = {-1, 1, 1, -1}, t[4] = {-1, -1, 1, 1};
  const double gauss = 1.0 / sqrt(3.0);
  double ds[4], dt[4], xs = 0, ys = 0, xt = 0, yt = 0;
  point at;
  for (int i = 0; i < 4; i++) {
    const double along = 1.0 + gauss * s[i] * s[g], across = 1.0 + gauss * t[i] * t[g];
    at.n[i] = 0.25 * along * across;
    ds[i] = 0.25 * s[i] * across;
    dt[i] = 0.25 * t[i] * along;
    xs += ds[i] * corner[i][0];
    ys += ds[i] * corner[i][1];
    xt += dt[i] * corner[i][0];
    yt += dt[i] * corner[i][1];
  }
  for (int i = 0; i < 4; i++) {
    at.dx[i] = yt * ds[i] - ys * dt[i];
    at.dy[i] = xs * dt[i] - xt * ds[i];
  }
  at.area = fabs(xs * yt - ys * xt);
  return at;
}

/* Compute the element matrix, and the source's part of the right-hand side. */
static void element(const double corner[4][2], const double f[4], double *k, double *b) {
  for (int g = 0; g < 4; g++) {
    const point at = gauss_point(corner, g);
    const double source =
        at.area * (at.n[0] * f[0] + at.n[1] * f[1] + at.n[2] * f[2] + at.n[3] * f[3]);
    double *row = k;
    for (int i = 0; i < 4; i++) {
      b[i] += source * at.n[i];
      for (int j = i; j < 4; j++) *row++ += (at.dx[i] * at.dx[j] + at.dy[i] * at.dy[j]) / at.area;
    }
  }
}

/* Compute the element matrices and r = p = b - K u, which is zero where u is given. */
static void assemble(const mesh *m, const problem *given, cg_system *s) {
  for (int64_t c = 0; c < m->ncell; c++) {
    const int32_t *node = s->cell + 4 * c;
    double corner[4][2], f[4], b[4] = {0};
    for (int i = 0; i < 4; i++) {
      memcpy(corner[i], m->x + 2 * (int64_t)node[i], sizeof corner[i]);
      f[i] = given->source[node[i]];
    }
    element(corner, f, s->k + 10 * c, b);
    for (int i = 0; i < 4; i++) s->r[node[i]] += b[i];
    ref_spmv(s->k + 10 * c, node, s->u, s->v);
  }
  for (int64_t i = 0; i < s->nnode; i++) s->r[i] -= s->v[i];
  for (int64_t i = 0; i < s->nfixed; i++) s->r[s->fixed[i]] = 0.0;
  memcpy(s->p, s->r, (size_t)s->nnode * sizeof *s->p);
  memset(s->v, 0, (size_t)s->nnode * sizeof *s->v);
}

/* ---- arrays ---- */

static void system_free(cg_system *s) {
  free(s->cell);
  free(s->k);
  free(s->u);
  free(s->r);
  free(s->p);
  free(s->v);
}

static int system_create(const mesh *m, const problem *given, cg_system *s, bench_error *error) {
  const size_t n = (size_t)m->nnode, cells = (size_t)m->ncell;
  *s = (cg_system){.nnode = m->nnode,
                   .ncell = m->ncell,
                   .nfixed = given->nfixed,
                   .cell = reference_alloc(cells * 4 * sizeof *s->cell),
                   .fixed = given->fixed,
                   .k = reference_alloc(cells * 10 * sizeof *s->k),
                   .u = reference_alloc(n * sizeof *s->u),
                   .r = reference_alloc(n * sizeof *s->r),
                   .p = reference_alloc(n * sizeof *s->p),
                   .v = reference_alloc(n * sizeof *s->v)};
  if (!s->cell || !s->k || !s->u || !s->r || !s->p || !s->v) {
    system_free(s);
    return bench_fail(error, "out of memory for the system");
  }
  memcpy(s->cell, m->cell, cells * 4 * sizeof *s->cell);
  memcpy(s->u, given->start, n * sizeof *s->u);
  assemble(m, given, s);
  return 0;
}

/* ---- driver ---- */

static outcome iterate(const reference *r, const options *o, const cg_system *s) {
  const int warmup = option_warmup(&o->run, o->iterations);
  outcome result = {0};
  double rr = 0;
  for (int64_t i = 0; i < s->nnode; i++) rr += s->r[i] * s->r[i];
  const double first = sqrt(rr);
  if (o->check > 0) outcome_line(0, first);
  const double begin = clock_now();
  double timed = begin;
  int it = 0;
  while (it < o->iterations && !result.converged) {
    rr = r->iterate(s, rr);
    if (++it == warmup) timed = clock_now();
    if (o->check == 0 || it % o->check) continue;
    outcome_line(it, sqrt(rr));
    result.converged = o->tolerance > 0 && sqrt(rr) <= o->tolerance * first;
  }
  reference_times(begin, timed, it - warmup);
  result.iterations = it;
  result.residual = sqrt(rr);
  return result;
}

static int run(const reference *r, const options *o, const mesh *m, const problem *given,
               bench_error *error) {
  cg_system s;
  if (system_create(m, given, &s, error)) return -1;
  int rc = r->prepare ? r->prepare(o, &s, error) : 0;
  if (rc == 0) {
    const outcome end = iterate(r, o, &s);
    outcome_print(&end, given, m, s.u);
    if (o->dump) rc = dump_write(o->dump, s.u, m->nnode, end.residual, error);
    if (r->finish) r->finish();
  }
  system_free(&s);
  return rc;
}

int reference_main(int argc, char **argv, const reference *r) {
  options o;
  const int status = options_parse(argc, argv, r->program, &o);
  if (status >= 0) return status;
  mesh m = {0};
  problem given = {0};
  bench_error error;
  int rc = options_mesh(&o, &m, &error);
  if (rc == 0) rc = problem_create(o.problem, &m, &given, &error);
  if (rc == 0) rc = run(r, &o, &m, &given, &error);
  problem_free(&given);
  mesh_free(&m);
  if (rc) fprintf(stderr, "%s: %s\n", argv[0], error.text);
  return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
