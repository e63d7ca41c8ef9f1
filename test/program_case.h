/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_PROGRAM_CASE_H
#define OP2_TEST_PROGRAM_CASE_H

#include "support.h"
#include "support_rprogram.h"

/* A context that lives through random programs, with the constants, and the kernels of the pool that
 * they have used. */
enum { PROGRAM_KERNELS = 100 };
struct place {
  struct config config; /* as it is told of */
  op2_context ctx;
  op2_kernel kernels[PROGRAM_KERNELS];
  op2_const consts[R_CONSTS];
  int64_t looks, edits; /* calls that were made in loops' stead */
};

op2_status place_begin(struct place *place, const op2_options *options);
op2_status place_end(struct place *place);

/* Whether a program sees what the interpreter saw; if not, it is said. */
bool program_run(const struct rprogram *p, struct place *place);

#endif
