/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of times that ranks combine reductions if each loop runs by itself (`sequential`, and
 * `check`) is the same as if a flush runs as one program (`openmp`), and results have the bits of
 * loops that are flushed one by one. Counted are messages of any kind that a rank starts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "init.h"
#include "mesh.h"
#include "outcome.h"
#include "rank_case.h"
#include "sched_state.h"
#include "set.h"
#include "support.h"
#include "tap.h"

/* MESSAGES is the number that all ranks together start, as senders and receivers, to combine once:
 * ranks 0 and 1 exchange their values, then ranks 0 and 2, and rank 0 passes the last one on. */
enum { RANKS = 3, CELLS = 50, GLOBALS = 20, BIG = 40, MESSAGES = 2 * (2 + 2 + 1) };

OP2_KERNEL(add, (const double *x, double *g), { *g += *x; });
OP2_KERNEL(add_from, (const double *x, const double *from, double *g), { *g += *x * *from; });
OP2_KERNEL(least, (const double *x, double *g), { *g = *x < *g ? *x : *g; });
OP2_KERNEL(where_most, (const double *x, double *g, int64_t *at, int64_t i), {
  if (*x > *g) {
    *g = *x;
    *at = i;
  }
});
OP2_KERNEL(add_big, (const double *x, double *g), {
  for (int j = 0; j < 40; j++) g[j] += *x / (j + 1);
});
OP2_KERNEL(bump, (double *x), { *x += 0.1; });

/* ---- counting messages ----------------------------------------------------------------------- */

static const struct op2i_comm_kind *kind;
static struct op2i_comm_kind counting;
static int64_t started[RANKS]; /* entered by each rank's own thread */

static op2_status count_start(struct op2i_comm *comm, int n, struct op2i_message *const *messages) {
  started[comm->rank] += n;
  return kind->start(comm, n, messages);
}

/* ---- a mesh ---------------------------------------------------------------------------------- */

struct world {
  op2_context ctx;
  op2_set cells;
  op2_dat x;
  op2_gbl g[GLOBALS], big, at;
  op2_kernel add, add_from, least, where_most, add_big, bump;
};

static op2_status declare(struct world *w, int rank) {
  int64_t numbers[CELLS];
  double x[CELLS];
  const int64_t ends[4] = {CELLS, CELLS, CELLS, CELLS};
  for (int i = 0; i < CELLS; i++) numbers[i] = rank * CELLS + i;
  for (int i = 0; i < CELLS; i++) x[i] = 1.0 / (3 + (numbers[i] * 7) % 41);
  op2_status status = op2i_set_create_halo(w->ctx, ends, numbers, NULL, "cells", &w->cells);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_F64, x, "x", &w->x);
  for (int g = 0; g < GLOBALS && !status; g++)
    status = op2_gbl_create(w->ctx, 1, OP2_F64, NULL, "g", &w->g[g]);
  if (!status) status = op2_gbl_create(w->ctx, BIG, OP2_F64, NULL, "big", &w->big);
  if (!status) status = op2_gbl_create(w->ctx, 1, OP2_I64, NULL, "at", &w->at);
  if (!status) status = op2_kernel_create(w->ctx, &add_kernel, &w->add);
  if (!status) status = op2_kernel_create(w->ctx, &add_from_kernel, &w->add_from);
  if (!status) status = op2_kernel_create(w->ctx, &least_kernel, &w->least);
  if (!status) status = op2_kernel_create(w->ctx, &where_most_kernel, &w->where_most);
  if (!status) status = op2_kernel_create(w->ctx, &add_big_kernel, &w->add_big);
  return status ? status : op2_kernel_create(w->ctx, &bump_kernel, &w->bump);
}

static op2_status end(struct world *w) {
  op2_kernel *kernels[] = {&w->add, &w->add_from, &w->least, &w->where_most, &w->add_big, &w->bump};
  for (int k = 0; k < 6; k++) op2_kernel_destroy(kernels[k]);
  for (int g = 0; g < GLOBALS; g++) op2_gbl_destroy(&w->g[g]);
  op2_gbl_destroy(&w->big);
  op2_gbl_destroy(&w->at);
  op2_dat_destroy(&w->x);
  op2_set_destroy(&w->cells);
  return op2_finalize(&w->ctx);
}

