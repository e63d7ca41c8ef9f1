/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of an iteration of the library's own GMRES compared with PETSc's, both preconditioned by
 * the diagonal: Poisson's problem in bilinear elements on N * N cells. Each round has one solve of
 * each, in turn, with the same number of iterations from zero; the ratio is the median over the
 * rounds. It runs on one rank only. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/application.h"
#include "common/clock.h"
#include "common/ranks.h"
#include "common/report.h"
#include "grid.h"
#include "kernels_assembly.h"
#include "op2/petsc.h"

const char report_name[] = "gmres";

struct options {
  int cells, rounds, restart, iterations;
  run_options run;
};

static const option table[] = {
    {"--cells", "N", "cells along a side (default 60)", PROGRAM_OP2, option_positive,
     offsetof(options, cells)},
    {"--rounds", "N", "how often (default 21)", PROGRAM_OP2, option_positive,
     offsetof(options, rounds)},
    {"--restart", "N", "iterations between restarts, at most 100 (default 30)", PROGRAM_OP2,
     option_positive, offsetof(options, restart)},
    {"--iterations", "N", "of each solve (default 120)", PROGRAM_OP2, option_positive,
     offsetof(options, iterations)},
    {0},
};

int options_parse(int argc, char **argv, unsigned program, options *o) {
  *o = (options){.cells = 60, .rounds = 21, .restart = 30, .iterations = 120};
  return option_parse(argc, argv, program, table, o, &o->run);
}

int options_mesh(const options *o, mesh *m, bench_error *error) {
  if (o->cells > 4000) return bench_fail(error, "%d cells along a side: at most 4000", o->cells);
  if (o->restart > 100) return bench_fail(error, "restart %d: at most 100", o->restart);
  return grid_make(GRID_Q1, o->cells, m, error);
}

/* ---- the library ----------------------------------------------------------------------------- */

typedef struct ours {
  op2_context ctx;
  op2_set nodes, cells, boundary;
  op2_map map;
  op2_dat x, u, b;
  op2_sparsity pattern;
  op2_mat mat;
  op2_kernel kernel;
  op2_solver solver;
} ours;

static bool declare_mesh(ours *a, const mesh *m) {
  int64_t *outside = malloc((size_t)m->nnode * sizeof *outside), n = 0;
  bool good = false;
  for (int64_t i = 0; outside && i < m->nnode; i++)
    if (m->inside[i] == 0) outside[n++] = i;
  TRY(outside ? OP2_SUCCESS : OP2_ERR_NOMEM);
  TRY(op2_set_create(a->ctx, m->nnode, "nodes", &a->nodes));
  TRY(op2_set_create(a->ctx, m->ncell, "cells", &a->cells));
  TRY(op2_subset_create(a->nodes, n, outside, "boundary", &a->boundary));
  TRY(op2_map_create(a->cells, a->nodes, 4, m->cell, "cell_nodes", &a->map));
  TRY(op2_dat_create(a->nodes, 2, OP2_F64, m->x, "x", &a->x));
  TRY(op2_dat_create(a->nodes, 1, OP2_F64, NULL, "u", &a->u));
  TRY(op2_dat_create(a->nodes, 1, OP2_F64, m->inside, "b", &a->b));
  good = true;
fail:
  free(outside);
  return good;
}

static bool declare(ours *a, const options *o) {
  const op2_map_pair pair = {a->map, a->map};
  /* The tolerance is never reached, so all iterations run. */
  const op2_solver_options solver = {.method = OP2_METHOD_GMRES,
                                     .preconditioner = OP2_PRECONDITIONER_JACOBI,
                                     .library = OP2_LIBRARY_OP2,
                                     .rtol = 1e-300,
                                     .iterations = o->iterations,
                                     .restart = o->restart,
                                     .start_at_zero = 1,
                                     .allow_failure = 1};
  TRY(op2_kernel_create(a->ctx, &poisson_kernel, &a->kernel));
  TRY(op2_sparsity_create(1, &pair, "pattern", &a->pattern));
  TRY(op2_mat_create(a->pattern, 1, 1, OP2_F64, "A", &a->mat));
  TRY(op2_mat_zero(a->mat));
  TRY(op2_par_loop(a->kernel, a->cells, op2_arg_dat(a->x, OP2_ALL, a->map, OP2_READ),
                   op2_arg_mat(a->mat, a->map, a->map, OP2_INC)));
  TRY(op2_mat_zero_rows_columns(a->mat, a->boundary, 1, NULL, NULL));
  TRY(op2_solver_create(a->ctx, &solver, "ours", &a->solver));
  TRY(op2_flush(a->ctx));
  return true;
fail:
  return false;
}

static void destroy(ours *a) {
  op2_solver_destroy(&a->solver);
  op2_kernel_destroy(&a->kernel);
  op2_mat_destroy(&a->mat);
  op2_sparsity_destroy(&a->pattern);
  op2_dat_destroy(&a->x);
  op2_dat_destroy(&a->u);
  op2_dat_destroy(&a->b);
  op2_map_destroy(&a->map);
  op2_set_destroy(&a->boundary);
  op2_set_destroy(&a->cells);
  op2_set_destroy(&a->nodes);
}

/* The result of one solve: seconds per iteration, and the residual at its end. */
typedef struct solved {
  double seconds, residual;
} solved;

static bool solve_ours(ours *a, solved *out) {
  op2_solve_result result;
  const double begin = clock_now();
  TRY(op2_solve(a->solver, a->mat, a->u, a->b));
  TRY(op2_solver_result(a->solver, &result));
  *out = (solved){(clock_now() - begin) / fmax(result.iterations, 1), result.residual};
  return true;
fail:
  return false;
}

