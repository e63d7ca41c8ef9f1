/* SPDX-License-Identifier: BSD-3-Clause */
/* Access to globals in place: scopes for reading and writing, and globals over memory of the program,
 * which is filled where the program looks, and when the global or the context ends. */
#include <string.h>

#include "init.h"
#include "mem.h"
#include "rank_case.h"
#include "support.h"

OP2_KERNEL(count, (double *g, const double *x), { *g += *x; });
OP2_KERNEL(take, (double *x, const double *g), { *x = *g; });

enum { ROWS = 5 };
struct world {
  op2_set set;
  op2_dat x, y; /* x holds 1, 2, 3, 4, 5 */
  op2_kernel add, take;
};

static struct world make(void) {
  op2_set set = new_set(ROWS, "cells");
  return (struct world){set, new_dat(set, 1, OP2_F64, (double[]){1, 2, 3, 4, 5}, "x"),
                        new_dat(set, 1, OP2_F64, NULL, "y"), new_kernel(&count_kernel),
                        new_kernel(&take_kernel)};
}

static op2_status queue_sum(const struct world *w, op2_gbl g) {
  return op2_par_loop(w->add, w->set, op2_arg_gbl(g, OP2_INC), op2_arg_direct(w->x, OP2_READ));
}

static op2_status queue_take(const struct world *w, op2_gbl g) {
  return op2_par_loop(w->take, w->set, op2_arg_direct(w->y, OP2_WRITE), op2_arg_gbl(g, OP2_READ));
}

static op2_gbl wrap(double *memory, const char *name) {
  op2_gbl g = NULL;
  MUST(op2_gbl_wrap(test_ctx, 1, OP2_F64, memory, name, &g));
  return g;
}

