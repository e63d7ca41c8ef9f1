/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that share a folder of compiled loops compile each loop once; without one each rank
 * compiles for itself. If one of them cannot compile, all report it. Over MPI: t910-mpi.sh. */
#include <stdlib.h>
#include <string.h>

#include "code_case.h"
#include "support.h"

int main(void) {
  const char *backend;
  test_environment();
  setenv("OP2_FUSE", "0", 1);
  for (int b = 0; (backend = next_backend_of_ranks(host_backends, &b));) {
    for (int how = 0; how < CODE_HOWS; how++) {
      struct code_scene scene = {backend, test_scratch(), (enum code_how)how};
      int wrong = 0, most = strcmp(backend, "sequential") ? 2 : 4;
      for (int n = 2; n <= most; n += 2) wrong += run_contexts(n, code_rank, &scene);
      is_int(wrong, 0, "%s: %s", backend, code_hows[how]);
    }
  }
  return done();
}
