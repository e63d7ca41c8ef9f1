/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_RANK_CASE_H
#define OP2_TEST_RANK_CASE_H

#include "comm.h"

/* Ranks as threads of the test. Each runs the function with its own communicator; what it returns is
 * summed up. Checks are the caller's, since one thread makes them. */
typedef int rank_function(struct op2i_comm *comm, void *data);
int run_ranks(int n, struct op2i_link_speed speed, rank_function *function, void *data);
/* The same where the function gives its communicator to a context. */
int run_contexts(int n, struct op2i_link_speed speed, rank_function *function, void *data);

/* Either of these, or another way to run ranks: the function gives its communicator to a context. */
typedef int rank_runner(int n, rank_function *function, void *data);

#endif
