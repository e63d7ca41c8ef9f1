/* SPDX-License-Identifier: BSD-3-Clause */
/* The residuals of solves are reported once for each iteration, by every method, also where they are
 * scaled; and operators have preconditioners of their diagonal or of the blocks on it, by a
 * function: solves take the iterations that those with a matrix take. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

enum { N = 60, MOST = 400, DIM = 2 };

struct history {
  int n;
  bool in_order;
  double residual[MOST];
};

static void keep(void *data, int iteration, double residual) {
  struct history *h = data;
  h->in_order &= iteration == h->n && h->n < MOST;
  if (h->n < MOST) h->residual[h->n++] = residual;
}

/* A chain whose rows have different weights, with blocks of `dim` rows: symmetric, positive
 * definite. */
struct system {
  int dim;
  op2_set edges, nodes;
  op2_map ends;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_dat x, b;
  int diagonals; /* calls of the function for the diagonal */
  op2_status answer;
};

static struct system new_system(int dim, double scale) {
  struct system s = {.dim = dim};
  int32_t idx[2 * (N - 1)];
  double b[N * DIM], *at = b;
  char *text = scratch(512, 1);
  for (int e = 0; e < N - 1; e++) idx[2 * e + 1] = (idx[2 * e] = e) + 1;
  for (int i = 0; i < N * dim; i++) *at++ = scale * (i % 7 - 3);
  s.edges = new_set(N - 1, "edges");
  s.nodes = new_set(N, "nodes");
  s.ends = new_map(s.edges, s.nodes, 2, idx, "ends");
  const op2_map_pair pair = {s.ends, s.ends};
  MUST(op2_sparsity_create(1, &pair, "pattern", &s.sparsity));
  MUST(op2_mat_create(s.sparsity, dim, dim, OP2_F64, "A", &s.mat));
  s.x = new_dat(s.nodes, dim, OP2_F64, NULL, "x");
  s.b = new_dat(s.nodes, dim, OP2_F64, b, "b");
  snprintf(text, 512,
           "void add(double a[%d][%d], const int *e) {\n"
           "  const double w = 1 + (e[0] * 37 %% 11) * 50;\n"
           "  for (int i = 0; i < %d; i++)\n    for (int j = 0; j < %d; j++)\n"
           "      a[i][j] += i == j ? 2.5 * w : i %% %d == j %% %d ? -w : i / %d == j / %d ? w : "
           "0;\n}\n",
           2 * dim, 2 * dim, 2 * dim, 2 * dim, dim, dim, dim, dim);
  MUST(op2_par_loop(new_source("add", text), s.edges, op2_arg_mat(s.mat, s.ends, s.ends, OP2_INC),
                    op2_arg_idx()));
  return s;
}

static void end_system(struct system *s) {
  op2_mat_destroy(&s->mat);
  op2_sparsity_destroy(&s->sparsity);
}

static op2_solver new_solver(op2_method method, op2_preconditioner preconditioner) {
  op2_solver solver;
  const op2_solver_options options = {.method = method,
                                      .preconditioner = preconditioner,
                                      .library = OP2_LIBRARY_OP2,
                                      .rtol = 1e-10,
                                      .start_at_zero = 1};
  MUST(op2_solver_create(test_ctx, &options, "s", &solver));
  return solver;
}

/* ---- residuals ------------------------------------------------------------------------------- */

static void follow(op2_method method, double scale) {
  struct system s = new_system(1, scale);
  struct history h = {.in_order = true};
  op2_solver solver = new_solver(method, OP2_PRECONDITIONER_JACOBI);
  op2_solve_result result;
  double first = 0;
  for (int i = 0; i < N; i++) first += (i % 7 - 3) * (i % 7 - 3);
  MUST(op2_solve(solver, s.mat, s.x, s.b));
  MUST(op2_solver_monitor(solver, keep, &h)); /* holds for the solve that waits */
  MUST(op2_solver_result(solver, &result));
  const int iterations = result.iterations;
  EXPECT(result.reason == OP2_CONVERGED_RTOL);
  if (!test_config.eager) {
    EXPECT(h.in_order && h.n == iterations + 1);
    EXPECT(fabs(h.residual[0] / (sqrt(first) * scale) - 1) < 1e-12);
    EXPECT(h.residual[h.n - 1] <= 1e-9 * h.residual[0] && h.residual[h.n - 1] >= 0);
  }
  h.n = 0;
  MUST(op2_solve(solver, s.mat, s.x, s.b));
  MUST(op2_flush(test_ctx));
  EXPECT(h.in_order && h.n == iterations + 1);
  MUST(op2_solver_monitor(solver, NULL, NULL));
  MUST(op2_solve(solver, s.mat, s.x, s.b));
  MUST(op2_flush(test_ctx));
  EXPECT(h.n == iterations + 1);
  op2_solver_destroy(&solver);
  end_system(&s);
}

