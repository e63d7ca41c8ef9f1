/* SPDX-License-Identifier: BSD-3-Clause */
/* GMRES with its default restart and others: later cycles and later solves make no programs and
 * fuse no loops; the reported residual is true where vectors lose their orthogonality, also in
 * float. */
#include <math.h>
#include <stdio.h>

#include "program.h"
#include "support.h"

enum { NODES = 400, MOST_DIM = 2 };

/* A chain with a wind along it, on which no solve here converges. */
struct system {
  int dim;
  op2_type type;
  op2_set cells, nodes;
  op2_map map;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_dat x, b;
  op2_kernel add;
};

static op2_kernel add_kernel(const struct system *s, double wind) {
  char *text = scratch(512, 1);
  snprintf(text, 512,
           "void add(%s a[%d][%d]) {\n"
           "  for (int k = 0; k < %d; k++) {\n"
           "    a[k][k] += 1 - (%g);\n    a[k][k + %d] += -1 + (%g);\n"
           "    a[k + %d][k] += -1 - (%g);\n    a[k + %d][k + %d] += 1 + (%g) + 1e-5;\n  }\n}\n",
           s->type == OP2_F64 ? "double" : "float", 2 * s->dim, 2 * s->dim, s->dim, wind, s->dim,
           wind, s->dim, wind, s->dim, s->dim, wind);
  return new_source("add", text);
}

static struct system new_system(op2_type type, int dim, double wind) {
  struct system s = {.type = type, .dim = dim};
  int32_t *idx = scratch((size_t)2 * NODES, sizeof *idx);
  void *values = scratch((size_t)NODES * MOST_DIM, sizeof(double));
  for (int i = 0; i < NODES * dim; i++) {
    const double value = sin(0.37 * i) + 0.2;
    if (type == OP2_F64)
      ((double *)values)[i] = value;
    else
      ((float *)values)[i] = (float)value;
  }
  for (int e = 0; e < NODES - 1; e++) idx[2 * e] = e, idx[2 * e + 1] = e + 1;
  s.cells = new_set(NODES - 1, "cells");
  s.nodes = new_set(NODES, "nodes");
  s.map = new_map(s.cells, s.nodes, 2, idx, "ends");
  s.x = new_dat(s.nodes, dim, type, NULL, "x");
  s.b = new_dat(s.nodes, dim, type, values, "b");
  const op2_map_pair pair = {s.map, s.map};
  MUST(op2_sparsity_create(1, &pair, "pattern", &s.sparsity));
  MUST(op2_mat_create(s.sparsity, dim, dim, type, "A", &s.mat));
  s.add = add_kernel(&s, wind);
  MUST(op2_par_loop(s.add, s.cells, op2_arg_mat(s.mat, s.map, s.map, OP2_INC)));
  return s;
}

static void end_system(struct system *s) {
  op2_mat_destroy(&s->mat);
  op2_sparsity_destroy(&s->sparsity);
}

static op2_solve_result solve(const struct system *s, op2_solver_options options) {
  op2_solver solver;
  op2_solve_result result = {0};
  options.method = OP2_METHOD_GMRES;
  options.library = OP2_LIBRARY_OP2;
  options.start_at_zero = options.allow_failure = 1;
  MUST(op2_solver_create(test_ctx, &options, "s", &solver));
  MUST(op2_solve(solver, s->mat, s->x, s->b));
  MUST(op2_solver_result(solver, &result));
  op2_solver_destroy(&solver);
  return result;
}

/* ---- programs -------------------------------------------------------------------------------- */

static bool counting(void) {
  return test_ctx->backend->passes && !test_config.eager && test_ctx->config.replay;
}

static const struct op2i_sched *inner(void) { return test_ctx->sched->inner; }

/* Three solves of four cycles by one solver. Loops that occur once per solve are fused in the
 * second solve. */
