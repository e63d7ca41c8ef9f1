/* SPDX-License-Identifier: BSD-3-Clause */
/* Four nodes with values, for blocks that queue a loop or a call.
 * modules: op2 */
#include <math.h>
#include <op2.h>

#include "must.h"

/* the page's definitions */
OP2_KERNEL(frame_halve, (double *u), { *u *= 0.5; });

int main(void) {
  const double states[] = {1, 0, 0, 2, 1, 0, 0, 2, 1, 0, 0, 2, 1, 0, 0, 2}, ones[] = {1, 1, 1, 1};
  op2_context ctx;
  op2_set nodes;
  op2_dat q, r, u;
  op2_kernel halve, kernel;
  FILE *file = tmpfile();
  MUST(op2_init(NULL, &ctx));
  MUST(op2_set_create(ctx, 4, "nodes", &nodes));
  MUST(op2_dat_create(nodes, 4, OP2_F64, states, "q", &q));
  MUST(op2_dat_create(nodes, 1, OP2_F64, ones, "u", &u));
  MUST(op2_dat_create(nodes, 1, OP2_F64, NULL, "r", &r));
  MUST(op2_kernel_create(ctx, &frame_halve_kernel, &halve));
  /* the page's statements */
  MUST(op2_flush(ctx));
  MUST(op2_finalize(&ctx));
  return file == NULL;
}
