/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECKPOINT_H
#define OP2I_CHECKPOINT_H

/* Checkpoints: the state of a program in files, of which the last ones are kept. A file is one of
 * lib/io with a text that lists what is in it, with a checksum of each. Functions that communicate
 * fail on all ranks alike. */

#include "companion.h"
#include "io_all.h"
#include "op2/checkpoint.h"

/* Something that is kept under a name. */
enum op2i_item_kind { OP2I_ITEM_DAT, OP2I_ITEM_GBL, OP2I_ITEM_CONST, OP2I_ITEM_COUNTER };
struct op2i_item {
  enum op2i_item_kind kind;
  struct op2i_object *object; /* referenced; null for a counter */
  const char *name;           /* the object's, or for a counter `own` */
  char *own;
  op2_type type;
  int dim;
  void *values; /* the program's variables, for a counter */
};

struct op2_checkpoint_s {
  uint32_t magic; /* OP2I_CHECKPOINT_MAGIC while it exists */
  const struct op2i_companion *op2;
  op2_context ctx; /* referenced */
  struct op2i_comm *comm;
  char *path; /* absolute; the number and the suffix of a file follow it */
  op2_checkpoint_options options;
  struct op2i_item *items;
  int nitems, capacity;
  op2_checkpoint_info info;
  /* Files with numbers from `damaged_from` to `damaged_to` could not be read: they are no
   * checkpoints that count as kept. */
  int64_t damaged_from, damaged_to;
  bool stops;          /* the signal has come, on all ranks alike */
  unsigned signals;    /* how often it had come when it was last looked at */
  int64_t calls;       /* of op2_checkpoint_step() */
  int64_t due;         /* time at which the next checkpoint is due, in nanoseconds */
  int64_t next_look;   /* the call at which ranks compare clocks and signals next */
  int64_t looked_call; /* the call of the last such comparison, and its time */
  int64_t looked;
};
enum { OP2I_CHECKPOINT_MAGIC = 0x6f703270 };

/* ---- checkpoint.c ---- */

/* Check that the handle exists and its context can take work, and note the call. */
op2_status op2i_checkpoint_check(op2_checkpoint ck, const char *call);
/* Make a failure of one rank a failure of all. */
op2_status op2i_checkpoint_agree(op2_checkpoint ck, op2_status status);
/* Check that no object that is kept was destroyed. */
op2_status op2i_checkpoint_alive(op2_checkpoint ck);
/* The bytes of a row of a dat, or of all values of anything else; and the elements of a dat. */
size_t op2i_item_bytes(op2_checkpoint ck, const struct op2i_item *item);
int64_t op2i_item_rows(const struct op2i_item *item);
/* Memory for this rank's share of any of what is kept; null: there is none. */
void *op2i_checkpoint_room(op2_checkpoint ck, op2_file file);

/* ---- checkpoint_read.c ---- */

/* op2_checkpoint_read() of one file. *damaged: it is no checkpoint, or was changed since it was
 * written, and nothing has changed here. */
op2_status op2i_checkpoint_read_file(op2_checkpoint ck, const char *name, bool *damaged);

#endif
