/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/dump.h"
#include "common/reference.h"

/* ---- the equation, linearised ---- */

/* Compute a cell's contribution to the residual, and its matrix. */
static void element(const double corner[4][2], const double phi[4], double k[4][4], double r[4]) {
  static const double gauss[2] = {0.211324865405187, 0.788675134594813};
  static const double gamma = 1.4, mach = PROBLEM_MACH;
  for (int q = 0; q < 4; q++) {
    const double s = gauss[q & 1], t = gauss[q >> 1];
    const double ds[4] = {-(1 - t), 1 - t, -t, t}, dt[4] = {-(1 - s), -s, 1 - s, s};
    double xs = 0, ys = 0, xt = 0, yt = 0, u = 0, v = 0, dx[4], dy[4], along[4];
    for (int i = 0; i < 4; i++) {
      xs += ds[i] * corner[i][0];
      ys += ds[i] * corner[i][1];
      xt += dt[i] * corner[i][0];
      yt += dt[i] * corner[i][1];
    }
    const double det = xs * yt - xt * ys;
    for (int i = 0; i < 4; i++) {
      dx[i] = (ds[i] * yt - dt[i] * ys) / det;
      dy[i] = (dt[i] * xs - ds[i] * xt) / det;
      u += dx[i] * phi[i];
      v += dy[i] * phi[i];
    }
    const double d = 1 + 0.5 * (gamma - 1) * (mach * mach - (u * u + v * v));
    const double rho = 0.25 * det * pow(d, 1 / (gamma - 1));
    for (int i = 0; i < 4; i++) r[i] += rho * (along[i] = u * dx[i] + v * dy[i]);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        k[i][j] += rho * (dx[i] * dx[j] + dy[i] * dy[j]) - rho / d * along[i] * along[j];
  }
}

static void linearise_cell(const flow *f, const form *how, int64_t c) {
  const int32_t *node = f->cell + 4 * c;
  double corner[4][2], phi[4], k[4][4] = {{0}}, r[4] = {0};
  for (int i = 0; i < 4; i++) {
    memcpy(corner[i], f->x + 2 * (int64_t)node[i], sizeof corner[i]);
    phi[i] = f->phi[node[i]];
  }
  element(corner, phi, k, r);
  for (int i = 0; i < 4; i++) f->r[node[i]] += r[i];
  for (int i = 0; i < 16 && how->inside; i++)
    k[i / 4][i % 4] *= f->inside[node[i / 4]] * f->inside[node[i % 4]];
  how->store(f, c, k);
}

/* Compute the matrix, r = p and u = 0; returns r.r. */
static double linearise(const flow *f, const form *how) {
  double rr = 0;
  if (how->clear) how->clear(f);
  for (int64_t colour = 0; colour < f->cells.ncolour; colour++) {
#pragma omp parallel for schedule(static)
    for (int64_t i = f->cells.start[colour]; i < f->cells.start[colour + 1]; i++) {
      const int64_t b = f->cells.order[i], end = plan_block_end(&f->cells, b);
      for (int64_t c = b * f->cells.size; c < end; c++) linearise_cell(f, how, c);
    }
  }
  for (int64_t i = 0; i < f->nfar; i++) f->r[f->far[i]] = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : rr)
  for (int64_t i = 0; i < f->nnode; i++) {
    f->p[i] = f->r[i];
    f->u[i] = 0;
    rr += f->r[i] * f->r[i];
  }
  return rr;
}

/* ---- passes over the nodes ---- */

void flow_pass_p(const flow *f, double step, double turn) {
  double *restrict u = f->u, *restrict p = f->p;
  const double *restrict r = f->r;
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < f->nnode; i++) {
    u[i] += step * p[i];
    p[i] = r[i] + turn * p[i];
  }
}

/* phi -= u, r = 0; returns the rms of u. */
static double update(const flow *f) {
  double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (int64_t i = 0; i < f->nnode; i++) {
    f->phi[i] -= f->u[i];
    f->r[i] = 0;
    sum += f->u[i] * f->u[i];
  }
  return sqrt(sum / (double)f->nnode);
}

/* ---- driver ---- */

static double run_steps(const flow *f, const form *how, const options *o) {
  const int warmup = option_warmup(&o->run, o->newton);
  const double begin = clock_now();
  double seconds = 0, rms = 0;
  int timed = 0;
  for (int step = 1; step <= o->newton; step++) {
    double rr = linearise(f, how);
    const double start = clock_now(), least = PROBLEM_DECREASE * sqrt(rr);
    int it = 0;
    for (; sqrt(rr) > least && it < PROBLEM_MOST; it++) rr = how->iterate(f, rr);
    if (step > warmup) {
      seconds += clock_now() - start;
      timed += it;
    }
    rms = update(f);
    problem_line(step, it, rms);
  }
  reference_times(begin, clock_now() - seconds, timed);
  return rms;
}

static void flow_free(flow *f) {
  free(f->u);
  free(f->r);
  free(f->p);
  free(f->v);
  plan_free(&f->cells);
}

static int flow_create(int64_t size, const mesh *m, const problem *given, flow *f,
                       bench_error *error) {
  const size_t bytes = ((size_t)m->nnode + 8) * sizeof *f->u; /* slices go past the end */
  *f = (flow){.nnode = m->nnode,
              .ncell = m->ncell,
              .nfar = m->nfar,
              .cell = m->cell,
              .far = m->far,
              .x = m->x,
              .phi = given->phi,
              .inside = given->inside,
              .u = reference_alloc(bytes),
              .r = reference_alloc(bytes),
              .p = reference_alloc(bytes),
              .v = reference_alloc(bytes)};
  int rc = f->u && f->r && f->p && f->v ? 0 : bench_fail(error, "out of memory for the flow");
  if (rc == 0) rc = plan_create(&f->cells, f->cell, f->ncell, 4, f->nnode, size, error);
  if (rc) flow_free(f);
  return rc;
}

static int run(const options *o, int64_t size, mesh *m, problem *given, bench_error *error) {
  static const form *const forms[] = {&form_op2, &form_csr, &form_slices, &form_cells};
  const form *how = forms[0];
  flow f;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (!strcmp(o->form, forms[i]->name)) how = forms[i];
  if (reference_move(&m->cell, (size_t)m->ncell * 4 * sizeof *m->cell))
    return bench_fail(error, "out of memory for the mesh");
  if (flow_create(size, m, given, &f, error)) return -1;
  int rc = how->prepare(&f, error);
  if (rc == 0) {
    const double rms = run_steps(&f, how, o);
    if (o->dump) rc = dump_write(o->dump, f.phi, f.nnode, rms, error);
  }
  how->finish();
  flow_free(&f);
  return rc;
}

int reference_main(int argc, char **argv, unsigned program, void (*use_threads)(int n)) {
  options o;
  const int status = options_parse(argc, argv, program, &o);
  if (status >= 0) return status;
  if (use_threads && o.run.threads > 0) use_threads(o.run.threads);
  mesh m = {0};
  problem given = {0};
  bench_error error;
  int rc = options_mesh(&o, &m, &error);
  if (rc == 0) rc = problem_create(&m, &given, &error);
  if (rc == 0) rc = run(&o, use_threads ? o.run.block_size : m.ncell, &m, &given, &error);
  problem_free(&given);
  mesh_free(&m);
  if (rc) fprintf(stderr, "%s: %s\n", argv[0], error.text);
  return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
