/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs over ranks that are threads give the results of the same program on one rank. */
#include <stdlib.h>

#include "spread_case.h"
#include "support.h"
#include "tap.h"

static int as_threads(int n, rank_function *function, void *data) {
  return run_contexts(n, (struct op2i_link_speed){0}, function, data);
}

static int over_a_slow_link(int n, rank_function *function, void *data) {
  return run_contexts(n, (struct op2i_link_speed){.delay = 200000}, function, data);
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu"};
  test_environment();
  setenv("OP2_FUSE", "2", 1);
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    const char *why = op2_backend_unavailable(backends[b]);
#ifdef __SANITIZE_THREAD__
    if (b > 0) why = "the thread sanitizer does not know the locks of its threads";
#endif
    if (why) {
      skip("%s: %s", backends[b], why);
      continue;
    }
    for (int ranks = 1; ranks <= 4; ranks++)
      for (int how = 0; how < SPREAD_HOWS; how++) {
        /* The second program uses a slow link; only one of the two runs, alternately. */
        const int other = ((int)b + ranks + how + taken_half()) % 2;
        const int first = thorough() ? 0 : other, count = thorough() ? 8 : 1;
        int wrong = 0;
        for (int n = first; n < first + count; n++)
          wrong +=
              spread_program(backends[b], ranks, how, (uint64_t)(100 * ranks + 10 * how + n + 1),
                             n % 3 == 1 ? over_a_slow_link : as_threads);
        is_int(wrong, 0, "%s, %d ranks, %s: %d programs", backends[b], ranks, spread_hows[how],
               count);
      }
  }
  return done();
}
