/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts over MPI: the checks of MPI's state, and their communicators. */
#include "op2/mpi.h"

#include "mpi_comm.h"

/* Check that MPI can be called. */
static op2_status mpi_is_there(const struct op2i_companion *op2, const char *call) {
  int begun = 0, over = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&over);
  if (!begun)
    return op2->error(OP2_ERR_STATE,
                      "%s: MPI is not initialised: call MPI_Init or MPI_Init_thread before", call);
  if (over) return op2->error(OP2_ERR_STATE, "%s: MPI is finalized", call);
  return OP2_SUCCESS;
}

static op2_status validate(const struct op2i_companion *op2, MPI_Comm comm) {
  int inter = 0, granted = MPI_THREAD_SINGLE, main_thread = 0;
  op2_status status = mpi_is_there(op2, "op2_init_mpi");
  if (status) return status;
  if (comm == MPI_COMM_NULL)
    return op2->error(OP2_ERR_ARG, "op2_init_mpi: the communicator is MPI_COMM_NULL");
  MPI_Comm_test_inter(comm, &inter);
  if (inter)
    return op2->error(OP2_ERR_ARG, "op2_init_mpi: the communicator is an intercommunicator, "
                                   "between two groups of processes; one group is needed");
  MPI_Query_thread(&granted);
  MPI_Is_thread_main(&main_thread);
  if (granted < MPI_THREAD_SERIALIZED && !main_thread)
    return op2->error(OP2_ERR_STATE,
                      "op2_init_mpi: MPI may be called from the thread that initialised it only, "
                      "and this is another: ask MPI_Init_thread for MPI_THREAD_SERIALIZED");
  return OP2_SUCCESS;
}

static op2_status init(const struct op2i_companion *op2, const op2_options *options,
                       MPI_Comm parent, op2_context *ctx) {
  struct op2i_mpi_options mpi_options = {.piece = OP2I_MPI_PIECE};
  struct op2i_comm *comm;
  op2_status status = validate(op2, parent);
  if (status) return status;
  op2->limits(options, &mpi_options.limits);
  op2_status asked =
      ctx ? op2->link(&mpi_options.link)
          : op2->error(OP2_ERR_ARG, "op2_init_mpi: where to put the context is null");
  mpi_options.refused = asked != OP2_SUCCESS;
  status = op2i_comm_mpi(op2, parent, &mpi_options, &comm);
  if (status) return status;
  if (mpi_options.refused) status = op2->agree(comm, asked);
  if (status) {
    comm->kind->free(comm);
    return status;
  }
  return op2->init_ranks(options, comm, ctx);
}

/* Threads that MPI starts for the communicator inherit the default floating-point environment. */
op2_status op2_init_mpi(const op2_options *options, MPI_Comm parent, op2_context *ctx) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  struct op2i_fp_scope scope;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  op2->fp_enter(&scope);
  op2_status status = init(op2, options, parent, ctx);
  op2->fp_leave(&scope);
  return status;
}

op2_status op2_init_mpi_f(const op2_options *options, MPI_Fint comm, op2_context *ctx) {
  return op2_init_mpi(options, MPI_Comm_f2c(comm), ctx);
}

op2_status op2_mpi_comm(op2_context ctx, MPI_Comm *out) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  struct op2i_comm *comm;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  if (!out) return op2->error(OP2_ERR_ARG, "op2_mpi_comm: where to put the communicator is null");
  op2_status status = op2->comm_of(ctx, "op2_mpi_comm", &comm);
  if (!status) status = mpi_is_there(op2, "op2_mpi_comm");
  if (status) return status;
  if (comm && op2i_comm_is_mpi(comm, out)) return OP2_SUCCESS;
  return op2->error(OP2_ERR_STATE, "op2_mpi_comm: the context was not made by op2_init_mpi()");
}
