/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_LANE_CASE_H
#define OP2_TEST_LANE_CASE_H

#include <stdbool.h>

#include "text.h"

/* Kernels in scalar and in vector form, compiled together and compared lane by lane.
 *
 * A kernel's function is named k. `params` describes its parameters, one word each:
 *   V or u   it varies, or is the same in all lanes
 *   type     d f for any double or float, e g for any but zeros with a sign, n m for moderate ones,
 *            i l for small int32_t and int64_t, h b for int16_t and uint8_t, w for any uint32_t
 *   then     nothing for a value, a digit for so many values behind a pointer, 3x2 for three
 *            pointers to two values each
 * Constants of the loop are c1 (double), c2 (double[4]), c3 (float), c4 (int32_t). */

struct lane_kernel {
  const char *name, *params, *source;
};

enum { LANE_ROUNDS = 40 };

/* Append the vector form only; if it is refused, return false with the reason in *why. */
bool lane_translate(const struct lane_kernel *kernel, int lanes, struct op2i_text *out,
                    struct op2i_text *why);
/* As lane_translate(), with vectors of at most this many bytes; 0: of any length. */
bool lane_translate_within(const struct lane_kernel *kernel, int lanes, int widest,
                           struct op2i_text *out, struct op2i_text *why);
/* Compare n kernels. Each result is a check; with `summary` all results together are one check. */
void lane_compare(const char *compiler, const char *flags, int lanes, int n,
                  const struct lane_kernel *kernels, const char *summary);

#endif
