/* SPDX-License-Identifier: BSD-3-Clause */
/* Actions of an operator's function besides queueing loops. Calls that would change the mesh or end
 * the context of the running solve are refused with the operator's name, and the solve goes on.
 * Handles may be destroyed, objects made and values read. The programs run with OP2_REPLAY=0, where
 * the loops of the nested queue drop all programs, also the one to which the solve itself
 * belongs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { N = 60, NODES = N + 1 };

/* A chain of cells; A = 2 on each end of a cell, -1 between them: definite. */
struct chain {
  op2_set cells, nodes;
  op2_map map;
  op2_dat u, b;
  op2_kernel apply, zero, one;
  op2_solver solver;
  op2_operator matrix;
  op2_context ctx;                                          /* a copy of the handle */
  void (*first)(struct chain *chain, op2_dat x, op2_dat y); /* the extra work in the first
                                                             * product */
  int products;
};

static op2_status product(void *data, op2_dat x, op2_dat y) {
  struct chain *c = data;
  op2_status status = op2_par_loop(c->zero, c->nodes, op2_arg_direct(y, OP2_WRITE));
  if (!status)
    status = op2_par_loop(c->apply, c->cells, op2_arg_dat(x, OP2_ALL, c->map, OP2_READ),
                          op2_arg_dat(y, OP2_ALL, c->map, OP2_INC));
  if (!status && !c->products++ && c->first) c->first(c, x, y);
  return status;
}

static void new_chain(struct chain *c, void (*first)(struct chain *, op2_dat, op2_dat)) {
  int32_t *ends = scratch(2 * N, sizeof *ends);
  for (int i = 0; i < N; i++) ends[2 * i] = i, ends[2 * i + 1] = i + 1;
  *c = (struct chain){.ctx = test_ctx, .first = first};
  c->cells = new_set(N, "cells");
  c->nodes = new_set(NODES, "nodes");
  c->map = new_map(c->cells, c->nodes, 2, ends, "ends");
  c->u = new_dat(c->nodes, 1, OP2_F64, NULL, "u");
  c->b = new_dat(c->nodes, 1, OP2_F64, NULL, "b");
  c->apply = new_source("apply", "void apply(const double *const *x, double **y) {\n"
                                 "  y[0][0] += 2 * x[0][0] - x[1][0];\n"
                                 "  y[1][0] += 2 * x[1][0] - x[0][0];\n}");
  c->zero = new_source("zero", "void zero(double *y) { *y = 0; }");
  c->one = new_source("one", "void one(double *b) { *b = 1; }");
  const op2_solver_options options = {.rtol = 1e-12, .preconditioner = OP2_PRECONDITIONER_NONE};
  const op2_operator_desc desc = {
      .set = c->nodes, .dim = 1, .type = OP2_F64, .apply = product, .data = c};
  MUST(op2_solver_create(test_ctx, &options, "solver", &c->solver));
  MUST(op2_operator_create(&desc, "chain", &c->matrix));
}

/* Solve once more than the first time, between other loops. */
static void solve(struct chain *c) {
  MUST(op2_par_loop(c->one, c->nodes, op2_arg_direct(c->b, OP2_WRITE)));
  op2_solver solver = c->solver; /* the function may have destroyed both handles */
  MUST(op2_solve_operator(solver, c->matrix, c->u, c->b));
  MUST(op2_flush(test_ctx));
}

/* Compare with the solution computed by elimination. */
static void expect_solution(struct chain *c) {
  double d[NODES], r[NODES], *u = scratch(NODES, sizeof *u);
  for (int i = 0; i < NODES; i++) d[i] = i == 0 || i == N ? 2 : 4, r[i] = 1;
  for (int i = 1; i < NODES; i++) d[i] -= 1 / d[i - 1], r[i] += r[i - 1] / d[i - 1];
  MUST(op2_dat_get(c->u, u));
  for (int i = N; i >= 0; i--) {
    r[i] = (r[i] + (i < N ? r[i + 1] : 0)) / d[i];
    if (!EXPECT(fabs(u[i] - r[i]) < 1e-9)) break;
  }
}

static void end_chain(struct chain *c) {
  op2_solver_destroy(&c->solver);
  op2_operator_destroy(&c->matrix);
}

