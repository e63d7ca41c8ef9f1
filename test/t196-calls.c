/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the program's own among the loops: in their place, with whole dats and globals, and
 * failing as loops do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "program.h"
#include "support.h"

enum { N = 37, PAST = 12 };

OP2_KERNEL(look, (const double *x, double *y), { *y += 10 * *x; });
OP2_KERNEL(put, (double *x, const double *y), { *x = *y + 2; });
OP2_KERNEL(change, (double *x, const double *y), { *x = 3 * *x + *y; });
OP2_KERNEL(add, (double *x, const double *y), { *x += *y; });
OP2_KERNEL(sum, (const double *x, double *g), { *g += *x; });

struct two {
  op2_set cells;
  op2_dat x, y;
  op2_kernel look, put, change, add, sum;
};

static struct two make_two(void) {
  double *start = scratch(N, sizeof *start);
  struct two t;
  for (int i = 0; i < N; i++) start[i] = i;
  t.cells = new_set(N, "cells");
  t.x = new_dat(t.cells, 1, OP2_F64, start, "xdat");
  t.y = new_dat(t.cells, 1, OP2_F64, start, "ydat");
  t.look = new_kernel(&look_kernel);
  t.put = new_kernel(&put_kernel);
  t.change = new_kernel(&change_kernel);
  t.add = new_kernel(&add_kernel);
  t.sum = new_kernel(&sum_kernel);
  return t;
}

/* ---- in its place ---------------------------------------------------------------------------- */

/* What the function saw, and what it was to do. */
struct seen {
  double first[PAST], last[PAST];
  int times;
};

static int watch(void *data, void *const *values) {
  struct seen *seen = data;
  const double *x = values[0];
  seen->first[seen->times % PAST] = x[0];
  seen->last[seen->times % PAST] = x[N - 1];
  seen->times++;
  return 0;
}

static int fill(void *data, void *const *values) {
  (void)data;
  for (int i = 0; i < N; i++) ((double *)values[0])[i] = 100 + i;
  return 0;
}

static int triple(void *data, void *const *values) {
  (void)data;
  for (int i = 0; i < N; i++) ((double *)values[0])[i] *= 3;
  return 0;
}

enum { LOOK, PUT, CHANGE, ADD, LOOPS };

static void queue_loop(const struct two *t, int kind) {
  if (kind == LOOK)
    MUST(op2_par_loop(t->look, t->cells, op2_arg_direct(t->x, OP2_READ),
                      op2_arg_direct(t->y, OP2_INC)));
  else if (kind == PUT)
    MUST(op2_par_loop(t->put, t->cells, op2_arg_direct(t->x, OP2_WRITE),
                      op2_arg_direct(t->y, OP2_READ)));
  else
    MUST(op2_par_loop(kind == ADD ? t->add : t->change, t->cells,
                      op2_arg_direct(t->x, kind == ADD ? OP2_INC : OP2_RW),
                      op2_arg_direct(t->y, OP2_READ)));
}

static void loop_by_hand(int kind, double *x, double *y) {
  for (int i = 0; i < N; i++) {
    if (kind == LOOK) y[i] += 10 * x[i];
    if (kind == PUT) x[i] = y[i] + 2;
    if (kind == CHANGE) x[i] = 3 * x[i] + y[i];
    if (kind == ADD) x[i] += y[i];
  }
}

static const op2_call_function functions[] = {watch, fill, triple};
static const op2_access modes[] = {OP2_READ, OP2_WRITE, OP2_RW};

static int same_values(op2_dat dat, const double *want) {
  double got[N];
  MUST(op2_dat_get(dat, got));
  return memcmp(got, want, sizeof got) == 0;
}

/* A loop of each mode before the call and one after it. */
static void every_pair(void) {
  for (int before = 0; before < LOOPS; before++)
    for (int after = 0; after < LOOPS; after++)
      for (int c = 0; c < 3; c++) {
        struct two t = make_two();
        struct seen seen = {0}, want = {0};
        double x[N], y[N];
        void *values[] = {x};
        for (int i = 0; i < N; i++) x[i] = y[i] = i;
        queue_loop(&t, before);
        MUST(op2_call(test_ctx, functions[c], &seen, op2_arg_direct(t.x, modes[c])));
        queue_loop(&t, after);
        loop_by_hand(before, x, y);
        functions[c](&want, values);
        loop_by_hand(after, x, y);
        if ((before + after) % 2) MUST(op2_flush(test_ctx));
        bool good = same_values(t.x, x) && same_values(t.y, y);
        MUST(op2_flush(test_ctx)); /* a call that only looks is needed by nobody */
        if (!EXPECT(good && !memcmp(&seen, &want, sizeof want)))
          diag("loop %d, call %d, loop %d", before, c, after);
      }
}

