/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECK_SAMPLE_H
#define OP2I_CHECK_SAMPLE_H

/* The checked mode of a sample of a loop's elements (OP2_CHECK_SAMPLE), and collisions between
 * elements. */

#include "check.h"

/* True if the step has so many elements that only a sample of them is judged. */
bool op2i_check_samples(const struct op2i_step *step);
/* Judge the sample, then run all elements by the code of other backends. The result of the loop's
 * reductions is the first partial result of the step. */
op2_status op2i_check_run_sample(struct op2i_check *check);

/* check_collide.c: compare what the present element wrote through maps with what earlier elements
 * wrote there. */
op2_status op2i_check_collide(const struct op2i_check *check);

#endif
