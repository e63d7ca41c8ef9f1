/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of calls: after every earlier loop that accesses their data, before every later one,
 * and in order among themselves. */
#include <stdlib.h>
#include <string.h>

#include "call_case.h"
#include "context.h"
#include "program.h"

/* ---- pairs of accesses ----------------------------------------------------------------------- */

static const op2_call_function on_dat[] = {
    [OP2_READ] = watch, [OP2_WRITE] = fill, [OP2_RW] = triple};
static const op2_call_function on_gbl[] = {
    [OP2_READ] = note_value, [OP2_WRITE] = set_five, [OP2_RW] = double_it};

enum { CALL_FIRST = 1, MAPPED = 2, FLUSH = 4, WAYS = 8 };

/* Loop, call, loop, call, or the other way round. */
static bool dat_in_order(const struct two *t, op2_access loop, op2_access call, int way) {
  struct seen seen = {0}, want = {0};
  double x[ROWS], y[ROWS];
  void *values[] = {x};
  for (int i = 0; i < ROWS; i++) x[i] = i, y[i] = 40 - i;
  MUST(op2_dat_set(t->x, x));
  MUST(op2_dat_set(t->y, y));
  for (int n = 0; n < 4; n++)
    if (n % 2 == (way & CALL_FIRST)) {
      if (way & MAPPED)
        queue_mapped(t, loop);
      else
        queue_loop(t, loop);
      loop_by_hand(loop, way & MAPPED, x, y);
    } else {
      MUST(op2_call(test_ctx, on_dat[call], &seen, op2_arg_direct(t->x, call)));
      on_dat[call](&want, values);
    }
  if (way & FLUSH) MUST(op2_flush(test_ctx));
  const bool good = same_values(t->x, x) && same_values(t->y, y);
  MUST(op2_flush(test_ctx)); /* a call that only reads is not needed by any result */
  return good && !memcmp(&seen, &want, sizeof want);
}

static void dat_pair(op2_access loop, op2_access call) {
  const struct two t = make_two();
  for (int way = 0; way < WAYS; way++)
    if (!EXPECT(dat_in_order(&t, loop, call, way))) diag("way %d", way);
}

static void gbl_loop(const struct two *t, op2_access loop, op2_gbl g, double *value, double *y) {
  loop == OP2_READ ? queue_use(t, g, t->y) : queue_reduce(t, loop, t->x, g);
  for (int i = 0; i < ROWS; i++) {
    if (loop == OP2_READ) y[i] += *value;
    if (loop == OP2_INC) *value += i;
    if (loop == OP2_MIN && i < *value) *value = i;
    if (loop == OP2_MAX && i > *value) *value = i;
  }
}

static bool gbl_in_order(const struct two *t, op2_access loop, op2_access call, int way) {
  const op2_gbl g = new_gbl(1, OP2_F64, (double[]){3}, "gbl");
  struct seen seen = {0}, want = {0};
  double value = 3, got, y[ROWS];
  void *values[] = {&value};
  for (int i = 0; i < ROWS; i++) y[i] = i;
  MUST(op2_dat_set(t->y, y));
  for (int n = 0; n < 4; n++)
    if (n % 2 == (way & CALL_FIRST)) {
      gbl_loop(t, loop, g, &value, y);
    } else {
      MUST(op2_call(test_ctx, on_gbl[call], &seen, op2_arg_gbl(g, call)));
      on_gbl[call](&want, values);
    }
  if (way & FLUSH) MUST(op2_flush(test_ctx));
  MUST(op2_gbl_get(g, &got));
  const bool good = got == value && same_values(t->y, y);
  MUST(op2_flush(test_ctx));
  return good && !memcmp(&seen, &want, sizeof want);
}

static void gbl_pair(op2_access loop, op2_access call) {
  const struct two t = make_two();
  for (int way = 0; way < WAYS; way++)
    if (!(way & MAPPED) && !EXPECT(gbl_in_order(&t, loop, call, way))) diag("way %d", way);
}

/* clang-format off */
#define CALLS(X, what, loop) X(what, loop, READ) X(what, loop, WRITE) X(what, loop, RW)
#define PAIRS(X)                                                                                   \
  CALLS(X, dat, READ) CALLS(X, dat, WRITE) CALLS(X, dat, RW)                                       \
  CALLS(X, dat, INC) CALLS(X, dat, MIN) CALLS(X, dat, MAX)                                         \
  CALLS(X, gbl, READ) CALLS(X, gbl, INC) CALLS(X, gbl, MIN) CALLS(X, gbl, MAX)
#define BODY(what, loop, call)                                                                     \
  static void what##_##loop##_##call(void) { what##_pair(OP2_##loop, OP2_##call); }
