/* SPDX-License-Identifier: BSD-3-Clause */
/* The points among the steps of a program where exchanges begin and end: an exchange begins when
 * the rows to send have their last values, and ends after the loop over core elements; ranks
 * combine reductions as late as possible. Also the waiting times on a slow link. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "loop.h"
#include "passes.h"
#include "rank_case.h"
#include "row_case.h"
#include "support.h"
#include "tap.h"

/* ---- the order of steps ---------------------------------------------------------------------- */

struct order {
  const char *name;
  op2_status (*queue)(struct row *w);
  /* B and E: an exchange begins and ends; c, o and x: a loop over core elements, the other owned
   * ones, and the exec halo; s and r: ranks begin to combine a reduction, and have its result. */
  const char *steps, *without_overlap, *without_merge;
};

static op2_status read_at_once(struct row *w) { return row_bump(w, w->a) || row_look(w, w->a); }
static op2_status read_later(struct row *w) {
  return row_bump(w, w->a) || row_look(w, w->b) || row_bump(w, w->wide) || row_look(w, w->a);
}
static op2_status read_two(struct row *w) {
  return row_bump(w, w->a) || row_bump(w, w->b) || row_look_at_both(w);
}
static op2_status scatter(struct row *w) { return row_look(w, w->b) || row_add(w, w->a); }
static op2_status sum_before_exec(struct row *w) {
  return row_look(w, w->b) || row_add_total(w, w->a);
}
static op2_status sum_unread(struct row *w) {
  return row_bump(w, w->a) || row_total(w, w->a) || row_look(w, w->a) || row_look(w, w->b);
}
static op2_status sum_twice(struct row *w) {
  return row_total(w, w->a) || row_look(w, w->b) || row_total(w, w->a);
}

static const struct order orders[] = {
    {"read at once", read_at_once, "oBcEo", "oBEco", "oBcEo"},
    {"read later", read_later, "oBcoocEo", "ocooBEco", "oBcoocEo"},
    {"two dats", read_two, "ooBcEo", "ooBEco", "oBoBcEEo"},
    {"through the exec halo", scatter, "coBcEox", "coBEcox", "coBcEox"},
    {"a sum that nobody reads", sum_unread, "oBoscEocor", "ooBEcocosr", "oBoscEocor"},
    {"a sum besides the exec halo", sum_before_exec, "coBcEosxr", "coBEcoxsr", "coBcEosxr"},
    {"a sum that is added to", sum_twice, "oscorosr", "ocosrosr", "oscorosr"},
};
enum { ORDERS = sizeof orders / sizeof *orders };

static char letter_of(const struct op2i_step *step) {
  switch (step->kind) {
  case OP2I_STEP_BEGIN: return 'B';
  case OP2I_STEP_END: return 'E';
  case OP2I_STEP_SEND: return 's';
  case OP2I_STEP_REDUCE: return 'r';
  case OP2I_STEP_CALL: return '!';
  default: return "coxn"[step->loop->ranges[step->range].section];
  }
}

/* The steps of the last program, as letters. */
static void write_steps(const struct row *w, char out[64]) {
  const struct op2i_program *program = w->ctx->sched->caches.programs;
  int n = 0;
  for (int64_t s = 0; program && s < program->nsteps && n < 63; s++)
    out[n++] = letter_of(&program->steps[s]);
  out[n] = '\0';
}

struct job {
  const char *backend;
  int how; /* 0: by default; 1: without overlap; 2: without merging */
};

static int tell_order(struct op2i_comm *comm, void *data) {
  const struct job *job = data;
  struct row w;
  int wrong = row_begin(&w, comm, job->backend) != OP2_SUCCESS;
  for (int o = 0; o < ORDERS && !wrong; o++) {
    const struct order *order = &orders[o];
    const char *want[] = {order->steps, order->without_overlap, order->without_merge};
    char steps[64];
    /* b, wide and e are fresh, whatever ran before. */
    const void *values;
    op2_dat fresh[] = {w.b, w.wide, w.e};
    for (int d = 0; d < 3 && !wrong; d++)
      wrong = op2_dat_read_begin(fresh[d], &values) || op2_dat_read_end(fresh[d], &values);
    if (!wrong) wrong = order->queue(&w) || op2_flush(w.ctx);
    write_steps(&w, steps);
    if (strcmp(steps, want[job->how])) {
      fprintf(stderr, "# %s: rank %d has %s, not %s\n", order->name, comm->rank, steps,
              want[job->how]);
      wrong++;
    }
  }
  if (wrong) fprintf(stderr, "# rank %d: %s\n", comm->rank, op2_error_message());
  return wrong + (row_end(&w) != OP2_SUCCESS);
}

/* ---- a slow link ----------------------------------------------------------------------------- */

enum { DELAY_MS = 4, ROUNDS = 3 };

/* A message takes at least as long as the link delays it. If no loop runs in the meantime, a rank
 * waits for it; how long depends on when the operating system lets the rank begin to wait. */
static int wait_for_all(struct op2i_comm *comm, void *data) {
  const struct job *job = data;
  struct row w;
  int wrong = row_begin(&w, comm, job->backend) != OP2_SUCCESS;
  int64_t least = (int64_t)ROUNDS * DELAY_MS * 1000000;
  for (int r = 0; r < ROUNDS && !wrong; r++) wrong = read_at_once(&w) || op2_flush(w.ctx);
  if (comm->transit_ns < least || (job->how == 1 && comm->waited == 0) ||
      comm->waited > comm->transit_ns || comm->flying) {
    fprintf(stderr, "# rank %d: %.3f ms travelled, %.3f waited for, %d still on their way\n",
            comm->rank, 1e-6 * (double)comm->transit_ns, 1e-6 * (double)comm->waited, comm->flying);
    wrong++;
  }
  return wrong + (row_end(&w) != OP2_SUCCESS);
}

