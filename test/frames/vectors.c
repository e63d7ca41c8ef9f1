/* SPDX-License-Identifier: BSD-3-Clause */
/* The vectors of a step of conjugate gradients.
 * modules: op2 */
#include <op2.h>

#include "must.h"

/* the page's definitions */

int main(void) {
  const double ones[] = {1, 1, 1};
  double result[3];
  op2_context ctx;
  op2_set nodes;
  op2_dat p, r, u, v;
  op2_gbl pv, rr, norm;
  MUST(op2_init(NULL, &ctx));
  MUST(op2_set_create(ctx, 3, "nodes", &nodes));
  MUST(op2_dat_create(nodes, 1, OP2_F64, ones, "p", &p));
  MUST(op2_dat_create(nodes, 1, OP2_F64, ones, "r", &r));
  MUST(op2_dat_create(nodes, 1, OP2_F64, NULL, "u", &u));
  MUST(op2_dat_create(nodes, 1, OP2_F64, ones, "v", &v));
  MUST(op2_gbl_create(ctx, 1, OP2_F64, NULL, "pv", &pv));
  MUST(op2_gbl_create(ctx, 1, OP2_F64, NULL, "rr", &rr));
  MUST(op2_gbl_create(ctx, 1, OP2_F64, NULL, "norm", &norm));
  MUST(op2_dat_dot(r, r, rr));
  /* the page's statements */
  MUST(op2_dat_get(u, result));
  MUST(op2_finalize(&ctx));
  return result[0] != 1 || result[2] != 1;
}
