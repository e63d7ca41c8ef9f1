/* SPDX-License-Identifier: BSD-3-Clause */
/* Data of op2_call_owned() are destroyed exactly once, and not before their call is over: whatever
 * makes the queue run, in repeated queues, after failures, where the call is refused, inside an
 * operator's function, on ranks, at the end of the context, and if an allocation fails. */
#include <string.h>

#include "call_case.h"
#include "context.h"
#include "init.h"
#include "mem.h"
#include "rank_case.h"
#include "recycle.h"

/* A call owns this, and destroys it. */
struct piece {
  op2_context ctx;
  int called, destroyed;
  bool early;        /* it was called after it had been destroyed */
  int answer;        /* what the function returns */
  op2_dat dat;       /* an object that goes with it; null: none */
  op2_status inside; /* of a call of the library while it is destroyed */
};

static int work(void *data, void *const *values) {
  struct piece *piece = data;
  (void)values;
  piece->early |= piece->destroyed > 0;
  piece->called++;
  return piece->answer;
}

/* Also makes an error of its own, which is none of the call's. */
static void destroy(void *data) {
  struct piece *piece = data;
  piece->destroyed++;
  piece->inside = op2_flush(piece->ctx);
  if (piece->dat) op2_dat_destroy(&piece->dat);
}

static struct piece *new_piece(void) {
  struct piece *piece = scratch(1, sizeof *piece);
  piece->ctx = test_ctx;
  return piece;
}

static bool is(const struct piece *piece, int called, int destroyed) {
  return piece->called == called && piece->destroyed == destroyed && !piece->early &&
         (!destroyed || piece->inside == OP2_ERR_STATE);
}

/* ---- calls that run -------------------------------------------------------------------------- */