static void kept_for(int restart, int dim, op2_type type) {
  struct system s = new_system(type, dim, 0);
  const op2_solver_options options = {.method = OP2_METHOD_GMRES,
                                      .library = OP2_LIBRARY_OP2,
                                      .rtol = 1e-300,
                                      .restart = restart,
                                      .iterations = 4 * restart,
                                      .start_at_zero = 1,
                                      .allow_failure = 1};
  op2_solver solver;
  op2_solve_result result;
  const int64_t begin = inner() ? inner()->stats.programs_made : 0;
  int64_t programs = 0, fused = 0;
  MUST(op2_solver_create(test_ctx, &options, "s", &solver));
  for (int times = 0; times < 3; times++) {
    MUST(op2_solve(solver, s.mat, s.x, s.b));
    MUST(op2_solver_result(solver, &result));
    EXPECT(result.iterations == 4 * restart);
    if (times == 2 && counting() &&
        !EXPECT(inner()->stats.programs_made == programs && inner()->stats.loops_fused == fused))
      diag("restart %d: %lld programs, and %lld more in the last solve", restart,
           (long long)programs, (long long)(inner()->stats.programs_made - programs));
    programs = inner()->stats.programs_made;
    fused = inner()->stats.loops_fused;
  }
  /* Programs: one of a single loop for each vector; for each block of 8 vectors those of one pass,
   * of two passes, and of the end of a cycle; each is made twice, before its loops are fused and
   * after. */
  if (counting() && !EXPECT(programs - begin <= restart + 2 * (4 * (restart / 8 + 1) + 8)))
    diag("restart %d: %lld programs", restart, (long long)(programs - begin));
  op2_solver_destroy(&solver);
  end_system(&s);
}

static void programs_are_kept(void) {
  if (!counting()) return;
  kept_for(30, 1, OP2_F64);
  kept_for(5, 2, OP2_F32);
}

static void with_the_longest_restart(void) {
  if (counting()) kept_for(100, 1, OP2_F64);
}

/* ---- residuals ------------------------------------------------------------------------------- */

/* The reported residual is the norm of b - A x, and after one cycle's number of iterations it is as
 * small with vectors that were orthogonalised once as with any others. */
static void residuals_are_true(void) {
  /* The checked mode takes a second for 100 iterations, more with sanitizers. */
  const int longest = on_check() && !thorough() ? 30 : 100;
  for (int t = 0; t < 2; t++)
    for (double wind = 0; wind < 0.9; wind += 0.45) {
      struct system s = new_system(t ? OP2_F32 : OP2_F64, 1, wind);
      op2_dat r = new_dat(s.nodes, 1, s.type, NULL, "r");
      op2_gbl norm = new_gbl(1, OP2_F64, NULL, "norm");
      double got = 0, last = INFINITY;
      for (int restart = 25; restart <= longest; restart += longest - 25) {
        const op2_solve_result result =
            solve(&s, (op2_solver_options){
                          .rtol = t ? 1e-5 : 1e-12, .restart = restart, .iterations = longest});
        MUST(op2_mat_mult(s.mat, s.x, r));
        MUST(op2_dat_aypx(r, op2_scalar_value(-1), s.b));
        MUST(op2_dat_norm(r, OP2_NORM_2, norm));
        MUST(op2_gbl_get(norm, &got));
        if (!EXPECT(fabs(got - result.residual) <= 1e-3 * result.residual + (t ? 1e-4 : 1e-12)))
          diag("type %d, wind %g, restart %d: %g, and %g was said", t, wind, restart, got,
               result.residual);
        if (restart < longest) last = fmin(last, got);
        if (restart == longest && !EXPECT(got <= 1.01 * last))
          diag("type %d, wind %g: %g, and %g with shorter cycles", t, wind, got, last);
      }
      end_system(&s);
    }
}

static const struct test_case cases[] = {
    {"programs are kept", programs_are_kept},
    {"restart after 100 iterations", with_the_longest_restart},
    {"residuals are true", residuals_are_true},
};

int main(void) { return RUN(cases, RUN_LAZY_ONLY | RUN_ONE_BLOCK); }