/* ---- programs -------------------------------------------------------------------------------- */

static op2_status queue_add(struct world *w, int g) {
  return op2_par_loop(w->add, w->cells, op2_arg_direct(w->x, OP2_READ),
                      op2_arg_gbl(w->g[g], OP2_INC));
}
static op2_status queue_add_from(struct world *w, int from, int g) {
  return op2_par_loop(w->add_from, w->cells, op2_arg_direct(w->x, OP2_READ),
                      op2_arg_gbl(w->g[from], OP2_READ), op2_arg_gbl(w->g[g], OP2_INC));
}
static op2_status queue_least(struct world *w, int g) {
  return op2_par_loop(w->least, w->cells, op2_arg_direct(w->x, OP2_READ),
                      op2_arg_gbl(w->g[g], OP2_MIN));
}
static op2_status queue_most(struct world *w, int g) {
  return op2_par_loop(w->where_most, w->cells, op2_arg_direct(w->x, OP2_READ),
                      op2_arg_gbl(w->g[g], OP2_MAX), op2_arg_info(w->at, 1), op2_arg_idx());
}
static op2_status queue_add_big(struct world *w) {
  return op2_par_loop(w->add_big, w->cells, op2_arg_direct(w->x, OP2_READ),
                      op2_arg_gbl(w->big, OP2_INC));
}
static op2_status queue_bump(struct world *w) {
  return op2_par_loop(w->bump, w->cells, op2_arg_direct(w->x, OP2_RW));
}

static op2_status independent(struct world *w) {
  op2_status status = OP2_SUCCESS;
  for (int g = 0; g < 6 && !status; g++) status = g % 2 ? queue_least(w, g) : queue_add(w, g);
  return status;
}
static op2_status more_than_a_message(struct world *w) {
  op2_status status = OP2_SUCCESS;
  for (int g = 0; g < GLOBALS && !status; g++) status = queue_add(w, g);
  return status;
}
/* A result that is read in between is combined there, the others at the end. */
static op2_status one_is_read(struct world *w) {
  return queue_add(w, 0) || queue_add(w, 1) || queue_bump(w) || queue_add_from(w, 0, 2) ||
         queue_least(w, 3) || queue_most(w, 4);
}
static op2_status added_to(struct world *w) {
  return queue_add(w, 0) || queue_bump(w) || queue_add_from(w, 1, 0) || queue_add(w, 2);
}
static op2_status large(struct world *w) {
  return queue_add(w, 0) || queue_add_big(w) || queue_add(w, 1) || queue_most(w, 2);
}
static op2_status again(struct world *w) {
  return queue_add(w, 0) || queue_bump(w) || queue_add(w, 0);
}
/* If loops run singly, the second reduction replaces the result of the first. */
static op2_status anew(struct world *w) {
  const double zero = 0;
  return queue_add(w, 0) || queue_add(w, 1) || op2_gbl_set(w->g[0], &zero) || queue_bump(w) ||
         queue_add(w, 0);
}

