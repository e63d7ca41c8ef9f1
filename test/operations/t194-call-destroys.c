/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that functions of op2_call() destroy are freed: all kinds, whatever makes the queue run,
 * also inside an operator's function and on ranks. The context holds one reference for each object,
 * so that its references count the live objects. */
#include <string.h>

#include "call_case.h"
#include "context.h"
#include "init.h"
#include "rank_case.h"

enum { SET, SUBSET, MAP, DAT, GBL, CONST, KERNEL, LOOP, SPARSITY, MAT, SOLVER, OPERATOR, KINDS };

/* One object of each kind; some need others. */
struct all {
  op2_set set, subset;
  op2_map map;
  op2_dat dat;
  op2_gbl gbl;
  op2_const cst;
  op2_kernel kernel;
  op2_loop loop;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_solver solver;
  op2_operator op;
};

static op2_status apply(void *data, op2_dat x, op2_dat y) {
  (void)data, (void)x, (void)y;
  return OP2_SUCCESS;
}

static struct all make_all(void) {
  static const op2_kernel_desc desc = {.name = "put",
                                       .source = "void put(double *x) { *x = factor; }"};
  const double values[4] = {1, 2, 3, 4};
  const int32_t idx[4] = {3, 2, 1, 0};
  struct all a = {0};
  MUST(op2_set_create(test_ctx, 4, "set", &a.set));
  MUST(op2_subset_create(a.set, 2, (int64_t[]){1, 2}, "subset", &a.subset));
  MUST(op2_map_create(a.set, a.set, 1, idx, "map", &a.map));
  MUST(op2_dat_create(a.set, 1, OP2_F64, values, "dat", &a.dat));
  MUST(op2_gbl_create(test_ctx, 1, OP2_F64, values, "gbl", &a.gbl));
  MUST(op2_const_create(test_ctx, 1, OP2_F64, values, "factor", &a.cst));
  MUST(op2_kernel_create(test_ctx, &desc, &a.kernel));
  MUST(op2_loop_create(&a.loop, a.kernel, a.set, op2_arg_direct(a.dat, OP2_WRITE)));
  MUST(op2_sparsity_create(1, &(op2_map_pair){a.map, a.map}, "sparsity", &a.sparsity));
  MUST(op2_mat_create(a.sparsity, 1, 1, OP2_F64, "mat", &a.mat));
  MUST(op2_solver_create(test_ctx, NULL, "solver", &a.solver));
  const op2_operator_desc shell = {.set = a.set, .dim = 1, .type = OP2_F64, .apply = apply};
  MUST(op2_operator_create(&shell, "op", &a.op));
  return a;
}

static void destroy_one(struct all *a, int kind) {
  switch (kind) {
  case SET: op2_set_destroy(&a->set); break;
  case SUBSET: op2_set_destroy(&a->subset); break;
  case MAP: op2_map_destroy(&a->map); break;
  case DAT: op2_dat_destroy(&a->dat); break;
  case GBL: op2_gbl_destroy(&a->gbl); break;
  case CONST: op2_const_destroy(&a->cst); break;
  case KERNEL: op2_kernel_destroy(&a->kernel); break;
  case LOOP: op2_loop_destroy(&a->loop); break;
  case SPARSITY: op2_sparsity_destroy(&a->sparsity); break;
  case MAT: op2_mat_destroy(&a->mat); break;
  case SOLVER: op2_solver_destroy(&a->solver); break;
  default: op2_operator_destroy(&a->op); break;
  }
}

struct order {
  struct all *all;
  int kind;
};

static int destroy_kind(void *data, void *const *values) {
  const struct order *order = data;
  (void)values;
  destroy_one(order->all, order->kind);
  return 0;
}

static int destroy_all(void *data, void *const *values) {
  (void)values;
  for (int k = 0; k < KINDS; k++) destroy_one(data, k);
  return 0;
}

static int destroy_dat(void *data, void *const *values) {
  (void)values;
  op2_dat_destroy(data);
  return 0;
}

static int destroy_and_fail(void *data, void *const *values) {
  destroy_dat(data, values);
  return 17;
}

/* The number of objects in use: spares (recycle.h) are not. */
static int32_t objects(op2_context ctx) { return ctx->refs - ctx->spares.n; }

