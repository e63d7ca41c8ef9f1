/* SPDX-License-Identifier: BSD-3-Clause */
/* An operator's function borrows x and y. If it destroys one of them, or lets a call do so, the
 * solve fails with the operator's name, for every method and in whichever product that happens;
 * afterwards the same solver works as before. A call of the program may destroy the dat whose
 * values it gets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { N = 40 };
enum fault { NOTHING, X, Y, BOTH, X_BY_CALL, Y_BY_CALL, Y_AND_FAIL, FAULTS };

struct diagonal {
  op2_set set;
  op2_dat weights, u, b;
  op2_kernel scale;
  enum fault fault;
  int at, products; /* the fault is in product `at`, counted from 1 */
};

OP2_KERNEL(scale, (const double *x, const double *w, double *y), { *y = *w * *x; });

static int destroy_dat(void *data, void *const *values) {
  (void)values;
  op2_dat_destroy(data);
  return 0;
}

static op2_dat late[2]; /* destroyed by calls, which run after the function has returned */

static op2_status misuse(enum fault fault, op2_dat x, op2_dat y) {
  late[0] = x, late[1] = y;
  if (fault == X || fault == BOTH) op2_dat_destroy(&x);
  if (fault == Y || fault == BOTH || fault == Y_AND_FAIL) op2_dat_destroy(&y);
  if (fault == X_BY_CALL) return op2_call(test_ctx, destroy_dat, &late[0]);
  if (fault == Y_BY_CALL) return op2_call(test_ctx, destroy_dat, &late[1]);
  return fault == Y_AND_FAIL ? OP2_ERR_RANGE : OP2_SUCCESS;
}

static op2_status product(void *data, op2_dat x, op2_dat y) {
  struct diagonal *d = data;
  op2_status status =
      op2_par_loop(d->scale, d->set, op2_arg_direct(x, OP2_READ),
                   op2_arg_direct(d->weights, OP2_READ), op2_arg_direct(y, OP2_WRITE));
  if (!status && ++d->products == d->at) status = misuse(d->fault, x, y);
  return status;
}

static void make_diagonal(struct diagonal *d) {
  double *values = scratch(N, sizeof *values);
  for (int i = 0; i < N; i++) values[i] = i + 1;
  *d = (struct diagonal){.set = new_set(N, "rows"), .scale = new_kernel(&scale_kernel)};
  d->weights = new_dat(d->set, 1, OP2_F64, values, "weights");
  d->b = new_dat(d->set, 1, OP2_F64, values, "b");
}

static void expect_solved(struct diagonal *d, op2_solver solver, op2_operator op) {
  double u[N];
  op2_dat x = NULL;
  d->fault = NOTHING;
  MUST(op2_dat_create(d->set, 1, OP2_F64, NULL, "again", &x));
  MUST(op2_solve_operator(solver, op, x, d->b));
  MUST(op2_dat_get(x, u));
  for (int i = 0; i < N; i++)
    if (!EXPECT(fabs(u[i] - 1) < 1e-9)) break;
  op2_dat_destroy(&x);
}

/* In eager mode the solve itself returns the error. */
static void expect_refused(struct diagonal *d, op2_solver solver, op2_operator op) {
  op2_solve_result result;
  op2_dat u = NULL;
  MUST(op2_dat_create(d->set, 1, OP2_F64, NULL, "u", &u));
  op2_status status = op2_solve_operator(solver, op, u, d->b);
  if (!test_config.eager) {
    MUST(status);
    status = op2_flush(test_ctx);
  }
  const char *said = op2_error_message();
  const bool good = status == OP2_ERR_STATE && strstr(said, "'naughty'") &&
                    strstr(said, "destroys") && strstr(said, "'solver'");
  if (!EXPECT(good)) diag("fault %d in product %d: %d, %s", (int)d->fault, d->at, status, said);
  MUST(op2_solver_result(solver, &result));
  EXPECT(result.reason == OP2_SOLVE_FAILED && d->products >= d->at);
  const bool gone = op2_dat_get(u, (double[N]){0}) == OP2_ERR_ARG; /* the first x is u itself */
  EXPECT(!gone || (d->at == 1 && (d->fault == X || d->fault == BOTH || d->fault == X_BY_CALL)));
  if (!gone) op2_dat_destroy(&u);
}

