/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MPI_COMM_H
#define OP2I_MPI_COMM_H

/* The kind of communicator whose ranks are processes of MPI. */

#include <mpi.h>

#include "companion.h"

struct op2i_mpi_options {
  size_t piece; /* the maximum number of bytes of one MPI message: longer ones are sent in pieces */
  struct op2i_link_speed link;
  struct op2i_wait_limits limits;
  bool refused; /* this rank cannot continue, because of a setting in the environment */
};
enum { OP2I_MPI_PIECE = 1 << 30 };

/* Make a communicator from `parent`, which is duplicated. Collective. The options must be the same
 * on all ranks, except for options->refused, which becomes true on all ranks if it is true on
 * one. */
op2_status op2i_comm_mpi(const struct op2i_companion *op2, MPI_Comm parent,
                         struct op2i_mpi_options *options, struct op2i_comm **comm);
/* mpi_arrive.c: wait until every process of `parent` has arrived here, and print warnings
 * meanwhile. If the time limit is reached it fails, and the next call continues the same wait.
 * After such a failure MPI can be used as before, except for nonblocking collective calls on
 * `parent` and new communicators made from it (Open MPI numbers the latter by such calls).
 * Collective. */
op2_status op2i_mpi_arrive(const struct op2i_companion *op2, MPI_Comm parent,
                           const struct op2i_wait_limits *limits);
/* Leave the core to other threads after having waited for `waited` nanoseconds, for at most
 * `longest` nanoseconds. */
void op2i_mpi_rest(int64_t waited, int64_t longest);
/* A failure of MPI, with MPI's message. */
op2_status op2i_mpi_failed(const struct op2i_companion *op2, int rank, int size, int error,
                           const char *doing);
/* mpi_node_rank.c: find out whether a rank lacks memory or has an invalid setting; and find
 * the position of this rank on its node. Both are collective and return MPI's error. */
int op2i_mpi_any_out_of_memory(MPI_Comm mpi, bool memory, int *out_of_memory, bool *refused);
int op2i_mpi_node_rank(const struct op2i_companion *op2, MPI_Comm mpi,
                       struct op2i_node_rank *node_rank);
/* The kind of devices whose memory MPI takes, as it says itself; null: none. */
const char *op2i_mpi_takes(void);
/* Get the MPI communicator. Returns false if `comm` is of another kind. */
bool op2i_comm_is_mpi(const struct op2i_comm *comm, MPI_Comm *out);

#endif
