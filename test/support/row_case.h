/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_ROW_CASE_H
#define OP2_TEST_ROW_CASE_H

/* A row of cells with edges between them, cut in two for two ranks, and loops over them. */

#include "comm.h"
#include "op2.h"

enum { ROW_CELLS = 40 };

struct row {
  op2_context ctx;
  op2_set cells, edges;
  op2_map ends;
  op2_dat a, b, wide, e; /* a, b and wide (3 values) on cells, e on edges */
  op2_gbl sum;
  op2_kernel bump, put, look, look2, add, total, add_total;
  struct op2i_comm *comm;
};

/* Begin a context of that rank, and declare everything but loops. */
op2_status row_begin(struct row *row, struct op2i_comm *comm, const char *backend);
op2_status row_end(struct row *row);

/* Queue a loop over cells that modifies a dat, or one that overwrites it; */
op2_status row_bump(struct row *row, op2_dat dat);
op2_status row_put(struct row *row, op2_dat dat);
/* a loop over edges that reads a dat at both cells, or two dats there, or adds to a dat there; */
op2_status row_look(struct row *row, op2_dat dat);
op2_status row_look_at_both(struct row *row);
op2_status row_add(struct row *row, op2_dat dat);
/* a loop over cells that sums their values; one over edges that adds to a dat at both cells, and sums
 * the edges' values. */
op2_status row_total(struct row *row, op2_dat dat);
op2_status row_add_total(struct row *row, op2_dat dat);

#endif
