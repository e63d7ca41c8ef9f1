/* SPDX-License-Identifier: BSD-3-Clause */
/* How often halos travel, and how many bytes: once for each point at which something stale is read,
 * in one message for each neighbour, with all that will be read before it changes, and nothing
 * else. A row of cells with edges between them, cut in two. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "comm.h"
#include "context.h"
#include "init.h"
#include "mesh.h"
#include "rank_case.h"
#include "support.h"
#include "tap.h"

enum { CELLS = 40, HALF = CELLS / 2 };

OP2_KERNEL(bump, (int64_t * a), { *a += 1; });
OP2_KERNEL(put, (int64_t * a), { *a = 5; });
OP2_KERNEL(look, (const int64_t *a0, const int64_t *a1, int64_t *e), { *e = *a0 + *a1; });
OP2_KERNEL(look2, (const int64_t *a0, const int64_t *a1, const int64_t *b0, int64_t *e),
           { *e = *a0 + *a1 + *b0; });
OP2_KERNEL(add, (const int64_t *e, int64_t *a0, int64_t *a1), {
  *a0 += *e;
  *a1 -= *e;
});

struct world {
  op2_context ctx;
  op2_set cells, edges;
  op2_map ends;
  op2_dat a, b, wide, e;
  op2_kernel bump, put, look, look2, add;
  struct op2i_comm *comm;
};

/* Rank 0 has cells 0 to 19 and edges 0 to 19, the last of which leads to a cell of rank 1; rank 1 the
 * rest, and that edge in its exec halo. */
static op2_status declare(struct world *w) {
  int rank = w->comm->rank, first = rank * HALF;
  int64_t cells[HALF + 1], edges[HALF + 1];
  int32_t idx[2 * (HALF + 1)], other = 1 - rank;
  for (int i = 0; i < HALF; i++) cells[i] = first + i;
  cells[HALF] = rank ? first - 1 : first + HALF;
  int nedges = rank ? HALF - 1 : HALF;
  for (int i = 0; i < nedges; i++) {
    edges[i] = first + i;
    idx[2 * i] = i;
    idx[2 * i + 1] = i + 1; /* rank 0's last: the halo's cell */
  }
  if (rank) {
    edges[nedges] = first - 1;
    idx[2 * nedges] = HALF;
    idx[2 * nedges + 1] = 0;
  }
  const int64_t cell_ends[4] = {HALF - 1, HALF, HALF, HALF + 1};
  const int64_t edge_ends[4] = {nedges - 1, nedges, nedges + rank, nedges + rank};
  op2_status status = op2i_set_create_halo(w->ctx, cell_ends, cells, &other, "cells", &w->cells);
  if (!status) status = op2i_set_create_halo(w->ctx, edge_ends, edges, &other, "edges", &w->edges);
  if (!status) status = op2_map_create(w->edges, w->cells, 2, idx, "ends", &w->ends);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_I64, NULL, "a", &w->a);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_I64, NULL, "b", &w->b);
  if (!status) status = op2_dat_create(w->cells, 3, OP2_I64, NULL, "wide", &w->wide);
  if (!status) status = op2_dat_create(w->edges, 1, OP2_I64, NULL, "e", &w->e);
  if (!status) status = op2_kernel_create(w->ctx, &bump_kernel, &w->bump);
  if (!status) status = op2_kernel_create(w->ctx, &put_kernel, &w->put);
  if (!status) status = op2_kernel_create(w->ctx, &look_kernel, &w->look);
  if (!status) status = op2_kernel_create(w->ctx, &look2_kernel, &w->look2);
  if (!status) status = op2_kernel_create(w->ctx, &add_kernel, &w->add);
  return status;
}

static op2_status q_bump(struct world *w, op2_dat dat) {
  return op2_par_loop(w->bump, w->cells, op2_arg_direct(dat, OP2_RW));
}
static op2_status q_put(struct world *w, op2_dat dat) {
  return op2_par_loop(w->put, w->cells, op2_arg_direct(dat, OP2_WRITE));
}
static op2_status q_look(struct world *w, op2_dat dat) {
  return op2_par_loop(w->look, w->edges, op2_arg_dat(dat, 0, w->ends, OP2_READ),
                      op2_arg_dat(dat, 1, w->ends, OP2_READ), op2_arg_direct(w->e, OP2_WRITE));
}
static op2_status look_at_both(struct world *w) {
  return op2_par_loop(w->look2, w->edges, op2_arg_dat(w->a, 0, w->ends, OP2_READ),
                      op2_arg_dat(w->a, 1, w->ends, OP2_READ),
                      op2_arg_dat(w->b, 0, w->ends, OP2_READ), op2_arg_direct(w->e, OP2_WRITE));
}
static op2_status q_add(struct world *w, op2_dat dat) {
  return op2_par_loop(w->add, w->edges, op2_arg_direct(w->e, OP2_READ),
                      op2_arg_dat(dat, 0, w->ends, OP2_INC), op2_arg_dat(dat, 1, w->ends, OP2_INC));
}

