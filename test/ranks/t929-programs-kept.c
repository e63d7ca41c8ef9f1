/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop that runs by itself has a program for each combination of stale halos. A few programs, the
 * most recently used ones, are kept. */
#include <stdio.h>

#include "context.h"
#include "program.h"
#include "rank_case.h"
#include "row_case.h"
#include "support.h"
#include "tap.h"

enum { DATS = 5, COMBINATIONS = 1 << DATS, KEPT = 16 };

OP2_KERNEL(all,
           (const int64_t *a, const int64_t *b, const int64_t *c, const int64_t *d,
            const int64_t *e, int64_t *s),
           { *s += *a + *b + *c + *d + *e; });

struct reader {
  struct row row;
  op2_dat dats[DATS];
  op2_kernel kernel;
};

static op2_status declare(struct reader *r) {
  op2_status status = op2_kernel_create(r->row.ctx, &all_kernel, &r->kernel);
  for (int d = 0; d < DATS && !status; d++)
    status = op2_dat_create(r->row.cells, 1, OP2_I64, NULL, "dat", &r->dats[d]);
  return status;
}

/* Writing makes a halo stale, and reading by a map updates it. */
static op2_status make_stale(struct reader *r, int combination) {
  op2_status status = OP2_SUCCESS;
  for (int d = 0; d < DATS && !status; d++) {
    status = combination >> d & 1 ? row_put(&r->row, r->dats[d]) : row_look(&r->row, r->dats[d]);
    if (!status) status = op2_flush(r->row.ctx);
  }
  return status;
}

/* The number of programs that were built for it; -1: failure. */
static int read_all(struct reader *r, int combination) {
  op2_status status = make_stale(r, combination);
  int64_t before = r->row.ctx->sched->stats.programs_made;
  if (!status)
    status =
        op2_par_loop(r->kernel, r->row.cells, op2_arg_direct(r->dats[0], OP2_READ),
                     op2_arg_direct(r->dats[1], OP2_READ), op2_arg_direct(r->dats[2], OP2_READ),
                     op2_arg_direct(r->dats[3], OP2_READ), op2_arg_direct(r->dats[4], OP2_READ),
                     op2_arg_gbl(r->row.sum, OP2_INC));
  if (!status) status = op2_flush(r->row.ctx);
  if (status) fprintf(stderr, "# %s\n", op2_error_message());
  return status ? -1 : (int)(r->row.ctx->sched->stats.programs_made - before);
}

static int read_some(struct reader *r, int first, int end, int made) {
  int wrong = 0;
  for (int c = first; c < end; c++) wrong += read_all(r, c) != made;
  return wrong;
}

static int rank(struct op2i_comm *comm, void *data) {
  struct reader r = {0};
  (void)data;
  if (row_begin(&r.row, comm, "sequential") || declare(&r)) {
    fprintf(stderr, "# %s\n", op2_error_message());
    return 1000;
  }
  int wrong = read_some(&r, 0, COMBINATIONS, 1);                /* each is new, */
  wrong += read_some(&r, COMBINATIONS - KEPT, COMBINATIONS, 0); /* the last are there, */
  wrong += read_some(&r, 0, 1, 1);                              /* the first is not; it is built, */
  wrong += read_some(&r, COMBINATIONS - KEPT, COMBINATIONS - KEPT + 1, 1); /* dropping the oldest */
  wrong += read_some(&r, COMBINATIONS - 1, COMBINATIONS, 0);
  for (int d = 0; d < DATS; d++) op2_dat_destroy(&r.dats[d]);
  op2_kernel_destroy(&r.kernel);
  return wrong + (row_end(&r.row) != OP2_SUCCESS);
}

int main(void) {
  test_environment();
  is_int(run_contexts(2, rank, NULL), 0, "of %d programs of one loop the last %d are found again",
         COMBINATIONS, KEPT);
  return done();
}
