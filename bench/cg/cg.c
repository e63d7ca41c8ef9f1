/* SPDX-License-Identifier: BSD-3-Clause */
/* Poisson's equation on the airfoil mesh by bilinear elements and conjugate gradients. The matrix
 * is never assembled: it is applied cell by cell. Operations on vectors are those of the library,
 * queued one after another. None of them needs the host, since step lengths are quotients of scalar
 * products that the host does not read. The library decides which of them are fused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/application.h"
#include "common/checkpoint.h"
#include "common/clock.h"
#include "common/progress.h"
#include "common/ranks.h"
#include "common/report.h"
#include "kernels.h"
#include "options.h"
#include "problem.h"

const char report_name[] = "cg";

enum { LOOPS_PER_ITERATION = 8 };

typedef struct solver {
  op2_context ctx;
  op2_set nodes, cells, fixed;
  op2_map cell_nodes, fixed_nodes;
  op2_dat x, f, k; /* coordinates, source, element matrices */
  op2_dat u, r, p, v;
  op2_gbl rr[2]; /* the scalar product r.r after iterations of even and of odd number */
  op2_gbl pv;
  op2_kernel stiffness, load, spmv, fix;
  void *checkpoint;
  int iteration; /* iterations that were queued */
} solver;

static bool declare_mesh(solver *s, const mesh *m, const problem *given, const char *method) {
  TRY(ranks_set(s->ctx, m->nnode, "nodes", &s->nodes));
  TRY(ranks_set(s->ctx, m->ncell, "cells", &s->cells));
  TRY(ranks_set(s->ctx, given->nfixed, "fixed", &s->fixed));
  TRY(ranks_map(s->cells, s->nodes, 4, m->cell, "cell_nodes", &s->cell_nodes));
  TRY(ranks_map(s->fixed, s->nodes, 1, given->fixed, "fixed_nodes", &s->fixed_nodes));
  TRY(ranks_dat(s->nodes, 2, OP2_F64, m->x, "x", &s->x));
  TRY(ranks_dat(s->nodes, 1, OP2_F64, given->source, "f", &s->f));
  TRY(ranks_dat(s->nodes, 1, OP2_F64, given->start, "u", &s->u));
  TRY(ranks_partition(s->ctx, method, s->cell_nodes, s->nodes, m->x));
  return true;
fail:
  return false;
}

static bool declare_vectors(solver *s) {
  TRY(op2_dat_create(s->cells, 10, OP2_F64, NULL, "k", &s->k));
  TRY(op2_dat_create(s->nodes, 1, OP2_F64, NULL, "r", &s->r));
  TRY(op2_dat_create(s->nodes, 1, OP2_F64, NULL, "p", &s->p));
  TRY(op2_dat_create(s->nodes, 1, OP2_F64, NULL, "v", &s->v));
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "rr_even", &s->rr[0]));
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "rr_odd", &s->rr[1]));
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "pv", &s->pv));
  return true;
fail:
  return false;
}

static bool declare_kernels(solver *s) {
  TRY(op2_kernel_create(s->ctx, &stiffness_kernel, &s->stiffness));
  TRY(op2_kernel_create(s->ctx, &load_kernel, &s->load));
  TRY(op2_kernel_create(s->ctx, &spmv_kernel, &s->spmv));
  TRY(op2_kernel_create(s->ctx, &fix_kernel, &s->fix));
  return true;
fail:
  return false;
}

/* v = K a */
static bool queue_matrix(solver *s, op2_dat a) {
  TRY(op2_dat_fill(s->v, op2_scalar_value(0.0)));
  TRY(op2_par_loop(s->spmv, s->cells, op2_arg_direct(s->k, OP2_READ),
                   op2_arg_dat(a, OP2_ALL, s->cell_nodes, OP2_READ),
                   op2_arg_dat(s->v, OP2_ALL, s->cell_nodes, OP2_INC)));
  return true;
fail:
  return false;
}

