/* SPDX-License-Identifier: BSD-3-Clause */
/* One of several ranks that are processes of MPI fails, in the ways of t925: run by
 * t912-mpi-failure.sh, and the first rank reports. With a backend and a number as arguments, that
 * allocation of the last rank fails. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "companion.h"
#include "failure_case.h"
#include "mpi_comm.h"
#include "support.h"
#include "tap.h"

static int rank, size;

static int as_processes(int n, rank_function *function, void *data) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  struct op2i_mpi_options mpi_options = {.piece = OP2I_MPI_PIECE};
  struct op2i_comm *comm;
  (void)n;
  if (op2 && !op2i_comm_mpi(op2, MPI_COMM_WORLD, &mpi_options, &comm)) return function(comm, data);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return 1;
}

static int sum(int wrong) {
  int all;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void run_each(const char *backend, const struct failure *f) {
  const char *why = failure_unavailable(f);
  int wrong = 0;
  struct scene scene = {.backend = backend, .ranks = size, .verify = f->verify, .play = f->play};
  if (sum(why != NULL)) {
    if (rank == 0) skip("%s: %s: %s", backend, f->what, why);
    return;
  }
  for (scene.victim = 0; scene.victim < size; scene.victim++)
    wrong += sum(failure_run(&scene, as_processes));
  if (rank == 0) is_int(wrong, 0, "%s: %s", backend, f->what);
}

/* Allocation n of the last rank fails; with 0 none does, and the number of its allocations is
 * printed. */
static int run_memory(const char *backend, int64_t n) {
  struct scene scene = {.backend = backend,
                        .ranks = size,
                        .victim = size - 1,
                        .n = n ? n : INT64_MAX,
                        .play = failure_memory};
  const int failed = sum(failure_run(&scene, as_processes));
  if (rank == scene.victim && !n) printf("%d\n", (int)scene.made);
  if (rank == 0 && n) puts(failed ? "all have failed" : "nobody has noticed");
  return failed && failed != 1000 * size;
}

int main(int argc, char **argv) {
  static const char *const backends[] = {"sequential", "openmp", "starpu"};
  int status = 0;
  test_environment();
  (void)test_scratch();
  setenv("OP2_FUSE", "2", 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) {
    status = run_memory(argv[1], atoi(argv[2]));
    MPI_Finalize();
    return status;
  }
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    const char *why = op2_backend_unavailable(backends[b]);
    if (why) {
      if (rank == 0) skip("%s: %s", backends[b], why);
      continue;
    }
    for (int f = 0; f < FAILURES; f++)
      if (!failures[f].only && !failures[f].threads_only) run_each(backends[b], &failures[f]);
  }
  if (rank == 0) status = done();
  MPI_Finalize();
  return status;
}
