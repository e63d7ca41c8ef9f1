/* SPDX-License-Identifier: BSD-3-Clause */
/* Full potential flow round the airfoil by bilinear elements: Newton steps, each of them by
 * truncated conjugate gradients whose loops are queued one by one. The matrix is assembled, or
 * applied cell by cell. The host reads only the residual after each iteration: loops that the
 * residual does not depend on wait for the loops of the next iteration. */
#include <math.h>
#include <stdio.h>

#include "common/application.h"
#include "common/clock.h"
#include "common/progress.h"
#include "common/ranks.h"
#include "common/report.h"
#include "kernels.h"
#include "options.h"
#include "problem.h"

const char report_name[] = "aero";

typedef struct solver {
  op2_context ctx;
  op2_set nodes, cells;
  op2_map cell_nodes;
  op2_dat x, phi, inside;
  op2_sparsity pattern; /* of the matrix; both are null if there are element matrices instead */
  op2_mat a;
  op2_dat k;
  op2_dat u, r, p, v;
  op2_gbl rr[2]; /* the scalar product r.r after iterations of even and of odd number */
  op2_gbl pv, change;
  op2_kernel linearise, product, begin, take, update; /* take: cell by cell */
} solver;

/* ---- declarations ---- */

static bool declare_mesh(solver *s, const mesh *m, const problem *given, const char *method) {
  TRY(ranks_set(s->ctx, m->nnode, "nodes", &s->nodes));
  TRY(ranks_set(s->ctx, m->ncell, "cells", &s->cells));
  TRY(ranks_map(s->cells, s->nodes, 4, m->cell, "cell_nodes", &s->cell_nodes));
  TRY(ranks_dat(s->nodes, 2, OP2_F64, m->x, "x", &s->x));
  TRY(ranks_dat(s->nodes, 1, OP2_F64, given->phi, "phi", &s->phi));
  TRY(ranks_dat(s->nodes, 1, OP2_F64, given->inside, "inside", &s->inside));
  TRY(ranks_partition(s->ctx, method, s->cell_nodes, s->nodes, m->x));
  return true;
fail:
  return false;
}

static bool declare_matrix(solver *s, bool matrix_free) {
  const op2_map_pair pair = {s->cell_nodes, s->cell_nodes};
  if (matrix_free) {
    TRY(op2_dat_create(s->cells, 10, OP2_F64, NULL, "k", &s->k));
    return true;
  }
  TRY(op2_sparsity_create(1, &pair, "pattern", &s->pattern));
  TRY(op2_mat_create(s->pattern, 1, 1, OP2_F64, "A", &s->a));
  return true;
fail:
  return false;
}

static bool declare_vectors(solver *s) {
  TRY(op2_dat_create(s->nodes, 1, OP2_F64, NULL, "u", &s->u));
  TRY(op2_dat_create(s->nodes, 1, OP2_F64, NULL, "r", &s->r));
  TRY(op2_dat_create(s->nodes, 1, OP2_F64, NULL, "p", &s->p));
  TRY(op2_dat_create(s->nodes, 1, OP2_F64, NULL, "v", &s->v));
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "rr_even", &s->rr[0]));
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "rr_odd", &s->rr[1]));
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "pv", &s->pv));
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "change", &s->change));
  return true;
fail:
  return false;
}

static bool declare_kernels(solver *s) {
  TRY(op2_kernel_create(s->ctx, s->a ? &assemble_kernel : &element_kernel, &s->linearise));
  TRY(op2_kernel_create(s->ctx, &product_kernel, &s->product));
  TRY(op2_kernel_create(s->ctx, &begin_kernel, &s->begin));
  TRY(op2_kernel_create(s->ctx, &take_kernel, &s->take));
  TRY(op2_kernel_create(s->ctx, &update_kernel, &s->update));
  return true;
fail:
  return false;
}

static void destroy(solver *s) {
  op2_kernel *kernels[] = {&s->linearise, &s->product, &s->begin, &s->take, &s->update};
  op2_dat *dats[] = {&s->x, &s->phi, &s->inside, &s->k, &s->u, &s->r, &s->p, &s->v};
  op2_gbl *gbls[] = {&s->rr[0], &s->rr[1], &s->pv, &s->change};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) op2_kernel_destroy(kernels[i]);
  for (size_t i = 0; i < sizeof dats / sizeof *dats; i++) op2_dat_destroy(dats[i]);
  for (size_t i = 0; i < sizeof gbls / sizeof *gbls; i++) op2_gbl_destroy(gbls[i]);
  op2_mat_destroy(&s->a);
  op2_sparsity_destroy(&s->pattern);
  op2_map_destroy(&s->cell_nodes);
  op2_set_destroy(&s->cells);
  op2_set_destroy(&s->nodes);
}

/* ---- loops ---- */

/* The residual of the equation and its derivative, and the start of conjugate gradients. */
static bool queue_start(solver *s) {
  const op2_arg x = op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
                phi = op2_arg_dat(s->phi, OP2_ALL, s->cell_nodes, OP2_READ),
                inside = op2_arg_dat(s->inside, OP2_ALL, s->cell_nodes, OP2_READ),
                r = op2_arg_dat(s->r, OP2_ALL, s->cell_nodes, OP2_INC);
  const op2_arg matrix = s->a ? op2_arg_mat(s->a, s->cell_nodes, s->cell_nodes, OP2_INC)
                              : op2_arg_direct(s->k, OP2_WRITE);
  if (s->a) TRY(op2_mat_zero(s->a));
  TRY(op2_par_loop(s->linearise, s->cells, x, phi, inside, matrix, r));
  TRY(op2_par_loop(s->begin, s->nodes, op2_arg_direct(s->r, OP2_READ),
                   op2_arg_direct(s->p, OP2_WRITE), op2_arg_direct(s->u, OP2_WRITE)));
  TRY(op2_dat_dot(s->r, s->r, s->rr[0]));
  return true;
fail:
  return false;
}

