/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECKPOINT_PARTS_H
#define OP2I_CHECKPOINT_PARTS_H

/* Besides values a checkpoint has files in a folder, a signal, and numberings of sets: this declares
 * the functions for these. */

#include "checkpoint.h"

/* ---- checkpoint_files.c: files are looked for and removed by rank 0 ---- */

/* The name of the file of this number. `room` has op2i_checkpoint_name_room() bytes. */
size_t op2i_checkpoint_name_room(op2_checkpoint ck);
void op2i_checkpoint_name(op2_checkpoint ck, int64_t number, char *room);
/* The numbers of the files that are there, the greatest first, on all ranks. Collective. */
op2_status op2i_checkpoint_list(op2_checkpoint ck, int64_t *n, int64_t **numbers);
/* Remove the files that are not to be kept, now that `newest` is complete, and what killed programs
 * have left. A file that cannot be removed is reported in the log. */
void op2i_checkpoint_prune(op2_checkpoint ck, int64_t newest);

/* ---- checkpoint_signal.c ---- */

/* Begin and end to note a signal; false: there is no such signal. */
bool op2i_signal_watch(int signal);
void op2i_signal_leave(int signal);
/* How often it has come. */
unsigned op2i_signal_count(int signal);

/* ---- checkpoint_order.c ---- */

/* Rounding depends on how sets are numbered, and when they are renumbered automatically depends on
 * the loops so far. Both are written, with the size of each set, and restored from the lines of the
 * text. The numbers themselves are those of a program without other ranks; among ranks
 * op2_partition() gives them. */
op2_status op2i_orders_write(op2_file file, struct op2i_contents *text);
/* Check that sets of these names have these sizes. */
op2_status op2i_orders_check(op2_file file, int nlines, const struct op2i_line *lines);
/* Read the numbers and check their checksums; then, with `change`, number the sets so. */
op2_status op2i_orders_read(op2_file file, int nlines, const struct op2i_line *lines, bool change);

#endif
