/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_PLAN_CASE_H
#define OP2_TEST_PLAN_CASE_H

#include "plan.h"

enum { CASE_SETS = 2, CASE_MAPS = 4, CASE_DATS = 4, CASE_ARGS = 6 };

/* A plan's description with all that it points to. */
struct plan_case {
  struct op2i_plan_desc desc;
  struct op2i_plan_arg args[CASE_ARGS];
  int64_t elements;
  int32_t *maps[CASE_MAPS];
  int64_t *subset;
};

/* Random sets, maps with repeats within rows, slots and whole rows, several dats on the same
 * targets, all accesses, block sizes 1, 2, a prime and larger than the set, subsets, ranges that
 * are empty or do not begin at 0. */
void plan_case_random(struct plan_case *c, uint64_t seed);
void plan_case_free(struct plan_case *c);

uint64_t plan_case_draw(uint64_t *state); /* splitmix64 */

/* The colours of the units of `unit` positions in [lo, hi), computed from the definition in
 * quadratic time: the least colour that no earlier unit in conflict has, or, if order has to be
 * kept, one more than the highest colour of those. */
void plan_case_colours(const struct op2i_plan_desc *desc, int64_t lo, int64_t hi, int64_t unit,
                       int32_t *color, int32_t *ncolors);

/* Null if every field and array of two plans of one description is the same; else the name of one
 * that differs. */
const char *plan_case_difference(const struct op2i_plan *a, const struct op2i_plan *b, int nargs);

#endif
