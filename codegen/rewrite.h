/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_REWRITE_H
#define OP2I_REWRITE_H

#include "loop.h"
#include "text.h"
#include "unit.h"

/* A kernel's source on its way into generated text. Every function that the source defines becomes static inline under the
 * name OP2_NAME(f). A function that uses one of the loop's constants, itself or through another, takes a pointer to the
 * structure of all of them as a first parameter, hands it on, and finds the constant in it. Nothing else changes, and no
 * token moves to another line. */
struct op2i_rewrite {
  struct op2i_unit unit;
  bool *needs; /* [unit.nitems] the function at this item uses constants */
};

op2_status op2i_rewrite_begin(const struct op2_loop_s *loop, struct op2i_rewrite *rewrite);
void op2i_rewrite_end(struct op2i_rewrite *rewrite);

void op2i_rewrite_emit(const struct op2i_rewrite *rewrite, const struct op2_loop_s *loop, struct op2i_text *out);
/* Whether the kernel's own function takes the constants. */
bool op2i_rewrite_kernel_needs(const struct op2i_rewrite *rewrite, const struct op2_loop_s *loop);
/* Whether the source holds functions only, so that it cannot disturb other sources in its translation unit. */
bool op2i_rewrite_mergeable(const struct op2i_rewrite *rewrite);

#endif
