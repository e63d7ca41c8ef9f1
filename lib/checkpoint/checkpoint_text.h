/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECKPOINT_TEXT_H
#define OP2I_CHECKPOINT_TEXT_H

/* The text of a checkpoint, the dataset `op2_checkpoint`. Its lines are, with tabs between words:
 *
 *     checkpoint 1
 *     dat NAME SET SIZE TYPE DIM CHECKSUM
 *     global | constant | counter NAME TYPE DIM CHECKSUM
 *     set NAME SIZE KEEPS AUTO CHECKSUM PLACE
 *                                          a set; whether loops keep the order of its elements,
 *                                          and whether it was renumbered automatically; its
 *                                          numbering is the dataset op2_order/PLACE, without
 *                                          checksum (-) there is none
 *     map NAME STATE ROWS MODIFIED COLOURS BLOCKS
 *                                          a map from the last set, by which sets may be renumbered
 *     end CHECKSUM                         that of all lines before it */

#include "checkpoint.h"

#define OP2I_CHECKPOINT_TEXT "op2_checkpoint"
#define OP2I_CHECKPOINT_FORM "1"
/* The first words of the lines for each kind of what is kept. */
static const char *const op2i_item_words[] = {"dat", "global", "constant", "counter"};
/* Words for types, and those of a checksum. */
const char *op2i_checkpoint_type(op2_type type);
enum { OP2I_CHECKSUM_ROOM = 17 };
void op2i_checksum_word(uint64_t checksum, char word[OP2I_CHECKSUM_ROOM]);
/* Add a line of words, of which the last one is followed by null. */
op2_status op2i_checkpoint_line(op2_file file, struct op2i_contents *text, ...)
    __attribute__((sentinel));
/* The sums of all ranks of n checksums of the rows that each has. Collective. */
op2_status op2i_checksums_add_up(op2_file file, int n, uint64_t *sums);

#endif
