/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_CODE_CASE_H
#define OP2_TEST_CODE_CASE_H

#include "rank_case.h"

/* Ranks of one node need the same code: which rank compiles it, and which ranks take it from a
 * cache. */
enum code_how {
  CODE_ONE_FOLDER,  /* one folder of all ranks, empty: each loop is compiled once */
  CODE_AGAIN,       /* the same folder: nothing is compiled */
  CODE_OWN_FOLDER,  /* each rank has its own, empty: each compiles all */
  CODE_NO_FOLDER,   /* no folder can be had: each compiles all */
  CODE_OWN_FLAGS,   /* the last rank has compiler flags of its own: it compiles all by itself */
  CODE_NO_COMPILER, /* the last rank has no compiler: all ranks report it */
  CODE_BAD_KERNEL,  /* the compiler is run on it once, in vain */
  CODE_HOWS
};
extern const char *const code_hows[CODE_HOWS];

struct code_scene {
  const char *backend, *folder; /* folder: exists; caches are made in it */
  enum code_how how;
};

/* The part of one rank, in a context that takes over its communicator; returns the number of failed
 * checks. The caller sets OP2_FUSE=0. */
int code_rank(struct op2i_comm *comm, void *scene);

#endif
