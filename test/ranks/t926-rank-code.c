/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that share a folder of compiled loops compile each loop once; without one each rank
 * compiles for itself. If one of them cannot compile, all report it. Over MPI: t910-mpi.sh. */
#include <stdlib.h>

#include "code_case.h"
#include "support.h"

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu"};
  test_environment();
  setenv("OP2_FUSE", "0", 1);
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    const char *why = op2_backend_unavailable(backends[b]);
#ifdef __SANITIZE_THREAD__
    if (b > 0) why = "the thread sanitizer does not know the locks of its threads";
#endif
    if (why) {
      skip("%s: %s", backends[b], why);
      continue;
    }
    for (int how = 0; how < CODE_HOWS; how++) {
      struct code_scene scene = {backends[b], test_scratch(), (enum code_how)how};
      int wrong = 0;
      for (int n = 2; n <= (b ? 2 : 4); n += 2)
        wrong += run_contexts(n, (struct op2i_link_speed){0}, code_rank, &scene);
      is_int(wrong, 0, "%s: %s", backends[b], code_hows[how]);
    }
  }
  return done();
}
