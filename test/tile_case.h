/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_TILE_CASE_H
#define OP2_TEST_TILE_CASE_H

#include "tile.h"

enum {
  TILE_CASE_SETS = 3,
  TILE_CASE_MAPS = 5,
  TILE_CASE_DATS = 6,
  TILE_CASE_LOOPS = 10,
  TILE_CASE_ACCESSES = 5,
  TILE_CASE_ARITY = 32 /* at most */
};

/* A chain of loops with everything it points to. */
struct tile_case {
  struct op2i_tile_desc desc;
  struct op2i_tile_loop loops[TILE_CASE_LOOPS];
  struct op2i_tile_access accesses[TILE_CASE_LOOPS][TILE_CASE_ACCESSES];
  int64_t dat_size[TILE_CASE_DATS];
  int32_t *maps[TILE_CASE_MAPS];
};

/* Random sets, maps that jump about or stay close, with repeats; all modes, slots and arities;
 * loops over all or a part of a set, or over nothing; loops that come again as time steps do; any
 * loop for the seed and tiles of one to more than all iterations. */
void tile_case_random(struct tile_case *c, uint64_t seed);
void tile_case_free(struct tile_case *c);

/* Values of all dats, the same for all cases of the same sizes. */
uint64_t **tile_case_values(const struct op2i_tile_desc *desc);
void tile_case_values_free(const struct op2i_tile_desc *desc, uint64_t **values);

/* Run the first `nloops` loops with a kernel that tells a wrong order of anything but increments.
 * Every iteration first reads all it needs and then writes. */
void tile_case_run(const struct op2i_tile_desc *desc, int nloops, uint64_t **values);
/* The same by tiles: three hands take turns at random, each at a tile that waits for nothing more,
 * and change hands between the reading and the writing of an iteration. False when no tile can go
 * on. */
bool tile_case_run_tiles(const struct op2i_tile_plan *plan, const struct op2i_tile_desc *desc,
                         int nloops, uint64_t seed, uint64_t **values);

/* Every field and array of two plans is the same; else the name of one that differs. */
const char *tile_case_difference(const struct op2i_tile_plan *a, const struct op2i_tile_plan *b);

#endif
