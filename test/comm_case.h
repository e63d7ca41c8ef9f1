/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_COMM_CASE_H
#define OP2_TEST_COMM_CASE_H

#include "rank_case.h"

/* What every kind of communicator does: order, what all ranks do together, parcels for who does not
 * expect them. Each returns how much was wrong on its rank. */
rank_function comm_ring, comm_in_order, comm_tree, comm_numbers;
rank_function comm_parcels; /* of a choice: const uint64_t */
/* Of two ranks, on the link COMM_SLOW. */
rank_function comm_slowly;
#define COMM_SLOW ((struct op2i_link_speed){20000000, 1000})

#endif
