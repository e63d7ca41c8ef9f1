/* SPDX-License-Identifier: BSD-3-Clause */
/* One of the names by which programs for OP2 include its interface over MPI. */
#include "op_lib_mpi.h"
