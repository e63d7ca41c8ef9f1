/* SPDX-License-Identifier: BSD-3-Clause */
/* libop2-compat-mpi: ranks for libop2-compat, and OP2's calls that name MPI. */
#include <op2/mpi.h>

#include "op_lib_mpi.h"
#include "ranks.h"

MPI_Comm OP_MPI_WORLD = MPI_COMM_NULL, OP_MPI_GLOBAL = MPI_COMM_NULL;

/* The ranks of the program, and the library's own copy of them for its messages. */
static MPI_Comm chosen = MPI_COMM_NULL, job = MPI_COMM_NULL, own = MPI_COMM_NULL;

static op2_status begin(op2_context *ctx) {
  int started;
  MPI_Initialized(&started);
  if (!started) MPI_Init(NULL, NULL);
  MPI_Comm comm = chosen == MPI_COMM_NULL ? MPI_COMM_WORLD : chosen;
  OP_MPI_WORLD = comm;
  OP_MPI_GLOBAL = job == MPI_COMM_NULL ? MPI_COMM_WORLD : job;
  MPI_Comm_dup(comm, &own);
  return op2_init_mpi(NULL, comm, ctx);
}

static void end(void) {
  int ended;
  MPI_Comm_free(&own);
  MPI_Finalized(&ended);
  if (!ended) MPI_Finalize();
}

static void abort_all(void) { MPI_Abort(own, 1); }

static bool any(bool here) {
  int all = here, mine = here;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, own);
  return all;
}

/* MPI leaves the result on the first rank as it is. */
static int64_t before(int64_t count) {
  int64_t sum = 0;
  MPI_Exscan(&count, &sum, 1, MPI_INT64_T, MPI_SUM, own);
  return sum;
}

int op2_compat_mpi(void) {
  static const struct op2_compat_ranks ranks = {begin, end, abort_all, any, before};
  op2_compat_use_ranks(&ranks);
  return 1;
}

void op_mpi_init(int argc, char **argv, int diags, int global, int local) {
  (void)op2_compat_mpi();
  job = MPI_Comm_f2c((MPI_Fint)global);
  chosen = MPI_Comm_f2c((MPI_Fint)local);
  op_init(argc, argv, diags);
}

void op_mpi_init_soa(int argc, char **argv, int diags, int global, int local, int soa) {
  (void)soa;
  op_mpi_init(argc, argv, diags, global, local);
}