static op2_dat another_dat(op2_set set) {
  op2_dat dat = NULL;
  MUST(op2_dat_create(set, 1, OP2_F64, NULL, NULL, &dat));
  return dat;
}

/* ---- kinds of objects ------------------------------------------------------------------------ */

/* Objects are destroyed in both orders, so that each goes before and after those that need it. */
static void one_by_one(void) {
  const int32_t before = objects(test_ctx);
  for (int backwards = 0; backwards < 2; backwards++) {
    struct all a = make_all();
    MUST(op2_loop_enqueue(a.loop));
    for (int n = 0; n < KINDS; n++) {
      struct order order = {&a, backwards ? KINDS - 1 - n : n};
      MUST(op2_call(test_ctx, destroy_kind, &order));
      MUST(op2_flush(test_ctx));
    }
    EXPECT(!a.set && !a.dat && !a.cst && !a.op);
    if (!EXPECT(objects(test_ctx) == before)) diag("%d objects stay", objects(test_ctx) - before);
  }
}

/* The name of the constant is free again, so that another one can be made. */
static void all_at_once(void) {
  const int32_t before = objects(test_ctx);
  for (int n = 0; n < 3; n++) {
    struct all a = make_all();
    MUST(op2_loop_enqueue(a.loop));
    MUST(op2_call(test_ctx, destroy_all, &a));
    MUST(op2_flush(test_ctx));
    EXPECT(!a.set && !a.dat && !a.cst && !a.op && objects(test_ctx) == before);
  }
}

static void name_of_constant(void) {
  struct two t = make_two();
  for (int n = 0; n < 3; n++) {
    struct all a = make_all();
    struct order order = {&a, CONST};
    double values[ROWS];
    MUST(op2_call(test_ctx, destroy_kind, &order, op2_arg_direct(t.x, OP2_RW)));
    MUST(op2_dat_get(t.x, values)); /* no flush, and still the next constant can have the name */
    for (int k = 0; k < KINDS; k++)
      if (k != CONST) destroy_one(&a, k);
  }
}

/* ---- time of the destruction ----------------------------------------------------------------- */

/* Reading a dat makes a function run that destroys the dat, and returns its values. */
static void the_dat_looked_at(void) {
  struct two t = make_two();
  const double start[ROWS] = {[2] = 7};
  const int32_t before = objects(test_ctx);
  double values[ROWS];
  const void *view = NULL;
  for (int n = 0; n < 2; n++) {
    op2_dat dat = NULL;
    MUST(op2_dat_create(t.cells, 1, OP2_F64, start, "looked at", &dat));
    op2_dat copy = dat;
    MUST(op2_call(test_ctx, destroy_dat, &dat, op2_arg_direct(copy, OP2_RW)));
    if (!test_config.eager) {
      MUST(n ? op2_dat_read_begin(copy, &view) : op2_dat_get(copy, values));
      EXPECT((n ? ((const double *)view)[2] : values[2]) == 7);
      if (n) MUST(op2_dat_read_end(copy, &view));
    }
    MUST(op2_flush(test_ctx));
    EXPECT(!dat && objects(test_ctx) == before);
    EXPECT(op2_dat_get(copy, values) == OP2_ERR_ARG);
    EXPECT(strstr(op2_error_message(), "destroyed") != NULL);
    op2_dat_destroy(&copy);
    EXPECT(objects(test_ctx) == before);
  }
}

/* A time loop that never flushes has at most the dats of a full queue. */
static void without_flush(void) {
  enum { STEPS = 200, QUEUE = 16 };
  restart(QUEUE);
  struct two t = make_two();
  op2_dat dats[STEPS];
  const int32_t before = objects(test_ctx);
  int most = 0;
  for (int s = 0; s < STEPS; s++) {
    dats[s] = another_dat(t.cells);
    queue_on(&t, OP2_WRITE, dats[s], t.y);
    MUST(op2_call(test_ctx, destroy_dat, &dats[s], op2_arg_direct(dats[s], OP2_READ)));
    if (objects(test_ctx) - before > most) most = objects(test_ctx) - before;
  }
  if (!EXPECT(most <= 2 * QUEUE)) diag("%d dats at a time", most);
  MUST(op2_flush(test_ctx));
  EXPECT(objects(test_ctx) == before);
}

