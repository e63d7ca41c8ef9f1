/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_SPREAD_CASE_H
#define OP2_TEST_SPREAD_CASE_H

#include "rank_case.h"

/* Programs over ranks give the same results as in one piece: random sequences of loops on random
 * meshes, distributed at random, in blocks and onto one rank, or declared in blocks and
 * partitioned, again and again. Values are integers, so that results do not depend on the order of
 * sums. */

/* Returns the number of differences. `how` is the distribution of the mesh: 0 at random, 1 in
 * blocks, others on one rank. */
enum { SPREAD_HOWS = 5 };
extern const char *const spread_hows[SPREAD_HOWS];
int spread_program(const char *backend, int ranks, int how, uint64_t seed, rank_runner *runner);
/* Sets the environment to one of the execution and exchange modes, on which results do not
 * depend. */
void spread_ways(uint64_t seed, int how);

#endif