static const struct {
  const char *name;
  op2_status (*queue)(struct world *w);
  int more; /* reductions in separate messages if loops run singly */
} programs[] = {
    {"six results that nobody reads", independent, 0},
    {"more results than a message has room for", more_than_a_message, 0},
    {"a result that is read", one_is_read, 0},
    {"a result that is added to", added_to, 0},
    {"a result that is longer than a message", large, 0},
    {"a loop that comes again", again, 0},
    {"a loop that comes again for a value of its own", anew, 1},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* ---- running --------------------------------------------------------------------------------- */

struct result {
  double g[GLOBALS], big[BIG];
  int64_t at, sent;
};

struct job {
  const char *backend;
  int program;
  bool eager;
  struct result result[RANKS];
};

static op2_status get(struct world *w, struct result *result) {
  op2_status status = OP2_SUCCESS;
  for (int g = 0; g < GLOBALS && !status; g++) status = op2_gbl_get(w->g[g], &result->g[g]);
  if (!status) status = op2_gbl_get(w->big, result->big);
  return status ? status : op2_gbl_get(w->at, &result->at);
}

/* Messages in which ranks agree when programs are built are not counted. */
static op2_status run(struct world *w, const struct job *job, int rank, struct result *result) {
  op2_status status = programs[job->program].queue(w);
  if (!status) status = op2_flush(w->ctx);
  const int64_t before = started[rank];
  if (!status) status = programs[job->program].queue(w);
  if (!status) status = op2_flush(w->ctx);
  result->sent = started[rank] - before;
  return status ? status : get(w, result);
}

static int run_rank(struct op2i_comm *comm, void *data) {
  struct job *job = data;
  struct world w = {0};
  const int rank = comm->rank;
  const op2_options options = {.backend = job->backend,
                               .threads = 1,
                               .eager = job->eager ? 1 : -1,
                               .cache_dir = test_cache()};
  comm->kind = &counting;
  op2_status status = op2i_init_ranks(&options, comm, &w.ctx);
  if (!status) status = declare(&w, rank);
  if (!status) status = run(&w, job, rank, &job->result[rank]);
  if (status) fprintf(stderr, "# rank %d: %s\n", rank, op2_error_message());
  if (w.ctx && end(&w)) status = OP2_ERR_STATE;
  return status != OP2_SUCCESS;
}

static bool run_job(struct job *job, const char *backend, int program, bool eager) {
  *job = (struct job){.backend = backend, .program = program, .eager = eager};
  memset(started, 0, sizeof started);
  return run_contexts(RANKS, run_rank, job) == 0;
}

static int64_t sent_by_all(const struct job *job) {
  int64_t sent = 0;
  for (int r = 0; r < RANKS; r++) sent += job->result[r].sent;
  return sent;
}

static bool same_values(const struct result *a, const struct result *b) {
  return !memcmp(a->g, b->g, sizeof a->g) && !memcmp(a->big, b->big, sizeof a->big) &&
         a->at == b->at;
}

static void compare(const char *backend, int program, int64_t wanted) {
  static struct job together, singly;
  const char *name = programs[program].name;
  if (!ok(run_job(&together, backend, program, false) && run_job(&singly, backend, program, true),
          "%s: %s: run lazily and eagerly", backend, name))
    return;
  bool same = true;
  for (int r = 0; r < RANKS; r++)
    same = same && same_values(&together.result[r], &singly.result[r]) &&
           same_values(&together.result[r], &together.result[0]);
  ok(same, "%s: %s: the same bits on all ranks, and loop by loop", backend, name);
  is_int((int)sent_by_all(&together), (int)wanted + MESSAGES * programs[program].more,
         "%s: %s: as many messages as on openmp", backend, name);
}

static void test_program(int program) {
  static struct job openmp;
  if (!ok(run_job(&openmp, "openmp", program, false), "openmp: %s", programs[program].name)) return;
  const int64_t wanted = sent_by_all(&openmp);
  ok(wanted > 0, "openmp: messages are counted (%d)", (int)wanted);
  compare("sequential", program, wanted);
  compare("check", program, wanted);
}

/* A loop that needs no pending result writes nothing behind the list of convoys, also when that is
 * full. */
static void full(void) {
  static struct {
    struct op2i_sched sched;
    unsigned char behind[2 * sizeof(struct op2i_pending_list)];
  } s;
  const struct op2i_node node = {0};
  size_t kept = 0;
  memset(s.behind, 170, sizeof s.behind);
  s.sched.outcomes.nflying = OP2I_ALLREDUCE_COUNT;
  ok(op2i_pending_combine_for(&s.sched, &node) == OP2_SUCCESS, "nothing is to be combined");
  while (kept < sizeof s.behind && s.behind[kept] == 170) kept++;
  is_int((int64_t)kept, (int64_t)sizeof s.behind, "memory behind the list is as it was");
}

int main(void) {
  struct op2i_comm *comms[1];
  test_environment();
  setenv("OP2_VERIFY", "0", 1); /* the verifier sends messages for each program */
  setenv("OP2_FUSE", "0", 1);   /* fused loops have one reduction, however long it is */
  const char *why = op2_backend_unavailable("openmp");
  if (why) {
    skip("nothing to compare with: openmp: %s", why);
    return done();
  }
  if (!CHECK(op2i_comm_threads(1, (struct op2i_link_speed){0}, comms))) return done();
  kind = comms[0]->kind;
  counting = *kind;
  counting.start = count_start;
  op2i_comm_free(comms[0]);
  full();
  for (int p = 0; p < PROGRAMS; p++) test_program(p);
  return done();
}
