/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that make different calls, as in t934, but as two processes of MPI, and with PETSc's calls:
 * run by t936-diverge-mpi.sh, and the first rank reports. With two arguments it tests how rank 1
 * leaves the other one waiting, and errors go to the file that the second one names:
 *   exit      by exit() without MPI_Finalize
 *   _exit     by _exit()
 *   finalize  by MPI_Finalize() before op2_finalize()
 *   silent    it sleeps: with OP2_WAIT_MAX the other rank gets an error */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diverge_case.h"
#include "op2/mpi.h"
#include "support.h"
#include "tap.h"

static int rank;

static int sum(int wrong) {
  int all;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static int diverge(const struct diverge_kind *kind, const char *path) {
  const op2_options options = diverge_options(kind);
  struct diverge_world w = {.rank = rank, .path = path};
  if (!op2_init_mpi(&options, MPI_COMM_WORLD, &w.ctx)) return diverge_run(&w, kind);
  diag("rank %d: %s", rank, op2_error_message());
  return 1;
}

static void try_kind(const struct diverge_kind *kind, const char *path) {
  enum { LONGEST_S = 120 };
  const op2_options options = diverge_options(kind);
  const char *name = diverge_step_at(kind->lists, kind->step)->name;
  alarm(LONGEST_S); /* ends the job if a rank waits for ever */
  const int wrong = sum(diverge(kind, path));
  if (rank == 0)
    is_int(wrong, 0, "%s is %s on rank %d (%s%s)", name, diverge_ways[kind->way], kind->deviant,
           options.backend, options.eager == 1 ? ", eager" : "");
}

static int all_kinds(const char *path) {
  static const struct diverge_list *const lists[] = {&diverge_mesh,
                                                     &diverge_loops,
                                                     &diverge_algebra,
                                                     &diverge_matrices,
#ifdef DIVERGE_FILES
                                                     &diverge_files,
#endif
#ifdef DIVERGE_PETSC
                                                     &diverge_petsc,
#endif
                                                     NULL};
  const char *only = getenv("OP2_TEST_DIVERGE"); /* number of the only call to test */
  struct diverge_kind usual = {lists, 0, AS_USUAL, 0};
  for (usual.step = 0; usual.step < 6; usual.step++) try_kind(&usual, path);
  for (int s = 0; s < diverge_steps(lists); s++)
    for (enum diverge_way way = LEFT_OUT; way < DIVERGE_WAYS; way++) {
      struct diverge_kind kind = {lists, s, way, (s + (int)way) % 2};
      if (only ? atoi(only) == s : diverge_tries(&kind)) try_kind(&kind, path);
    }
  return rank == 0 ? done() : 0;
}

/* A launcher may lose what a rank prints just before it ends the job, so messages go to a file. */
static void report(const char *path) {
  FILE *file = fopen(path, "a");
  if (file) fprintf(file, "rank %d is told: %s\n", rank, op2_error_message());
  if (file) fclose(file);
}

static int leave(const char *how, const char *path) {
  const op2_options options = {.backend = "sequential"};
  const double one = 1;
  op2_context ctx = NULL;
  op2_gbl gbl = NULL;
  op2_status status = op2_init_mpi(&options, MPI_COMM_WORLD, &ctx);
  if (!status) status = op2_gbl_create(ctx, 1, OP2_F64, &one, "one", &gbl);
  if (!status && rank) {
    if (!strcmp(how, "exit")) exit(0);
    if (!strcmp(how, "_exit")) _exit(0);
    if (!strcmp(how, "finalize")) MPI_Finalize();
    sleep(60);
  }
  if (!status) status = op2_flush(ctx);
  if (status) report(path);
  if (status) MPI_Abort(MPI_COMM_WORLD, 3);
  op2_gbl_destroy(&gbl);
  return op2_finalize(&ctx) != OP2_SUCCESS;
}

int main(int argc, char **argv) {
  char path[600] = "";
  test_environment();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 2) return leave(argv[1], argv[2]);
  if (rank == 0) snprintf(path, sizeof path, "%s/diverge.h5", test_scratch());
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  int status = all_kinds(path);
  alarm(0);
  MPI_Finalize();
  return status;
}