/* What a call reads runs before it, what would overwrite that runs after it, and no more is run. */
static void no_more(void) {
  struct two t = make_two();
  struct seen seen = {0};
  queue_loop(&t, ADD);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_par_loop(t.add, t.cells, op2_arg_direct(t.y, OP2_RW), op2_arg_direct(t.y, OP2_READ)));
  if (!test_config.eager) EXPECT(op2_queued(test_ctx) == 3 && seen.times == 0);
  EXPECT_VALUES(double, t.x, N, i, 2 * i);
  if (!test_config.eager) EXPECT(op2_queued(test_ctx) == 2 && seen.times == 0);
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 1 && seen.first[0] == 0 && seen.last[0] == 2 * (N - 1));
}

static int note(void *data, void *const *values) {
  char *text = data, word[16];
  snprintf(word, sizeof word, "%d ", *(const int *)values[0]);
  strcat(text, word);
  return 0;
}

static int note_and_fill(void *data, void *const *values) {
  void *number[] = {values[1]};
  return note(data, number) || fill(NULL, values);
}

/* Calls that share nothing still come one after the other, also where only the last is wanted. */
static void among_themselves(void) {
  struct two t = make_two();
  char text[200] = "";
  for (int n = 0; n < 5; n++) {
    MUST(op2_call(test_ctx, note, text, op2_arg_val(&n, 1, OP2_I32)));
    queue_loop(&t, ADD);
  }
  int last = 9;
  MUST(op2_call(test_ctx, note_and_fill, text, op2_arg_direct(t.y, OP2_WRITE),
                op2_arg_val(&last, 1, OP2_I32)));
  last = 10;
  MUST(op2_call(test_ctx, note, text, op2_arg_val(&last, 1, OP2_I32)));
  EXPECT_VALUES(double, t.y, N, i, 100 + i);
  EXPECT(!strcmp(text, test_config.eager ? "0 1 2 3 4 9 10 " : "0 1 2 3 4 9 "));
  MUST(op2_flush(test_ctx));
  EXPECT(!strcmp(text, "0 1 2 3 4 9 10 "));
}

static int count(void *data, void *const *values) {
  (void)values;
  ++*(int *)data;
  return 0;
}

static void without_arguments(void) {
  int times = 0;
  MUST(op2_call(test_ctx, count, &times));
  MUST(op2_call(test_ctx, count, &times));
  MUST(op2_flush(test_ctx));
  EXPECT(times == 2);
}

/* A time loop with calls in it: what is run for each look at a dat is one program, calls and all,
 * and the same from the second on. */
static void time_loop(void) {
  enum { STEPS = 40 };
  struct two t = make_two();
  struct seen seen = {0};
  double x[N], y[N];
  for (int i = 0; i < N; i++) x[i] = y[i] = i;
  for (int s = 0; s < STEPS; s++) {
    queue_loop(&t, ADD);
    queue_loop(&t, LOOK);
    MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
    MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.y, OP2_WRITE)));
    loop_by_hand(ADD, x, y);
    for (int i = 0; i < N; i++) y[i] = 100 + i;
    if (s % 5 == 4) EXPECT(same_values(t.x, x));
  }
  MUST(op2_flush(test_ctx));
  EXPECT(same_values(t.x, x) && same_values(t.y, y) && seen.times == STEPS);
  if (!test_config.eager && test_ctx->backend->passes)
    EXPECT(test_ctx->sched->programs_made <= 3 && test_ctx->sched->programs_replayed >= STEPS / 5 - 2);
}

/* Whether a program has all its calls behind its loops. */
static bool calls_last(const struct op2i_program *program) {
  bool call = false, good = true;
  for (int64_t s = 0; s < program->nsteps; s++) {
    good &= !call || program->steps[s].kind == OP2I_STEP_CALL;
    call |= program->steps[s].kind == OP2I_STEP_CALL;
  }
  return good && call;
}

