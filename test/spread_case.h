/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_SPREAD_CASE_H
#define OP2_TEST_SPREAD_CASE_H

#include "rank_case.h"

/* Programs over ranks give what they give in one piece: random sequences of loops on random meshes,
 * spread at random, blockwise and onto one rank, or declared in blocks and partitioned, again and
 * again; with integers, so that no order shows. */

/* The number of differences. `how` a mesh is spread: 0 at random, 1 in blocks, others on one rank. */
enum { SPREAD_HOWS = 5 };
extern const char *const spread_hows[SPREAD_HOWS];
int spread_program(const char *backend, int ranks, int how, uint64_t seed, rank_runner *runner);
/* Ways to run and to exchange, of which results do not depend: sets the environment. */
void spread_ways(uint64_t seed, int how);

#endif
