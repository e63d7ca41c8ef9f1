/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TILING_H
#define OP2I_TILING_H

#include "passes.h"
#include "tile.h"

/* Chains of steps that run tile by tile. A chain's plan is made once for its loops and kept, so
 * that chains in other programs, and shorter ones with the same beginning, can use it. */
struct op2i_tiling {
  struct op2i_tiling *next;
  int nloops;
  struct op2i_loop **loops;
  struct op2i_tile_plan *plan;
};

/* A loop is about to be freed (null: all are): drop the plans of chains that contain it. */
void op2i_tilings_forget(struct op2i_sched *sched, const struct op2i_loop *loop);

#endif