static int note_value(void *data, void *const *values) {
  struct seen *seen = data;
  seen->first[seen->times++ % PAST] = *(const double *)values[0];
  return 0;
}

/* Output of a value that each step sums anew: no loop waits for it, and loops fuse across it. */
static void deferred(void) {
  enum { STEPS = 8 };
  struct two t = make_two();
  struct seen seen = {0};
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "gbl");
  for (int s = 0; s < STEPS; s++) {
    MUST(op2_gbl_set(g, (double[]){0}));
    queue_loop(&t, ADD);
    MUST(op2_par_loop(t.sum, t.cells, op2_arg_direct(t.x, OP2_READ), op2_arg_gbl(g, OP2_INC)));
    MUST(op2_call(test_ctx, note_value, &seen, op2_arg_gbl(g, OP2_READ)));
  }
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == STEPS);
  for (int s = 0; s < STEPS; s++) EXPECT(seen.first[s] == (s + 2) * N * (N - 1) / 2);
  const struct op2i_sched *sched = test_ctx->sched;
  if (test_config.eager || !test_ctx->backend->passes) return;
  EXPECT(sched->programs && calls_last(sched->programs) && sched->loops_fused == 2 * STEPS);
}

/* ---- what it gets ---------------------------------------------------------------------------- */

struct sums {
  double got[4];
  int n;
};

static int keep(void *data, void *const *values) {
  struct sums *sums = data;
  sums->got[sums->n++] = *(const double *)values[0];
  return 0;
}

static int clip(void *data, void *const *values) {
  double *g = values[0], most = *(const double *)values[1];
  (void)data;
  if (*g > most) *g = most;
  return 0;
}

static int set_five(void *data, void *const *values) {
  (void)data;
  *(double *)values[0] = 5;
  return 0;
}

/* So many numbers, of double precision or, when there are fewer than none, of one byte. */
static int add_up(void *data, void *const *values) {
  struct sums *sums = data;
  const int n = *(const int *)values[0];
  double sum = 0;
  for (int i = 0; i < n; i++) sum += ((const double *)values[1])[i];
  for (int i = 0; i < -n; i++) sum += ((const int8_t *)values[1])[i];
  sums->got[sums->n++] = sum;
  return 0;
}

/* Calls that differ in the number of values, or in their type, are others. */
static void captured(void) {
  struct sums sums = {0};
  double v[9];
  int8_t bytes[9];
  const int less = -9;
  for (int i = 0; i < 9; i++) v[i] = i, bytes[i] = (int8_t)i;
  MUST(op2_call(test_ctx, add_up, &sums, op2_arg_val(&less, 1, OP2_I32),
                op2_arg_val(bytes, 9, OP2_I8)));
  for (int n = 1; n <= 9; n += 8)
    MUST(
        op2_call(test_ctx, add_up, &sums, op2_arg_val(&n, 1, OP2_I32), op2_arg_val(v, n, OP2_F64)));
  memset(v, 0, sizeof v);
  memset(bytes, 0, sizeof bytes);
  MUST(op2_flush(test_ctx));
  EXPECT(sums.n == 3 && sums.got[0] == 36 && sums.got[1] == 0 && sums.got[2] == 36);
}

static int fill_if(void *data, void *const *values) { return data ? fill(data, values) : 0; }