/* ---- progress of messages during calls ------------------------------------------------------- */

static _Thread_local int asked;
static void ask(struct op2i_comm *comm) { asked += comm->flying > 0; }

/* The threads that run loops advance messages, and only while one is in flight. */
static int see_to_messages(struct op2i_comm *comm, void *data) {
  const struct job *job = data;
  struct op2i_comm_kind kind = *comm->kind;
  struct row w;
  kind.progress = ask;
  comm->kind = &kind;
  asked = 0;
  int wrong = row_begin(&w, comm, job->backend) != OP2_SUCCESS;
  wrong = wrong || read_later(&w) || op2_flush(w.ctx);
  if (wrong || (asked > 0) != (job->how != 1)) {
    fprintf(stderr, "# rank %d asked %d times\n", comm->rank, asked);
    wrong++;
  }
  return wrong + (row_end(&w) != OP2_SUCCESS);
}

/* ---- reductions that ranks combine at one point ---------------------------------------------- */

enum { SUMS = 40 };

static _Thread_local int started;
static _Thread_local op2_status (*start_them)(struct op2i_comm *comm, int n,
                                              struct op2i_message *const *messages);
static op2_status count_start(struct op2i_comm *comm, int n, struct op2i_message *const *messages) {
  started += n;
  return start_them(comm, n, messages);
}

/* Sums over all cells into n globals, each of the dat's values and one more than the last. */
static int sum_up(struct row *w, op2_gbl *sums, int n) {
  int64_t value = 0;
  int wrong = row_put(w, w->a) != OP2_SUCCESS;
  for (int i = 0; i < n && !wrong; i++)
    wrong = op2_par_loop(w->total, w->cells, op2_arg_direct(w->a, OP2_READ),
                         op2_arg_gbl(sums[i], OP2_INC)) ||
            row_bump(w, w->a);
  started = 0;
  wrong = wrong || op2_flush(w->ctx);
  int messages = started;
  for (int i = 0; i < n && !wrong; i++) {
    wrong = op2_gbl_get(sums[i], &value) || value != (int64_t)ROW_CELLS * (5 + i);
    value = 0;
    wrong = wrong || op2_gbl_set(sums[i], &value);
  }
  started = messages;
  return wrong;
}

/* The number of messages of a flush that has run before does not depend on the number of results as
 * long as sixteen fit into one message. */
static int combine_together(struct op2i_comm *comm, void *data) {
  static const int counts[] = {1, 3, 16, SUMS};
  const struct job *job = data;
  struct op2i_comm_kind kind = *comm->kind;
  struct row w;
  op2_gbl sums[SUMS] = {0};
  int messages[4] = {0};
  start_them = kind.start;
  kind.start = count_start;
  comm->kind = &kind;
  int wrong = row_begin(&w, comm, job->backend) != OP2_SUCCESS;
  for (int i = 0; i < SUMS && !wrong; i++)
    wrong = op2_gbl_create(w.ctx, 1, OP2_I64, NULL, "sum", &sums[i]) != OP2_SUCCESS;
  for (int c = 0; c < 4 && !wrong; c++) {
    for (int round = 0; round < 3 && !wrong; round++) wrong = sum_up(&w, sums, counts[c]);
    messages[c] = started;
  }
  int one = (messages[3] - messages[0]) / 2; /* 40 results: three messages, up and down the tree */
  if (wrong || messages[1] != messages[0] || messages[2] != messages[0] || one < 1 ||
      messages[3] != messages[0] + 2 * one || one > 4) {
    fprintf(stderr, "# rank %d: %d, %d, %d and %d messages: %s\n", comm->rank, messages[0],
            messages[1], messages[2], messages[3], op2_error_message());
    wrong++;
  }
  for (int i = 0; i < SUMS; i++) op2_gbl_destroy(&sums[i]);
  return wrong + (row_end(&w) != OP2_SUCCESS);
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu"};
  static const char *const hows[] = {"", ", without overlap", ", without merging"};
  test_environment();
  setenv("OP2_FUSE", "0", 1);
  for (int b = 0; b < 3; b++)
    for (int how = 0; how < 3; how++) {
      const char *why = op2_backend_unavailable(backends[b]);
      struct job job = {backends[b], how};
      if (why) {
        skip("%s%s: %s", backends[b], hows[how], why);
        continue;
      }
      setenv("OP2_OVERLAP", how == 1 ? "0" : "1", 1);
      setenv("OP2_MERGE", how == 2 ? "0" : "1", 1);
      if (b > 0)
        is_int(run_contexts(2, tell_order, &job), 0, "steps of %d programs on %s%s", ORDERS,
               backends[b], hows[how]);
      setenv("OP2_VERIFY", "0", 1); /* the verifier would send messages of its own */
      if (b > 0)                    /* `sequential` runs each loop as a program */
        is_int(run_contexts(2, combine_together, &job), 0, "sums that go in one message on %s%s",
               backends[b], hows[how]);
      setenv("OP2_VERIFY", "1", 1);
      setenv("OP2_CHUNK_US", "0", 1); /* starpu runs tasks */
      is_int(run_contexts_over(2, (struct op2i_link_speed){.delay = DELAY_MS * 1000000},
                               wait_for_all, &job),
             0, "what is waited for on %s%s", backends[b], hows[how]);
      unsetenv("OP2_CHUNK_US");
      if (strcmp(backends[b], "starpu"))
        is_int(run_contexts_over(2, (struct op2i_link_speed){.delay = DELAY_MS * 1000000},
                                 see_to_messages, &job),
               0, "messages are seen to during loops on %s%s", backends[b], hows[how]);
    }
  return done();
}
