/* SPDX-License-Identifier: BSD-3-Clause */
/* The last rank does not call op2_init_mpi(): run by t918-mpi-arrive.sh, and the first rank
 * reports. The others warn. With OP2_WAIT_MAX they get an error and can use MPI as before, and if
 * the last one calls later, a context can still be created. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi_comm.h"
#include "op2.h"
#include "op2/mpi.h"
#include "support.h"
#include "tap.h"

static int rank, ranks;

static bool is_late(void) { return rank == ranks - 1; }

/* Combine all ranks' results; the first one prints the line. */
static void all_ok(bool good, const char *what) {
  int own = good, all;
  if (!good) fprintf(stderr, "# rank %d: %s: %s\n", rank, what, op2_error_message());
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) ok(all, "%s (%d ranks)", what, ranks);
}

/* ---- warnings -------------------------------------------------------------------------------- */

static int lines_of(const char *path, const char *text) {
  char line[1024];
  int n = 0;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) n += strstr(line, text) != NULL;
  if (file) fclose(file);
  return n;
}

/* Rank 0 writes its warnings to a file, and the late rank calls once there are two of them. */
static void test_warnings(const char *path) {
  static const char text[] = " s in op2_init_mpi, to which some other rank has not come";
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  struct op2i_mpi_options mpi_options = {.piece = OP2I_MPI_PIECE, .limits.warn_after = 50000000};
  const struct timespec nap = {.tv_nsec = 10000000};
  struct op2i_comm *comm = NULL;
  fflush(stderr);
  const int before = dup(2), file = open(path, O_WRONLY | O_CREAT, 0600);
  if (rank == 0) dup2(file, 2);
  while (is_late() && lines_of(path, text) < 2) nanosleep(&nap, NULL);
  op2_status status = op2i_comm_mpi(op2, MPI_COMM_WORLD, &mpi_options, &comm);
  fflush(stderr);
  dup2(before, 2);
  close(before);
  close(file);
  all_ok(!status, "a rank that comes late is waited for");
  if (!status) comm->kind->free(comm);
  if (rank == 0) ok(lines_of(path, "op2 warning: rank 0 of ") >= 2, "with warnings meanwhile");
}

/* ---- end after the time limit ---------------------------------------------------------------- */

static op2_status begin(MPI_Comm comm, op2_context *ctx) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  return op2_init_mpi(&options, comm, ctx);
}

/* All ranks but the late one give up. */
static void give_up(MPI_Comm comm, const char *what) {
  op2_context ctx = NULL;
  op2_status status = is_late() ? OP2_ERR_STATE : begin(comm, &ctx);
  const char *said = op2_error_message();
  bool good = is_late() || (strstr(said, "some other rank has not come to it") &&
                            strstr(said, "OP2_WAIT_MAX") && strstr(said, "has waited 1 s"));
  all_ok(status == OP2_ERR_STATE && good && !ctx, what);
}

/* Messages and blocking calls on this communicator, and all of MPI on others. */
static void use_mpi(MPI_Comm comm, MPI_Comm spare, const char *what) {
  MPI_Comm copy, half;
  MPI_Request request;
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  int sum = 0, one = 1, from = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, next, 0, &from, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm,
               MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  MPI_Comm_dup(spare, &copy);
  MPI_Comm_split(spare, rank % 2, 0, &half);
  MPI_Ibarrier(spare, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
  all_ok(sum == ranks && from == previous, what);
}

static void make_context(MPI_Comm comm, const char *what) {
  op2_context ctx = NULL;
  op2_set cells = NULL;
  op2_status status = begin(comm, &ctx);
  if (!status) status = op2_set_create(ctx, 3, "cells", &cells);
  op2_set_destroy(&cells);
  if (!status) status = op2_finalize(&ctx);
  all_ok(!status, what);
}

static void test_end(void) {
  MPI_Comm first, second, spare;
  op2_context ctx = NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  MPI_Comm_dup(MPI_COMM_WORLD, &spare);
  setenv("OP2_WAIT_MAX", "1", 1);
  give_up(first, "with OP2_WAIT_MAX the ranks that wait are told");
  use_mpi(first, spare, "MPI can be used afterwards");
  give_up(first, "once more");
  setenv("OP2_WAIT_MAX", "0", 1);
  make_context(first, "when all come, there is a context");
  make_context(first, "and another one");
  setenv("OP2_WAIT_MAX", "1", 1);
  give_up(second, "on another communicator");
  op2_status status = is_late() ? begin(second, &ctx) : OP2_ERR_STATE;
  all_ok(status == OP2_ERR_STATE && !ctx, "the late rank is told as well when it comes alone");
  use_mpi(second, spare, "MPI can be used afterwards");
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  /* MPI ends while there is a barrier that one rank has not entered. */
  give_up(spare, "before MPI ends");
}

static void test_null(void) {
  op2_context ctx = NULL;
  op2_status status = op2_init_mpi(&(op2_options){.backend = "sequential"}, MPI_COMM_WORLD,
                                   is_late() ? NULL : &ctx);
  all_ok(status == OP2_ERR_ARG && !ctx, "all are told that one has no place for the context");
}

int main(int argc, char **argv) {
  enum { LONGEST_S = 120 };
  char path[600] = "";
  test_environment();
  unsetenv("OP2_WAIT_MAX");
  alarm(LONGEST_S); /* ends the job if a rank waits for ever */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) snprintf(path, sizeof path, "%s/warnings", test_scratch());
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  test_warnings(path);
  test_null();
  test_end();
  int status = rank == 0 ? done() : 0;
  MPI_Finalize();
  return status;
}