/* The change is zero where u is given. */
static bool queue_fix(solver *s, op2_dat a) {
  TRY(op2_par_loop(s->fix, s->fixed, op2_arg_dat(a, 0, s->fixed_nodes, OP2_WRITE)));
  return true;
fail:
  return false;
}

/* Compute the element matrices, r = p = b - K u, and r.r. */
static bool queue_start(solver *s) {
  TRY(op2_par_loop(s->stiffness, s->cells, op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
                   op2_arg_direct(s->k, OP2_WRITE)));
  TRY(op2_par_loop(s->load, s->cells, op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
                   op2_arg_dat(s->f, OP2_ALL, s->cell_nodes, OP2_READ),
                   op2_arg_dat(s->r, OP2_ALL, s->cell_nodes, OP2_INC)));
  if (!queue_matrix(s, s->u)) return false;
  TRY(op2_dat_axpy(s->r, op2_scalar_value(-1.0), s->v));
  if (!queue_fix(s, s->r)) return false;
  TRY(op2_dat_copy(s->r, s->p));
  TRY(op2_dat_dot(s->r, s->r, s->rr[0]));
  return true;
fail:
  return false;
}

/* Queue iteration `it`, counted from 1: eight loops, none of which runs here. */
static bool queue_iteration(solver *s, int it) {
  const op2_gbl was = s->rr[(it - 1) % 2], is = s->rr[it % 2];
  const op2_scalar step = op2_scalar_ratio(was, s->pv);
  if (!queue_matrix(s, s->p) || !queue_fix(s, s->v)) return false;
  TRY(op2_dat_dot(s->p, s->v, s->pv));
  TRY(op2_dat_axpy(s->u, step, s->p));
  TRY(op2_dat_axpy(s->r, op2_scalar_times(-1.0, step), s->v));
  TRY(op2_dat_dot(s->r, s->r, is));
  TRY(op2_dat_aypx(s->p, op2_scalar_ratio(is, was), s->r));
  return true;
fail:
  return false;
}

/* Get the norm of the residual after iteration `it`; reading it runs all loops that it depends
 * on. */
static bool get_residual(solver *s, int it, double *residual) {
  double rr;
  TRY(op2_gbl_get(s->rr[it % 2], &rr));
  *residual = sqrt(rr);
  if (isfinite(rr)) return true;
  fprintf(stderr, "cg: the residual is no number after iteration %d: is a cell without area?\n",
          it);
fail:
  return false;
}

/* Return the share of all iterations that have run, or, if that is larger, the share of the way to
 * the tolerance on a logarithmic scale; `times_less` is the factor by which the residual has
 * fallen. */
static double share_done(const solver *s, const options *o, double times_less, int it) {
  const double of_all = (double)progress_done(s->ctx, it, LOOPS_PER_ITERATION) / o->iterations;
  const bool goal = o->tolerance > 0 && o->tolerance < 1 && times_less > 1;
  return goal ? fmax(of_all, log(times_less) / -log(o->tolerance)) : of_all;
}

/* Iterate until the residual is small enough, which is checked from time to time, or until the
 * maximum of iterations is reached. */
static bool iterate(solver *s, const options *o, double first, run_times *times, outcome *result) {
  const int from = s->iteration, most = option_warmup(&o->run, o->iterations);
  const int warmup = most > from ? most : from;
  const double begin = clock_now();
  double timed = begin;
  bool converged = false, stop = false;
  int it = from;
  result->residual = first;
  progress_begin(report_name, 0, NULL, o->run.progress);
  while (it < o->iterations && !converged && !stop) {
    if (!queue_iteration(s, ++it)) return false;
    s->iteration = it;
    if (it == 1 && !report_graph(s->ctx, o->graph)) return false;
    if (o->check > 0 && it % o->check == 0) {
      if (!get_residual(s, it, &result->residual)) return false;
      progress_clear();
      outcome_line(it, result->residual);
      converged = o->tolerance > 0 && result->residual <= o->tolerance * first;
    }
    if (it == warmup) {
      TRY(op2_flush(s->ctx));
      timed = clock_now();
    }
    if (!checkpoint_step(s->checkpoint, &stop)) return false;
    progress_show(share_done(s, o, first / result->residual, it));
  }
  TRY(op2_flush(s->ctx));
  const double end = clock_now();
  progress_end();
  times->loop = end - begin;
  times->timed = end - timed;
  times->iterations = it > warmup ? it - warmup : 0;
  result->iterations = it;
  result->converged = converged;
  return get_residual(s, it, &result->residual);
fail:
  return false;
}

