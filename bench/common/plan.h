/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include <stdint.h>

#include "error.h"

/** @file plan.h
 * Colours for the blocks of a set, as OP2 makes them: two blocks of one colour have no target of
 * the map in common, so that they may run side by side. */

/** The blocks in order of colour; those of colour k are order[start[k]] to order[start[k + 1] - 1].
 */
typedef struct plan {
  int64_t n;    /**< elements of the set */
  int64_t size; /**< elements of a block */
  int64_t nblock, ncolour;
  int64_t *order, *start;
} plan;

/** Make a plan for a map of n rows, with `arity` of `ntarget` targets in each, to be freed with
 * plan_free(). Returns 0, or -1 with the reason in *error and nothing in *p. */
int plan_create(plan *p, const int32_t *map, int64_t n, int arity, int64_t ntarget, int64_t size,
                bench_error *error);

/** Free the arrays; *p may be all zero. */
void plan_free(plan *p);

/** One past the last element of a block. */
static inline int64_t plan_block_end(const plan *p, int64_t block) {
  const int64_t end = (block + 1) * p->size;
  return end < p->n ? end : p->n;
}

#endif
