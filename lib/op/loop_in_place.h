/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_IN_PLACE_H
#define OP2I_LOOP_IN_PLACE_H

#include <stdbool.h>

#include "contributions.h"
#include "op2/loop.h"

/* Loops that add in place in deterministic mode (loop_sums.h): they add to all targets, which is right
 * for most of them. The others are deferred (lib/sparse/in_place.c). What these were before is kept;
 * then a second loop with the same kernel writes the contributions of the elements that lead to them,
 * what they were is brought back, and the contributions are added. */

struct op2i_in_place {
  struct op2i_contributions *contributions; /* null: the loop does not add in place */
  op2_arg *args;                            /* [nargs] of the second loop */
  struct op2i_loop *again;                  /* the second loop, which counts as a use */
  unsigned char *values;                    /* its values */
};

/* The bits of the slots of an argument through a map. */
uint64_t op2i_arg_slots(const op2_arg *arg);
/* Decide whether a valid call adds in place. Then the arguments of the second loop are those of the
 * call, and what is added to is to be replaced. Collective. */
op2_status op2i_in_place_open(op2_kernel kernel, op2_set set, int nargs, const op2_arg *args,
                              struct op2i_in_place *out);
/* Make the second loop, and capture its values. */
op2_status op2i_in_place_make(op2_where where, op2_kernel kernel, int nargs,
                              struct op2i_in_place *p);
/* Make what op2i_in_place_copy() needs, for a dat over the set of the targets. */
op2_status op2i_in_place_need(struct op2i_contributed *c, op2_set targets);
/* Make the loop that keeps what targets of the dat were before, or brings it back. */
op2_status op2i_in_place_copy(op2_where where, const struct op2i_contributed *c, op2_set targets,
                              op2_dat dat, bool back, struct op2i_loop **loop);
void op2i_in_place_close(struct op2i_in_place *p);

#endif
