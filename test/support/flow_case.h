/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_FLOW_CASE_H
#define OP2_TEST_FLOW_CASE_H

#include "op2.h"
#include "op2/checkpoint.h"
#include "op2/ranks.h"

/* A small flow on a grid of cells, as airfoil computes one: sums through a map, a minimum, a sum over
 * cells, and variables of the program. Its results depend in their last bits on the order of all
 * sums. It is the same on any number of ranks, but for these bits. */

enum { FLOW_DIM = 4 };
struct flow {
  op2_context ctx;
  int side; /* cells along each side of the grid */
  op2_set cells, edges;
  op2_map ends;
  op2_dat q, old, res, flags; /* flags are never written */
  op2_gbl dt, rms;
  op2_const gain;
  op2_kernel save, step, flux, update, mark;
  int64_t ordered; /* after this step there is a loop that keeps the order of edges; 0: never */
  int64_t steps;   /* that were made, and the time that has passed in them */
  double time;
};

/* Declare it, and partition it among ranks. With `scattered` its cells are numbered at random. */
op2_status flow_declare(op2_context ctx, int side, bool scattered, struct flow *flow);
void flow_destroy(struct flow *flow);
/* A checkpoint of all of it. */
op2_status flow_checkpoint(struct flow *flow, const char *path,
                           const op2_checkpoint_options *options, op2_checkpoint *ck);
/* Queue one step and wait for its result. */
op2_status flow_advance(struct flow *flow);
/* A digest of all values and variables, the same on all ranks; 0: they could not be read. */
uint64_t flow_digest(struct flow *flow);

#endif