/* And those that differ in what they do with an argument. */
static void two_modes(void) {
  struct two t = make_two();
  MUST(op2_call(test_ctx, fill_if, NULL, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_call(test_ctx, fill_if, &t, op2_arg_direct(t.x, OP2_WRITE)));
  MUST(op2_par_loop(t.put, t.cells, op2_arg_direct(t.y, OP2_WRITE), op2_arg_direct(t.x, OP2_READ)));
  EXPECT_VALUES(double, t.y, N, i, 102 + i);
}

/* More than are kept, each with a name of its own, and all queued. */
static void many_names(void) {
  enum { MANY = 300 };
  int times = 0;
  char name[16];
  for (int i = 0; i < MANY; i++) {
    snprintf(name, sizeof name, "call%d", i);
    MUST(op2_call_at(OP2_HERE, name, test_ctx, count, &times, 0, NULL));
  }
  MUST(op2_flush(test_ctx));
  EXPECT(times == MANY);
}

/* Each call has the values from when it was queued. */
static void globals(void) {
  struct two t = make_two();
  struct sums sums = {0};
  op2_gbl g = new_gbl(1, OP2_F64, (double[]){1}, "gbl");
  double most = 50;
  MUST(op2_call(test_ctx, keep, &sums, op2_arg_gbl(g, OP2_READ)));
  MUST(op2_par_loop(t.sum, t.cells, op2_arg_direct(t.x, OP2_READ), op2_arg_gbl(g, OP2_INC)));
  MUST(op2_call(test_ctx, keep, &sums, op2_arg_gbl(g, OP2_READ)));
  MUST(op2_call(test_ctx, clip, NULL, op2_arg_gbl(g, OP2_RW), op2_arg_val(&most, 1, OP2_F64)));
  most = 3;
  MUST(op2_gbl_set(g, (double[]){7}));
  MUST(op2_call(test_ctx, keep, &sums, op2_arg_gbl(g, OP2_READ)));
  MUST(op2_call(test_ctx, set_five, NULL, op2_arg_gbl(g, OP2_WRITE)));
  MUST(op2_par_loop(t.sum, t.cells, op2_arg_direct(t.x, OP2_READ), op2_arg_gbl(g, OP2_INC)));
  const double total = N * (N - 1) / 2;
  EXPECT_GBL(double, g, total + 5);
  MUST(op2_flush(test_ctx));
  EXPECT(sums.n == 3 && sums.got[0] == 1 && sums.got[1] == total + 1 && sums.got[2] == 7);
}

static void clipped_global(void) {
  struct two t = make_two();
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "gbl");
  const double most = 50;
  MUST(op2_par_loop(t.sum, t.cells, op2_arg_direct(t.x, OP2_READ), op2_arg_gbl(g, OP2_INC)));
  MUST(op2_call(test_ctx, clip, NULL, op2_arg_gbl(g, OP2_RW), op2_arg_val(&most, 1, OP2_F64)));
  EXPECT_GBL(double, g, 50);
  MUST(op2_par_loop(t.sum, t.cells, op2_arg_direct(t.x, OP2_READ), op2_arg_gbl(g, OP2_INC)));
  MUST(op2_call(test_ctx, clip, NULL, op2_arg_gbl(g, OP2_RW), op2_arg_val(&most, 1, OP2_F64)));
  MUST(op2_par_loop(t.sum, t.cells, op2_arg_direct(t.x, OP2_READ), op2_arg_gbl(g, OP2_INC)));
  EXPECT_GBL(double, g, 50 + N * (N - 1) / 2);
}

static int number_rows(void *data, void *const *values) {
  double *x = values[0];
  for (int i = 0; i < *(const int *)data; i++) x[i] = i;
  return 0;
}

static int rows_are_numbered(void *data, void *const *values) {
  const double *x = values[0];
  for (int i = 0; i < N; i++)
    if (x[i] != 2 * i) return 1;
  *(bool *)data = true;
  return 0;
}

/* On a renumbered set the function has the program's numbers, and all rows. */
static void renumbered(void) {
  enum { TOTAL = N + 3 };
  static int total = TOTAL;
  int32_t *pairs = scratch(2 * TOTAL, sizeof *pairs);
  bool good = false;
  for (int i = 0; i < TOTAL; i++) pairs[2 * i] = i, pairs[2 * i + 1] = (i * 11 + 5) % TOTAL;
  op2_set cells = new_set(TOTAL, "cells"), edges = new_set(TOTAL, "edges");
  op2_map map = new_map(edges, cells, 2, pairs, "map");
  op2_dat x = new_dat(cells, 1, OP2_F64, NULL, "xdat");
  op2_kernel add = new_kernel(&add_kernel);
  op2_status status = op2_renumber(map);
  if (status == OP2_ERR_UNAVAILABLE) return; /* without Scotch; t115 says so */
  MUST(status);
  MUST(op2_call(test_ctx, number_rows, &total, op2_arg_direct(x, OP2_WRITE)));
  MUST(op2_par_loop(add, cells, op2_arg_direct(x, OP2_RW), op2_arg_direct(x, OP2_READ)));
  MUST(op2_call(test_ctx, rows_are_numbered, &good, op2_arg_direct(x, OP2_READ)));
  MUST(op2_flush(test_ctx));
  EXPECT(good);
  EXPECT_VALUES(double, x, TOTAL, i, 2 * i);
}