#define CASE(what, loop, call)                                                                     \
  {#what ": loops that " #loop ", calls that " #call, what##_##loop##_##call},
PAIRS(BODY)
/* clang-format on */

/* ---- calls among themselves ------------------------------------------------------------------ */

static int note_and_fill(void *data, void *const *values) {
  void *number[] = {values[1]};
  return note(data, number) || fill(NULL, values);
}

/* Calls that share no data still run one after the other, also if only the last one is needed. */
static void among_themselves(void) {
  struct two t = make_two();
  char text[200] = "";
  for (int n = 0; n < 5; n++) {
    MUST(op2_call(test_ctx, note, text, op2_arg_val(&n, 1, OP2_I32)));
    queue_loop(&t, OP2_INC);
  }
  int last = 9;
  MUST(op2_call(test_ctx, note_and_fill, text, op2_arg_direct(t.y, OP2_WRITE),
                op2_arg_val(&last, 1, OP2_I32)));
  last = 10;
  MUST(op2_call(test_ctx, note, text, op2_arg_val(&last, 1, OP2_I32)));
  EXPECT_VALUES(double, t.y, ROWS, i, 100 + i);
  EXPECT(!strcmp(text, test_config.eager ? "0 1 2 3 4 9 10 " : "0 1 2 3 4 9 "));
  MUST(op2_flush(test_ctx));
  EXPECT(!strcmp(text, "0 1 2 3 4 9 10 "));
}

static void without_arguments(void) {
  int times = 0;
  MUST(op2_call(test_ctx, count, &times));
  MUST(op2_call(test_ctx, count, &times));
  MUST(op2_flush(test_ctx));
  EXPECT(times == 2);
}

/* A chain of calls without loops between them. */
static void chain(void) {
  struct two t = make_two();
  struct seen seen = {0};
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.x, OP2_WRITE)));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_call(test_ctx, triple, NULL, op2_arg_direct(t.x, OP2_RW)));
  MUST(op2_call(test_ctx, triple, NULL, op2_arg_direct(t.x, OP2_RW)));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 3 && seen.last[0] == ROWS - 1 && seen.last[1] == 100 + ROWS - 1 &&
         seen.last[2] == 9 * (100 + ROWS - 1));
}

static int swap(void *data, void *const *values) {
  double *x = values[0], *y = values[1];
  (void)data;
  for (int i = 0; i < ROWS; i++) {
    const double kept = x[i];
    x[i] = y[i];
    y[i] = kept;
  }
  return 0;
}

static void two_dats(void) {
  struct two t = make_two();
  double x[ROWS], y[ROWS];
  void *values[] = {x, y};
  for (int i = 0; i < ROWS; i++) x[i] = y[i] = i;
  for (int n = 0; n < 3; n++) {
    queue_loop(&t, n == 1 ? OP2_RW : OP2_READ);
    MUST(op2_call(test_ctx, swap, NULL, op2_arg_direct(t.x, OP2_RW), op2_arg_direct(t.y, OP2_RW)));
    loop_by_hand(n == 1 ? OP2_RW : OP2_READ, false, x, y);
    swap(NULL, values);
  }
  EXPECT(same_values(t.x, x) && same_values(t.y, y));
}

/* ---- between loops that fuse ----------------------------------------------------------------- */

static bool passes(void) { return !test_config.eager && test_ctx->backend->passes; }

/* A call that reads none of the surrounding loops' data does not prevent their fusion. */
static void fused_across(void) {
  struct two t = make_two();
  struct seen seen = {0};
  op2_dat z = new_dat(t.cells, 1, OP2_F64, NULL, "zdat");
  queue_loop(&t, OP2_INC);
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(z, OP2_WRITE)));
  queue_loop(&t, OP2_RW);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(z, OP2_READ)));
  queue_loop(&t, OP2_INC);
  MUST(op2_flush(test_ctx));
  EXPECT_VALUES(double, t.x, ROWS, i, 8 * i);
  EXPECT(seen.times == 1 && seen.first[0] == 100);
  if (passes()) EXPECT(test_ctx->sched->stats.loops_fused == 3);
}

/* A call that changes the loops' data, or reads it, prevents their fusion. */
static void parted(op2_access access) {
  struct two t = make_two();
  struct seen seen = {0};
  queue_loop(&t, OP2_INC);
  MUST(op2_call(test_ctx, on_dat[access], &seen, op2_arg_direct(t.x, access)));
  queue_loop(&t, OP2_INC);
  MUST(op2_flush(test_ctx));
  EXPECT_VALUES(double, t.x, ROWS, i, access == OP2_RW ? 7 * i : 3 * i);
  EXPECT(access == OP2_RW || (seen.times == 1 && seen.last[0] == 2 * (ROWS - 1)));
  EXPECT(test_ctx->sched->stats.loops_fused == 0);
}
static void parted_by_change(void) { parted(OP2_RW); }
static void parted_by_look(void) { parted(OP2_READ); }

/* The call needs the result of the first loop, and the last loop overwrites its data; the two loops
 * between are fused, before or after the call, which must read exactly the right values. */
static void among_fused(void) {
  struct two t = make_two();
  struct seen seen = {0};
  op2_dat z = new_dat(t.cells, 1, OP2_F64, NULL, "zdat");
  queue_on(&t, OP2_INC, z, t.x);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(z, OP2_READ)));
  queue_on(&t, OP2_INC, t.y, t.x);
  queue_on(&t, OP2_RW, t.y, t.x);
  queue_on(&t, OP2_INC, z, t.y);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(z, OP2_READ)));
  EXPECT_VALUES(double, z, ROWS, i, 8 * i);
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 2 && seen.last[0] == ROWS - 1 && seen.last[1] == 8 * (ROWS - 1));
}

int main(void) {
  static const struct test_case cases[] = {
      /* clang-format off */
      PAIRS(CASE)
      /* clang-format on */
      {"calls among themselves", among_themselves},
      {"calls without arguments", without_arguments},
      {"calls in a chain", chain},
      {"calls of two dats", two_dats},
      {"loops fuse across a call", fused_across},
      {"a call that changes parts loops", parted_by_change},
      {"a call that looks parts loops", parted_by_look},
      {"a call between loops of a sum", among_fused},
  };
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, RUN_ON_DEVICES);
}
