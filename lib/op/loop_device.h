/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_DEVICE_H
#define OP2I_LOOP_DEVICE_H

/* How a loop is divided into launches on a device, and the arguments of its functions there: for
 * the generator of their text and for the code that launches them. */

#include "device.h"
#include "loop.h"
#include "strategy.h"

/* A set whose elements receive increments in launches of their own. */
enum { OP2I_DEVICE_PASSES = 8, OP2I_DEVICE_COLUMNS = 64 };
struct op2i_device_pass {
  op2_set target;
  /* The columns of maps through which it is reached, in the order of arguments. */
  int ncolumns;
  struct op2i_device_column {
    int map, slot;
  } columns[OP2I_DEVICE_COLUMNS];
};

/* The shared memory of a block keeps dats that are reached through a map, by these slots. */
enum { OP2I_DEVICE_STAGES = 16 };
struct op2i_device_stage {
  int dat, map;
  int stride; /* values from row to row in shared memory */
};
struct op2i_device_local {
  int stage, slot;
};

/* Rows of more than 16 bytes that a group moves through shared memory where an element has its own
 * ones: all work items together move the pieces of all rows, and each takes and puts its own row.
 * Rows of more than 128 bytes have several parts. */
enum {
  OP2I_DEVICE_PARTS = 32,   /* the most in a loop; other dats are moved row by row */
  OP2I_DEVICE_NARROW = 16,  /* rows of so many bytes are moved directly */
  OP2I_DEVICE_PART = 128,   /* bytes of a part at most */
  OP2I_DEVICE_ROUND = 192,  /* bytes of an element in shared memory at most */
  OP2I_DEVICE_LISTED = 160, /* values of a row that has several parts at most */
};
struct op2i_device_part {
  int dat;
  bool loaded, stored;
  int round;         /* parts of the same round are in shared memory together */
  int at;            /* rows begin there: bytes for each work item of the group */
  int piece;         /* bytes that are moved at once: 16 or less, a power of two */
  int first, pieces; /* pieces of the row that are in this part */
  int of;            /* pieces of the whole row */
  int stride; /* pieces from row to row in shared memory: an odd number, so that neighbouring work
                 items take theirs from different banks */
};
struct op2i_device_parts {
  int nparts, nrounds;
  int bytes; /* of shared memory for each work item */
  struct op2i_device_part part[OP2I_DEVICE_PARTS];
};

struct op2i_device_form {
  enum op2i_device_strategy strategy;
  /* Why no strategy suits, in words, so that the host runs the loop; null: one does. */
  const char *why;
  const char *unfit; /* why the requested strategy is not used, in words; null: it is */
  /* Estimated cost of each, if they suit and no strategy was requested. */
  double repeat, owner, gather;
  int npasses; /* of REPEAT, OWNER and GATHER */
  struct op2i_device_pass passes[OP2I_DEVICE_PASSES];
  bool generic;         /* the device's code is CUDA C */
  int nstages, nlocals; /* of STAGED */
  struct op2i_device_stage stages[OP2I_DEVICE_STAGES];
  struct op2i_device_local locals[OP2I_DEVICE_COLUMNS];
  /* STAGED, UNSTAGED: a kernel has to see what elements of earlier colours have set. */
  bool in_turn;
  bool rest; /* REPEAT, OWNER: other values are stored or reduced as well */
  /* Components of reductions, and for each that is located its element's number. */
  int nvalues;
  /* Reductions run one after the other, on values that elements have stored: there are many, or the
   * winning element matters. */
  bool apart;
  /* The last group of a launch to end reduces what all groups have left, in place of a launch of its
   * own. It counts them in the eight bytes before the partial results. */
  bool finishes;
  int nkept;      /* values that each element stores in one launch for the next */
  int reduced_at; /* the first of these that belongs to a reduction */
  struct op2i_device_parts parts;
};

/* The number of further tables that a launch has as arguments. */
enum { OP2I_LAUNCH_TABLES = 6 };

/* Work items of a group, where nothing else determines them. */
enum { OP2I_DEVICE_GROUP = 128 };
/* The positions that a group reduces together, whatever its size. Group sizes divide it. */
enum { OP2I_DEVICE_TILE = 256 };
/* The most elements of a block of STAGED and UNSTAGED: larger ones were slower (doc/devices.md). */
enum { OP2I_DEVICE_BLOCK = 256 };

/* The variant of the code that devices of a kind run. */
static inline enum op2i_variant op2i_device_variant(const struct op2i_device_kind *kind) {
  int k = 0;
  /* The shadow device, which runs no code, counts as the last kind. */
  while (op2i_device_kinds[k] != kind && op2i_device_kinds[k + 1]) k++;
  return (enum op2i_variant)(OP2I_FIRST_DEVICE + k);
}
/* True if elements have rows of their own in this dat. They are loaded unless the first kernel that
 * uses them overwrites them. */
