/* SPDX-License-Identifier: BSD-3-Clause */
/* Every MPI call during the set-up of a context fails once, on all ranks alike: op2_init_mpi()
 * reports it with MPI's own message, leaves the handle alone, and can be called again. Functions of
 * the same names here replace MPI's, as its profiling interface allows. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2.h"
#include "op2/mpi.h"

static int fail_at, calls; /* the call that fails, from 1 on; 0: none does */
static const char *last;   /* name of the call that has failed */

static int fails(const char *name) {
  if (++calls != fail_at) return 0;
  last = name;
  return 1;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out) {
  return fails("MPI_Comm_dup") ? MPI_ERR_OTHER : PMPI_Comm_dup(comm, out);
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
  return fails("MPI_Ibarrier") ? MPI_ERR_OTHER : PMPI_Ibarrier(comm, request);
}
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  return fails("MPI_Comm_set_errhandler") ? MPI_ERR_OTHER : PMPI_Comm_set_errhandler(comm, handler);
}
int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  return fails("MPI_Comm_rank") ? MPI_ERR_OTHER : PMPI_Comm_rank(comm, rank);
}
int MPI_Comm_size(MPI_Comm comm, int *size) {
  return fails("MPI_Comm_size") ? MPI_ERR_OTHER : PMPI_Comm_size(comm, size);
}
int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  return fails("MPI_Bcast") ? MPI_ERR_OTHER : PMPI_Bcast(data, n, type, root, comm);
}
int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return fails("MPI_Allreduce") ? MPI_ERR_OTHER : PMPI_Allreduce(in, out, n, type, op, comm);
}
int MPI_Allgather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to,
                  MPI_Comm comm) {
  return fails("MPI_Allgather") ? MPI_ERR_OTHER : PMPI_Allgather(in, n, type, out, m, to, comm);
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out) {
  return fails("MPI_Comm_split_type") ? MPI_ERR_OTHER
                                      : PMPI_Comm_split_type(comm, type, key, info, out);
}

static int wrong, rank;

static void look(int good, int n, const char *what, const char *said) {
  if (good) return;
  wrong++;
  fprintf(stderr, "# rank %d, call %d (%s): %s: %s\n", rank, n, last ? last : "none", what, said);
}

/* True if there was an n-th call, which failed. */
static int attempt(int n) {
  op2_context ctx = NULL;
  const op2_options options = {.backend = "sequential", .log_level = 1};
  calls = 0, last = NULL, fail_at = n;
  op2_status status = op2_init_mpi(&options, MPI_COMM_WORLD, &ctx);
  fail_at = 0;
  const char *said = op2_error_message();
  if (!last) {
    look(status == OP2_SUCCESS, n, "it succeeds", said);
  } else {
    look(status == OP2_ERR_FATAL, n, "it fails", op2_status_name(status));
    look(strstr(said, "MPI failed") && strstr(said, "communicator"), n, "it says of what", said);
    look(!ctx, n, "the handle is left alone", "");
  }
  look(op2_finalize(&ctx) == OP2_SUCCESS, n, "it ends", op2_error_message());
  return last != NULL;
}

int main(int argc, char **argv) {
  int n = 1, ranks, all;
  MPI_Init(&argc, &argv);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  while (n < 100 && attempt(n)) n++;
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%sok 1 - %d ranks are told of each of %d calls that fail\n", all ? "not " : "", ranks,
           n - 1);
    printf("%sok 2 - there are some, and the one after succeeds\n1..2\n",
           n > 8 && n < 100 ? "" : "not ");
  }
  MPI_Finalize();
  return all || n <= 8;
}
