/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMM_PARCEL_H
#define OP2I_COMM_PARCEL_H

#include "comm.h"

/* Messages of different sizes between ranks that do not know their partners. */

/* Send parcels to ranks that do not expect them: at most one to each. Memory and messages are in
 * proportion to what is sent and received, and to the logarithm of the number of ranks. */
op2_status op2i_comm_deliver(struct op2i_comm *comm, int64_t n, const struct op2i_parcel *parcels,
                             struct op2i_parcels *received);
void op2i_parcels_free(struct op2i_parcels *parcels);

#endif