static void wrapped(void) {
  struct two t = make_two();
  double *mine = scratch(N, sizeof *mine);
  op2_dat w = NULL;
  MUST(op2_dat_wrap(t.cells, 1, OP2_F64, mine, "wrapped", &w));
  own_dat(w);
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(w, OP2_WRITE)));
  MUST(op2_par_loop(t.add, t.cells, op2_arg_direct(w, OP2_INC), op2_arg_direct(t.y, OP2_READ)));
  MUST(op2_call(test_ctx, triple, NULL, op2_arg_direct(w, OP2_RW)));
  EXPECT_VALUES(double, w, N, i, 3 * (100 + 2 * i));
}

/* Handles may be destroyed while the call waits. */
static void destroyed(void) {
  struct two t = make_two();
  struct seen seen = {0};
  op2_dat mine = NULL;
  MUST(op2_dat_create(t.cells, 1, OP2_F64, NULL, "mine", &mine));
  MUST(
      op2_par_loop(t.put, t.cells, op2_arg_direct(mine, OP2_WRITE), op2_arg_direct(t.y, OP2_READ)));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(mine, OP2_READ)));
  op2_dat_destroy(&mine);
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 1 && seen.last[0] == N + 1);
  /* The call goes with its dat, and programs with the call. */
  MUST(op2_dat_create(t.cells, 1, OP2_F64, NULL, "mine", &mine));
  queue_loop(&t, ADD);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(mine, OP2_READ)));
  MUST(op2_flush(test_ctx));
  const struct op2i_sched *sched = test_ctx->sched;
  EXPECT((sched->nprograms == 1) == (!test_config.eager && test_ctx->backend->passes));
  op2_dat_destroy(&mine);
  EXPECT(sched->nprograms == 0);
}

/* ---- failing --------------------------------------------------------------------------------- */

static int refuse(void *data, void *const *values) {
  (void)values;
  if (data) ++*(int *)data;
  return 17;
}

/* In eager mode the call returns its own failure; else the flush does. */
static void fails_with(op2_status status) {
  if (!test_config.eager) {
    MUST(status);
    status = op2_flush(test_ctx);
  }
  EXPECT(status == OP2_ERR_CALL && strstr(op2_error_message(), "call 'refuse' (call ") &&
         strstr(op2_error_message(), "returned 17") && strstr(op2_error_message(), "t196-calls.c"));
}

static void failure(void) {
  struct two t = make_two();
  struct seen seen = {0};
  double values[N];
  fails_with(op2_call(test_ctx, refuse, NULL, op2_arg_direct(t.x, OP2_RW)));
  EXPECT(op2_dat_get(t.x, values) == OP2_ERR_CALL);
  queue_loop(&t, LOOK);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  EXPECT(op2_dat_get(t.y, values) == OP2_ERR_CALL);
  EXPECT(seen.times == 0);
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.x, OP2_WRITE)));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  EXPECT_VALUES(double, t.x, N, i, 100 + i);
  (void)!op2_flush(test_ctx);
  EXPECT(seen.times == 1 && seen.first[0] == 100);
}

/* What ran before it is there, what needs it is not, and the rest runs. */
static void failure_between(void) {
  struct two t = make_two();
  struct seen seen = {0};
  double values[N];
  queue_loop(&t, ADD);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  op2_status status = op2_call(test_ctx, refuse, NULL, op2_arg_direct(t.x, OP2_RW));
  if (test_config.eager) EXPECT(status == OP2_ERR_CALL);
  MUST(op2_par_loop(t.add, t.cells, op2_arg_direct(t.x, OP2_INC), op2_arg_direct(t.y, OP2_READ)));
  MUST(op2_par_loop(t.change, t.cells, op2_arg_direct(t.y, OP2_RW), op2_arg_direct(t.y, OP2_READ)));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.y, OP2_READ)));
  if (!test_config.eager) EXPECT(op2_flush(test_ctx) == OP2_ERR_CALL);
  EXPECT(op2_dat_get(t.x, values) == OP2_ERR_CALL);
  EXPECT_VALUES(double, t.y, N, i, 4 * i);
  EXPECT(seen.times == 2 && seen.last[0] == 2 * (N - 1) && seen.last[1] == 4 * (N - 1));
}

/* Until each failure has been told; a dead context tells the same for ever. */
static void flush_all(void) {
  int told = 0;
  while (told < 100 && op2_flush(test_ctx)) told++;
  EXPECT(told < 100);
}

