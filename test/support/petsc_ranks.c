/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of MPI in tests with PETSc: see petsc_ranks.h. */
#include "petsc_ranks.h"

#include <stdarg.h>
#include <stdio.h>

#include "support.h"

int rank, ranks, wrong;

void begin_ranks(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

void on_backends(void (*try_backend)(const char *backend)) {
  static const char *const backends[] = {"sequential", "openmp", "starpu"};
  /* Ranks that outnumber the cores take most of the time. Quick runs have starpu with three and
   * openmp with four. */
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    if (quick() && ranks > 2 && (int)b != ranks % 2 + 1) continue;
    const char *why = backend_unfit(backends[b]);
    if (!why)
      try_backend(backends[b]);
    else if (!rank)
      skip("%s: %s", backends[b], why);
  }
}

int end_ranks(void) {
  const int status = rank ? 0 : done();
  MPI_Finalize();
  return status;
}

void tell(const char *format, ...) {
  char what[300];
  int all = 0;
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!rank) is_int(all, 0, "%s", what);
  wrong = 0;
}

bool good(bool holds, const char *file, int line, const char *text) {
  if (holds) return true;
  fprintf(stderr, "# rank %d, %s:%d: %s: %s\n", rank, file, line, text, op2_error_message());
  wrong++;
  return false;
}

void new_ring(const char *backend, op2_context *ctx, op2_set *nodes, op2_set *edges,
              op2_map *ends) {
  const op2_options options = {.backend = backend, .threads = 1, .cache_dir = test_cache()};
  const int64_t first = (int64_t)rank * EACH, all = (int64_t)ranks * EACH;
  int64_t idx[2 * EACH];
  for (int i = 0; i < EACH; i++) idx[2 * i] = first + i, idx[2 * i + 1] = (first + i + 1) % all;
  DO(op2_init_mpi(&options, MPI_COMM_WORLD, ctx));
  DO(op2_petsc_use(*ctx, 0, NULL));
  DO(op2_set_create(*ctx, EACH, "nodes", nodes));
  DO(op2_set_create(*ctx, EACH, "edges", edges));
  DO(op2_map_create_global(*edges, *nodes, 2, idx, "ends", ends));
}
