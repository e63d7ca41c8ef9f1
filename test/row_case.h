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
  op2_dat a, b, wide, e; /* of cells, the third with 3 values; of edges */
  op2_gbl sum;
  op2_kernel bump, put, look, look2, add, total;
  struct op2i_comm *comm;
};

/* Begin a context of that rank, and declare all but loops. */
op2_status row_begin(struct row *row, struct op2i_comm *comm, const char *backend);
op2_status row_end(struct row *row);

/* Queue a loop: over cells, one that modifies a dat, or one that overwrites it; */
op2_status row_bump(struct row *row, op2_dat dat);
op2_status row_put(struct row *row, op2_dat dat);
/* over edges, one that looks at both its cells; at those of two dats; and one that adds to them. */
op2_status row_look(struct row *row, op2_dat dat);
op2_status row_look_at_both(struct row *row);
op2_status row_add(struct row *row, op2_dat dat);
/* Over cells, the sum of their values. */
op2_status row_total(struct row *row, op2_dat dat);

#endif