static void each_method(void) {
  static const op2_method methods[] = {OP2_METHOD_CG, OP2_METHOD_MINRES, OP2_METHOD_GMRES,
                                       OP2_METHOD_BICGSTAB};
  for (int m = 0; m < (on_device() ? 1 : 4); m++) {
    follow(methods[m], 1);
    if (!on_device()) follow(methods[m], 1e150);
  }
  REFUSED(OP2_ERR_ARG, op2_solver_monitor(NULL, keep, NULL), "op2_solver_monitor", "null");
}

/* ---- operators ------------------------------------------------------------------------------- */

static op2_status multiply(void *data, op2_dat x, op2_dat y) {
  return op2_mat_mult(((struct system *)data)->mat, x, y);
}

static op2_status diagonal(void *data, op2_dat d) {
  struct system *s = data;
  s->diagonals++;
  const op2_status status = op2_mat_diagonal(s->mat, d);
  return status ? status : s->answer;
}

static op2_status destroys(void *data, op2_dat d) {
  (void)data;
  op2_dat_destroy(&d);
  return OP2_SUCCESS;
}

static op2_operator new_operator(struct system *s, op2_diagonal_function function) {
  op2_operator op;
  const op2_arg args[] = {op2_arg_mat(s->mat, NULL, NULL, OP2_READ)};
  const op2_operator_desc desc = {.set = s->nodes,
                                  .dim = s->dim,
                                  .type = OP2_F64,
                                  .apply = multiply,
                                  .data = s,
                                  .nargs = 1,
                                  .args = args,
                                  .diagonal = function};
  MUST(op2_operator_create(&desc, "shell", &op));
  return op;
}

static int iterations_of(op2_solver solver) {
  op2_solve_result result;
  MUST(op2_solver_result(solver, &result));
  EXPECT(result.reason == OP2_CONVERGED_RTOL);
  return result.iterations;
}

static void preconditioned(int dim, op2_preconditioner kind) {
  struct system s = new_system(dim, 1);
  double by_matrix[N * DIM], by_function[N * DIM];
  op2_solver solver = new_solver(OP2_METHOD_CG, kind);
  op2_operator op = new_operator(&s, diagonal), bare = new_operator(&s, NULL);
  MUST(op2_solve(solver, s.mat, s.x, s.b));
  MUST(op2_dat_get(s.x, by_matrix));
  const int expected = iterations_of(solver);
  MUST(op2_solve_operator(solver, op, s.x, s.b));
  MUST(op2_dat_get(s.x, by_function));
  EXPECT(iterations_of(solver) == expected && s.diagonals == 1);
  for (int i = 0; i < N * dim; i++)
    if (!EXPECT(by_function[i] == by_matrix[i])) break;
  MUST(op2_solve_operator(solver, bare, s.x, s.b));
  EXPECT(iterations_of(solver) > expected && s.diagonals == 1);
  op2_operator_destroy(&bare);
  op2_operator_destroy(&op);
  op2_solver_destroy(&solver);
  end_system(&s);
}

static void operators(void) {
  preconditioned(1, OP2_PRECONDITIONER_JACOBI);
  if (on_device()) return;
  preconditioned(DIM, OP2_PRECONDITIONER_JACOBI);
  preconditioned(DIM, OP2_PRECONDITIONER_BLOCK_JACOBI);
}

/* Solve by an operator that fails: the first call that needs x says why. */
static void expect_failure(struct system *s, op2_diagonal_function function, op2_status want,
                           const char *why) {
  double x[N];
  op2_solver solver = new_solver(OP2_METHOD_CG, OP2_PRECONDITIONER_JACOBI);
  op2_operator op = new_operator(s, function);
  op2_status status = op2_solve_operator(solver, op, s->x, s->b);
  if (!status) status = op2_dat_get(s->x, x);
  const char *said = op2_error_message();
  EXPECT(status == want && strstr(said, "the function for the diagonal of operator 'shell'"));
  EXPECT(strstr(said, why) != NULL);
  MUST(op2_dat_fill(s->x, op2_scalar_value(0)));
  op2_operator_destroy(&op);
  op2_solver_destroy(&solver);
}

static void failures(void) {
  struct system s = new_system(1, 1);
  s.answer = OP2_ERR_CALL;
  expect_failure(&s, diagonal, OP2_ERR_CALL, "OP2_ERR_CALL");
  expect_failure(&s, destroys, OP2_ERR_STATE, "destroys the dat that it is lent");
  s.answer = OP2_SUCCESS;
  op2_solver solver = new_solver(OP2_METHOD_CG, OP2_PRECONDITIONER_JACOBI);
  op2_operator op = new_operator(&s, diagonal);
  MUST(op2_solve_operator(solver, op, s.x, s.b));
  (void)iterations_of(solver);
  op2_operator_destroy(&op);
  op2_solver_destroy(&solver);
  end_system(&s);
}

static const struct test_case cases[] = {
    {"residuals of each method", each_method},
    {"operators with a diagonal", operators},
    {"functions that fail", failures},
};

int main(void) {
  test_environment();
  return RUN(cases, RUN_ON_DEVICES | RUN_ONE_BLOCK);
}
