/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_DEVICE_H
#define OP2I_LOOP_DEVICE_H

/* How a loop is cut into launches on a device, and what a function of its code is called with: known
 * to those who write the text and to those who launch it. */

#include "loop.h"

/* How the increments of elements that meet get into memory. */
enum op2i_device_strategy {
  OP2I_DEVICE_ONCE,   /* nobody meets: a work item for each element */
  OP2I_DEVICE_REPEAT, /* a work item for each target, which computes its elements anew and adds what
                           they have for it, in the order in which the host's blocks would */
  OP2I_DEVICE_COLOURED, /* blocks of a colour together, their elements colour by colour */
  OP2I_DEVICE_STRATEGIES
};

/* A set whose elements take increments in launches of their own. */
enum { OP2I_DEVICE_PASSES = 8, OP2I_DEVICE_COLUMNS = 64 };
struct op2i_device_pass {
  op2_set target;
  /* The columns of maps through which it is reached, in the order of arguments. */
  int ncolumns;
  struct op2i_device_column {
    int map, slot;
  } columns[OP2I_DEVICE_COLUMNS];
};

struct op2i_device_form {
  enum op2i_device_strategy strategy;
  const char *why; /* none of these will do, in words, so that the host runs it; null: one does */
  int npasses;     /* of REPEAT */
  struct op2i_device_pass passes[OP2I_DEVICE_PASSES];
  bool rest;   /* REPEAT: something is stored or reduced besides */
  int nvalues; /* REDUCED: components of reductions */
};

/* Tables that a launch has besides. */
enum { OP2I_LAUNCH_TABLES = 3 };

/* The work items that reduce together, and the positions that they reduce: whatever the size of a
 * group. Those of a group divide it. */
enum { OP2I_DEVICE_TILE = 256 };

/* Bytes of shared memory through which a group of so many work items moves wide rows. */
int64_t op2i_device_stage_bytes(const struct op2i_loop *loop, int64_t group);
/* Bytes of the values that a reduction has for each work item. */
static inline int64_t op2i_device_local_bytes(const struct op2i_device_form *form) {
  return (int64_t)form->nvalues * OP2I_DEVICE_TILE * 8;
}

/* A loop on a device that can do with addresses of any memory alike, or cannot (`generic`). Pure. */
void op2i_loop_device_form(const struct op2i_loop *loop, bool generic,
                           struct op2i_device_form *form);
/* The column of an argument's slot among those of a pass, or -1. */
int op2i_device_column(const struct op2i_device_pass *pass, int map, int slot);
/* Whether what an argument has for others is added in passes or in turn. */
bool op2i_device_shared(const struct op2i_loop *loop, const struct op2i_loop_arg *arg);

#endif
