/* SPDX-License-Identifier: BSD-3-Clause */
/* Three edges: their ends and lengths, and variables for all that a page makes of them.
 * modules: op2 */
#include <op2.h>

#include "must.h"

/* the page's definitions */

int main(void) {
  const int32_t table[] = {0, 1, 1, 2, 2, 0};
  const double lengths[] = {1, 10, 100};
  double sums[3];
  op2_context ctx;
  op2_set edges, nodes;
  op2_map ends;
  op2_dat length, sum;
  op2_kernel kernel;
  /* the page's statements */
  return sums[0] != 101 || sums[1] != 11 || sums[2] != 110;
}
