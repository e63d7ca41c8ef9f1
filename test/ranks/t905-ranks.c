/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs over ranks that are threads give the results of the same program on one rank. */
#include <stdlib.h>

#include "spread_case.h"
#include "support.h"
#include "tap.h"

static int over_a_slow_link(int n, rank_function *function, void *data) {
  return run_contexts_over(n, (struct op2i_link_speed){.delay = 200000}, function, data);
}

int main(void) {
  const char *backend;
  test_environment();
  setenv("OP2_FUSE", "2", 1);
  for (int b = 0; (backend = next_backend_of_ranks(host_backends, &b));) {
    for (int ranks = 1; ranks <= 4; ranks++)
      for (int how = 0; how < SPREAD_HOWS; how++) {
        /* The second program uses a slow link; only one of the two runs, alternately. */
        const int other = (b + ranks + how + taken_half()) % 2;
        const int first = thorough() ? 0 : other, count = thorough() ? 8 : 1;
        int wrong = 0;
        for (int n = first; n < first + count; n++)
          wrong += spread_program(backend, ranks, how, (uint64_t)(100 * ranks + 10 * how + n + 1),
                                  n % 3 == 1 ? over_a_slow_link : run_contexts);
        is_int(wrong, 0, "%s, %d ranks, %s: %d programs", backend, ranks, spread_hows[how], count);
      }
  }
  return done();
}
