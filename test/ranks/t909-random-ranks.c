/* SPDX-License-Identifier: BSD-3-Clause */
/* The random programs of t600 over ranks that are threads: each rank gets, lazy and eager and on
 * every backend, what the interpreter gets in one piece.
 *
 *   t909-random-ranks [count [seed [only [ranks]]]]
 *
 * runs `count` programs of a seed, or just program `only` of them, unless that is negative; all on
 * `ranks` ranks instead of 2, 3 and 4 in turn. OP2_LINK delays messages, as over MPI.
 * OP2_TEST_FULL=1 takes 2,000, OP2_TEST_QUICK=1 a few. Devices, whose compilers take
 * long, run some of them; OP2_TEST_BACKEND names one backend, which runs all. */
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "program_case.h"

static struct op2i_link_speed speed;

static int as_threads(int n, rank_function *function, void *data) {
  return run_contexts_over(n, speed, function, data);
}

static int number_of(int argc, char **argv, int i, int otherwise) {
  return argc > i ? atoi(argv[i]) : otherwise;
}

int main(int argc, char **argv) {
  const char *backend, *named = getenv("OP2_TEST_BACKEND");
  const int count = number_of(argc, argv, 1,
                              quick()      ? 25
                              : thorough() ? 2000
                                           : 60),
            seed = number_of(argc, argv, 2, 1), only = number_of(argc, argv, 3, -1),
            ranks = number_of(argc, argv, 4, 0);
  test_environment();
  if (op2i_env_link(&speed)) return 2;
  for (int b = 0; (backend = next_backend_of_ranks(every_backend, &b));) {
    const int some = is_device(backend) && !named && count > 10 ? 10 : count;
    const struct program_counts counts =
        programs_on_ranks(backend, ranks, (uint64_t)seed, only < 0 ? 0 : only,
                          only < 0 ? some : only + 1, as_threads);
    is_int(counts.wrong, 0, "%s: %d programs on ranks, lazy and eager", backend, counts.run);
    ok(only >= 0 || counts.loops > 2 * counts.run, "%s: of %d loops", backend, counts.loops);
  }
  return done();
}
