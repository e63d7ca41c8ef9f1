/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_PROGRAM_CASE_H
#define OP2_TEST_PROGRAM_CASE_H

#include "rank_case.h"
#include "support.h"
#include "support_rprogram.h"
#include "whole_case.h"

/* A context in which random programs run, with the constants and the kernels of the pool that they
 * have used. */
enum { PROGRAM_KERNELS = 100 };
struct place {
  struct config config; /* the configuration that is reported */
  op2_context ctx;
  op2_kernel kernels[PROGRAM_KERNELS];
  op2_const consts[R_CONSTS];
  int64_t looks, edits;      /* calls that read or change values in place of the program */
  bool no_calls;             /* only the program itself reads and changes values */
  uint64_t digest;           /* hash of the bits that the last program read */
  unsigned modes;            /* floating-point modes (fp_case.h) that calls must find */
  int64_t other_modes;       /* number of calls that found other modes */
  const struct share *share; /* null without ranks */
};

/* The functions of kernels that are called by address (address_case.h), by their place in the pool;
 * the others, and all if it is null, are given as text. */
extern const op2_function *program_functions;
/* The number of the kernel at each place of the pool; null: the place itself. */
extern const int *program_numbers;
/* The kernel of a seed at a place of the pool. */
struct rkernel *program_kernel(uint64_t seed, int place);

op2_status place_begin(struct place *place, const op2_options *options, struct op2i_comm *comm);
op2_status place_end(struct place *place);

/* True if a program reads the values that the interpreter found; otherwise the difference is
 * printed. */
bool program_run(const struct rprogram *p, struct place *place);

/* Distribute programs of a seed, with the numbers from `first` to below `end`, over this many ranks
 * (0: 2, 3 and 4 alternate), in the ways of whole_own(), and run them there lazily and eagerly.
 * `wrong` counts the ranks that have read other values than the interpreter. */
struct program_counts {
  int run, loops, wrong;
};
struct program_counts programs_on_ranks(const char *backend, int ranks, uint64_t seed, int first,
                                        int end, rank_runner *runner);

#endif