/* A function that fails has still destroyed its objects; one that is cancelled has not. */
static void failures(void) {
  struct two t = make_two();
  op2_dat failed = another_dat(t.cells), cancelled = another_dat(t.cells);
  const int32_t before = objects(test_ctx);
  (void)!op2_call(test_ctx, destroy_and_fail, &failed, op2_arg_direct(t.x, OP2_RW));
  (void)!op2_call(test_ctx, destroy_dat, &cancelled, op2_arg_direct(t.x, OP2_READ));
  flush_all();
  EXPECT(!failed && cancelled && objects(test_ctx) == before - 1);
  op2_dat_destroy(&cancelled);
}

static int destroy_twice(void *data, void *const *values) {
  op2_dat copy = *(op2_dat *)data;
  destroy_dat(data, values);
  op2_dat_destroy(&copy);
  return 0;
}

static void twice_in_one(void) {
  struct two t = make_two();
  const int32_t before = objects(test_ctx);
  op2_dat dat = another_dat(t.cells);
  MUST(op2_call(test_ctx, destroy_twice, &dat));
  MUST(op2_flush(test_ctx));
  EXPECT(objects(test_ctx) == before);
}

/* op2_finalize() frees the objects that its own flush has destroyed; a sanitizer would report
 * leaks. */
static void by_the_end(void) {
  struct all a = make_all();
  MUST(op2_loop_enqueue(a.loop));
  MUST(op2_call(test_ctx, destroy_all, &a));
  MUST(op2_finalize(&test_ctx));
  EXPECT(!a.set && !a.mat && !a.op);
}

/* ---- inside an operator's function ----------------------------------------------------------- */

struct inside {
  struct two *two;
  op2_kernel scale, copy;
  op2_dat outer;         /* made before the solve: the factor of the operator */
  op2_dat outer_handle;  /* a copy of the handle, which is valid until the solve has ended */
  op2_dat result;        /* a copy of x, which the program reads while the solve runs */
  op2_dat inner[2];      /* made by each product; the function that destroys one may run late */
  int32_t settled, last; /* numbers of objects at the beginning of the third product, and of the
                          * last one */
  int products;
};

OP2_KERNEL(scale, (const double *x, const double *w, double *y), { *y = *w * *x; });
OP2_KERNEL(copy, (const double *x, double *y), { *y = *x; });

static op2_status product(void *data, op2_dat x, op2_dat y) {
  struct inside *in = data;
  double values[ROWS];
  op2_dat *inner = &in->inner[in->products % 2];
  in->last = objects(test_ctx);
  if (++in->products == 3) in->settled = in->last;
  MUST(op2_dat_create(in->two->cells, 1, OP2_F64, NULL, NULL, inner));
  MUST(op2_par_loop(in->scale, in->two->cells, op2_arg_direct(x, OP2_READ),
                    op2_arg_direct(in->outer_handle, OP2_READ), op2_arg_direct(*inner, OP2_WRITE)));
  MUST(op2_par_loop(in->copy, in->two->cells, op2_arg_direct(*inner, OP2_READ),
                    op2_arg_direct(y, OP2_WRITE)));
  MUST(op2_call(test_ctx, destroy_dat, inner, op2_arg_direct(*inner, OP2_READ)));
  if (in->products == 1) {
    MUST(op2_call(test_ctx, destroy_dat, &in->outer));
    MUST(op2_call(test_ctx, destroy_dat, &in->result));
  }
  if (in->products % 2) MUST(op2_flush(test_ctx));
  MUST(op2_dat_get(in->outer_handle, values));
  EXPECT(values[1] == 2);
  return OP2_SUCCESS;
}