/* Behind a call that fails stand loops that would run as one: one needs what it was to write, the
 * others do not, and one has been put before it. */
static void failure_in_program(void) {
  struct two t = make_two();
  op2_dat z = new_dat(t.cells, 1, OP2_F64, NULL, "zdat"), w = new_dat(t.cells, 1, OP2_F64, NULL, "w");
  double values[N];
  for (int round = 1; round <= 3; round++) {
    queue_loop(&t, ADD);
    op2_status status = op2_call(test_ctx, refuse, NULL, op2_arg_direct(t.y, OP2_RW));
    EXPECT(status == (test_config.eager && round == 1 ? OP2_ERR_CALL : OP2_SUCCESS));
    MUST(op2_par_loop(t.put, t.cells, op2_arg_direct(z, OP2_WRITE), op2_arg_direct(t.y, OP2_READ)));
    MUST(op2_par_loop(t.look, t.cells, op2_arg_direct(t.x, OP2_READ), op2_arg_direct(w, OP2_INC)));
    MUST(op2_par_loop(t.add, t.cells, op2_arg_direct(t.x, OP2_INC), op2_arg_direct(w, OP2_READ)));
    MUST(op2_par_loop(t.add, t.cells, op2_arg_direct(z, OP2_INC), op2_arg_direct(w, OP2_READ)));
    flush_all();
    EXPECT(op2_dat_get(t.y, values) == OP2_ERR_CALL && op2_dat_get(z, values) == OP2_ERR_CALL);
  }
  /* From the second round on the sum has no operand. */
  EXPECT(op2_dat_get(t.x, values) == OP2_ERR_CALL && op2_dat_get(w, values) == OP2_ERR_CALL);
  MUST(op2_dat_set(t.x, memset(values, 0, sizeof values)));
  MUST(op2_dat_set(t.y, values));
  MUST(op2_dat_set(w, values));
  MUST(op2_par_loop(t.look, t.cells, op2_arg_direct(t.x, OP2_READ), op2_arg_direct(w, OP2_INC)));
  (void)!op2_call(test_ctx, refuse, NULL, op2_arg_direct(t.y, OP2_RW));
  MUST(op2_par_loop(t.put, t.cells, op2_arg_direct(z, OP2_WRITE), op2_arg_direct(w, OP2_READ)));
  MUST(op2_par_loop(t.add, t.cells, op2_arg_direct(t.x, OP2_INC), op2_arg_direct(z, OP2_READ)));
  MUST(op2_par_loop(t.add, t.cells, op2_arg_direct(w, OP2_INC), op2_arg_direct(t.y, OP2_READ)));
  flush_all();
  EXPECT_VALUES(double, t.x, N, i, 2 + 0 * i);
  EXPECT(op2_dat_get(w, values) == OP2_ERR_CALL);
}

/* A dat that a loop cures before the call fails is what the call leaves, not what came before. */
static void cured_then_failed(void) {
  struct two t = make_two();
  double values[N];
  op2_kernel bad = new_source("bad", "void bad(double *x) { *x = unknown_name; }");
  op2_status status = op2_par_loop(bad, t.cells, op2_arg_direct(t.x, OP2_RW));
  EXPECT(status == (test_config.eager ? OP2_ERR_COMPILE : OP2_SUCCESS));
  queue_loop(&t, PUT);
  status = op2_call(test_ctx, refuse, NULL, op2_arg_direct(t.x, OP2_RW));
  EXPECT(status == (test_config.eager ? OP2_ERR_CALL : OP2_SUCCESS));
  flush_all();
  EXPECT(op2_dat_get(t.x, values) == OP2_ERR_CALL);
  queue_loop(&t, PUT);
  EXPECT_VALUES(double, t.x, N, i, i + 2);
}

/* A loop that cannot be compiled cancels the calls that need it, and no others. */
static void cancelled(void) {
  struct two t = make_two();
  struct seen seen = {0}, other = {0};
  double values[N];
  op2_kernel bad = new_source("bad", "void bad(double *x) { *x = unknown_name; }");
  op2_status status = op2_par_loop(bad, t.cells, op2_arg_direct(t.x, OP2_RW));
  EXPECT(status == (test_config.eager ? OP2_ERR_COMPILE : OP2_SUCCESS));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_call(test_ctx, triple, NULL, op2_arg_direct(t.x, OP2_RW)));
  MUST(op2_call(test_ctx, watch, &other, op2_arg_direct(t.y, OP2_READ)));
  status = op2_flush(test_ctx);
  EXPECT(status == (test_config.eager ? OP2_SUCCESS : OP2_ERR_COMPILE));
  EXPECT(op2_dat_get(t.x, values) == OP2_ERR_COMPILE);
  EXPECT(seen.times == 0 && other.times == 1);
  EXPECT(test_ctx->sched->loops_cancelled == 2);
}

