/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MPI_PTSCOTCH_H
#define OP2I_MPI_PTSCOTCH_H

#include "companion.h"

/* Offer PT-Scotch as a partitioner of graphs over ranks of MPI, if the library was built with
 * it. */
void op2i_mpi_offer_ptscotch(const struct op2i_companion *op2);

#endif
