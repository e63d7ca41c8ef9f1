/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_CODE_CASE_H
#define OP2_TEST_CODE_CASE_H

#include "rank_case.h"

/* Ranks of one node need the same code: who compiles it, and who takes it from a cache. */
enum code_how {
  CODE_ONE_FOLDER,  /* of all ranks, and empty: each loop is compiled once */
  CODE_AGAIN,       /* the same folder: nothing is compiled */
  CODE_OWN_FOLDER,  /* each rank's, and empty: each compiles all */
  CODE_NO_FOLDER,   /* none can be had: the same */
  CODE_OWN_FLAGS,   /* the last rank has a compiler's flags of its own: it compiles all by itself */
  CODE_NO_COMPILER, /* the last rank has none: all are told */
  CODE_BAD_KERNEL,  /* it is compiled in vain once */
  CODE_HOWS
};
extern const char *const code_hows[CODE_HOWS];

struct code_scene {
  const char *backend, *folder; /* folder: one that is there, for caches in it */
  enum code_how how;
};

/* One rank's part, in a context that it gives its communicator to; returns how much was wrong.
 * OP2_FUSE=0 is to be set. */
int code_rank(struct op2i_comm *comm, void *scene);

#endif
