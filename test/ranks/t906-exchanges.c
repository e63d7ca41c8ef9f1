/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of halo exchanges, and of bytes: one exchange for each point at which stale rows are
 * read, in one message per neighbour, with all dats that will be read before they change, and
 * nothing else. The mesh is a row of cells with edges between them, cut in two. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "rank_case.h"
#include "row_case.h"
#include "support.h"
#include "tap.h"

/* ---- programs -------------------------------------------------------------------------------- */

/* The expected traffic of both ranks since the last flush: exchanges on each, rows of one value, of
 * cells to rank 0 and 1, and of edges to rank 1. */
struct story {
  const char *name;
  op2_status (*queue)(struct row *w);
  int exchanges, cells, edges;
  int alone; /* exchanges if each loop runs by itself; 0: the same number */
};

static op2_status nobody_reads(struct row *w) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < 5 && !status; i++)
    status = row_bump(w, w->a) || row_put(w, w->b) || row_bump(w, w->b);
  return status;
}
static op2_status fresh_from_the_start(struct row *w) {
  op2_status status = op2_flush(w->ctx);
  return status ? status : row_look(w, w->wide);
}
static op2_status once(struct row *w) {
  return row_bump(w, w->a) || row_look(w, w->a) || row_look(w, w->a);
}
static op2_status again_without_a_change(struct row *w) { return row_look(w, w->a); }
static op2_status two_at_one_point(struct row *w) {
  return row_bump(w, w->a) || row_bump(w, w->b) || row_look_at_both(w);
}
static op2_status two_loops_one_point(struct row *w) {
  return row_bump(w, w->a) || row_bump(w, w->b) || row_look(w, w->a) || row_look(w, w->b);
}
/* b is stale when a is sent, but is not sent along, since the loop on what was read from a changes
 * b before it is read. That holds for the exec halo's edge, too. */
static op2_status changed_in_between(struct row *w) {
  return row_bump(w, w->a) || row_bump(w, w->b) || row_look(w, w->a) || row_add(w, w->b) ||
         row_look(w, w->b);
}
/* b is read one loop later, and was sent along. */
static op2_status looked_at_later(struct row *w) {
  return row_bump(w, w->a) || row_bump(w, w->b) || row_look(w, w->a) || row_add(w, w->a) ||
         row_look(w, w->b);
}
static op2_status overwritten_before(struct row *w) {
  return row_bump(w, w->a) || row_put(w, w->a) || row_bump(w, w->a) || row_look(w, w->a);
}
/* Increments reach the halo, where their values are not used; the dats that they are computed from
 * are not stale. */
static op2_status increments(struct row *w) {
  return row_add(w, w->b) || row_add(w, w->a) || row_put(w, w->a);
}
/* The loop also runs over the exec halo's edges, whose values must have arrived. */
static op2_status through_the_exec_halo(struct row *w) {
  return row_look(w, w->b) || op2_flush(w->ctx) || row_add(w, w->a);
}

/* The same two loops run with a stale at first and then fresh. */
static op2_status two_loops(struct row *w) { return row_look(w, w->a) || row_put(w, w->b); }
static op2_status stale_before(struct row *w) {
  return row_bump(w, w->a) || op2_flush(w->ctx) || two_loops(w);
}

static const struct story stories[] = {
    {"nobody reads a halo", nobody_reads, 0, 0, 0, 0},
    {"zeros are the same everywhere", fresh_from_the_start, 0, 0, 0, 0},
    {"read twice", once, 1, 1, 0, 0},
    {"read again", again_without_a_change, 0, 0, 0, 0},
    {"two dats", two_at_one_point, 1, 2, 0, 0},
    {"two loops", two_loops_one_point, 1, 2, 0, 2},
    {"changed in between", changed_in_between, 3, 2, 1, 0},
    {"looked at later", looked_at_later, 2, 2, 1, 3},
    {"two loops, stale before", stale_before, 1, 1, 0, 0},
    {"two loops, fresh before", two_loops, 0, 0, 0, 0},
    {"overwritten before it is read", overwritten_before, 1, 1, 0, 0},
    {"e is stale, b was brought already", increments, 1, 0, 1, 0},
    {"the exec halo", through_the_exec_halo, 2, 1, 1, 0},
};

struct counts {
  int64_t exchanges, messages, bytes;
};

/* Rank 1 sends no edges, so in an exchange of edges alone it sends no message. */
static int tell(const struct row *w, const struct story *story, struct counts before) {
  const struct op2i_comm *comm = w->comm;
  bool first = comm->rank == 0, alone = !w->ctx->backend->passes;
  int exchanges = alone && story->alone ? story->alone : story->exchanges;
  int64_t rows = story->cells + (first ? story->edges : 0);
  if (comm->exchanges - before.exchanges == exchanges &&
      comm->bytes - before.bytes == rows * (int64_t)sizeof(int64_t) &&
      (first ? comm->messages - before.messages == exchanges
             : comm->messages - before.messages <= exchanges))
    return 0;
  fprintf(stderr, "# %s: rank %d ran %d exchanges with %d messages of %d bytes\n", story->name,
          comm->rank, (int)(comm->exchanges - before.exchanges),
          (int)(comm->messages - before.messages), (int)(comm->bytes - before.bytes));
  return 1;
}

static int rank(struct op2i_comm *comm, void *data) {
  struct row w;
  int wrong = 0;
  if (row_begin(&w, comm, data)) {
    fprintf(stderr, "# %s\n", op2_error_message());
    return 1;
  }
  for (int round = 0; round < 3; round++) /* later passes find the programs, and replay them */
    for (size_t s = 0; s < sizeof stories / sizeof *stories && !wrong; s++) {
      struct counts before = {comm->exchanges, comm->messages, comm->bytes};
      if (stories[s].queue(&w) || op2_flush(w.ctx)) {
        fprintf(stderr, "# %s\n", op2_error_message());
        wrong++;
      }
      wrong += tell(&w, &stories[s], before);
    }
  return wrong + (row_end(&w) != OP2_SUCCESS);
}

int main(void) {
  const char *backend;
  test_environment();
  setenv("OP2_FUSE", "2", 1);
  for (int b = 0; (backend = next_backend(every_backend, &b));)
    if (strcmp(backend, "check") != 0)
      is_int(run_contexts(2, rank, (void *)backend), 0, "messages and bytes of %d programs on %s",
             (int)(sizeof stories / sizeof *stories), backend);
  return done();
}