/* v = K p, and p.v; cell by cell v is zero before it. */
static bool queue_product(solver *s) {
  static const double nothing = 0;
  if (s->a) {
    TRY(op2_mat_mult(s->a, s->p, s->v));
    TRY(op2_dat_dot(s->p, s->v, s->pv));
    return true;
  }
  TRY(op2_gbl_set(s->pv, &nothing));
  TRY(op2_par_loop(s->product, s->cells, op2_arg_direct(s->k, OP2_READ),
                   op2_arg_dat(s->p, OP2_ALL, s->cell_nodes, OP2_READ),
                   op2_arg_dat(s->v, OP2_ALL, s->cell_nodes, OP2_INC),
                   op2_arg_gbl(s->pv, OP2_INC)));
  return true;
fail:
  return false;
}

/* Queue iteration `it`, counted from 1, up to its residual. */
static bool queue_iteration(solver *s, int it) {
  const op2_gbl was = s->rr[(it - 1) % 2], is = s->rr[it % 2];
  const op2_scalar step = op2_scalar_ratio(was, s->pv);
  if (!queue_product(s)) return false;
  TRY(op2_dat_axpy(s->u, step, s->p));
  if (s->a)
    TRY(op2_dat_axpy(s->r, op2_scalar_times(-1, step), s->v));
  else
    TRY(op2_par_loop(s->take, s->nodes, op2_arg_direct(s->r, OP2_RW), op2_arg_direct(s->v, OP2_RW),
                     op2_arg_gbl(was, OP2_READ), op2_arg_gbl(s->pv, OP2_READ)));
  TRY(op2_dat_dot(s->r, s->r, is));
  return true;
fail:
  return false;
}

/* Queue the direction of the iteration after `it`. */
static bool queue_turn(solver *s, int it) {
  TRY(op2_dat_aypx(s->p, op2_scalar_ratio(s->rr[it % 2], s->rr[(it - 1) % 2]), s->r));
  return true;
fail:
  return false;
}

static bool queue_update(solver *s) {
  static const double nothing = 0;
  TRY(op2_gbl_set(s->change, &nothing));
  TRY(op2_par_loop(s->update, s->nodes, op2_arg_direct(s->u, OP2_READ),
                   op2_arg_direct(s->phi, OP2_RW), op2_arg_direct(s->r, OP2_WRITE),
                   op2_arg_gbl(s->change, OP2_INC)));
  return true;
fail:
  return false;
}

/* ---- the method ---- */

/* Return the square root of a sum of squares; reading it runs the loops that it depends on. */
static bool look(op2_gbl sum, int step, double *root) {
  double squares;
  TRY(op2_gbl_get(sum, &squares));
  *root = sqrt(squares);
  if (isfinite(*root)) return true;
  fprintf(stderr, "aero: no number comes out of Newton's step %d: is a cell without area?\n", step);
fail:
  return false;
}

/* Run the iterations of one step, and count them. */
static bool iterate(solver *s, const options *o, int step, double *seconds, int *iterations) {
  double first, residual;
  int it = 0;
  if (!look(s->rr[0], step, &first)) return false;
  const double begin = clock_now();
  residual = first;
  while (residual > PROBLEM_DECREASE * first && it < PROBLEM_MOST) {
    if (it > 0 && !queue_turn(s, it)) return false;
    if (!queue_iteration(s, ++it)) return false;
    if (step == 1 && it == 2 && !report_graph(s->ctx, o->graph)) return false;
    if (!look(s->rr[it % 2], step, &residual)) return false;
  }
  *seconds = clock_now() - begin;
  *iterations = it;
  return true;
}

/* The times are those of the iterations: the time to linearise is in the table. */
static bool run_steps(solver *s, const options *o, int64_t nnode, run_times *times, double *rms) {
  const int warmup = option_warmup(&o->run, o->newton);
  const double begin = clock_now();
  progress_begin(report_name, o->newton, "Newton steps", o->run.progress);
  for (int step = 1; step <= o->newton; step++) {
    double seconds, root;
    int iterations;
    if (!queue_start(s) || !iterate(s, o, step, &seconds, &iterations) || !queue_update(s) ||
        !look(s->change, step, &root))
      return false;
    *rms = root / sqrt((double)nnode);
    progress_clear();
    problem_line(step, iterations, *rms);
    progress_show((double)step / o->newton);
    if (step <= warmup) continue;
    times->timed += seconds;
    times->iterations += iterations;
  }
  progress_end();
  times->loop = clock_now() - begin;
  return true;
}

static bool solve(const options *o, const mesh *m, const problem *given, run_times *times) {
  solver s = {0};
  double rms = 0;
  const double begin = clock_now();
  if (!report_init(&o->run, &s.ctx)) return false;
  bool good = declare_mesh(&s, m, given, o->run.partition) && declare_matrix(&s, o->matrix_free) &&
              declare_vectors(&s) && declare_kernels(&s);
  times->setup = clock_now() - begin;
  good = good && run_steps(&s, o, m->nnode, times, &rms) &&
         report_dump(s.phi, m->nnode, 1, rms, o->dump) &&
         report_run(s.ctx, times, "Newton steps") && report_explain(s.ctx, o->run.explain) &&
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
  if (problem_create(m, &given, &error)) {
    fprintf(stderr, "aero: %s\n", error.text);
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
