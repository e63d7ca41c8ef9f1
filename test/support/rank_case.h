/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_RANK_CASE_H
#define OP2_TEST_RANK_CASE_H

#include "comm.h"
#include "op2/context.h"

/* Ranks as threads of the test. Each runs the function with its own communicator; the results are
 * summed up. Checks are made by the caller, since only one thread may make them. */
typedef int rank_function(struct op2i_comm *comm, void *data);
int run_ranks(int n, rank_function *function, void *data);
/* As run_ranks(), for a function that gives its communicator to a context. */
int run_contexts(int n, rank_function *function, void *data);
/* The same, with messages that take as long as on a link of that speed. */
int run_ranks_over(int n, struct op2i_link_speed speed, rank_function *function, void *data);
int run_contexts_over(int n, struct op2i_link_speed speed, rank_function *function, void *data);

/* run_contexts(), or another way to run ranks whose function gives its communicator to a context. */
typedef int rank_runner(int n, rank_function *function, void *data);

/* Options of contexts over such ranks: one thread, and blocks that are small, so that a set has several. */
op2_options rank_options(const char *backend, bool eager);

/* next_backend() of support.h, without those whose ranks cannot run under this sanitizer. */
const char *next_backend_of_ranks(const char *const *backends, int *b);

#endif
