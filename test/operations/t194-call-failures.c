/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that fail, and calls that another failure cancels: which failures are reported and when,
 * which objects they poison and which calls they cancel, which ones still run, and how the failure
 * is cured. */
#include <string.h>

#include "call_case.h"
#include "context.h"
#include "program.h"

/* In eager mode the call returns its own failure; in lazy mode the flush does. */
static void fails_with(op2_status status) {
  if (!test_config.eager) {
    MUST(status);
    status = op2_flush(test_ctx);
  }
  EXPECT(status == OP2_ERR_CALL && strstr(op2_error_message(), "call 'refuse' (call ") &&
         strstr(op2_error_message(), "returned 17") &&
         strstr(op2_error_message(), "t194-call-failures.c"));
}

/* The flush reports the failure, except in eager mode if the call is not cancelled. */
static void queue_refusal(op2_dat x, op2_access access, bool runs) {
  const op2_status status = op2_call(test_ctx, refuse, NULL, op2_arg_direct(x, access));
  EXPECT(status == (test_config.eager && runs ? OP2_ERR_CALL : OP2_SUCCESS));
}

static op2_status look_at(op2_dat dat) {
  double values[ROWS];
  return op2_dat_get(dat, values);
}

/* ---- a function that fails ------------------------------------------------------------------- */

static void failure(void) {
  struct two t = make_two();
  struct seen seen = {0};
  fails_with(op2_call(test_ctx, refuse, NULL, op2_arg_direct(t.x, OP2_RW)));
  EXPECT(look_at(t.x) == OP2_ERR_CALL);
  queue_loop(&t, OP2_READ);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  EXPECT(look_at(t.y) == OP2_ERR_CALL);
  EXPECT(seen.times == 0);
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.x, OP2_WRITE)));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  EXPECT_VALUES(double, t.x, ROWS, i, 100 + i);
  (void)!op2_flush(test_ctx);
  EXPECT(seen.times == 1 && seen.first[0] == 100);
}

static void without_arguments(void) {
  int times = 0;
  fails_with(op2_call(test_ctx, refuse, &times));
  EXPECT(times == 1);
  MUST(op2_flush(test_ctx));
}

/* A call that only reads poisons nothing. */
static void that_looks(void) {
  struct two t = make_two();
  queue_loop(&t, OP2_INC);
  queue_refusal(t.x, OP2_READ, true);
  queue_loop(&t, OP2_INC);
  EXPECT_VALUES(double, t.x, ROWS, i, 3 * i);
  EXPECT(op2_flush(test_ctx) == (test_config.eager ? OP2_SUCCESS : OP2_ERR_CALL));
  MUST(op2_flush(test_ctx));
}

/* Loops before the call have run, those that need its result are cancelled, and the others run. */
static void between(void) {
  struct two t = make_two();
  struct seen seen = {0};
  queue_loop(&t, OP2_INC);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  queue_refusal(t.x, OP2_RW, true);
  queue_loop(&t, OP2_INC);
  queue_twice(&t, t.y);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.y, OP2_READ)));
  if (!test_config.eager) EXPECT(op2_flush(test_ctx) == OP2_ERR_CALL);
  EXPECT(look_at(t.x) == OP2_ERR_CALL);
  EXPECT_VALUES(double, t.y, ROWS, i, 2 * i);
  EXPECT(seen.times == 2 && seen.last[0] == 2 * (ROWS - 1) && seen.last[1] == 2 * (ROWS - 1));
}

/* A queue of loops and calls on x, and of calls on y that need none of them. */
enum { PLACES = 7 };
static void with_failure_at(int place) {
  struct two t = make_two();
  struct seen seen = {0};
  int others = 0, before = 0;
  for (int p = 0; p < PLACES; p++) {
    if (p == place) queue_refusal(t.x, OP2_RW, true);
    if (p % 2) {
      MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
      before += p < place;
    } else {
      queue_loop(&t, OP2_INC);
    }
    MUST(op2_call(test_ctx, count, &others, op2_arg_direct(t.y, OP2_RW)));
  }
  EXPECT(op2_flush(test_ctx) == (test_config.eager ? OP2_SUCCESS : OP2_ERR_CALL));
  if (!EXPECT(others == PLACES && seen.times == before && look_at(t.x) == OP2_ERR_CALL))
    diag("place %d: %d others, %d looks for %d", place, others, seen.times, before);
  EXPECT(test_ctx->sched->stats.loops_failed == 1 &&
         test_ctx->sched->stats.loops_cancelled == PLACES - place);
  for (int n = 0; n < before; n++) EXPECT(seen.last[n] == (n + 2) * (ROWS - 1));
}

