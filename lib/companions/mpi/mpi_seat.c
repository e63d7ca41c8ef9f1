/* SPDX-License-Identifier: BSD-3-Clause */
/* The position of an MPI rank on its node: the ranks of the node, and the CPUs of each. */
#include "mpi_comm.h"

#include "affinity.h"

/* Find the highest rank without memory, or -1; *refused becomes true on all ranks if it is true on
 * one. Returns MPI's error. */
int op2i_mpi_who_lacks(MPI_Comm mpi, bool memory, int *lacks, bool *refused) {
  int number, most[2] = {-1, *refused};
  int error = MPI_Comm_rank(mpi, &number);
  if (!memory && !error) most[0] = number;
  if (!error) error = MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT, MPI_MAX, mpi);
  *lacks = most[0];
  *refused = most[1];
  return error;
}

/* Compare the CPUs of the ranks on this node. If one rank lacks memory for this, each rank assumes
 * that no other rank uses its CPUs. */
static int compare_cpus(const struct op2i_companion *op2, MPI_Comm here, struct op2i_seat *seat) {
  struct op2i_cpu_set own, *all = op2->calloc((size_t)seat->size, sizeof *all);
  int lacks;
  bool refused = false;
  int error = op2i_mpi_who_lacks(here, all != NULL, &lacks, &refused);
  op2->process_cpu_set(&own);
  if (!error && lacks < 0)
    error =
        MPI_Allgather(&own, OP2I_CPU_WORDS, MPI_UINT64_T, all, OP2I_CPU_WORDS, MPI_UINT64_T, here);
  if (!error && lacks < 0) op2->seat_compare(seat, all);
  op2->free(all);
  return error;
}

int op2i_mpi_seat(const struct op2i_companion *op2, MPI_Comm mpi, struct op2i_seat *seat) {
  MPI_Comm here;
  *seat = (struct op2i_seat){.twins = 1};
  int error = MPI_Comm_split_type(mpi, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  if (error) return error;
  error = MPI_Comm_rank(here, &seat->rank);
  if (!error) error = MPI_Comm_size(here, &seat->size);
  if (!error) error = compare_cpus(op2, here, seat);
  int freed = MPI_Comm_free(&here);
  return error ? error : freed;
}