static void by_flush(void) {
  struct two t = make_two();
  struct piece *a = new_piece(), *b = new_piece();
  MUST(op2_call_owned(test_ctx, work, a, destroy, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_call_owned(test_ctx, work, b, destroy));
  EXPECT(is(a, test_config.eager, test_config.eager) &&
         is(b, test_config.eager, test_config.eager));
  MUST(op2_flush(test_ctx));
  EXPECT(is(a, 1, 1) && is(b, 1, 1));
  MUST(op2_flush(test_ctx));
  EXPECT(is(a, 1, 1) && is(b, 1, 1));
}

/* Only data of calls that have run are destroyed. */
static void by_reading(void) {
  struct two t = make_two();
  struct piece *a = new_piece(), *b = new_piece();
  MUST(op2_call_owned(test_ctx, work, a, destroy, op2_arg_direct(t.x, OP2_RW)));
  MUST(op2_call_owned(test_ctx, work, b, destroy, op2_arg_direct(t.y, OP2_READ)));
  EXPECT_VALUES(double, t.x, ROWS, i, i);
  EXPECT(is(a, 1, 1) && is(b, test_config.eager, test_config.eager));
  MUST(op2_dat_set(t.y, (double[ROWS]){0}));
  EXPECT(is(b, 1, 1));
}

static void by_the_end(void) {
  struct two t = make_two();
  struct piece *a = new_piece();
  MUST(op2_call_owned(test_ctx, work, a, destroy, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_finalize(&test_ctx));
  EXPECT(is(a, 1, 1));
}

static void without_destroy(void) {
  struct piece *a = new_piece();
  MUST(op2_call_owned(test_ctx, work, a, NULL));
  MUST(op2_flush(test_ctx));
  EXPECT(is(a, 1, 0));
}

/* Each step of a time loop has data of its own, also where a program is run again. */
static void time_loop(void) {
  enum { STEPS = 40 };
  struct two t = make_two();
  struct piece *pieces[STEPS];
  bool good = true;
  for (int s = 0; s < STEPS; s++) {
    pieces[s] = new_piece();
    queue_loop(&t, OP2_READ);
    MUST(op2_call_owned(test_ctx, work, pieces[s], destroy, op2_arg_direct(t.x, OP2_READ)));
    queue_twice(&t, t.y);
    if (s % 4 == 3) MUST(op2_flush(test_ctx));
    if (s % 4 == 3) good &= is(pieces[s], 1, 1) && is(pieces[s - 3], 1, 1);
  }
  for (int s = 0; s < STEPS; s++) good &= is(pieces[s], 1, 1);
  EXPECT(good);
}

static void full_queue(void) {
  enum { CALLS = 9 };
  struct piece *pieces[CALLS];
  int destroyed = 0;
  restart(3);
  for (int c = 0; c < CALLS; c++) {
    pieces[c] = new_piece();
    MUST(op2_call_owned(test_ctx, work, pieces[c], destroy));
  }
  for (int c = 0; c < CALLS; c++) destroyed += pieces[c]->destroyed;
  EXPECT(destroyed >= CALLS - 3 && destroyed == CALLS - op2_queued(test_ctx));
  MUST(op2_flush(test_ctx));
  for (int c = 0; c < CALLS; c++) EXPECT(is(pieces[c], 1, 1));
}

/* ---- failures -------------------------------------------------------------------------------- */

static void failed(void) {
  struct two t = make_two();
  struct piece *bad = new_piece(), *cancelled = new_piece(), *other = new_piece();
  bad->answer = 17;
  const op2_status status =
      op2_call_owned(test_ctx, work, bad, destroy, op2_arg_direct(t.x, OP2_RW));
  EXPECT(status == (test_config.eager ? OP2_ERR_CALL : OP2_SUCCESS));
  MUST(op2_call_owned(test_ctx, work, cancelled, destroy, op2_arg_direct(t.x, OP2_RW)));
  MUST(op2_call_owned(test_ctx, work, other, destroy, op2_arg_direct(t.y, OP2_RW)));
  const op2_status flushed = op2_flush(test_ctx);
  EXPECT(flushed == (test_config.eager ? OP2_SUCCESS : OP2_ERR_CALL));
  if (flushed) EXPECT(strstr(op2_error_message(), "the function returned 17"));
  EXPECT(is(bad, 1, 1) && is(cancelled, 0, 1) && is(other, 1, 1));
}

/* A call that is refused destroys its data, and the error is that of the call. */
static void refused(void) {
  struct two t = make_two();
  struct piece *a = new_piece();
  const op2_arg none = {0};
  void *scope = NULL;
  op2_context missing = NULL;
  const struct {
    op2_context ctx;
    op2_call_function function;
    op2_arg arg;
    op2_status status;
    const char *words;
  } all[] = {
      {test_ctx, NULL, op2_arg_direct(t.x, OP2_READ), OP2_ERR_ARG, "the function is null"},
      {test_ctx, work, none, OP2_ERR_ARG, "argument 0"},
      {test_ctx, work, op2_arg_direct(NULL, OP2_READ), OP2_ERR_ARG, "argument 0"},
      {test_ctx, work, op2_arg_direct(t.x, OP2_INC), OP2_ERR_ACCESS, "argument 0"},
      {test_ctx, work, op2_arg_direct(t.y, OP2_READ), OP2_ERR_STATE, "'ydat' is open"},
      {missing, work, op2_arg_direct(t.x, OP2_READ), OP2_ERR_STATE, "context is null"},
      {(op2_context)t.cells, work, op2_arg_direct(t.x, OP2_READ), OP2_ERR_ARG, "context handle"},
  };
  MUST(op2_dat_write_begin(t.y, &scope));
  for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
    const int64_t queued = op2_queued(test_ctx);
    a->ctx = NULL;
    const op2_status status = op2_call_owned_at(OP2_HERE, "work", all[n].ctx, all[n].function, a,
                                                destroy, 1, &all[n].arg);
    EXPECT(status == all[n].status && strstr(op2_error_message(), all[n].words) &&
           op2_queued(test_ctx) == queued);
    EXPECT(is(a, 0, (int)n + 1));
  }
  MUST(op2_dat_write_end(t.y, &scope));
  op2_context ended = test_ctx;
  MUST(op2_finalize(&test_ctx));
  EXPECT(op2_call_owned(ended, work, a, destroy) == OP2_ERR_STATE);
  EXPECT(is(a, 0, sizeof all / sizeof *all + 1));
}

static int nested(void *data, void *const *values) {
  struct piece **pieces = data;
  (void)values;
  pieces[0]->called++;
  pieces[0]->answer = op2_call_owned(test_ctx, work, pieces[1], destroy);
  return 0;
}

static void inside_a_call(void) {
  struct piece *pieces[2] = {new_piece(), new_piece()};
  MUST(op2_call(test_ctx, nested, pieces));
  MUST(op2_flush(test_ctx));
  EXPECT(pieces[0]->answer == OP2_ERR_STATE && is(pieces[1], 0, 1));
}

/* ---- objects that go with the data ----------------------------------------------------------- */

/* They are freed at the latest when the flush returns, or with the context. */
static void with_objects(void) {
  op2_set set = new_set(3, "set");
  for (int end = 0; end < 2; end++) {
    struct piece *a = new_piece();
    MUST(op2_dat_create(set, 1, OP2_F64, NULL, "gone", &a->dat));
    const int before = test_ctx->refs;
    MUST(op2_call_owned(test_ctx, work, a, destroy, op2_arg_direct(a->dat, OP2_RW)));
    op2_context ctx = test_ctx;
    ctx->refs++; /* to look at it after its end */
    if (end)
      MUST(op2_finalize(&test_ctx));
    else
      MUST(op2_flush(test_ctx));
    op2i_spares_end(ctx);
    EXPECT(is(a, 1, 1) && !a->dat && ctx->refs == before - end);
    op2i_context_unref(ctx);
  }
}

/* ---- inside an operator's function ----------------------------------------------------------- */

struct operation {
  struct piece *pieces[64];
  int products;
};

static op2_status apply(void *data, op2_dat x, op2_dat y) {
  struct operation *operation = data;
  const int n = operation->products++ % 64;
  operation->pieces[n] = new_piece();
  op2_status status = op2_dat_copy(x, y);
  if (!status) status = op2_dat_scale(y, op2_scalar_value(2));
  if (!status)
    status =
        op2_call_owned(test_ctx, work, operation->pieces[n], destroy, op2_arg_direct(y, OP2_READ));
  return status;
}

static void in_an_operator(void) {
  struct two t = make_two();
  struct operation operation = {.products = 0};
  const op2_operator_desc desc = {
      .set = t.cells, .dim = 1, .type = OP2_F64, .apply = apply, .data = &operation};
  op2_operator op = NULL;
  op2_solver solver = NULL;
  MUST(op2_operator_create(&desc, "operator", &op));
  MUST(op2_solver_create(test_ctx, NULL, "solver", &solver));
  MUST(op2_solve_operator(solver, op, t.x, t.y));
  MUST(op2_flush(test_ctx));
  EXPECT(operation.products > 0);
  for (int n = 0; n < operation.products && n < 64; n++) EXPECT(is(operation.pieces[n], 1, 1));
  op2_solver_destroy(&solver);
  op2_operator_destroy(&op);
}

/* ---- an allocation fails --------------------------------------------------------------------- */

struct pair {
  struct piece *a, *b;
};

/* Queue two calls and run them; allocation n fails. Returns the number of allocations. */
static int64_t try_pair(const struct pair *pair, op2_dat x, int64_t n) {
  const op2_arg args[] = {op2_arg_direct(x, OP2_RW), op2_arg_val(&n, 1, OP2_I64)};
  op2i_mem_fail_at(n);
  const op2_status first =
      op2_call_owned_at(OP2_HERE, "a", test_ctx, work, pair->a, destroy, 1, args);
  EXPECT(pair->a->destroyed <= 1 && (!first || pair->a->destroyed == 1));
  const op2_status second =
      op2_call_owned_at(OP2_HERE, "b", test_ctx, work, pair->b, destroy, 2, args);
  EXPECT(pair->b->destroyed <= 1 && (!second || pair->b->destroyed == 1));
  if (op2_flush(test_ctx)) diag("allocation %d: %s", (int)n, op2_error_message());
  return op2i_mem_fail_at(0);
}

/* Whatever fails, the data are destroyed once, at the latest by the end of the context. */
static void without_memory(void) {
  int64_t n = 0, made = 1;
  while (n <= made && n < 1000) {
    const struct pair pair = {new_piece(), new_piece()};
    op2_set set = NULL;
    op2_dat x = NULL;
    restart(0);
    pair.a->ctx = pair.b->ctx = NULL;
    MUST(op2_set_create(test_ctx, 4, "set", &set));
    MUST(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
    made = try_pair(&pair, x, ++n);
    op2_dat_destroy(&x);
    op2_set_destroy(&set);
    const op2_options options = config_options(&test_config);
    if (op2_finalize(&test_ctx)) diag("allocation %d: %s", (int)n, op2_error_message());
    EXPECT(pair.a->destroyed == 1 && pair.a->called <= 1 && !pair.a->early);
    EXPECT(pair.b->destroyed == 1 && pair.b->called <= 1 && !pair.b->early);
    MUST(op2_init(&options, &test_ctx));
  }
  EXPECT(n > 4 && n < 1000);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* The function fails on rank 1 alone, so the second call is cancelled on both. */
static int rank(struct op2i_comm *comm, void *backend) {
  const op2_options options = {.backend = backend};
  struct piece pieces[3] = {{.answer = comm->rank == 1}, {0}, {0}};
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  if (op2i_init_ranks(&options, comm, &ctx)) return 1;
  int wrong = op2_set_create(ctx, 3, "set", &set) || op2_dat_create(set, 1, OP2_F64, NULL, "x", &x);
  for (int n = 0; n < 2 && !wrong; n++)
    wrong =
        op2_call_owned(ctx, work, &pieces[n], destroy, op2_arg_direct(x, OP2_RW)) != OP2_SUCCESS;
  wrong += op2_flush(ctx) != OP2_ERR_CALL;
  wrong += pieces[0].called != 1 || pieces[0].destroyed != 1;
  wrong += pieces[1].called != 0 || pieces[1].destroyed != 1;
  wrong += op2_call_owned(ctx, work, &pieces[2], destroy) || pieces[2].destroyed;
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  wrong += op2_finalize(&ctx) != OP2_SUCCESS;
  return wrong + (pieces[2].called != 1 || pieces[2].destroyed != 1);
}

static void on_ranks(void) {
  const char *backend;
  for (int b = 0; (backend = next_backend_of_ranks(host_backends, &b));)
    is_int(run_contexts(2, rank, (void *)backend), 0, "two ranks on %s", backend);
}

static const struct test_case cases[] = {
    {"a flush destroys data of calls", by_flush},
    {"only data of calls that have run", by_reading},
    {"the end of the context destroys data", by_the_end},
    {"no function that destroys", without_destroy},
    {"each step has data of its own", time_loop},
    {"a full queue", full_queue},
    {"calls that fail or are cancelled", failed},
    {"calls that are refused", refused},
    {"inside a call's function", inside_a_call},
    {"objects that go with the data", with_objects},
    {"inside an operator's function", in_an_operator},
    {"an allocation fails", without_memory},
};

int main(void) {
  test_environment();
  on_ranks();
  return RUN(cases, RUN_ONE_BLOCK);
}
