/* SPDX-License-Identifier: BSD-3-Clause */
/* Dats that a program on ranks makes and destroys in each step. Where all ranks destroy them before
 * the next are made, programs with halo exchanges are found again; where ranks differ, none of them
 * uses what is kept, and values are right all the same. */
#include <stdio.h>
#include <stdlib.h>

#include "context.h"
#include "init.h"
#include "program.h"
#include "rank_case.h"
#include "row_case.h"
#include "support.h"
#include "tap.h"

OP2_KERNEL(bump, (int64_t * a), { *a += 1; });

enum { HALF = ROW_CELLS / 2, STEPS = 10, SETTLED = 4 };

/* The time at which rank 1 destroys a step's dat; rank 0 does so after the flush. */
enum when { BEFORE_FLUSH, AFTER_FLUSH, AFTER_NEXT };
static const struct {
  enum when when;
  bool found; /* programs are found again */
  const char *name;
} scenes[] = {
    {BEFORE_FLUSH, true, "before the flush on one rank"},
    {AFTER_FLUSH, true, "at the same time"},
    {AFTER_NEXT, false, "after the next was made on one rank"},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

struct job {
  const char *backend;
  int scene;
};

static op2_status queue(struct row *row, op2_dat t) {
  op2_status status = row_bump(row, t);
  if (!status) status = row_look(row, t);
  if (!status) status = op2_gbl_set(row->sum, (int64_t[]){0});
  if (!status) status = row_total(row, t);
  return status;
}

/* The values of t were s + 1; the edges have the sums of both ends, which needs the halo. */
static int wrong_values(struct row *row, int64_t s) {
  const int n = row->comm->rank ? HALF - 1 : HALF;
  int64_t sum = 0, edges[HALF] = {0};
  int wrong = op2_gbl_get(row->sum, &sum) || op2_dat_get(row->e, edges);
  for (int i = 0; i < n; i++) wrong += edges[i] != 2 * (s + 1);
  return wrong + (sum != ROW_CELLS * (s + 1));
}

static int run_steps(struct row *row, enum when when, bool found) {
  const int64_t *made = &row->ctx->sched->stats.programs_made;
  op2_dat before = NULL;
  int wrong = 0;
  for (int64_t s = 0, settled = 0; s < STEPS; s++) {
    op2_dat t = NULL;
    int64_t values[HALF + 1];
    for (int i = 0; i <= HALF; i++) values[i] = s;
    wrong += op2_dat_create(row->cells, 1, OP2_I64, values, "t", &t) != OP2_SUCCESS;
    op2_dat_destroy(&before);
    if (wrong || queue(row, t)) return wrong + 1;
    if (row->comm->rank && when == BEFORE_FLUSH) op2_dat_destroy(&t);
    wrong += op2_flush(row->ctx) != OP2_SUCCESS;
    if (row->comm->rank && when == AFTER_NEXT) before = t;
    if (!before) op2_dat_destroy(&t);
    wrong += wrong_values(row, s);
    if (s + 1 == SETTLED) settled = *made;
    if (s + 1 > SETTLED && (*made == settled) != found) wrong++;
  }
  op2_dat_destroy(&before);
  return wrong;
}

static int rank(struct op2i_comm *comm, void *data) {
  const struct job *job = data;
  struct row row = {0};
  int wrong = 1000;
  if (!row_begin(&row, comm, job->backend)) wrong = 0;
  /* Without laziness each loop has a program by itself, which is found in the same way. */
  if (!wrong) wrong += run_steps(&row, scenes[job->scene].when, scenes[job->scene].found);
  if (wrong) fprintf(stderr, "# rank %d: %d wrong: %s\n", comm->rank, wrong, op2_error_message());
  return wrong + (row_end(&row) != OP2_SUCCESS);
}

/* ---- partitioning ---------------------------------------------------------------------------- */

/* A dat of all cells that were declared on this rank, with the values of these cells plus 1. */
static int use_dat(op2_context ctx, op2_set cells, op2_kernel bump) {
  const int64_t n = op2_set_size(cells);
  int64_t values[ROW_CELLS], numbers[ROW_CELLS];
  op2_dat t = NULL;
  int wrong = op2_set_global(cells, numbers) != OP2_SUCCESS;
  for (int64_t i = 0; i < n; i++) values[i] = 10 * numbers[i];
  if (op2_dat_create(cells, 1, OP2_I64, n ? values : NULL, "t", &t)) return wrong + 1;
  if (op2_par_loop(bump, cells, op2_arg_direct(t, OP2_RW))) return wrong + 1;
  wrong += op2_dat_get(t, values) != OP2_SUCCESS;
  for (int64_t i = 0; i < n; i++) wrong += values[i] != 10 * numbers[i] + 1;
  op2_dat_destroy(&t);
  return wrong + (ctx->spares.n != 1);
}

/* Rank 0 gets all cells, so a dat has another size there than the one before it. */
static int partition(struct op2i_comm *comm, void *data) {
  const struct job *job = data;
  const op2_options options = {
      .backend = job->backend, .threads = 1, .eager = -1, .cache_dir = test_cache()};
  const int32_t owner[HALF] = {0};
  op2_context ctx = NULL;
  op2_set cells = NULL;
  op2_kernel bump = NULL;
  if (op2i_init_ranks(&options, comm, &ctx) || op2_set_create(ctx, HALF, "cells", &cells) ||
      op2_kernel_create(ctx, &bump_kernel, &bump))
    return 1000;
  const op2_partition_options how = {.method = OP2_PARTITION_GIVEN, .set = cells, .owner = owner};
  int wrong = use_dat(ctx, cells, bump) + use_dat(ctx, cells, bump);
  wrong += op2_partition(ctx, &how, NULL) != OP2_SUCCESS;
  wrong += ctx->spares.n != 0 || op2_set_size(cells) != (comm->rank ? 0 : ROW_CELLS);
  wrong += use_dat(ctx, cells, bump) + use_dat(ctx, cells, bump);
  if (wrong) fprintf(stderr, "# rank %d: %d wrong: %s\n", comm->rank, wrong, op2_error_message());
  op2_kernel_destroy(&bump);
  op2_set_destroy(&cells);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", NULL};
  int b = 0;
  test_environment();
  for (const char *backend; (backend = next_backend_of_ranks(backends, &b));)
    for (int w = 0; w < SCENES; w++)
      for (int eager = 0; eager < 2; eager++) {
        struct job job = {backend, w};
        setenv("OP2_EAGER", eager ? "1" : "0", 1);
        is_int(run_contexts(2, rank, &job), 0, "%s, %s: dats are destroyed %s", backend,
               eager ? "eager" : "lazy", scenes[w].name);
      }
  struct job job = {"sequential", 0};
  is_int(run_contexts(2, partition, &job), 0, "what is kept ends when sets are partitioned");
  return done();
}
