/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SPLIT_H
#define OP2I_SPLIT_H

/* Loops that the host's processors and a device run at the same time: the elements that each of
 * them runs, and the rows of dats that each reads and writes. */

#include "loopdata.h"
#include "step.h"

/* Bytes of a dat: leading ones on the host, trailing ones on the device. */
struct op2i_cut_dat {
  size_t need[2]; /* bytes that are read there */
  size_t make[2]; /* bytes that are valid there afterwards; only for dats that the loop modifies */
};

struct op2i_cut {
  struct op2i_split split;
  /* The host runs the elements below host_end, the device those from device_begin on. Both run the
   * elements in between, whose increments both need. */
  int64_t host_end, device_begin;
  struct op2i_cut_dat dats[]; /* [ndats] */
};

/* The reason why a loop cannot be split, in words; null: it can. */
const char *op2i_loop_unsplit(const struct op2i_loop *loop);
/* The cut of a loop at a ratio, kept with the loop until another ratio is asked for.
 * Null if the loop cannot be split, if one of the two places would have nothing to do,
 * or if there is no memory. */
const struct op2i_cut *op2i_loop_cut(const struct op2i_loop *loop, struct op2i_split split);
/* Divide a loop between its two steps; or give the first all of it, and its device half nothing. */
void op2i_cut_steps(const struct op2i_cut *cut, struct op2i_step *step,
                    struct op2i_step *device_half);
void op2i_uncut_steps(struct op2i_step *step, struct op2i_step *device_half);

#endif
