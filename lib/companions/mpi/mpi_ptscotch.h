/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MPI_PTSCOTCH_H
#define OP2I_MPI_PTSCOTCH_H

#include "companion.h"

/* Have graphs over ranks of MPI cut by PT-Scotch, where this was built with it. */
void op2i_mpi_offer_ptscotch(const struct op2i_companion *op2);

#endif
