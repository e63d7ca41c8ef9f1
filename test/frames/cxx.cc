/* SPDX-License-Identifier: BSD-3-Clause */
/* Three edges, for the classes of op2.hpp.
 * modules: op2 */
#include <op2.hpp>

#include <cstdio>

/* the page's definitions */
OP2_KERNEL(spread, (const double *length, double *a, double *b), {
  *a += length[0];
  *b += length[0];
});

int main() {
  const int32_t ends[] = {0, 1, 1, 2, 2, 0};
  const double lengths[] = {1, 10, 100};
  /* the page's statements */
  return 0;
}
