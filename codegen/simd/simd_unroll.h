/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_UNROLL_H
#define OP2I_SIMD_UNROLL_H

#include "simd_base.h"

/* The ranges of counters, and the loops that are worth to be unrolled. */

/* A counter that only its loop changes. Its values are in [lo, hi). */
struct op2i_simd_counted {
  const struct op2i_simd_var *counter;
  int64_t lo, hi;
  int64_t trips; /* at most */
  const struct op2i_simd_counted *outer;
};

/* The least and greatest value of an expression, if constants and counters alone determine it:
 * those whose range is noted and those of the loops `around`. */
bool op2i_simd_range(const struct op2i_simd_node *e, const struct op2i_simd_counted *around,
                     int64_t *lo, int64_t *hi);
/* True if a loop has such a counter, as in for (int n = 2; n < 5; n += 2), or downwards. */
bool op2i_simd_counted(const struct op2i_simd_node *loop, const struct op2i_simd_counted *around,
                       struct op2i_simd_counted *counted);
/* True if all trips of a loop should be in the text one after the other. */
bool op2i_simd_unrolls(const struct op2i_simd_node *loop, const struct op2i_simd_counted *counted);

#endif
