/* SPDX-License-Identifier: BSD-3-Clause */
/* The position of an MPI rank on its node: the ranks of the node, and the CPUs of each. And the
 * memory from which MPI sends. */
#define _GNU_SOURCE
#include "mpi_comm.h"

#include <dlfcn.h>

#include "affinity.h"

/* Find the highest rank without memory, or -1; *refused becomes true on all ranks if it is true on
 * one. Returns MPI's error. */
int op2i_mpi_any_out_of_memory(MPI_Comm mpi, bool memory, int *out_of_memory, bool *refused) {
  int number, most[2] = {-1, *refused};
  int error = MPI_Comm_rank(mpi, &number);
  if (!memory && !error) most[0] = number;
  if (!error) error = MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT, MPI_MAX, mpi);
  *out_of_memory = most[0];
  *refused = most[1];
  return error;
}

/* Compare the CPUs of the ranks on this node. If one rank lacks memory for this, each rank assumes
 * that no other rank uses its CPUs. */
static int compare_cpus(const struct op2i_companion *op2, MPI_Comm here,
                        struct op2i_node_rank *node_rank) {
  struct op2i_cpu_set own, *all = op2->calloc((size_t)node_rank->size, sizeof *all);
  int out_of_memory;
  bool refused = false;
  int error = op2i_mpi_any_out_of_memory(here, all != NULL, &out_of_memory, &refused);
  op2->process_cpu_set(&own);
  if (!error && out_of_memory < 0)
    error =
        MPI_Allgather(&own, OP2I_CPU_WORDS, MPI_UINT64_T, all, OP2I_CPU_WORDS, MPI_UINT64_T, here);
  if (!error && out_of_memory < 0) op2->node_rank_compare(node_rank, all);
  op2->free(all);
  return error;
}

/* Extensions of Open MPI and MPICH, which an MPI may lack. */
const char *op2i_mpi_takes(void) {
  static const struct {
    const char *function, *kind;
  } asked[] = {{"MPIX_Query_cuda_support", "cuda"},
               {"MPIX_Query_rocm_support", "hip"},
               {"MPIX_Query_hip_support", "hip"}};
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    int (*query)(void) = NULL;
    *(void **)&query = dlsym(RTLD_DEFAULT, asked[i].function);
    if (query && query() == 1) return asked[i].kind;
  }
  return NULL;
}

int op2i_mpi_node_rank(const struct op2i_companion *op2, MPI_Comm mpi,
                       struct op2i_node_rank *node_rank) {
  MPI_Comm here;
  *node_rank = (struct op2i_node_rank){.cpu_sharers = 1};
  int error = MPI_Comm_split_type(mpi, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  if (error) return error;
  error = MPI_Comm_rank(here, &node_rank->rank);
  if (!error) error = MPI_Comm_size(here, &node_rank->size);
  if (!error) error = compare_cpus(op2, here, node_rank);
  int freed = MPI_Comm_free(&here);
  return error ? error : freed;
}
