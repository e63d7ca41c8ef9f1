/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_PROGRAM_CASE_H
#define OP2_TEST_PROGRAM_CASE_H

#include "rank_case.h"
#include "support.h"
#include "support_rprogram.h"
#include "whole_case.h"

/* A context that lives through random programs, with the constants, and the kernels of the pool that
 * they have used. */
enum { PROGRAM_KERNELS = 100 };
struct place {
  struct config config; /* as it is told of */
  op2_context ctx;
  op2_kernel kernels[PROGRAM_KERNELS];
  op2_const consts[R_CONSTS];
  int64_t looks, edits;      /* calls that were made in loops' stead */
  bool no_calls;             /* values are looked at and changed by the program alone */
  uint64_t digest;           /* of the bits that the program before saw */
  unsigned modes;            /* of floating point (fp_case.h) that calls are to see */
  int64_t other_modes;       /* calls that saw others */
  const struct share *share; /* among ranks */
};

op2_status place_begin(struct place *place, const op2_options *options, struct op2i_comm *comm);
op2_status place_end(struct place *place);

/* Whether a program sees what the interpreter saw; if not, it is said. */
bool program_run(const struct rprogram *p, struct place *place);

/* Share programs of a seed, from one number to below another, out among so many ranks (0: in turn 2, 3
 * and 4), in the ways of whole_own(), and run them there lazily and eagerly. `wrong` are the ranks that
 * have not seen what the interpreter saw. */
struct program_counts {
  int run, loops, wrong;
};
struct program_counts programs_on_ranks(const char *backend, int ranks, uint64_t seed, int first,
                                        int end, rank_runner *runner);

#endif