/* ---- programs -------------------------------------------------------------------------------- */

/* What both ranks together should send since the last flush: exchanges on each, rows of one value,
 * of cells to rank 0 and 1, and of edges to rank 1. */
struct story {
  const char *name;
  op2_status (*queue)(struct world *w);
  int exchanges, cells, edges;
  int alone; /* exchanges where each loop is run by itself, if these are others */
};

static op2_status nobody_reads(struct world *w) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < 5 && !status; i++)
    status = q_bump(w, w->a) || q_put(w, w->b) || q_bump(w, w->b);
  return status;
}
static op2_status fresh_from_the_start(struct world *w) {
  op2_status status = op2_flush(w->ctx);
  return status ? status : q_look(w, w->wide);
}
static op2_status once(struct world *w) {
  return q_bump(w, w->a) || q_look(w, w->a) || q_look(w, w->a);
}
static op2_status again_without_a_change(struct world *w) { return q_look(w, w->a); }
static op2_status two_at_one_point(struct world *w) {
  return q_bump(w, w->a) || q_bump(w, w->b) || look_at_both(w);
}
static op2_status two_loops_one_point(struct world *w) {
  return q_bump(w, w->a) || q_bump(w, w->b) || q_look(w, w->a) || q_look(w, w->b);
}
/* b is stale where a is sent, and changes before it is looked at, by what a was looked at for: it is
 * not taken along. The exec halo's edge has to know that as well. */
static op2_status changed_in_between(struct world *w) {
  return q_bump(w, w->a) || q_bump(w, w->b) || q_look(w, w->a) || q_add(w, w->b) || q_look(w, w->b);
}
/* b is looked at a loop later, and has been taken along. */
static op2_status looked_at_later(struct world *w) {
  return q_bump(w, w->a) || q_bump(w, w->b) || q_look(w, w->a) || q_add(w, w->a) || q_look(w, w->b);
}
static op2_status overwritten_before(struct world *w) {
  return q_bump(w, w->a) || q_put(w, w->a) || q_bump(w, w->a) || q_look(w, w->a);
}
/* Increments reach the halo and are nobody's there; what they are made of is not stale. */
static op2_status increments(struct world *w) {
  return q_add(w, w->b) || q_add(w, w->a) || q_put(w, w->a);
}
/* The exec halo's edges are run over as well: their values must have come. */
static op2_status through_the_exec_halo(struct world *w) {
  return q_look(w, w->b) || op2_flush(w->ctx) || q_add(w, w->a);
}

/* The same two loops, with a stale at first and then not. */
static op2_status two_loops(struct world *w) { return q_look(w, w->a) || q_put(w, w->b); }
static op2_status stale_before(struct world *w) {
  return q_bump(w, w->a) || op2_flush(w->ctx) || two_loops(w);
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

/* Rank 1 sends no edges, so an exchange of these alone is no message of its. */
static int tell(const struct world *w, const struct story *story, struct counts before) {
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
  const op2_options options = {
      .backend = data, .threads = 1, .eager = -1, .cache_dir = test_cache()};
  struct world w = {.comm = comm};
  int wrong = 0;
  if (op2i_init_ranks(&options, comm, &w.ctx) || declare(&w)) {
    fprintf(stderr, "# %s\n", op2_error_message());
    return 1;
  }
  for (int round = 0; round < 3; round++) /* found again, and replayed */
    for (size_t s = 0; s < sizeof stories / sizeof *stories && !wrong; s++) {
      struct counts before = {comm->exchanges, comm->messages, comm->bytes};
      if (stories[s].queue(&w) || op2_flush(w.ctx)) {
        fprintf(stderr, "# %s\n", op2_error_message());
        wrong++;
      }
      wrong += tell(&w, &stories[s], before);
    }
  op2_kernel *kernels[] = {&w.bump, &w.put, &w.look, &w.look2, &w.add};
  for (int k = 0; k < 5; k++) op2_kernel_destroy(kernels[k]);
  op2_dat *dats[] = {&w.a, &w.b, &w.wide, &w.e};
  for (int d = 0; d < 4; d++) op2_dat_destroy(dats[d]);
  op2_map_destroy(&w.ends);
  op2_set_destroy(&w.cells);
  op2_set_destroy(&w.edges);
  return wrong + (op2_finalize(&w.ctx) != OP2_SUCCESS);
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu"};
  test_environment();
  setenv("OP2_FUSE", "2", 1);
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    const char *why = op2_backend_unavailable(backends[b]);
    if (why)
      skip("%s: %s", backends[b], why);
    else
      is_int(run_contexts(2, (struct op2i_link_speed){0}, rank, (void *)backends[b]), 0,
             "messages and bytes of %d programs on %s", (int)(sizeof stories / sizeof *stories),
             backends[b]);
  }
  return done();
}
