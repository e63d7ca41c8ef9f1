/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_COMM_CASE_H
#define OP2_TEST_COMM_CASE_H

#include "rank_case.h"

/* Properties of every kind of communicator: order, collective operations, parcels that the receiver
 * does not expect. Each function returns the number of failed checks on its rank. */
rank_function comm_ring, comm_in_order, comm_tree, comm_numbers;
rank_function comm_parcels; /* data: the seed, a const uint64_t */
/* Needs two ranks, on the link COMM_SLOW. */
rank_function comm_slowly;
#define COMM_SLOW ((struct op2i_link_speed){20000000, 1000})

#endif