static bool opened(op2_gbl g, int reads, int writes) {
  op2_gbl_info info;
  return !op2_gbl_info_get(g, &info) && info.open_reads == reads && info.open_writes == writes;
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static void reading(void) {
  struct world w = make();
  op2_gbl g = new_gbl(1, OP2_F64, (double[]){100}, "g");
  const void *one, *two;
  MUST(queue_sum(&w, g));
  MUST(op2_gbl_read_begin(g, &one));
  EXPECT(*(const double *)one == 115 && opened(g, 1, 0));
  MUST(queue_take(&w, g));
  REFUSED(OP2_ERR_STATE, queue_sum(&w, g), "loop 'count'", "global 'g' is open for reading",
          "op2_gbl_read_end is missing");
  REFUSED(OP2_ERR_STATE, op2_gbl_set(g, &(double){1}), "global 'g' is open", "op2_gbl_read_end");
  REFUSED(OP2_ERR_STATE, op2_gbl_fill(g, op2_scalar_value(1)), "global 'g'");
  REFUSED(OP2_ERR_STATE, op2_dat_sum(w.x, g), "global 'g'");
  MUST(op2_gbl_read_begin(g, &two));
  EXPECT(one == two && opened(g, 2, 0));
  MUST(op2_gbl_read_end(g, &one));
  MUST(op2_flush(test_ctx));
  EXPECT(!one && *(const double *)two == 115);
  EXPECT_GBL(double, g, 115);
  MUST(op2_gbl_read_end(g, &two));
  MUST(queue_sum(&w, g));
  EXPECT_GBL(double, g, 130);
  EXPECT_VALUES(double, w.y, ROWS, i, 115);
}

/* Loops queued before a scope for writing keep their values, and are not run by it if they only read
 * them. */
static void writing(void) {
  struct world w = make();
  op2_gbl g = new_gbl(1, OP2_F64, (double[]){7}, "g");
  void *data;
  double got;
  MUST(queue_take(&w, g));
  const int64_t queued = op2_queued(test_ctx), changes = op2_gbl_changes(g);
  MUST(op2_gbl_write_begin(g, &data));
  EXPECT(*(double *)data == 7 && op2_queued(test_ctx) == queued && opened(g, 0, 1));
  *(double *)data = 20;
  REFUSED(OP2_ERR_STATE, queue_take(&w, g), "global 'g' is open for writing", "op2_gbl_write_end");
  REFUSED(OP2_ERR_STATE, op2_gbl_get(g, &got), "global 'g' is open for writing");
  REFUSED(OP2_ERR_STATE, op2_gbl_set(g, &got), "global 'g' is open");
  MUST(op2_gbl_write_end(g, &data));
  EXPECT(!data && opened(g, 0, 0) && op2_gbl_changes(g) > changes);
  EXPECT_VALUES(double, w.y, ROWS, i, 7);
  MUST(queue_sum(&w, g));
  EXPECT_GBL(double, g, 35);
}

static void refused(void) {
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g");
  const void *read = NULL;
  void *write = NULL;
  REFUSED(OP2_ERR_ARG, op2_gbl_read_begin(NULL, &read));
  REFUSED(OP2_ERR_ARG, op2_gbl_write_begin(NULL, &write));
  REFUSED(OP2_ERR_ARG, op2_gbl_read_begin(g, NULL), "'g'", "null");
  REFUSED(OP2_ERR_ARG, op2_gbl_write_begin(g, NULL), "'g'", "null");
  REFUSED(OP2_ERR_STATE, op2_gbl_read_end(g, &read), "'g' is not open for reading");
  REFUSED(OP2_ERR_STATE, op2_gbl_write_end(g, &write), "'g' is not open for writing");
  MUST(op2_gbl_write_begin(g, &write));
  REFUSED(OP2_ERR_STATE, op2_gbl_read_begin(g, &read), "'g' is open for writing");
  REFUSED(OP2_ERR_STATE, op2_gbl_write_begin(g, &write), "'g' is already open");
  MUST(op2_gbl_write_end(g, &write));
  MUST(op2_gbl_read_begin(g, &read));
  REFUSED(OP2_ERR_STATE, op2_gbl_write_begin(g, &write), "'g' is already open");
  MUST(op2_gbl_read_end(g, &read));
}

static int fail(void *data, void *const *values) {
  (void)data, (void)values;
  return 5;
}

/* Values that could not be computed are not shown, and leave the program's memory alone. */
static void poisoned(void) {
  double memory = 3;
  const void *read;
  void *write;
  op2_gbl g = wrap(&memory, "g");
  op2_status status = op2_call(test_ctx, fail, NULL, op2_arg_gbl(g, OP2_RW));
  EXPECT(status == (test_config.eager ? OP2_ERR_CALL : OP2_SUCCESS));
  EXPECT(op2_gbl_read_begin(g, &read) == OP2_ERR_CALL);
  EXPECT(op2_gbl_write_begin(g, &write) == OP2_ERR_CALL && opened(g, 0, 0));
  memory = 99;
  op2_gbl_destroy(&g);
  EXPECT(memory == 99);
}

/* ---- memory of the program ------------------------------------------------------------------- */

static void filled_where_one_looks(void) {
  struct world w = make();
  double sum = 1000;
  const void *data;
  op2_gbl g = wrap(&sum, "sum");
  op2_gbl_info info;
  MUST(op2_gbl_info_get(g, &info));
  EXPECT(info.wrapped);
  MUST(queue_sum(&w, g));
  MUST(op2_flush(test_ctx));
  EXPECT(sum == 1000);
  MUST(op2_gbl_read_begin(g, &data));
  EXPECT(data == &sum && sum == 1015);
  MUST(op2_gbl_read_end(g, &data));
  MUST(op2_gbl_set(g, (double[]){5}));
  EXPECT(sum == 1015);
  MUST(queue_sum(&w, g));
  EXPECT_GBL(double, g, 20);
  op2_gbl_destroy(&g);
  EXPECT(sum == 20);
}

static void written_where_it_stands(void) {
  struct world w = make();
  double factor = 2;
  void *data;
  op2_gbl g = wrap(&factor, "factor");
  MUST(queue_take(&w, g));
  MUST(op2_gbl_write_begin(g, &data));
  EXPECT(data == &factor && factor == 2);
  factor = 6;
  MUST(op2_gbl_write_end(g, &data));
  factor = -1; /* outside a scope, what the memory holds means nothing */
  EXPECT_VALUES(double, w.y, ROWS, i, 2);
  MUST(queue_take(&w, g));
  EXPECT_VALUES(double, w.y, ROWS, i, 6);
  MUST(op2_gbl_write_begin(g, &data));
  EXPECT(factor == 6);
  factor = 8;
  op2_gbl_destroy(&g); /* the scope ends with the global, and shows the memory until then */
  EXPECT(factor == 8);
}

/* Queued loops keep the memory, which has the values when the last one has run. */
static void destroyed_while_queued(void) {
  struct world w = make();
  double sum = 10;
  op2_gbl g = wrap(&sum, "sum");
  MUST(queue_sum(&w, g));
  op2_gbl_destroy(&g);
  EXPECT(sum == (queue_grows() ? 10 : 25));
  MUST(op2_flush(test_ctx));
  EXPECT(sum == 25);
}

static void end_of_the_context(void) {
  struct world w = make();
  double sum = 10;
  op2_gbl g = wrap(&sum, "sum");
  MUST(queue_sum(&w, g));
  const op2_options options = config_options(&test_config);
  MUST(op2_finalize(&test_ctx));
  EXPECT(sum == 25);
  sum = -1;
  op2_gbl_destroy(&g);
  EXPECT(sum == -1);
  MUST(op2_init(&options, &test_ctx));
}

static void memory_refused(void) {
  double memory[4] = {0};
  op2_set set = new_set(2, "cells");
  op2_gbl g = NULL, other = NULL;
  op2_dat d = NULL;
  MUST(op2_gbl_wrap(test_ctx, 2, OP2_F64, memory, "first", &g));
  REFUSED(OP2_ERR_ARG, op2_gbl_wrap(test_ctx, 1, OP2_F64, NULL, "g", &other), "'g'", "null");
  REFUSED(OP2_ERR_ARG, op2_gbl_wrap(test_ctx, 1, OP2_F64, (char *)&memory[2] + 1, "g", &other),
          "'g'", "not aligned for OP2_F64");
  REFUSED(OP2_ERR_ARG, op2_gbl_wrap(test_ctx, 1, OP2_F64, &memory[1], "g", &other), "global 'g'",
          "overlaps that of global 'first'");
  REFUSED(OP2_ERR_ARG, op2_dat_wrap(set, 1, OP2_F64, &memory[1], "d", &d), "dat 'd'",
          "overlaps that of global 'first'");
  MUST(op2_dat_wrap(set, 1, OP2_F64, &memory[2], "second", &d));
  REFUSED(OP2_ERR_ARG, op2_gbl_wrap(test_ctx, 1, OP2_F64, &memory[3], "g", &other),
          "overlaps that of dat 'second'");
  REFUSED(OP2_ERR_ARG, op2_gbl_wrap(test_ctx, 0, OP2_F64, memory, "g", &other), "'g'", "0");
  REFUSED(OP2_ERR_TYPE, op2_gbl_wrap(test_ctx, 1, (op2_type)99, memory, "g", &other), "'g'");
  REFUSED(OP2_ERR_ARG, op2_gbl_wrap(test_ctx, 1, OP2_F64, memory, "g", NULL));
  EXPECT(!other);
  op2_dat_destroy(&d);
  op2_gbl_destroy(&g);
  MUST(op2_gbl_wrap(test_ctx, 4, OP2_F64, memory, "free again", &g));
  op2_gbl_destroy(&g);
}

/* ---- inside an operator's function ----------------------------------------------------------- */

struct operation {
  op2_gbl named, other;
  op2_status looked;
  double seen;
};

static op2_status apply(void *data, op2_dat x, op2_dat y) {
  struct operation *o = data;
  void *write = NULL;
  const void *read = NULL;
  op2_status status = op2_gbl_write_begin(o->named, &write);
  if (status) return status;
  *(double *)write = 2;
  status = op2_gbl_write_end(o->named, &write);
  if (!status) status = op2_gbl_read_begin(o->named, &read);
  if (status) return status;
  o->seen = *(const double *)read;
  status = op2_gbl_read_end(o->named, &read);
  o->looked = op2_gbl_read_begin(o->other, &read);
  if (!status) status = op2_dat_copy(x, y);
  return status ? status : op2_dat_scale(y, op2_scalar_gbl(o->named));
}

static void in_an_operator(void) {
  op2_set set = new_set(3, "cells");
  op2_dat b = new_dat(set, 1, OP2_F64, (double[]){2, 4, 6}, "b"),
          u = new_dat(set, 1, OP2_F64, NULL, "u");
  struct operation o = {new_gbl(1, OP2_F64, NULL, "named"), new_gbl(1, OP2_F64, NULL, "other"),
                        OP2_SUCCESS, 0};
  const op2_operator_desc desc = {.set = set,
                                  .dim = 1,
                                  .type = OP2_F64,
                                  .apply = apply,
                                  .data = &o,
                                  .nargs = 1,
                                  .args = (op2_arg[]){op2_arg_gbl(o.named, OP2_READ)}};
  op2_operator op = NULL;
  op2_solver solver = NULL;
  MUST(op2_operator_create(&desc, "operator", &op));
  MUST(op2_solver_create(test_ctx, NULL, "solver", &solver));
  MUST(op2_solve_operator(solver, op, u, b));
  EXPECT_VALUES(double, u, 3, i, i + 1);
  EXPECT(o.seen == 2 && o.looked == OP2_ERR_STATE);
  op2_solver_destroy(&solver);
  op2_operator_destroy(&op);
}

/* ---- an allocation fails --------------------------------------------------------------------- */

/* Whatever fails, the global can be declared, read and written afterwards. */
static void without_memory(void) {
  double memory = 4;
  int64_t n = 0, made = 1;
  while (n <= made && n < 1000) {
    op2_gbl g = NULL;
    void *data = NULL;
    op2i_mem_fail_at(++n);
    op2_status status = op2_gbl_wrap(test_ctx, 1, OP2_F64, &memory, "g", &g);
    if (!status) status = op2_gbl_write_begin(g, &data);
    if (!status) status = op2_gbl_write_end(g, &data);
    made = op2i_mem_fail_at(0);
    EXPECT(status == OP2_SUCCESS || status == OP2_ERR_NOMEM);
    if (g) EXPECT(opened(g, 0, 0));
    op2_gbl_destroy(&g);
    EXPECT(memory == 4);
  }
  EXPECT(n > 3 && n < 1000);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* A sum over both ranks is in the memory of each. */
static int rank(struct op2i_comm *comm, void *backend) {
  const op2_options options = {.backend = backend};
  const double values[3] = {1, 2, 3 + comm->rank};
  double sum = 0.5;
  const void *read = NULL;
  void *write = NULL;
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_gbl g = NULL;
  op2_kernel add = NULL;
  if (op2i_init_ranks(&options, comm, &ctx)) return 1;
  int wrong = op2_set_create(ctx, 3, "set", &set) ||
              op2_dat_create(set, 1, OP2_F64, values, "x", &x) ||
              op2_gbl_wrap(ctx, 1, OP2_F64, &sum, "sum", &g) ||
              op2_kernel_create(ctx, &count_kernel, &add) ||
              op2_par_loop(add, set, op2_arg_gbl(g, OP2_INC), op2_arg_direct(x, OP2_READ)) ||
              op2_gbl_read_begin(g, &read);
  wrong = wrong || read != &sum || sum != 13.5 || op2_gbl_read_end(g, &read) ||
          op2_gbl_write_begin(g, &write);
  if (!wrong) sum = 20;
  wrong = wrong || op2_gbl_write_end(g, &write) ||
          op2_par_loop(add, set, op2_arg_gbl(g, OP2_INC), op2_arg_direct(x, OP2_READ));
  op2_gbl_destroy(&g);
  op2_dat_destroy(&x);
  op2_kernel_destroy(&add);
  op2_set_destroy(&set);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS) + (sum != 33);
}

static void on_ranks(void) {
  const char *backend;
  for (int b = 0; (backend = next_backend_of_ranks(host_backends, &b));)
    is_int(run_contexts(2, rank, (void *)backend), 0, "two ranks on %s", backend);
}

static const struct test_case cases[] = {
    {"scopes for reading", reading},
    {"scopes for writing", writing},
    {"scopes that are refused", refused},
    {"values that could not be computed", poisoned},
    {"memory is filled where one looks", filled_where_one_looks},
    {"memory is written where it stands", written_where_it_stands},
    {"a wrapped global destroyed while queued", destroyed_while_queued},
    {"the end of the context fills memory", end_of_the_context},
    {"memory that is refused", memory_refused},
    {"inside an operator's function", in_an_operator},
    {"an allocation fails", without_memory},
};

int main(void) {
  test_environment();
  on_ranks();
  return RUN(cases, RUN_ONE_BLOCK);
}
