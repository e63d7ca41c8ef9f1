/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that wait for a silent one: they warn, again at doubling times, and give up only if
 * OP2_WAIT_MAX is set. Messages that ranks send each other meanwhile do not accumulate. Times are
 * short here, by the fields of struct op2i_watch that exist for tests. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "comm.h"
#include "init.h"
#include "mem.h"
#include "op2/graph.h"
#include "rank_case.h"
#include "support.h"
#include "tap.h"
#include "watch.h"

enum { SILENT = 1, WARNINGS = 3, MILLISECOND = 1000000 };

/* The warnings of the waiting rank, with the time since its wait began. */
static struct heard {
  atomic_int n;
  int64_t begun, at[2 * WARNINGS];
  char text[2 * WARNINGS][600];
} heard;
static char last[2][2048];
static atomic_bool over;

static void collect(void *closure, const char *text) {
  (void)closure;
  const int n = heard.n;
  if (n == 2 * WARNINGS) return;
  heard.at[n] = op2i_nanoseconds() - heard.begun;
  snprintf(heard.text[n], sizeof heard.text[n], "%s", text);
  heard.n = n + 1;
}

static void nap(int milliseconds) {
  const struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * MILLISECOND};
  nanosleep(&time, NULL);
}

static bool enough_warnings(void) { return heard.n >= WARNINGS; }
static bool is_over(void) { return over; }
static bool half_a_second(void) {
  nap(500);
  return true;
}

/* One rank makes no call until `goes_on` returns true; the other one waits for it in
 * op2_flush(). */
static int wait_for_silent(struct op2i_comm *comm, void *data) {
  bool (*const *goes_on)(void) = data;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  const int rank = comm->rank;
  op2_context ctx = NULL;
  if (op2i_init_ranks(&options, comm, &ctx)) return 1;
  comm->watch.warn = collect;
  comm->watch.ask_after = 10 * MILLISECOND;
  comm->watch.warn_after = 100 * MILLISECOND;
  if (rank == 0) heard.begun = op2i_nanoseconds();
  while (rank == SILENT && !(*goes_on)()) nap(5);
  op2_status status = op2_flush(ctx);
  snprintf(last[rank], sizeof last[rank], "%s", status ? op2_error_message() : "");
  if (rank == 0) over = true;
  if (op2_finalize(&ctx)) return 10; /* an error that was returned is not returned again */
  return status != OP2_SUCCESS;
}

static int run(bool (*goes_on)(void)) {
  memset(&heard, 0, sizeof heard);
  over = false;
  return run_contexts(2, wait_for_silent, &goes_on);
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void warnings(void) {
  is_int(run(enough_warnings), 0, "a silent rank that goes on in the end is no failure");
  is_int(heard.n >= WARNINGS, 1, "the rank that waits has warned");
  ok(heard.at[0] >= 100 * MILLISECOND, "not before its time");
  for (int w = 1; w < heard.n; w++)
    ok(heard.at[w] - heard.at[w - 1] >= ((int64_t)100 * MILLISECOND) << (w - 1),
       "warning %d comes after twice the time at least", w);
  for (int w = 0; w < heard.n; w++)
    if (!ok(strstr(heard.text[w], "rank 0 of 2 has waited ") &&
                strstr(heard.text[w], " s for rank 1 in call ") &&
                strstr(heard.text[w], "op2_flush"),
            "it names ranks, time and call"))
      diag("%s", heard.text[w]);
}

static void defaults(void) {
  struct op2i_comm *comms[2];
  const struct op2i_link_speed fast = {0};
  if (!CHECK(op2i_comm_threads(2, fast, comms))) return;
  struct op2i_message *message = NULL;
  int64_t word = 0;
  const struct op2i_envelope envelope = {false, 1, 0, &word, sizeof word};
  struct op2i_wait wait = {0};
  CHECK(comms[0]->kind->open(comms[0], &envelope, &message));
  CHECK(op2i_comm_start(comms[0], 1, &message));
  CHECK(op2i_comm_waits(comms[0], &wait, 1, &message));
  is_int(wait.ask, INT64_C(2000000000), "ranks ask each other after two seconds");
  is_int(wait.warn, INT64_C(60000000000), "and warn after a minute");
  comms[0]->watch.warn = collect;
  heard.n = 0;
  wait.begun -= INT64_C(61000000000);
  CHECK(op2i_comm_waits(comms[0], &wait, 1, &message));
  is_int(heard.n, 1, "a minute later there is a warning");
  ok(strstr(heard.text[0], "rank 0 of 2 has waited 61 s for rank 1"), "which has the time");
  ok(wait.warn >= INT64_C(122000000000), "the next one comes after twice that time");
  CHECK(op2i_comm_waits(comms[0], &wait, 1, &message));
  is_int(heard.n, 1, "and not before");
  comms[0]->kind->close(message);
  for (int r = 0; r < 2; r++) op2i_comm_free(comms[r]);
}

/* ---- end after the time limit ---------------------------------------------------------------- */

static void end(void) {
  is_int(run(half_a_second), 0, "without OP2_WAIT_MAX ranks wait on");
  setenv("OP2_WAIT_MAX", "1", 1);
  double begun = op2i_seconds();
  is_int(run(is_over), 2, "with OP2_WAIT_MAX both ranks end");
  ok(op2i_seconds() - begun >= 1, "not before its time");
  unsetenv("OP2_WAIT_MAX");
  for (int r = 0; r < 2; r++)
    if (!ok(strstr(last[r], "rank 0 of 2 has waited 1 s for rank 1 in call ") &&
                strstr(last[r], "op2_flush") &&
                strstr(last[r], "that is as long as OP2_WAIT_MAX allows"),
            "rank %d is told who waited for whom, where and how long", r))
      diag("%s", last[r]);
}

/* ---- messages between waiting ranks ---------------------------------------------------------- */

enum { ROUNDS = 12 };

/* The first rank waits repeatedly for a message of the other one, which never waits. */
static int wait_often(struct op2i_comm *comm, void *data) {
  int *left = data;
  int64_t word = 0;
  const struct op2i_envelope envelope = {comm->rank == SILENT, 1 - comm->rank, 0, &word,
                                         sizeof word};
  struct op2i_message *message = NULL;
  struct op2i_note note;
  bool arrived;
  int wrong = 0;
  comm->trail = op2i_calloc(1, sizeof *comm->trail);
  op2i_trail_add(comm->trail, "op2_flush", NULL, (op2_where){0}, 0, 0);
  comm->watch.ask_after = MILLISECOND;
  if (comm->kind->open(comm, &envelope, &message)) return 1;
  for (int i = 0; i < ROUNDS; i++) {
    if (comm->rank == SILENT) nap(120); /* a rank that waits checks the others every 50 ms */
    wrong += op2i_comm_start(comm, 1, &message) != OP2_SUCCESS;
    wrong += op2i_comm_over(comm, 1, &message, true, &arrived) != OP2_SUCCESS;
  }
  if (comm->rank == SILENT)
    while (comm->kind->receive_note(comm, &note)) ++*left;
  comm->kind->close(message);
  return wrong;
}

static void notes(void) {
  int left = 0;
  is_int(run_ranks(2, wait_often, &left), 0, "one rank waits, and the other one does not");
  ok(left <= 3, "%d notes of %d waits are left", left, ROUNDS);
}

int main(void) {
  test_environment();
  warnings();
  defaults();
  end();
  notes();
  return done();
}