static void failed_global(void) {
  struct two t = make_two();
  double value;
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "gbl");
  fails_with(op2_call(test_ctx, refuse, NULL, op2_arg_gbl(g, OP2_RW)));
  MUST(op2_par_loop(t.sum, t.cells, op2_arg_direct(t.x, OP2_READ), op2_arg_gbl(g, OP2_INC)));
  EXPECT(op2_gbl_get(g, &value) == OP2_ERR_CALL);
  MUST(op2_call(test_ctx, set_five, NULL, op2_arg_gbl(g, OP2_WRITE)));
  EXPECT_GBL(double, g, 5);
}

/* ---- refused --------------------------------------------------------------------------------- */

struct inside {
  struct two two;
  op2_gbl g;
  op2_loop loop;
  int answers[16], n;
};

static void answer(struct inside *in, op2_status status) { in->answers[in->n++] = (int)status; }

static int calls_op2(void *data, void *const *values) {
  struct inside *in = data;
  struct two *t = &in->two;
  double buffer[N];
  const void *view = NULL;
  op2_context copy = test_ctx, other = NULL;
  answer(in, op2_flush(test_ctx));
  answer(in, op2_finalize(&copy));
  answer(in, op2_call(test_ctx, count, &in->n));
  answer(in, op2_par_loop(t->add, t->cells, op2_arg_direct(t->x, OP2_INC),
                          op2_arg_direct(t->y, OP2_READ)));
  answer(in, op2_loop_enqueue(in->loop));
  answer(in, op2_loop_compute(in->loop));
  answer(in, op2_dat_get(t->x, buffer));
  answer(in, op2_dat_set(t->x, buffer));
  answer(in, op2_dat_read_begin(t->y, &view));
  answer(in, op2_gbl_get(in->g, buffer));
  answer(in, op2_explain(test_ctx, stderr));
  answer(in, op2_graph_write_dot(test_ctx, stderr));
  EXPECT(strstr(op2_error_message(), "inside the call 'calls_op2'") != NULL);
  EXPECT(op2_set_size(t->cells) == N && copy == test_ctx);
  EXPECT(op2_init(&(op2_options){.backend = "sequential", .cache_dir = test_cache()}, &other) ==
         OP2_SUCCESS);
  EXPECT(op2_finalize(&other) == OP2_SUCCESS);
  return ((double *)values[0])[1] == 1 ? 0 : 2;
}

/* A loop that is known is found by a short way, which must not lead past the refusal. */
static void from_inside(void) {
  struct inside in = {.two = make_two(), .g = new_gbl(1, OP2_F64, NULL, "gbl")};
  MUST(op2_par_loop(in.two.add, in.two.cells, op2_arg_direct(in.two.y, OP2_INC),
                    op2_arg_direct(in.two.y, OP2_READ)));
  MUST(op2_loop_create(&in.loop, in.two.add, in.two.cells, op2_arg_direct(in.two.y, OP2_INC),
                       op2_arg_direct(in.two.x, OP2_READ)));
  own_loop(in.loop);
  MUST(op2_call(test_ctx, calls_op2, &in, op2_arg_direct(in.two.x, OP2_READ)));
  MUST(op2_flush(test_ctx));
  EXPECT(in.n == 12);
  for (int a = 0; a < in.n; a++)
    if (!EXPECT(in.answers[a] == OP2_ERR_STATE)) diag("answer %d is %d", a, in.answers[a]);
  EXPECT_VALUES(double, in.two.y, N, i, 2 * i);
}