/* An iteration needs no more than the solution, the residual, the direction, and products of the
 * residual with itself. */
static bool go_on(solver *s, const options *o) {
  const op2_dat dats[] = {s->u, s->r, s->p};
  const kept_state kept = {.ctx = s->ctx,
                           .dats = dats,
                           .gbls = s->rr,
                           .ndats = 3,
                           .ngbls = 2,
                           .iteration = &s->iteration};
  return checkpoint_begin(&o->run, &kept, &s->checkpoint);
}

static bool write_results(solver *s, const options *o, const mesh *m, const problem *given,
                          const outcome *end) {
  const void *u = NULL;
  TRY(ranks_values_begin(s->u, m->nnode, sizeof(double), &u));
  if (u) outcome_print(end, given, m, u);
  TRY(ranks_values_end(s->u, &u));
  return report_dump(s->u, m->nnode, 1, end->residual, o->dump);
fail:
  return false;
}

static void destroy(solver *s) {
  op2_kernel *kernels[] = {&s->stiffness, &s->load, &s->spmv, &s->fix};
  op2_dat *dats[] = {&s->x, &s->f, &s->k, &s->u, &s->r, &s->p, &s->v};
  op2_gbl *gbls[] = {&s->rr[0], &s->rr[1], &s->pv};
  op2_map *maps[] = {&s->cell_nodes, &s->fixed_nodes};
  op2_set *sets[] = {&s->nodes, &s->cells, &s->fixed};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) op2_kernel_destroy(kernels[i]);
  for (size_t i = 0; i < sizeof dats / sizeof *dats; i++) op2_dat_destroy(dats[i]);
  for (size_t i = 0; i < sizeof gbls / sizeof *gbls; i++) op2_gbl_destroy(gbls[i]);
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) op2_map_destroy(maps[i]);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) op2_set_destroy(sets[i]);
}

static bool solve(const options *o, const mesh *m, const problem *given, run_times *times) {
  solver s = {0};
  outcome end = {0};
  double first = 0;
  const double begin = clock_now();
  if (!report_init(&o->run, &s.ctx)) return false;
  bool good = declare_mesh(&s, m, given, o->run.partition) && declare_vectors(&s) &&
              declare_kernels(&s) && queue_start(&s) && report_ok(op2_flush(s.ctx), "op2_flush") &&
              get_residual(&s, 0, &first);
  times->setup = clock_now() - begin;
  if (good && o->check > 0) outcome_line(0, first);
  good = good && go_on(&s, o) && iterate(&s, o, first, times, &end) &&
         checkpoint_end(&s.checkpoint) && write_results(&s, o, m, given, &end) &&
         report_run(s.ctx, times, "iterations") && report_explain(s.ctx, o->run.explain) &&
         report_state(s.ctx, o->run.state);
  destroy(&s);
  return report_finalize(&s.ctx, good);
}

/* The run itself, on a mesh that took `times->mesh` seconds to get; the time for the problem is
 * added. */
static bool run(const options *o, const mesh *m, run_times *times) {
  problem given;
  bench_error error;
  const double begin = clock_now();
  if (problem_create(o->problem, m, &given, &error)) {
    fprintf(stderr, "cg: %s\n", error.text);
    return false;
  }
  times->mesh += clock_now() - begin;
  const bool good = solve(o, m, &given, times);
  problem_free(&given);
  return good;
}

int main(int argc, char **argv) {
  options o;
  mesh m;
  return application_main(argc, argv, &o, &m, run);
}
