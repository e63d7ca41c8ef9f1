/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel by address.
 * modules: op2 */
#include <op2.h>

#include "must.h"

/* the page's definitions */
void flux(const double *x, double *res, int n) { *res += n * *x; }

int main(void) {
  const double ones[] = {1, 1, 1};
  op2_context ctx;
  op2_set nodes;
  op2_dat x, res;
  op2_kernel kernel;
  double values[3];
  int n = 2;
  MUST(op2_init(NULL, &ctx));
  MUST(op2_set_create(ctx, 3, "nodes", &nodes));
  MUST(op2_dat_create(nodes, 1, OP2_F64, ones, "x", &x));
  MUST(op2_dat_create(nodes, 1, OP2_F64, NULL, "res", &res));
  /* the page's statements */
  MUST(op2_par_loop(kernel, nodes, op2_arg_direct(x, OP2_READ), op2_arg_direct(res, OP2_INC),
                    op2_arg_val(&n, 1, OP2_I32)));
  MUST(op2_dat_get(res, values));
  MUST(op2_finalize(&ctx));
  return values[0] != 2;
}
