/* SPDX-License-Identifier: BSD-3-Clause */
/* Three edges, for a program in OP2's interface.
 * modules: op2-compat */
#include <op_seq.h>

/* the page's definitions */

int main(int argc, char **argv) {
  int table[] = {0, 1, 1, 2, 2, 0};
  double lengths[] = {1, 10, 100}, zeros[] = {0, 0, 0}, sums[3];
  /* the page's statements */
  return sums[0] != 101 || sums[1] != 11 || sums[2] != 110;
}
