/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MPI_COMM_H
#define OP2I_MPI_COMM_H

/* The kind of communicator whose ranks are processes of MPI. */

#include <mpi.h>

#include "companion.h"

struct op2i_mpi_manner {
  size_t piece; /* no message of MPI has more bytes: longer ones go in several */
  struct op2i_link_speed link;
  struct op2i_patience patience;
  bool refused; /* this rank cannot go on, because of what the environment asks for */
};
enum { OP2I_MPI_PIECE = 1 << 30 };

/* Collective over `parent`, which is duplicated. The manner is the same on all ranks, but for
 * manner.refused, which becomes true on all ranks where it is on one. */
op2_status op2i_comm_mpi(const struct op2i_companion *op2, MPI_Comm parent,
                         struct op2i_mpi_manner *manner, struct op2i_comm **comm);
/* mpi_arrive.c: wait until every process of `parent` has come here, with warnings meanwhile. Where
 * the patience ends it fails, and the next call goes on with the same wait. MPI can then be used as
 * before, but for nonblocking collective calls on `parent` and new communicators made from it (Open
 * MPI numbers the latter by such calls). Collective. */
op2_status op2i_mpi_arrive(const struct op2i_companion *op2, MPI_Comm parent,
                           const struct op2i_patience *patience);
/* Leave the core to others after so long a wait, for at most `longest` nanoseconds. */
void op2i_mpi_rest(int64_t waited, int64_t longest);
/* A failure of MPI, in its own words. */
op2_status op2i_mpi_failed(const struct op2i_companion *op2, int rank, int size, int error,
                           const char *doing);
/* mpi_seat.c; both are collective and return MPI's error: whether a rank lacks memory or was refused
 * something, and where this rank is. */
int op2i_mpi_who_lacks(MPI_Comm mpi, bool memory, int *lacks, bool *refused);
int op2i_mpi_seat(const struct op2i_companion *op2, MPI_Comm mpi, struct op2i_seat *seat);
/* False when it is of another kind. */
bool op2i_comm_is_mpi(const struct op2i_comm *comm, MPI_Comm *out);

#endif