static void first_place(void) { with_failure_at(0); }
static void second_place(void) { with_failure_at(1); }
static void third_place(void) { with_failure_at(2); }
static void middle_place(void) { with_failure_at(PLACES / 2); }
static void last_place_but_one(void) { with_failure_at(PLACES - 2); }
static void last_place(void) { with_failure_at(PLACES - 1); }

/* After a call that fails there are loops that would be fused: one needs the result of the call,
 * the others do not, and one has been moved before it. */
static void in_program(void) {
  struct two t = make_two();
  op2_dat z = new_dat(t.cells, 1, OP2_F64, NULL, "zdat"),
          w = new_dat(t.cells, 1, OP2_F64, NULL, "w");
  double zeros[ROWS] = {0};
  for (int round = 1; round <= 3; round++) {
    queue_loop(&t, OP2_INC);
    queue_refusal(t.y, OP2_RW, round == 1);
    queue_on(&t, OP2_WRITE, z, t.y);
    queue_on(&t, OP2_READ, t.x, w);
    queue_on(&t, OP2_INC, t.x, w);
    queue_on(&t, OP2_INC, z, w);
    flush_all();
    EXPECT(look_at(t.y) == OP2_ERR_CALL && look_at(z) == OP2_ERR_CALL);
  }
  /* From the second repetition on the operand of the sum is missing. */
  EXPECT(look_at(t.x) == OP2_ERR_CALL && look_at(w) == OP2_ERR_CALL);
  MUST(op2_dat_set(t.x, zeros));
  MUST(op2_dat_set(t.y, zeros));
  MUST(op2_dat_set(w, zeros));
  queue_on(&t, OP2_READ, t.x, w);
  queue_refusal(t.y, OP2_RW, true);
  queue_on(&t, OP2_WRITE, z, w);
  queue_on(&t, OP2_INC, t.x, z);
  queue_on(&t, OP2_INC, w, t.y);
  flush_all();
  EXPECT_VALUES(double, t.x, ROWS, i, 2 + 0 * i);
  EXPECT(look_at(w) == OP2_ERR_CALL);
}

/* One step of many fails; the replayed program reports it, and goes on when the failure is
 * cured. */
static int refuse_seventh(void *data, void *const *values) {
  return ++*(int *)data == 7 ? 17 : triple(NULL, values);
}

static void in_time_loop(void) {
  struct two t = make_two();
  double start[ROWS];
  int times = 0;
  for (int i = 0; i < ROWS; i++) start[i] = i;
  for (int s = 1; s <= 12; s++) {
    MUST(op2_dat_set(t.x, start));
    queue_loop(&t, OP2_INC);
    const op2_status status =
        op2_call(test_ctx, refuse_seventh, &times, op2_arg_direct(t.x, OP2_RW));
    EXPECT(status == (test_config.eager && s == 7 ? OP2_ERR_CALL : OP2_SUCCESS));
    queue_loop(&t, OP2_INC);
    EXPECT(op2_flush(test_ctx) == (!test_config.eager && s == 7 ? OP2_ERR_CALL : OP2_SUCCESS));
    if (s == 7)
      EXPECT(look_at(t.x) == OP2_ERR_CALL);
    else
      EXPECT_VALUES(double, t.x, ROWS, i, 7 * i);
  }
  EXPECT(times == 12 && test_ctx->sched->stats.loops_cancelled == 1);
}

/* ---- several failures ------------------------------------------------------------------------ */

static int refuse_otherwise(void *data, void *const *values) {
  (void)data, (void)values;
  return 5;
}

