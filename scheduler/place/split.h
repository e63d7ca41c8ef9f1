/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SPLIT_H
#define OP2I_SPLIT_H

/* A loop that the host's processors and a device run at once: which elements each of them runs, and which
 * rows of its dats each needs and makes. */

#include "loopdata.h"
#include "step.h"

/* Bytes of a dat: leading ones on the host, trailing ones on the device. */
struct op2i_cut_dat {
  size_t need[2]; /* that are read there, */
  size_t make[2]; /* and that are right there afterwards; of dats that the loop modifies */
};

struct op2i_cut {
  struct op2i_split split;
  /* The host runs the elements below the one, the device from the other on: those in between, whose
   * increments both need, are run by both. */
  int64_t host_end, device_begin;
  struct op2i_cut_dat dats[]; /* [ndats] */
};

/* Why a loop cannot be split, in words, or null. */
const char *op2i_loop_unsplit(const struct op2i_loop *loop);
/* How a loop is split by a ratio; kept with the loop until another is asked for. Null: it cannot be, one of
 * both would have nothing to do, or there is no memory. */
const struct op2i_cut *op2i_loop_cut(const struct op2i_loop *loop, struct op2i_split split);
/* Give both steps of a loop their part; or the first all of it, and its twin nothing. */
void op2i_cut_steps(const struct op2i_cut *cut, struct op2i_step *step, struct op2i_step *twin);
void op2i_uncut_steps(struct op2i_step *step, struct op2i_step *twin);

#endif
