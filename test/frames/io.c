/* SPDX-License-Identifier: BSD-3-Clause */
/* A file with a mesh of three cells, which the page reads.
 * modules: op2-hdf5 op2 */
#include <op2.h>

/* the page's definitions */
#include "must.h"

int main(void) {
  const int32_t ends[] = {0, 1, 1, 2};
  op2_context ctx;
  op2_set edges, cells;
  op2_map edge_cells;
  op2_dat q;
  op2_file written;
  MUST(op2_init(NULL, &ctx));
  MUST(op2_set_create(ctx, 2, "edges", &edges));
  MUST(op2_set_create(ctx, 3, "cells", &cells));
  MUST(op2_map_create(edges, cells, 2, ends, "pecell", &edge_cells));
  MUST(op2_dat_create(cells, 4, OP2_F64, NULL, "p_q", &q));
  MUST(op2_file_open(ctx, "new_grid.h5", OP2_FILE_CREATE, &written));
  MUST(op2_file_write_set(written, edges, "edges"));
  MUST(op2_file_write_set(written, cells, "cells"));
  MUST(op2_file_write_map(written, edge_cells, "pecell"));
  MUST(op2_file_write_dat(written, q, "p_q"));
  MUST(op2_file_close(&written));
  /* the page's statements */
  MUST(op2_flush(ctx));
  if (op2_set_size(edges) != 2 || op2_set_size(cells) != 3) return 1;
  MUST(op2_finalize(&ctx));
  return 0;
}
