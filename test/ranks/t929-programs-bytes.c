/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks keep the same programs, whatever OP2_PROGRAM_BYTES is: each rank makes and runs again as
 * many as the other, and results are those of a run in which all fit. Exchanges differ between the
 * programs, so that a rank that made one alone would wait for the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "program_keep.h"
#include "rank_case.h"
#include "row_case.h"
#include "support.h"
#include "tap.h"

enum { RANKS = 2, SEQUENCES = 10, ROUNDS = 4, LOOPS = 9, KINDS = 8 };

struct result {
  int64_t values[5 * ROW_CELLS], sum;
  int64_t made, replayed, evicted;
  size_t bytes; /* the most after a flush */
};

struct job {
  const char *backend;
  struct result result[RANKS];
};

static op2_status queue_one(struct row *w, unsigned kind) {
  switch (kind) {
  case 0: return row_bump(w, w->a);
  case 1: return row_put(w, w->b);
  case 2: return row_look(w, w->a);
  case 3: return row_look(w, w->b);
  case 4: return row_look_at_both(w);
  case 5: return row_add(w, w->a);
  case 6: return row_add(w, w->b);
  default: return row_total(w, w->a);
  }
}

static op2_status sequence(struct row *w, unsigned number) {
  unsigned state = 2654435761u * (number + 1);
  op2_status status = OP2_SUCCESS;
  for (int k = 0; k < LOOPS && !status; k++) {
    state = state * 1664525u + 1013904223u;
    status = queue_one(w, (state >> 16) % KINDS);
  }
  return status ? status : op2_flush(w->ctx);
}

/* Every third sequence comes several times in a row. Its halos are as stale at the second time as at
 * later ones. */
static op2_status run_all(struct row *w, struct result *out) {
  op2_status status = OP2_SUCCESS;
  for (unsigned round = 0; round < ROUNDS; round++)
    for (unsigned s = 0; s < SEQUENCES && !status; s++)
      for (int times = s % 3 ? 1 : 4; times > 0 && !status; times--) {
        status = sequence(w, s);
        if (!status) status = op2i_programs_verify(w->ctx->sched);
        const size_t bytes = op2i_programs_bytes(w->ctx->sched);
        if (bytes > out->bytes) out->bytes = bytes;
      }
  return status;
}

/* Each rank has its own part of the values; they are compared with those of the same rank. */
static op2_status collect(struct row *w, struct result *out) {
  op2_status status = op2_dat_get(w->a, out->values);
  if (!status) status = op2_dat_get(w->b, out->values + ROW_CELLS);
  if (!status) status = op2_dat_get(w->e, out->values + 2 * ROW_CELLS);
  if (!status) status = op2_gbl_get(w->sum, &out->sum);
  out->made = w->ctx->sched->stats.programs_made;
  out->replayed = w->ctx->sched->stats.programs_replayed;
  out->evicted = w->ctx->sched->stats.programs_evicted;
  return status;
}

static int rank(struct op2i_comm *comm, void *data) {
  struct job *job = data;
  struct row w;
  struct result *out = &job->result[comm->rank];
  op2_status status = row_begin(&w, comm, job->backend);
  if (!status) status = run_all(&w, out);
  if (!status) status = collect(&w, out);
  if (status) fprintf(stderr, "# rank %d: %s\n", comm->rank, op2_error_message());
  return (status != OP2_SUCCESS) + (row_end(&w) != OP2_SUCCESS);
}

static bool run_job(struct job *job, const char *backend, const char *bytes) {
  *job = (struct job){.backend = backend};
  if (bytes)
    setenv("OP2_PROGRAM_BYTES", bytes, 1);
  else
    unsetenv("OP2_PROGRAM_BYTES");
  return ok(run_contexts(RANKS, rank, job) == 0, "%s: %s bytes", backend, bytes ? bytes : "enough");
}

static void expect_like(const struct job *job, const struct job *whole, size_t most) {
  bool same = true, alike = true, within = true;
  for (int r = 0; r < RANKS; r++) {
    const struct result *mine = &job->result[r], *other = &job->result[0];
    same = same && mine->sum == whole->result[r].sum &&
           !memcmp(mine->values, whole->result[r].values, sizeof mine->values);
    alike = alike && mine->made == other->made && mine->replayed == other->replayed &&
            mine->evicted == other->evicted && mine->bytes == other->bytes;
    within = within && mine->bytes <= most;
  }
  ok(same, "%s: the same values", job->backend);
  ok(alike, "%s: ranks make, find and evict the same programs", job->backend);
  ok(within, "%s: programs take %zu bytes at most (%zu)", job->backend, most, job->result[0].bytes);
}

static void test_backend(const char *backend) {
  static struct job whole, some, none;
  const bool passes = strcmp(backend, "sequential") != 0;
  if (!run_job(&whole, backend, NULL) || !run_job(&some, backend, "100000") ||
      !run_job(&none, backend, "0"))
    return;
  expect_like(&whole, &whole, (size_t)64 << 20);
  expect_like(&some, &whole, 100000);
  expect_like(&none, &whole, 0);
  if (!passes) return;
  ok(!whole.result[0].evicted && whole.result[0].replayed > some.result[0].replayed,
     "%s: where all fit, none is evicted (%lld run again, %lld with less room)", backend,
     (long long)whole.result[0].replayed, (long long)some.result[0].replayed);
  ok(some.result[0].evicted > 0 && some.result[0].replayed > 0,
     "%s: where some fit, some are evicted and some found (%lld, %lld)", backend,
     (long long)some.result[0].evicted, (long long)some.result[0].replayed);
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", NULL};
  const char *backend;
  test_environment();
  for (int b = 0; (backend = next_backend_of_ranks(backends, &b));) test_backend(backend);
  return done();
}