static void solve_inside(struct inside *in) {
  op2_arg uses[] = {op2_arg_direct(in->outer, OP2_READ)};
  const op2_operator_desc desc = {.set = in->two->cells,
                                  .dim = 1,
                                  .type = OP2_F64,
                                  .apply = product,
                                  .data = in,
                                  .args = uses,
                                  .nargs = 1};
  const op2_solver_options options = {.method = OP2_METHOD_GMRES,
                                      .preconditioner = OP2_PRECONDITIONER_NONE,
                                      .iterations = 20,
                                      .allow_failure = 1};
  double values[ROWS], solution[ROWS];
  const op2_dat result = in->result;
  op2_solver solver = NULL;
  op2_operator op = NULL;
  MUST(op2_operator_create(&desc, "scale", &op));
  MUST(op2_solver_create(test_ctx, &options, "solver", &solver));
  MUST(op2_solve_operator(solver, op, in->two->x, in->two->y));
  if (!test_config.eager) {
    MUST(op2_par_loop(in->copy, in->two->cells, op2_arg_direct(in->two->x, OP2_READ),
                      op2_arg_direct(result, OP2_WRITE)));
    MUST(op2_dat_get(result, values));
    MUST(op2_dat_get(in->two->x, solution));
    EXPECT(!in->result && !memcmp(values, solution, sizeof values));
  }
  op2_operator_destroy(&op);
  op2_solver_destroy(&solver);
  MUST(op2_flush(test_ctx));
}

/* Dats that the products made are freed while the solve runs; the one made before it is freed after
 * it. */
static void inside_operator(void) {
  struct two t = make_two();
  struct inside in = {
      .two = &t, .scale = new_kernel(&scale_kernel), .copy = new_kernel(&copy_kernel)};
  double weights[ROWS];
  for (int i = 0; i < ROWS; i++) weights[i] = i + 1;
  int32_t before = 0;
  for (int n = 0; n < 2; n++) {
    if (n) before = objects(test_ctx); /* includes objects kept from the first solve */
    in.products = 0;
    MUST(op2_dat_create(t.cells, 1, OP2_F64, weights, "outer", &in.outer));
    MUST(op2_dat_create(t.cells, 1, OP2_F64, NULL, "result", &in.result));
    in.outer_handle = in.outer;
    solve_inside(&in);
    EXPECT(in.products > 10 && !in.outer && !in.inner[0] && !in.inner[1]);
    if (!EXPECT(in.last - in.settled <= 3)) diag("%d more objects", in.last - in.settled);
  }
  if (!EXPECT(objects(test_ctx) == before)) diag("%d objects stay", objects(test_ctx) - before);
}

/* ---- on ranks -------------------------------------------------------------------------------- */

/* Each rank's function destroys its own part of the dat. */
static int on_one_rank(struct op2i_comm *comm, void *data) {
  (void)data;
  enum { EACH = 8 };
  const op2_options options = config_options(&test_config);
  int32_t before, bad = 0;
  op2_context ctx = NULL;
  op2_set set;
  op2_dat dats[6];
  op2_status status = op2i_init_ranks(&options, comm, &ctx);
  if (!status) status = op2_set_create(ctx, EACH, "set", &set);
  if (status) return 1;
  before = objects(ctx);
  for (int n = 0; n < 6 && !status; n++) {
    double values[EACH];
    status = op2_dat_create(set, 1, OP2_F64, NULL, NULL, &dats[n]);
    if (!status) status = op2_call(ctx, destroy_dat, &dats[n], op2_arg_direct(dats[n], OP2_RW));
    if (!status && n % 2) status = op2_flush(ctx);
    if (!status && !(n % 2) && !test_config.eager) status = op2_dat_get(dats[n], values);
    bad += dats[n] != NULL || objects(ctx) - before > 1;
  }
  if (!status) status = op2_flush(ctx);
  bad += objects(ctx) != before;
  op2_set_destroy(&set);
  if (!status) status = op2_finalize(&ctx);
  return bad + (status != OP2_SUCCESS);
}

static void on_ranks(void) {
  for (int ranks = 1; ranks <= 3; ranks++) EXPECT(run_contexts(ranks, on_one_rank, NULL) == 0);
}

static const struct test_case cases[] = {
    {"one object of each kind after the other", one_by_one},
    {"objects of all kinds in one function", all_at_once},
    {"the name of a constant is free again", name_of_constant},
    {"the dat that is looked at", the_dat_looked_at},
    {"a time loop that never flushes", without_flush},
    {"functions that fail, and that are cancelled", failures},
    {"a handle and a copy of it", twice_in_one},
    {"at the end of the context", by_the_end},
    {"inside an operator's function", inside_operator},
    {"on ranks", on_ranks},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }
