/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls in a queue that is run in pieces, again and again, or late: operations that force them,
 * time loops that are replayed with other values, and queues of small capacity. */
#include <string.h>

#include "call_case.h"
#include "context.h"
#include "program.h"
#include "recycle.h"

static bool passes(void) { return !test_config.eager && test_ctx->backend->passes; }

/* ---- forced calls ---------------------------------------------------------------------------- */

/* When a dat is read, the loops that it needs run; a call that reads it, and loops that come later,
 * stay queued. */
static void no_more(void) {
  struct two t = make_two();
  struct seen seen = {0};
  queue_loop(&t, OP2_INC);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  queue_twice(&t, t.y);
  if (!test_config.eager) EXPECT(op2_queued(test_ctx) == 3 && seen.times == 0);
  EXPECT_VALUES(double, t.x, ROWS, i, 2 * i);
  if (!test_config.eager) EXPECT(op2_queued(test_ctx) == 2 && seen.times == 0);
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 1 && seen.first[0] == 0 && seen.last[0] == 2 * (ROWS - 1));
}

/* Calls that were queued earlier run as well, later ones stay. */
static void by_gbl_get(void) {
  struct two t = make_two();
  char text[20] = "";
  const op2_gbl g = new_gbl(1, OP2_F64, NULL, "gbl");
  MUST(op2_call(test_ctx, note, text, op2_arg_val((int[]){1}, 1, OP2_I32)));
  queue_reduce(&t, OP2_INC, t.x, g);
  MUST(op2_call(test_ctx, double_it, NULL, op2_arg_gbl(g, OP2_RW)));
  MUST(op2_call(test_ctx, note, text, op2_arg_val((int[]){2}, 1, OP2_I32)));
  EXPECT_GBL(double, g, 1 + ROWS * (ROWS - 1));
  EXPECT(!strcmp(text, test_config.eager ? "1 2 " : "1 "));
  if (!test_config.eager) EXPECT(op2_queued(test_ctx) == 1);
  MUST(op2_flush(test_ctx));
  EXPECT(!strcmp(text, "1 2 "));
}

/* While the dat is read in a scope, calls may read it as well. */
static void by_dat_read(void) {
  struct two t = make_two();
  struct seen seen = {0};
  const void *view = NULL;
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.x, OP2_WRITE)));
  MUST(op2_dat_read_begin(t.x, &view));
  EXPECT(((const double *)view)[1] == 101 && op2_queued(test_ctx) == 0);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 1 && seen.first[0] == 100);
  MUST(op2_dat_read_end(t.x, &view));
}

/* Overwriting a dat waits for the calls that read it. */
static void by_dat_set(void) {
  struct two t = make_two();
  struct seen seen = {0};
  double zeros[ROWS] = {0};
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_dat_set(t.x, zeros));
  EXPECT(seen.times == 1 && seen.last[0] == ROWS - 1);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 2 && seen.last[1] == 0);
}

static void by_write_scope(void) {
  struct two t = make_two();
  struct seen seen = {0};
  void *view = NULL;
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_call(test_ctx, triple, NULL, op2_arg_direct(t.x, OP2_RW)));
  MUST(op2_dat_write_begin(t.x, &view));
  EXPECT(seen.times == 1 && seen.last[0] == ROWS - 1 && ((double *)view)[2] == 6);
  ((double *)view)[2] = 7;
  MUST(op2_dat_write_end(t.x, &view));
  MUST(op2_call(test_ctx, triple, NULL, op2_arg_direct(t.x, OP2_RW)));
  EXPECT_VALUES(double, t.x, ROWS, i, i == 2 ? 21 : 9 * i);
}

/* A global's new value is another version: it does not wait for calls. */
static void not_by_gbl_set(void) {
  struct seen seen = {0};
  const op2_gbl g = new_gbl(1, OP2_F64, (double[]){4}, "gbl");
  for (int n = 1; n <= 3; n++) {
    MUST(op2_call(test_ctx, note_value, &seen, op2_arg_gbl(g, OP2_READ)));
    MUST(op2_gbl_set(g, (double[]){4 + n}));
    EXPECT(op2_queued(test_ctx) == (test_config.eager ? 0 : n));
  }
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 3 && seen.first[0] == 4 && seen.first[1] == 5 && seen.first[2] == 6);
}

static void by_compute(void) {
  struct two t = make_two();
  struct seen seen = {0};
  op2_loop loop;
  MUST(op2_loop_create(&loop, t.loop[OP2_INC], t.cells, op2_arg_direct(t.y, OP2_INC),
                       op2_arg_direct(t.x, OP2_READ)));
  own_loop(loop);
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.x, OP2_WRITE)));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_loop_compute(loop));
  EXPECT(seen.times == test_config.eager);
  if (!test_config.eager) EXPECT(op2_queued(test_ctx) == 1);
  EXPECT_VALUES(double, t.y, ROWS, i, 100 + 2 * i);
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 1);
}

static void by_the_end(void) {
  struct two t = make_two();
  struct seen seen = {0};
  queue_loop(&t, OP2_INC);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  EXPECT(seen.times == test_config.eager);
  MUST(op2_finalize(&test_ctx));
  EXPECT(seen.times == 1 && seen.last[0] == 2 * (ROWS - 1));
}

/* ---- repeated queues ------------------------------------------------------------------------- */

/* The loops and calls that run for each read of a dat form one program, the same from the second
 * read on. */
static void time_loop(void) {
  enum { STEPS = 40 };
  struct two t = make_two();
  struct seen seen = {0};
  double x[ROWS], y[ROWS];
  for (int i = 0; i < ROWS; i++) x[i] = y[i] = i;
  for (int s = 0; s < STEPS; s++) {
    queue_loop(&t, OP2_INC);
    queue_loop(&t, OP2_READ);
    MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
    MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.y, OP2_WRITE)));
    loop_by_hand(OP2_INC, false, x, y);
    for (int i = 0; i < ROWS; i++) y[i] = 100 + i;
    if (s % 5 == 4) EXPECT(same_values(t.x, x));
  }
  MUST(op2_flush(test_ctx));
  EXPECT(same_values(t.x, x) && same_values(t.y, y) && seen.times == STEPS);
  if (passes())
    EXPECT(test_ctx->sched->stats.programs_made <= 3 &&
           test_ctx->sched->stats.programs_replayed >= STEPS / 5 - 2);
}

static int scale(void *data, void *const *values) {
  (void)data;
  for (int i = 0; i < ROWS; i++) ((double *)values[0])[i] *= *(const double *)values[1];
  return 0;
}

/* A replayed program takes the current values, in calls and in loops. */
static void other_values(void) {
  enum { STEPS = 9 };
  struct two t = make_two();
  double x[ROWS], y[ROWS];
  for (int i = 0; i < ROWS; i++) x[i] = y[i] = i;
  for (int s = 0; s < STEPS; s++) {
    const double factor = s % 4;
    queue_loop(&t, OP2_INC);
    MUST(op2_call(test_ctx, scale, NULL, op2_arg_direct(t.x, OP2_RW),
                  op2_arg_val(&factor, 1, OP2_F64)));
    queue_loop(&t, OP2_INC);
    loop_by_hand(OP2_INC, false, x, y);
    scale(NULL, (void *[]){x, (void *)&factor});
    loop_by_hand(OP2_INC, false, x, y);
    MUST(op2_flush(test_ctx));
    EXPECT(same_values(t.x, x));
  }
  if (passes()) EXPECT(test_ctx->sched->stats.programs_made == 1);
}

/* A replayed program takes the current pointers. */
static void other_data(void) {
  enum { STEPS = 9 };
  struct two t = make_two();
  struct seen seen[3] = {0};
  for (int s = 0; s < STEPS; s++) {
    queue_loop(&t, OP2_INC);
    MUST(op2_call(test_ctx, watch, &seen[s % 3], op2_arg_direct(t.x, OP2_READ)));
    MUST(op2_flush(test_ctx));
  }
  for (int s = 0; s < STEPS; s++)
    EXPECT(seen[s % 3].times == STEPS / 3 && seen[s % 3].last[s / 3] == (s + 2) * (ROWS - 1));
  if (passes()) EXPECT(test_ctx->sched->stats.programs_made == 1);
}

/* A replayed program takes the current versions of globals that the program and calls change in
 * between. */
static void other_versions(void) {
  enum { STEPS = 8 };
  struct two t = make_two();
  const op2_gbl g = new_gbl(1, OP2_F64, NULL, "gbl");
  double y = 0;
  for (int s = 0; s < STEPS; s++) {
    MUST(op2_gbl_set(g, (double[]){s}));
    MUST(op2_call(test_ctx, double_it, NULL, op2_arg_gbl(g, OP2_RW)));
    queue_use(&t, g, t.y);
    MUST(op2_flush(test_ctx));
    y += 2 * s + 1;
  }
  EXPECT_VALUES(double, t.y, ROWS, i, i + y);
  if (passes()) EXPECT(test_ctx->sched->stats.programs_made == 1);
}

/* Calls now and then, and no reads: a queue of this length is split where the steps repeat. */
static void every_third_step(void) {
  enum { STEPS = 240, LOOKS = STEPS / 3 };
  struct two t = make_two();
  struct seen seen = {0};
  for (int s = 1; s <= STEPS; s++) {
    queue_loop(&t, OP2_INC);
    if (s % 3 == 0) MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  }
  MUST(op2_flush(test_ctx));
  EXPECT_VALUES(double, t.x, ROWS, i, (STEPS + 1) * i);
  EXPECT(seen.times == LOOKS);
  for (int n = LOOKS - PAST; n < LOOKS; n++)
    EXPECT(seen.last[n % PAST] == (3 * (n + 1) + 1) * (ROWS - 1));
  if (passes()) EXPECT(test_ctx->sched->stats.programs_replayed > 0);
}

/* True if a program has all its calls after its loops. */
static bool calls_last(const struct op2i_program *program) {
  bool call = false, good = true;
  for (int64_t s = 0; s < program->nsteps; s++) {
    good &= !call || program->steps[s].kind == OP2I_STEP_CALL;
    call |= program->steps[s].kind == OP2I_STEP_CALL;
  }
  return good && call;
}

/* Output of a value that is summed anew in each step: no loop waits for it, and loops are fused
 * across it. */
static void deferred(void) {
  enum { STEPS = 16 }; /* twice as many loops as one may be fused: repeated pairs are fused */
  struct two t = make_two();
  struct seen seen = {0};
  const op2_gbl g = new_gbl(1, OP2_F64, NULL, "gbl");
  for (int s = 0; s < STEPS; s++) {
    MUST(op2_gbl_set(g, (double[]){0}));
    queue_loop(&t, OP2_INC);
    queue_reduce(&t, OP2_INC, t.x, g);
    MUST(op2_call(test_ctx, note_value, &seen, op2_arg_gbl(g, OP2_READ)));
  }
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == STEPS);
  for (int s = 0; s < STEPS; s++) EXPECT(seen.first[s] == (s + 2) * ROWS * (ROWS - 1) / 2);
  const struct op2i_sched *sched = test_ctx->sched;
  if (passes())
    EXPECT(sched->caches.programs && calls_last(sched->caches.programs) &&
           sched->stats.loops_fused == 2 * STEPS);
}

/* ---- queues of small capacity ---------------------------------------------------------------- */

/* A full queue is run whenever something more is queued. */
static void little_room(int room) {
  enum { STEPS = 12 };
  restart(room);
  struct two t = make_two();
  struct seen seen = {0};
  double x[ROWS], y[ROWS];
  for (int i = 0; i < ROWS; i++) x[i] = y[i] = i;
  for (int s = 0; s < STEPS; s++) {
    queue_loop(&t, OP2_INC);
    MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
    MUST(op2_call(test_ctx, triple, NULL, op2_arg_direct(t.y, OP2_RW)));
    EXPECT(op2_queued(test_ctx) <= room);
    loop_by_hand(OP2_INC, false, x, y);
    triple(NULL, (void *[]){y});
    if (s + 1 < STEPS && seen.times == s + 1) EXPECT(seen.last[s] == x[ROWS - 1]);
  }
  if (!test_config.eager) EXPECT(seen.times >= STEPS - 1 - room);
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == STEPS && seen.last[STEPS - 1] == x[ROWS - 1]);
  EXPECT(same_values(t.x, x) && same_values(t.y, y));
}

static void room_for_one(void) { little_room(1); }
static void room_for_two(void) { little_room(2); }
static void room_for_seven(void) { little_room(7); }

/* ---- objects destroyed while calls are queued ------------------------------------------------ */

/* Handles may be destroyed while the call is queued. */
static void destroyed(void) {
  struct two t = make_two();
  struct seen seen = {0};
  op2_dat mine = NULL;
  MUST(op2_dat_create(t.cells, 1, OP2_F64, NULL, "mine", &mine));
  queue_on(&t, OP2_WRITE, mine, t.y);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(mine, OP2_READ)));
  op2_dat_destroy(&mine);
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 1 && seen.last[0] == ROWS + 1);
}

/* The remembered call is dropped with its dat, and the program with the call, once the dat is no
 * spare for a new one any more. */
static void forgotten(void) {
  struct two t = make_two();
  struct seen seen = {0};
  op2_dat mine = NULL;
  MUST(op2_dat_create(t.cells, 1, OP2_F64, NULL, "mine", &mine));
  queue_loop(&t, OP2_INC);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(mine, OP2_READ)));
  MUST(op2_flush(test_ctx));
  const struct op2i_sched *sched = test_ctx->sched;
  EXPECT((sched->caches.nprograms == 1) == passes());
  op2_dat_destroy(&mine);
  op2i_spares_end(test_ctx);
  EXPECT(sched->caches.nprograms == 0);
}

int main(void) {
  static const struct test_case cases[] = {
      {"no more is run than is needed", no_more},
      {"forced by op2_gbl_get", by_gbl_get},
      {"forced by op2_dat_read_begin", by_dat_read},
      {"forced by op2_dat_set", by_dat_set},
      {"forced by op2_dat_write_begin", by_write_scope},
      {"not forced by op2_gbl_set", not_by_gbl_set},
      {"forced by op2_loop_compute", by_compute},
      {"forced by op2_finalize", by_the_end},
      {"calls in a time loop", time_loop},
      {"replayed with other values", other_values},
      {"replayed with other data", other_data},
      {"replayed with other versions of a global", other_versions},
      {"a call in every third step", every_third_step},
      {"output that no loop waits for", deferred},
      {"a queue with room for one", room_for_one},
      {"a queue with room for two", room_for_two},
      {"a queue with room for seven", room_for_seven},
      {"destroyed objects", destroyed},
      {"programs go with their calls", forgotten},
  };
  return RUN(cases, 0);
}
