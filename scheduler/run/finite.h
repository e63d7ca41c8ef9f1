/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_FINITE_H
#define OP2I_FINITE_H

#include "step.h"

/* The search for what makes a NaN or an infinity (OP2_NAN): values are compared before and after
 * each loop. Loops run one after the other then, each by itself. */

/* Which values of dats and of sums that a step modifies are not finite before it runs. */
struct op2i_finite {
  int n; /* the loop's dats and globals */
  /* [n] a bit for each value of a dat, then a byte for each value of a sum; null: it is not
   * searched */
  unsigned char **bits;
};

op2_status op2i_finite_begin(const struct op2i_step *step, struct op2i_finite *before);
/* After a step that has run well: OP2_ERR_KERNEL if it has made a value that is not finite. */
op2_status op2i_finite_judge(const struct op2i_step *step, const struct op2i_finite *before);
void op2i_finite_end(struct op2i_finite *before);

#endif