static void make_solver(struct diagonal *d, op2_method method, op2_solver *solver,
                        op2_operator *op) {
  make_diagonal(d);
  const op2_arg uses[] = {op2_arg_direct(d->weights, OP2_READ)};
  const op2_solver_options options = {
      .method = method, .rtol = 1e-12, .preconditioner = OP2_PRECONDITIONER_NONE};
  const op2_operator_desc desc = {.set = d->set,
                                  .dim = 1,
                                  .type = OP2_F64,
                                  .apply = product,
                                  .data = d,
                                  .nargs = 1,
                                  .args = uses};
  MUST(op2_solver_create(test_ctx, &options, "solver", solver));
  MUST(op2_operator_create(&desc, "naughty", op));
}

static void faults_of(op2_method method) {
  static const int when[] = {1, 2, 4};
  struct diagonal d;
  op2_solver solver = NULL;
  op2_operator op = NULL;
  make_solver(&d, method, &solver, &op);
  for (int fault = X; fault < FAULTS; fault++)
    for (int w = 0; w < 3; w++) {
      d.fault = (enum fault)fault;
      d.at = when[w];
      d.products = 0;
      expect_refused(&d, solver, op);
    }
  expect_solved(&d, solver, op);
  op2_operator_destroy(&op);
  op2_solver_destroy(&solver);
}

static void by_cg(void) { faults_of(OP2_METHOD_CG); }
static void by_minres(void) { faults_of(OP2_METHOD_MINRES); }
static void by_gmres(void) { faults_of(OP2_METHOD_GMRES); }
static void by_bicgstab(void) { faults_of(OP2_METHOD_BICGSTAB); }

/* The handle belongs to the library even after the solve. */
static void kept_for_later(void) {
  struct diagonal d;
  op2_solver solver = NULL;
  op2_operator op = NULL;
  make_solver(&d, OP2_METHOD_CG, &solver, &op);
  d.at = 1; /* handles are recorded, and nothing is destroyed */
  expect_solved(&d, solver, op);
  op2_dat_destroy(&late[1]);
  expect_solved(&d, solver, op);
  op2_operator_destroy(&op);
  op2_solver_destroy(&solver);
}

/* Systems of two dats, with an operator in each block of the diagonal. The first dat may have been
 * destroyed by the program; a call of the second operator destroys the second dat. */
static void one_of_system(bool same, bool gone, const char *words) {
  struct diagonal d, e;
  op2_solver solver = NULL, other = NULL;
  op2_operator op = NULL, second = NULL;
  op2_dat x[2] = {NULL};
  make_solver(&e, OP2_METHOD_CG, &other, &second);
  make_solver(&d, OP2_METHOD_CG, &solver, &op);
  d.fault = X_BY_CALL;
  d.at = same ? 2 : 1;
  const op2_operator operators[] = {same ? op : second, NULL, NULL, op};
  const op2_dat b[] = {same ? d.b : e.b, d.b};
  for (int i = 0; i < 2; i++)
    MUST(op2_dat_create(b[i] == d.b ? d.set : e.set, 1, OP2_F64, NULL, "x", &x[i]));
  op2_status status = op2_solve_blocks(solver, 2, NULL, operators, x, b);
  if (gone) op2_dat_destroy(&x[0]);
  if (!status) status = op2_flush(test_ctx);
  if (!EXPECT(status == OP2_ERR_STATE && strstr(op2_error_message(), words)))
    diag("%d: %s", status, op2_error_message());
  op2_dat_destroy(&x[0]);
  op2_operator_destroy(&op);
  op2_operator_destroy(&second);
  op2_solver_destroy(&solver);
  op2_solver_destroy(&other);
}