static void wrong_calls(void) {
  struct two t = make_two();
  const int32_t zeros[N] = {0};
  const void *view = NULL;
  op2_map map = new_map(t.cells, t.cells, 1, zeros, "map");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "gbl");
  op2_arg none;
  memset(&none, 0, sizeof none);
  REFUSED(OP2_ERR_ARG, op2_call_at(OP2_HERE, "name", test_ctx, NULL, NULL, 0, NULL), "name",
          "null");
  REFUSED(OP2_ERR_ARG, op2_call_at(OP2_HERE, "name", test_ctx, watch, NULL, 1, NULL), "name");
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, watch, NULL, none), "watch", "argument 0");
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, watch, NULL, op2_arg_idx()), "watch", "argument 0");
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, watch, NULL, op2_arg_direct(NULL, OP2_READ)), "watch");
  REFUSED(OP2_ERR_ACCESS, op2_call(test_ctx, watch, NULL, op2_arg_direct(t.x, OP2_INC)), "xdat");
  REFUSED(OP2_ERR_ACCESS, op2_call(test_ctx, watch, NULL, op2_arg_gbl(g, OP2_MAX)), "gbl");
  REFUSED(
      OP2_ERR_ACCESS,
      op2_call(test_ctx, watch, NULL, op2_arg_direct(t.x, OP2_READ), op2_arg_direct(t.x, OP2_RW)),
      "0 and 1", "xdat");
  REFUSED(OP2_ERR_RANGE, op2_call(test_ctx, watch, NULL, op2_arg_dat(t.x, 0, map, OP2_READ)),
          "whole dats");
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, watch, NULL, op2_arg_val(NULL, 1, OP2_F64)), "null");
  REFUSED(OP2_ERR_RANGE, op2_call(test_ctx, watch, NULL, op2_arg_val(zeros, 0, OP2_I32)), "watch");
  MUST(op2_dat_read_begin(t.x, &view));
  REFUSED(OP2_ERR_STATE, op2_call(test_ctx, fill, NULL, op2_arg_direct(t.x, OP2_WRITE)), "xdat");
  MUST(op2_dat_read_end(t.x, &view));
  op2_context other = NULL;
  MUST(op2_init(&(op2_options){.backend = "sequential", .cache_dir = test_cache()}, &other));
  REFUSED(OP2_ERR_MISMATCH, op2_call(other, watch, NULL, op2_arg_direct(t.x, OP2_READ)),
          "another context");
  MUST(op2_finalize(&other));
}

/* ---- told ------------------------------------------------------------------------------------ */

static bool written(op2_status (*write)(op2_context, FILE *), const char *word) {
  char text[20000] = "";
  FILE *stream = tmpfile();
  MUST(write(test_ctx, stream));
  rewind(stream);
  text[fread(text, 1, sizeof text - 1, stream)] = '\0';
  fclose(stream);
  if (strstr(text, word)) return true;
  diag("no '%s' in: %s", word, text);
  return false;
}

static void told(void) {
  struct two t = make_two();
  struct seen seen = {0};
  queue_loop(&t, ADD);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.x, OP2_WRITE)));
  if (!test_config.eager) {
    EXPECT(written(op2_graph_write_dot, "call2 [label=\"2: call 'watch'\\nt196-calls.c:"));
    EXPECT(written(op2_graph_write_dot, "loop1 -> call2 [label=\"xdat RAW\""));
    EXPECT(written(op2_graph_write_dot, "call2 -> call3 [label=\"xdat WAR\""));
    EXPECT(written(op2_graph_write_dot, "shape=note"));
  }
  MUST(op2_flush(test_ctx));
  EXPECT(written(op2_explain, "watch: called 1 times"));
}

int main(void) {
  static const struct test_case cases[] = {
      {"a loop of each mode before and after each call", every_pair},
      {"no more is run than is needed", no_more},
      {"calls among themselves", among_themselves},
      {"calls without arguments", without_arguments},
      {"calls in a time loop", time_loop},
      {"output that no loop waits for", deferred},
      {"captured values", captured},
      {"one function in two modes", two_modes},
      {"many names", many_names},
      {"globals as of when it was queued", globals},
      {"a global that a call changes", clipped_global},
      {"the program's numbers", renumbered},
      {"wrapped dats", wrapped},
      {"destroyed objects", destroyed},
      {"a function that fails", failure},
      {"a function that fails between others", failure_between},
      {"a function that fails in a program", failure_in_program},
      {"cured before a function fails", cured_then_failed},
      {"calls that are cancelled", cancelled},
      {"a global that fails", failed_global},
      {"op2 inside a call", from_inside},
      {"wrong calls", wrong_calls},
      {"drawn and explained", told},
  };
  return RUN(cases, 0);
}