/* Each flush reports one failure, in the order of queueing. */
static void two_failures(void) {
  struct two t = make_two();
  queue_refusal(t.x, OP2_RW, true);
  const op2_status status = op2_call(test_ctx, refuse_otherwise, NULL, op2_arg_direct(t.y, OP2_RW));
  EXPECT(status == (test_config.eager ? OP2_ERR_CALL : OP2_SUCCESS));
  if (!test_config.eager) {
    EXPECT(op2_flush(test_ctx) == OP2_ERR_CALL && strstr(op2_error_message(), "returned 17"));
    EXPECT(op2_flush(test_ctx) == OP2_ERR_CALL && strstr(op2_error_message(), "returned 5"));
  }
  MUST(op2_flush(test_ctx));
  EXPECT(look_at(t.y) == OP2_ERR_CALL && strstr(op2_error_message(), "returned 5"));
  EXPECT(look_at(t.x) == OP2_ERR_CALL && strstr(op2_error_message(), "returned 17"));
}

/* A loop overwrites a failed dat before the call fails: the dat has the failure of the call, not
 * the earlier one. */
static void cured_then_failed(void) {
  struct two t = make_two();
  queue_bad(&t, t.x);
  queue_loop(&t, OP2_WRITE);
  queue_refusal(t.x, OP2_RW, true);
  flush_all();
  EXPECT(look_at(t.x) == OP2_ERR_CALL);
  queue_loop(&t, OP2_WRITE);
  EXPECT_VALUES(double, t.x, ROWS, i, i + 2);
}

static void at_the_end(void) {
  struct two t = make_two();
  queue_refusal(t.x, OP2_RW, true);
  const op2_status status = op2_finalize(&test_ctx);
  EXPECT(status == (test_config.eager ? OP2_SUCCESS : OP2_ERR_CALL));
  if (status) EXPECT(strstr(op2_error_message(), "returned 17"));
}

/* Calls that queue something never report an older failure, even if they run the queue. */
static void with_little_room(void) {
  restart(2);
  struct two t = make_two();
  struct seen seen = {0};
  queue_refusal(t.x, OP2_RW, true);
  for (int n = 0; n < 6; n++) {
    queue_loop(&t, OP2_INC);
    MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
    queue_twice(&t, t.y);
  }
  EXPECT(op2_flush(test_ctx) == (test_config.eager ? OP2_SUCCESS : OP2_ERR_CALL));
  EXPECT(seen.times == 0 && look_at(t.x) == OP2_ERR_CALL);
  EXPECT_VALUES(double, t.y, ROWS, i, 64 * i);
}

/* ---- poison ---------------------------------------------------------------------------------- */

/* A loop that cannot be compiled cancels the calls that need it, and no others. */
static void cancelled(void) {
  struct two t = make_two();
  struct seen seen = {0}, other = {0};
  queue_bad(&t, t.x);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_call(test_ctx, triple, NULL, op2_arg_direct(t.x, OP2_RW)));
  MUST(op2_call(test_ctx, watch, &other, op2_arg_direct(t.y, OP2_READ)));
  EXPECT(op2_flush(test_ctx) == (test_config.eager ? OP2_SUCCESS : OP2_ERR_COMPILE));
  EXPECT(look_at(t.x) == OP2_ERR_COMPILE);
  EXPECT(seen.times == 0 && other.times == 1);
  EXPECT(test_ctx->sched->stats.loops_cancelled == 2);
}

static void failed_global(void) {
  struct two t = make_two();
  double value;
  const op2_gbl g = new_gbl(1, OP2_F64, NULL, "gbl");
  fails_with(op2_call(test_ctx, refuse, NULL, op2_arg_gbl(g, OP2_RW)));
  queue_reduce(&t, OP2_INC, t.x, g);
  EXPECT(op2_gbl_get(g, &value) == OP2_ERR_CALL);
  MUST(op2_call(test_ctx, set_five, NULL, op2_arg_gbl(g, OP2_WRITE)));
  EXPECT_GBL(double, g, 5);
}

/* The failure spreads from dat to global to dat, through loops and calls, and not to data that is
 * overwritten. */
