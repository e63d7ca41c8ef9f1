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
  TILE_CASE_ARITY = 32 /* at most 32 slots */
};

/* A chain of loops with all that it points to. */
struct tile_case {
  struct op2i_tile_desc desc;
  struct op2i_tile_loop loops[TILE_CASE_LOOPS];
  struct op2i_tile_access accesses[TILE_CASE_LOOPS][TILE_CASE_ACCESSES];
  int64_t dat_size[TILE_CASE_DATS];
  int32_t *maps[TILE_CASE_MAPS];
};

/* Random sets; maps that lead anywhere or close by, with repeats; all modes, slots and arities;
 * loops over all or a part of a set, or over no elements; loops that recur as in time steps; any
 * loop as the seed; and tiles of one iteration up to more than all. */
void tile_case_random(struct tile_case *c, uint64_t seed);
void tile_case_free(struct tile_case *c);

/* Values of all dats, the same for all cases of the same sizes. */
uint64_t **tile_case_values(const struct op2i_tile_desc *desc);
void tile_case_values_free(const struct op2i_tile_desc *desc, uint64_t **values);

/* Run the first `nloops` loops with a kernel whose result shows a wrong order of any accesses but
 * increments. Every iteration first reads all its values and then writes. */
void tile_case_run(const struct op2i_tile_desc *desc, int nloops, uint64_t **values);
/* As tile_case_run(), but by tiles: three workers alternate at random, each in a tile that waits
 * for no other, also between the reading and the writing of an iteration. Returns false when no
 * tile can go on. */
bool tile_case_run_tiles(const struct op2i_tile_plan *plan, const struct op2i_tile_desc *desc,
                         int nloops, uint64_t seed, uint64_t **values);

/* Null if every field and array of two plans is the same; else the name of one that differs. */
const char *tile_case_difference(const struct op2i_tile_plan *a, const struct op2i_tile_plan *b);

#endif
