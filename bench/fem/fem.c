/* SPDX-License-Identifier: BSD-3-Clause */
/* Finite elements on the unit square: each problem is solved on a sequence of meshes, each with
 * twice as many cells along a side as the one before, with the errors and their order of
 * convergence. */
#include "fem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/report.h"
#ifdef BENCH_PETSC
#include "op2/petsc.h"
#endif

const char report_name[] = "fem";

static const struct problem {
  const char *name;
  problem_solve *solve;
  int errors;
  op2_method method; /* of the library's own solvers; none: PETSc only */
} problems[] = {
    {"poisson", poisson_solve, 1, OP2_METHOD_CG},
    {"elasticity", elasticity_solve, 1, OP2_METHOD_CG},
    {"advection", advection_solve, 1, OP2_METHOD_BICGSTAB},
    {"stokes", stokes_solve, 2, OP2_METHOD_DEFAULT},
};

static const option table[] = {
    {"--problem", "poisson|elasticity|advection|stokes", "what to solve (default poisson)",
     PROGRAM_OP2, option_text, offsetof(options, problem)},
    {"--element", "p1|q1|p2", "of Poisson's problem (default q1)", PROGRAM_OP2, option_text,
     offsetof(options, element)},
    {"--cells", "N", "cells along a side of the first mesh (default 8)", PROGRAM_OP2,
     option_positive, offsetof(options, cells)},
    {"--levels", "N", "meshes, each twice as fine as the last (default 4)", PROGRAM_OP2,
     option_positive, offsetof(options, levels)},
    {"--steps", "N", "time steps on the first mesh, of advection (default 8)", PROGRAM_OP2,
     option_positive, offsetof(options, steps)},
    {"--dump-x", "FILE", "write the last solution of poisson and then its error as binary doubles",
     PROGRAM_OP2, option_text, offsetof(options, dump_x)},
    {"--petsc", "", "PETSc solves; its options are those of PETSC_OPTIONS", PROGRAM_OP2,
     option_flag, offsetof(options, petsc)},
    {0},
};

int options_parse(int argc, char **argv, unsigned program, options *o) {
  *o = (options){.problem = "poisson", .element = "q1", .cells = 8, .levels = 4, .steps = 8};
  return option_parse(argc, argv, program, table, o, &o->run);
}

static const struct problem *problem_of(const options *o) {
  for (size_t p = 0; p < sizeof problems / sizeof *problems; p++)
    if (!strcmp(o->problem, problems[p].name)) return &problems[p];
  return NULL;
}

static int element_of(const options *o) {
  static const char *const names[] = {"p1", "q1", "p2"};
  for (int e = 0; e < 3; e++)
    if (!strcmp(o->element, names[e])) return e;
  return -1;
}

/* The first mesh is made to check that it is possible. */
int options_mesh(const options *o, mesh *m, bench_error *error) {
  const struct problem *problem = problem_of(o);
  if (!problem) return bench_fail(error, "no such problem: %s", o->problem);
  if (element_of(o) < 0) return bench_fail(error, "no such element: %s", o->element);
  if (problem->method == OP2_METHOD_DEFAULT && !o->petsc)
    return bench_fail(error, "the problem %s is for PETSc to solve (--petsc)", o->problem);
  if (o->levels > 12 || o->cells > 16000 >> o->levels)
    return bench_fail(error, "%d meshes from %d * %d cells on: at most 8000 along a side",
                      o->levels, o->cells, o->cells);
#ifndef BENCH_PETSC
  if (o->petsc) return bench_fail(error, "op2 was built without PETSc");
#endif
  return grid_make(GRID_Q1, o->cells, m, error);
}

/* ---- functions that problems share ----------------------------------------------------------- */

/* Find the nodes at the boundary that this rank has, those of its halo included, by this rank's
 * numbers. */
static bool find_boundary(space *s) {
  int64_t ends[4], n = 0;
  TRY(op2_set_sections(s->nodes, ends));
  double *inside = malloc(((size_t)ends[3] + 1) * sizeof *inside);
  int64_t *list = malloc(((size_t)ends[3] + 1) * sizeof *list);
  op2_status status = OP2_ERR_NOMEM;
  if (inside && list) status = op2_dat_get_halo(s->inside, inside);
  for (int64_t i = 0; i < ends[3] && !status; i++)
    if (inside[i] == 0) list[n++] = i;
  if (!status) status = op2_subset_create(s->nodes, n, list, "boundary", &s->boundary);
  free(inside);
  free(list);
  TRY(status);
  return true;
fail:
  return false;
}

static bool declare(space *s, const mesh *m, const options *o, op2_method method) {
  const op2_solver_options how = {.method = o->petsc ? OP2_METHOD_DEFAULT : method,
                                  .rtol = 1e-12,
                                  .start_at_zero = strcmp(o->problem, "advection") != 0,
                                  .iterations = 100000};
  TRY(ranks_set(s->ctx, m->nnode, "nodes", &s->nodes));
  TRY(ranks_set(s->ctx, m->ncell, "cells", &s->cells));
  TRY(ranks_map(s->cells, s->nodes, m->arity, m->cell, "cell_nodes", &s->cell_nodes));
  TRY(ranks_dat(s->nodes, 2, OP2_F64, m->x, "x", &s->x));
  TRY(ranks_dat(s->nodes, 1, OP2_F64, m->inside, "inside", &s->inside));
  if (m->corner) {
    TRY(ranks_set(s->ctx, m->ncorner, "corners", &s->corners));
    TRY(ranks_map(s->cells, s->corners, 3, m->corner, "cell_corners", &s->cell_corners));
  }
  TRY(ranks_partition(s->ctx, o->run.partition, s->cell_nodes, s->nodes, m->x));
  TRY(op2_solver_create(s->ctx, &how, o->problem, &s->solver));
  return find_boundary(s);
fail:
  return false;
}