static void chain(void) {
  struct two t = make_two();
  struct seen seen = {0};
  double value;
  const op2_gbl g = new_gbl(1, OP2_F64, NULL, "gbl");
  queue_refusal(t.x, OP2_RW, true);
  queue_reduce(&t, OP2_INC, t.x, g);
  MUST(op2_call(test_ctx, double_it, NULL, op2_arg_gbl(g, OP2_RW)));
  queue_use(&t, g, t.y);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.y, OP2_READ)));
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.y, OP2_WRITE)));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.y, OP2_READ)));
  EXPECT(op2_flush(test_ctx) == (test_config.eager ? OP2_SUCCESS : OP2_ERR_CALL));
  EXPECT(test_ctx->sched->stats.loops_cancelled == 4 && test_ctx->sched->stats.loops_failed == 1);
  EXPECT(seen.times == 1 && seen.first[0] == 100);
  EXPECT(op2_gbl_get(g, &value) == OP2_ERR_CALL && look_at(t.x) == OP2_ERR_CALL);
  MUST(op2_gbl_set(g, (double[]){3}));
  MUST(op2_call(test_ctx, double_it, NULL, op2_arg_gbl(g, OP2_RW)));
  EXPECT_GBL(double, g, 7);
}

static void cured_by_set(void) {
  struct two t = make_two();
  struct seen seen = {0};
  double zeros[ROWS] = {0};
  queue_refusal(t.x, OP2_WRITE, true);
  flush_all();
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_dat_set(t.x, zeros));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  flush_all();
  EXPECT(seen.times == 1 && seen.last[0] == 0);
}

/* Overwriting half of the dat does not cure it, overwriting all of it does. */
static void cured_as_a_whole(void) {
  struct two t = make_two();
  struct seen seen = {0};
  op2_set part = new_subset(t.cells, 2, (int64_t[]){3, 4}, "part");
  queue_refusal(t.x, OP2_RW, true);
  MUST(op2_par_loop(t.loop[OP2_WRITE], part, op2_arg_direct(t.x, OP2_WRITE),
                    op2_arg_direct(t.y, OP2_READ)));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  queue_loop(&t, OP2_WRITE);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  flush_all();
  EXPECT(seen.times == 1 && seen.last[0] == ROWS + 1);
  EXPECT(test_ctx->sched->stats.loops_cancelled == 2);
}

/* A call that is cancelled poisons all that it would have written, not only the data it needs. */
static void cancelled_writer(void) {
  struct two t = make_two();
  op2_dat z = new_dat(t.cells, 1, OP2_F64, NULL, "zdat");
  queue_bad(&t, t.x);
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.y, OP2_WRITE),
                op2_arg_direct(t.x, OP2_READ)));
  queue_on(&t, OP2_WRITE, z, t.y);
  flush_all();
  EXPECT(look_at(t.y) == OP2_ERR_COMPILE && look_at(z) == OP2_ERR_COMPILE);
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.y, OP2_WRITE)));
  queue_on(&t, OP2_WRITE, z, t.y);
  EXPECT_VALUES(double, z, ROWS, i, 102 + i);
}

int main(void) {
  static const struct test_case cases[] = {
      {"a function that fails", failure},
      {"one without arguments", without_arguments},
      {"one that only looks", that_looks},
      {"one that fails between others", between},
      {"a failure in the first place", first_place},
      {"a failure in the second place", second_place},
      {"a failure in the third place", third_place},
      {"a failure in the middle", middle_place},
      {"a failure in the last place but one", last_place_but_one},
      {"a failure in the last place", last_place},
      {"a failure in a program", in_program},
      {"a failure in one step of many", in_time_loop},
      {"two failures", two_failures},
      {"cured before a function fails", cured_then_failed},
      {"a failure at the end", at_the_end},
      {"a failure with little room", with_little_room},
      {"calls that are cancelled", cancelled},
      {"a global that fails", failed_global},
      {"poison through loops, calls and a global", chain},
      {"cured by op2_dat_set", cured_by_set},
      {"cured as a whole", cured_as_a_whole},
      {"a cancelled call spoils what it was to write", cancelled_writer},
  };
  return RUN(cases, 0);
}