static void refuse(op2_status status, const char *call) {
  const char *said = op2_error_message();
  EXPECT(status == OP2_ERR_STATE && strstr(said, call) && strstr(said, "'chain'") &&
         strstr(said, "'solver'") && strstr(said, "op2_flush"));
}

static void take_mesh(struct chain *c, op2_dat x, op2_dat y) {
  op2_context copy = c->ctx;
  op2_partition_options blocks = {.method = OP2_PARTITION_BLOCKS};
  (void)x, (void)y;
  refuse(op2_renumber(c->map), "op2_renumber");
  refuse(op2_partition(c->ctx, NULL, NULL), "op2_partition");
  refuse(op2_partition(c->ctx, &blocks, NULL), "op2_partition");
  refuse(op2_finalize(&copy), "op2_finalize");
  EXPECT(copy == c->ctx);
}

/* Afterwards the same calls succeed, or fail for other reasons. */
static void the_mesh_stays(void) {
  struct chain c;
  new_chain(&c, take_mesh);
  solve(&c);
  EXPECT(c.products > 1);
  expect_solution(&c);
  MUST(op2_partition(test_ctx, NULL, NULL));
  op2_status status = op2_renumber(c.map);
  EXPECT(status == OP2_SUCCESS || status == OP2_ERR_UNAVAILABLE);
  solve(&c);
  expect_solution(&c);
  end_chain(&c);
}

/* The solve keeps the objects it needs; the loops of later products use other handles. */
static void destroy(struct chain *c, op2_dat x, op2_dat y) {
  op2_dat spare = NULL;
  op2_kernel copy = NULL;
  const op2_kernel_desc desc = {.name = "copy",
                                .source = "void copy(double *a, const double *b) { *a = *b; }"};
  MUST(op2_dat_create(c->nodes, 1, OP2_F64, NULL, "spare", &spare));
  MUST(op2_kernel_create(c->ctx, &desc, &copy));
  for (int i = 0; i < 3; i++)
    MUST(op2_par_loop(copy, c->nodes, op2_arg_direct(spare, OP2_WRITE),
                      op2_arg_direct(i % 2 ? x : y, OP2_READ)));
  MUST(op2_flush(c->ctx));
  op2_kernel_destroy(&copy);
  op2_dat_destroy(&spare);
  op2_solver_destroy(&c->solver);
  op2_operator_destroy(&c->matrix);
}

static void handles_go(void) {
  struct chain c;
  new_chain(&c, destroy);
  solve(&c);
  expect_solution(&c);
  EXPECT(c.products > 1 && !c.solver && !c.matrix);
  end_chain(&c);
}

static void look(struct chain *c, op2_dat x, op2_dat y) {
  double *values = scratch(NODES, sizeof *values);
  op2_set more = NULL;
  MUST(op2_dat_get(y, values));
  MUST(op2_flush(c->ctx));
  MUST(op2_set_create(c->ctx, 3, "more", &more));
  op2_set_destroy(&more);
  EXPECT(op2_dat_get(c->b, values) == OP2_SUCCESS); /* the solve holds a reference to it */
  op2_dat other = NULL;
  MUST(op2_dat_create(c->nodes, 1, OP2_F64, NULL, "other", &other));
  MUST(op2_dat_set(other, values));
  MUST(op2_par_loop(c->one, c->nodes, op2_arg_direct(other, OP2_WRITE)));
  MUST(op2_dat_get(other, values));
  EXPECT(values[N] == 1);
  op2_dat_destroy(&other);
  EXPECT(x != y);
}

/* Several solves in one queue, and single ones, each queued anew. */
static void again_and_again(void) {
  struct chain c;
  new_chain(&c, look);
  for (int i = 0; i < 3; i++) {
    c.products = 0;
    solve(&c);
    expect_solution(&c);
  }
  for (int i = 0; i < 3; i++) MUST(op2_solve_operator(c.solver, c.matrix, c.u, c.b));
  MUST(op2_flush(test_ctx));
  expect_solution(&c);
  end_chain(&c);
}

int main(void) {
  static const struct test_case cases[] = {{"the mesh and the context stay", the_mesh_stays},
                                           {"handles are destroyed inside", handles_go},
                                           {"solves run by themselves", again_and_again}};
  setenv("OP2_REPLAY", "0", 1);
  return RUN(cases, 0);
}