/* ---- PETSc ----------------------------------------------------------------------------------- */

typedef struct petsc {
  Mat a;
  Vec x, b;
  KSP ksp;
} petsc;

static bool fine(PetscErrorCode code, const char *what) {
  if (code) fprintf(stderr, "gmres: PETSc: %s\n", what);
  return !code;
}
#define FINE(call) fine((call), #call)

/* The matrix is copied to PETSc's own memory. */
static bool petsc_prepare(petsc *p, const ours *a, const mesh *m, const options *o) {
  Mat view = NULL;
  PC pc;
  TRY(op2_mat_petsc(a->mat, OP2_READ, MATAIJ, &view));
  bool good = FINE(MatDuplicate(view, MAT_COPY_VALUES, &p->a));
  TRY(op2_mat_petsc_end(a->mat, &view));
  good = good && FINE(MatCreateVecs(p->a, &p->x, &p->b));
  for (PetscInt i = 0; i < (PetscInt)m->nnode && good; i++)
    good = FINE(VecSetValue(p->b, i, m->inside[i], INSERT_VALUES));
  return good && FINE(VecAssemblyBegin(p->b)) && FINE(VecAssemblyEnd(p->b)) &&
         FINE(KSPCreate(PETSC_COMM_SELF, &p->ksp)) && FINE(KSPSetOperators(p->ksp, p->a, p->a)) &&
         FINE(KSPSetType(p->ksp, KSPGMRES)) && FINE(KSPGMRESSetRestart(p->ksp, o->restart)) &&
         FINE(KSPGetPC(p->ksp, &pc)) && FINE(PCSetType(pc, PCJACOBI)) &&
         FINE(KSPSetPCSide(p->ksp, PC_RIGHT)) &&
         FINE(KSPSetTolerances(p->ksp, 1e-300, 1e-300, PETSC_DEFAULT, o->iterations)) &&
         FINE(KSPSetUp(p->ksp));
fail:
  return false;
}

static bool solve_petsc(petsc *p, solved *out) {
  PetscInt iterations = 0;
  PetscReal residual = 0;
  const double begin = clock_now();
  if (!FINE(KSPSolve(p->ksp, p->b, p->x)) || !FINE(KSPGetIterationNumber(p->ksp, &iterations)))
    return false;
  out->seconds = (clock_now() - begin) / fmax((double)iterations, 1);
  if (!FINE(KSPGetResidualNorm(p->ksp, &residual))) return false;
  out->residual = residual;
  return true;
}

static void petsc_free(petsc *p) {
  (void)KSPDestroy(&p->ksp);
  (void)VecDestroy(&p->x);
  (void)VecDestroy(&p->b);
  (void)MatDestroy(&p->a);
}

/* ---- the run --------------------------------------------------------------------------------- */

static int in_order(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Both do the same iterations. Rounding changes them little until the residual itself is at
 * rounding level. */
static bool agree(const solved *own, const solved *theirs) {
  const double rounding = 1e-9;
  if (fabs(own->residual - theirs->residual) <= 1e-2 * theirs->residual + rounding) return true;
  fprintf(stderr, "gmres: residuals differ: %.6e, PETSc's %.6e\n", own->residual, theirs->residual);
  return false;
}

/* The first solves compile and set up what is kept, so they are not timed. */
static bool measure(ours *a, petsc *p, const options *o, double *ratio) {
  double best_own = INFINITY, best_petsc = INFINITY;
  solved own, theirs;
  if (!solve_ours(a, &own) || !solve_petsc(p, &theirs) || !agree(&own, &theirs)) return false;
  for (int r = 0; r < o->rounds; r++) {
    const bool first = r % 2 == 0;
    if ((first && !solve_ours(a, &own)) || !solve_petsc(p, &theirs) ||
        (!first && !solve_ours(a, &own)))
      return false;
    ratio[r] = own.seconds / theirs.seconds;
    best_own = fmin(best_own, own.seconds);
    best_petsc = fmin(best_petsc, theirs.seconds);
  }
  qsort(ratio, (size_t)o->rounds, sizeof *ratio, in_order);
  printf("gmres_us %.2f\n", 1e6 * best_own);
  printf("gmres_petsc_us %.2f, ratio %.3f of the best\n", 1e6 * best_petsc, best_own / best_petsc);
  printf("gmres_ratio %.3f (median of %d rounds, middle half %.3f to %.3f)\n", ratio[o->rounds / 2],
         o->rounds, ratio[o->rounds / 4], ratio[o->rounds - 1 - o->rounds / 4]);
  return true;
}

static bool run(const options *o, const mesh *m, run_times *unused) {
  ours a = {.ctx = NULL};
  petsc p = {.a = NULL};
  double *ratio = calloc((size_t)o->rounds, sizeof *ratio);
  (void)unused;
  if (!ratio || !report_init(&o->run, &a.ctx)) {
    free(ratio);
    return false;
  }
  bool good = report_ok(op2_petsc_use(a.ctx, 0, NULL), "op2_petsc_use") && declare_mesh(&a, m) &&
              declare(&a, o) && petsc_prepare(&p, &a, m, o) && measure(&a, &p, o, ratio);
  good = good && report_explain(a.ctx, o->run.explain) && report_state(a.ctx, o->run.state);
  petsc_free(&p);
  destroy(&a);
  free(ratio);
  return report_finalize(&a.ctx, good);
}

int main(int argc, char **argv) {
  options o;
  mesh m;
  return application_main(argc, argv, &o, &m, run);
}