/* In eager mode the call runs inside the function, whose operator is then known. */
static void of_systems(void) {
  static const char one[] = "the function of operator 'naughty' destroys x, which it is lent";
  static const char any[] =
      "the function of an operator of the system destroys x, which it is lent";
  one_of_system(false, false, test_config.eager ? one : any);
  one_of_system(false, true, test_config.eager ? one : any);
  one_of_system(true, false, one);
}

/* ---- functions of op2_call() ----------------------------------------------------------------- */

struct given {
  op2_dat dat;
  double sum;
};

static int destroy_and_add(void *data, void *const *values) {
  struct given *given = data;
  double *x = values[0];
  op2_dat_destroy(&given->dat);
  for (int i = 0; i < N; i++) given->sum += x[i]++;
  return 0;
}

/* The values stay until the function returns: the dat's own memory, a view of a dat whose set is
 * renumbered, and the program's memory, which holds the values in the end. */
static void lent_values(void) {
  int32_t ring[2 * N];
  double values[N], wrapped[N];
  for (int i = 0; i < N; i++) {
    ring[2 * i] = i, ring[2 * i + 1] = (i * 7 + 3) % N;
    values[i] = wrapped[i] = i;
  }
  for (int renumbered = 0; renumbered < 2; renumbered++) {
    op2_set cells = new_set(N, "cells"), nodes = new_set(N, "nodes");
    op2_map map = new_map(cells, nodes, 2, ring, "ring");
    struct given own = {0}, wrap = {0};
    MUST(op2_dat_create(nodes, 1, OP2_F64, values, "own", &own.dat));
    MUST(op2_dat_wrap(nodes, 1, OP2_F64, wrapped, "wrapped", &wrap.dat));
    op2_status status = renumbered ? op2_renumber(map) : OP2_SUCCESS;
    EXPECT(status == OP2_SUCCESS || status == OP2_ERR_UNAVAILABLE);
    MUST(op2_call(test_ctx, destroy_and_add, &own, op2_arg_direct(own.dat, OP2_RW)));
    MUST(op2_call(test_ctx, destroy_and_add, &wrap, op2_arg_direct(wrap.dat, OP2_RW)));
    MUST(op2_flush(test_ctx));
    EXPECT(!own.dat && own.sum == N * (N - 1) / 2);
    EXPECT(!wrap.dat && wrap.sum == N * (N - 1) / 2 + renumbered * N);
    for (int i = 0; i < N; i++) EXPECT(wrapped[i] == i + 1 + renumbered);
  }
}

/* A view does not outlive its dat's handle: the end of the dat ends the scope. */
static void open_views(void) {
  op2_set set = new_set(N, "rows");
  for (int writes = 0; writes < 2; writes++) {
    op2_dat dat = NULL;
    const void *reads = NULL;
    void *view = NULL;
    MUST(op2_dat_create(set, 1, OP2_F64, NULL, "open", &dat));
    op2_dat copy = dat;
    MUST(writes ? op2_dat_write_begin(dat, &view) : op2_dat_read_begin(dat, &reads));
    op2_dat_destroy(&dat);
    EXPECT((writes ? op2_dat_write_end(copy, &view) : op2_dat_read_end(copy, &reads)) ==
           OP2_ERR_ARG);
    EXPECT(strstr(op2_error_message(), "destroyed") != NULL);
    MUST(op2_flush(test_ctx));
  }
}

int main(void) {
  static const struct test_case cases[] = {
      {"conjugate gradients", by_cg},        {"minimal residuals", by_minres},
      {"generalised ones", by_gmres},        {"biconjugate gradients", by_bicgstab},
      {"after the solve", kept_for_later},   {"systems of two dats", of_systems},
      {"values lent to calls", lent_values}, {"views", open_views},
  };
  return RUN(cases, RUN_ONE_BLOCK);
}