bool op2i_device_row(const struct op2i_loop *loop, int d, bool *loaded, bool *stored);
/* Divide the loop's wide rows into parts, and determine where these are in shared memory. */
void op2i_device_parts(const struct op2i_loop *loop, struct op2i_device_parts *parts);
/* Bytes of shared memory through which a group of this many work items moves wide rows. */
int64_t op2i_device_stage_bytes(const struct op2i_loop *loop, const struct op2i_device_form *form,
                                int64_t group);
/* The most values that are reduced together, and in all; and the values of a reduction that runs
 * apart: a located one has its number and its position beside it. */
enum { OP2I_DEVICE_TOGETHER = 16, OP2I_DEVICE_VALUES = 256, OP2I_DEVICE_APART = 3 };
/* How the last group ends a reduction. The launch has it in one number with the doubles of shared
 * memory that rows take: OP2I_DEVICE_ENDS times these, plus it. */
enum { OP2I_DEVICE_LEAVE, OP2I_DEVICE_TO_GLOBALS, OP2I_DEVICE_TO_HOST, OP2I_DEVICE_ENDS = 4 };
enum { OP2I_DEVICE_COUNTER = 8 }; /* bytes before the partial results */
/* Bytes of shared memory for the values that work items reduce. */
static inline int64_t op2i_device_local_bytes(const struct op2i_device_form *form) {
  return (int64_t)(form->apart ? OP2I_DEVICE_APART : form->nvalues) * OP2I_DEVICE_TILE * 8;
}
/* True if the elements of a block take turns. */
static inline bool op2i_device_turns(const struct op2i_device_form *form) {
  return form->strategy == OP2I_DEVICE_STAGED || form->strategy == OP2I_DEVICE_UNSTAGED ||
         form->strategy == OP2I_DEVICE_SERIAL;
}
/* True if elements store the values to be reduced for a launch of its own. */
static inline bool op2i_device_leaves(const struct op2i_device_form *form) {
  return form->nvalues > 0 && (form->apart || op2i_device_turns(form));
}
/* The number of values in a reduction into a global. */
static inline int op2i_device_reduced(const struct op2i_loop_arg *arg) {
  return !op2i_arg_reduces(arg) ? 0 : op2i_arg_located(arg) ? 2 : (int)arg->dim;
}

/* Choose the form of a loop on a device, by the strategy that the context requests, or by `wish`.
 * `generic`: a pointer in the device's code may point to any memory, and groups see what others have
 * stored before a fence (CUDA C). Pure. */
void op2i_loop_device_form(const struct op2i_loop *loop, bool generic,
                           struct op2i_device_form *form);
void op2i_loop_device_form_by(const struct op2i_loop *loop, bool generic,
                              enum op2i_device_strategy wish, struct op2i_device_form *form);
/* Estimate the cost of the strategies that give the same bits, in bytes of memory per element. */
void op2i_device_costs(const struct op2i_loop *loop, struct op2i_device_form *form);
/* The number of values that an element has for the targets of a pass. */
int op2i_device_pass_values(const struct op2i_loop *loop, const struct op2i_device_pass *pass);
/* Values from one row of an argument's dat to the next in the shared memory of a block. Where the
 * memory has banks (`generic`), neighbouring rows begin in different ones. */
int op2i_device_stride(const struct op2i_loop_arg *arg, bool generic);
/* Bytes of shared memory that the rows of one element take. */
int64_t op2i_device_staged_bytes(const struct op2i_loop *loop, const struct op2i_device_form *form);
/* Elements of a block for which a plan is tried first, or 0 if blocks are the host's. */
int32_t op2i_device_block(const struct op2i_loop *loop, const struct op2i_device_form *form);
/* The first slot that an argument through a map reaches; returns the number of slots. */
static inline int op2i_device_slots(const struct op2i_loop_arg *arg, int *first) {
  *first = arg->kind == OP2I_ARG_SLOT ? arg->slot : 0;
  return arg->kind == OP2I_ARG_DIRECT ? 1 : arg->arity;
}
/* The index of a stage, and of a slot among those of all stages; or -1. */
int op2i_device_stage(const struct op2i_device_form *form, int dat, int map);
int op2i_device_local(const struct op2i_device_form *form, int stage, int slot);
/* The index of an argument's slot among the columns of a pass, or -1. */
int op2i_device_column(const struct op2i_device_pass *pass, int map, int slot);
/* True if elements may meet in an argument's dat, so that increments are added in passes or in
 * turn. */
bool op2i_device_shared(const struct op2i_loop *loop, const struct op2i_loop_arg *arg);

#endif
