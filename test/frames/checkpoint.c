/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with a dat and a time loop, which keeps its state.
 * modules: op2-hdf5 op2 */
#include <op2.h>
#include <op2/checkpoint.h>
#include <sys/stat.h>

/* the page's definitions */
#include "must.h"

int main(void) {
  op2_context ctx;
  op2_set cells;
  op2_dat q;
  MUST(op2_init(NULL, &ctx));
  MUST(op2_set_create(ctx, 3, "cells", &cells));
  MUST(op2_dat_create(cells, 4, OP2_F64, NULL, "q", &q));
  mkdir("run", 0777);
  /* the page's statements */
  MUST(op2_finalize(&ctx));
  return 0;
}