static void destroy(space *s) {
  op2_solver_destroy(&s->solver);
  op2_set_destroy(&s->boundary);
  op2_dat_destroy(&s->inside);
  op2_dat_destroy(&s->x);
  op2_map_destroy(&s->cell_corners);
  op2_map_destroy(&s->cell_nodes);
  op2_set_destroy(&s->corners);
  op2_set_destroy(&s->cells);
  op2_set_destroy(&s->nodes);
}

int space_iterations(int more) {
  static int all;
  const int now = all + more;
  all = more ? now : 0;
  return now;
}

bool equations_make(space *s, int dim, equations *q) {
  const op2_map_pair pair = {s->cell_nodes, s->cell_nodes};
  *q = (equations){.a = NULL};
  TRY(op2_sparsity_create(1, &pair, "pattern", &q->pattern));
  TRY(op2_mat_create(q->pattern, dim, dim, OP2_F64, "A", &q->a));
  TRY(op2_dat_create(s->nodes, dim, OP2_F64, NULL, "solution", &q->x));
  TRY(op2_dat_create(s->nodes, dim, OP2_F64, NULL, "b", &q->b));
  return true;
fail:
  return false;
}

void equations_free(equations *q) {
  op2_dat_destroy(&q->x);
  op2_dat_destroy(&q->b);
  op2_mat_destroy(&q->a);
  op2_sparsity_destroy(&q->pattern);
}

bool equations_solve(space *s, const equations *q) {
  op2_solve_result result;
  TRY(op2_solve(s->solver, q->a, q->x, q->b));
  TRY(op2_solver_result(s->solver, &result));
  TRY(op2_flush(s->ctx));
  space_iterations(result.iterations);
  return true;
fail:
  return false;
}

bool space_loop(op2_set set, op2_context ctx, const op2_kernel_desc *desc, int nargs,
                const op2_arg *args) {
  op2_kernel kernel = NULL;
  TRY(op2_kernel_create(ctx, desc, &kernel));
  TRY(op2_par_loop_at(OP2_HERE, kernel, set, nargs, args));
  op2_kernel_destroy(&kernel);
  return true;
fail:
  op2_kernel_destroy(&kernel);
  return false;
}

bool space_sum(space *s, int n, op2_gbl *sum) {
  static const double nothing[4];
  return report_ok(op2_gbl_create(s->ctx, n, OP2_F64, nothing, "sum", sum), "op2_gbl_create");
}

/* ---- the run --------------------------------------------------------------------------------- */

static void print_line(int n, int count, const double *errors, const double *before) {
  printf("%d", n);
  for (int e = 0; e < count; e++)
    printf(" %.15e %.4f", errors[e], before[e] > 0 ? log2(before[e] / errors[e]) : 0.0);
  printf(" %d\n", space_iterations(0));
}

static bool run_level(op2_context ctx, const options *o, int n, double *errors) {
  const struct problem *problem = problem_of(o);
  const bool quadratic = problem->solve == stokes_solve,
             free_choice = problem->solve == poisson_solve;
  space s = {.ctx = ctx};
  mesh m;
  bench_error error;
  if (grid_make(quadratic     ? GRID_P2
                : free_choice ? (grid_element)element_of(o)
                              : GRID_Q1,
                n, &m, &error)) {
    fprintf(stderr, "fem: %s\n", error.text);
    return false;
  }
  const bool good = declare(&s, &m, o, problem->method) && problem->solve(&s, o, errors);
  mesh_free(&m);
  destroy(&s);
  return good;
}

static bool begin_petsc(op2_context ctx, const options *o) {
#ifdef BENCH_PETSC
  if (o->petsc) return report_ok(op2_petsc_use(ctx, 0, NULL), "op2_petsc_use");
#endif
  (void)ctx, (void)o;
  return true;
}

static bool run(const options *o, const mesh *first, run_times *times) {
  const int count = problem_of(o)->errors;
  double errors[2] = {0}, before[2] = {0};
  op2_context ctx = NULL;
  (void)first;
  const double begin = clock_now();
  if (!report_init(&o->run, &ctx)) return false;
  bool good = begin_petsc(ctx, o);
  times->setup = clock_now() - begin;
  printf("# cells along a side; error in L2 and its order%s; iterations\n",
         count > 1 ? ", of velocities and of pressures" : "");
  for (int level = 0; level < o->levels && good; level++) {
    good = run_level(ctx, o, o->cells << level, errors);
    if (good) print_line(o->cells << level, count, errors, before);
    memcpy(before, errors, sizeof before);
  }
  times->loop = times->timed = clock_now() - begin - times->setup;
  times->iterations = o->levels;
  good = good && report_run(ctx, times, "meshes") && report_explain(ctx, o->run.explain);
  return report_finalize(&ctx, good);
}

int main(int argc, char **argv) {
  options o;
  mesh m;
  return application_main(argc, argv, &o, &m, run);
}
