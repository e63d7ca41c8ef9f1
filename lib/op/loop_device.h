/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_DEVICE_H
#define OP2I_LOOP_DEVICE_H

/* How a loop is cut into launches on a device, and what a function of its code is called with: known
 * to those who write the text and to those who launch it. */

#include "device.h"
#include "loop.h"
#include "strategy.h"

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

/* What a block has in shared memory of a dat that is reached through a map, and by which slots. */
enum { OP2I_DEVICE_STAGES = 16 };
struct op2i_device_stage {
  int dat, map;
};
struct op2i_device_local {
  int stage, slot;
};

struct op2i_device_form {
  enum op2i_device_strategy strategy;
  const char *why;   /* none of these will do, in words, so that the host runs it; null: one does */
  const char *unfit; /* why not the one that is asked for, in words; null: it is that one */
  /* What each is held to cost, where they will do and nobody asks for one. */
  double repeat, owner, gather;
  int npasses; /* of REPEAT, OWNER and GATHER */
  struct op2i_device_pass passes[OP2I_DEVICE_PASSES];
  int nstages, nlocals; /* of STAGED */
  struct op2i_device_stage stages[OP2I_DEVICE_STAGES];
  struct op2i_device_local locals[OP2I_DEVICE_COLUMNS];
  /* STAGED, UNSTAGED: a kernel has to see what elements of earlier colours have set. */
  bool in_turn;
  bool rest; /* REPEAT, OWNER: something is stored or reduced besides */
  /* Components of reductions, and of each that is located its element's number. */
  int nvalues;
  /* They are reduced one after the other, from what elements leave: there are many, or it matters whose
   * they are. */
  bool apart;
  int nkept;      /* values of each element that one launch leaves to the next, */
  int reduced_at; /* those of reductions from this one on */
};

/* Tables that a launch has besides. */
enum { OP2I_LAUNCH_TABLES = 6 };

/* The work items that reduce together, and the positions that they reduce: whatever the size of a
 * group. Those of a group divide it. */
enum { OP2I_DEVICE_TILE = 256 };
/* Elements of a block of STAGED and UNSTAGED at most: larger ones were slower (doc/devices.md). */
enum { OP2I_DEVICE_BLOCK = 256 };

/* The code that devices of a kind run. */
static inline enum op2i_variant op2i_device_variant(const struct op2i_device_kind *kind) {
  return kind == &op2i_device_cuda ? OP2I_CUDA : OP2I_OPENCL;
}
/* Bytes of shared memory through which a group of so many work items moves wide rows. */
int64_t op2i_device_stage_bytes(const struct op2i_loop *loop, int64_t group);
/* So many values at most are reduced together, and in all; one that is located has its number and its place
 * beside it. */
enum { OP2I_DEVICE_TOGETHER = 16, OP2I_DEVICE_VALUES = 256, OP2I_DEVICE_APART = 3 };
/* Bytes of the values that a reduction has for each work item. */
static inline int64_t op2i_device_local_bytes(const struct op2i_device_form *form) {
  return (int64_t)(form->apart ? OP2I_DEVICE_APART : form->nvalues) * OP2I_DEVICE_TILE * 8;
}
/* Whether elements leave what is reduced to a launch of its own. */
static inline bool op2i_device_leaves(const struct op2i_device_form *form) {
  bool turns = form->strategy == OP2I_DEVICE_STAGED || form->strategy == OP2I_DEVICE_UNSTAGED;
  return form->nvalues > 0 && (form->apart || turns);
}
/* Values that a reduction into a global has. */
static inline int op2i_device_reduced(const struct op2i_loop_arg *arg) {
  return !op2i_arg_reduces(arg) ? 0 : op2i_arg_located(arg) ? 2 : (int)arg->dim;
}

/* A loop on a device that can do with addresses of any memory alike, or cannot (`generic`), by the
 * strategy that the context asks for, or by this one. Pure. */
void op2i_loop_device_form(const struct op2i_loop *loop, bool generic,
                           struct op2i_device_form *form);
void op2i_loop_device_form_by(const struct op2i_loop *loop, bool generic,
                              enum op2i_device_strategy wish, struct op2i_device_form *form);
/* Of ways with the same bits, in bytes of memory that an element is held to cost. */
void op2i_device_costs(const struct op2i_loop *loop, struct op2i_device_form *form);
/* Values that an element has for the targets of a pass. */
int op2i_device_pass_values(const struct op2i_loop *loop, const struct op2i_device_pass *pass);
/* Shared memory that the rows of one element take. */
int64_t op2i_device_staged_bytes(const struct op2i_loop *loop, const struct op2i_device_form *form);
/* Elements of a block for which a plan is tried first, or 0 where blocks are the host's. */
int32_t op2i_device_block(const struct op2i_loop *loop, const struct op2i_device_form *form);
/* Where slots begin that an argument through a map reaches, and how many they are. */
static inline int op2i_device_slots(const struct op2i_loop_arg *arg, int *first) {
  *first = arg->kind == OP2I_ARG_SLOT ? arg->slot : 0;
  return arg->kind == OP2I_ARG_DIRECT ? 1 : arg->arity;
}
/* The number of a stage, and of a slot among those of all stages; or -1. */
int op2i_device_stage(const struct op2i_device_form *form, int dat, int map);
int op2i_device_local(const struct op2i_device_form *form, int stage, int slot);
/* The column of an argument's slot among those of a pass, or -1. */
int op2i_device_column(const struct op2i_device_pass *pass, int map, int slot);
/* Whether what an argument has for others is added in passes or in turn. */
bool op2i_device_shared(const struct op2i_loop *loop, const struct op2i_loop_arg *arg);

#endif
