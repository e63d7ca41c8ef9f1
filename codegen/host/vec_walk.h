/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VEC_WALK_H
#define OP2I_VEC_WALK_H

#include "vec.h"

/* Text for all that advances with the batches of a loop. */

enum op2i_vec_walk {
  OP2I_WALK_BEGIN,   /* before the first batch */
  OP2I_WALK_AHEAD,   /* in a batch, for values of later ones */
  OP2I_WALK_ADVANCE, /* after a batch */
  OP2I_WALK_LAST,    /* before the remainder */
  OP2I_WALK_END      /* after it */
};
/* All that advances. */
void op2i_vec_walk(const struct op2i_vec *v, enum op2i_vec_walk walk);
/* True if elements' own rows advance with the batches. */
bool op2i_vec_walks(const struct op2i_vec *v);
/* True if the lanes' elements are kept in a vector: in ranges, if the text needs no array of them. */
bool op2i_vec_in_steps(const struct op2i_vec *v);
/* True if rows of the remainder are copied back. */
bool op2i_vec_copies_back(const struct op2i_vec *v);

/* Declare the numbers of a batch's elements. */
void op2i_vec_elements(const struct op2i_vec *v);
/* The first member that reads through this slot of a map, or nmembers if none does. */
int op2i_vec_first_to_read(const struct op2i_vec *v, int map, int slot);
/* Declare the rows that a slot leads to: op2_map<n>_<s> from the map, or op2_again<n>_<s> from
 * op2_again<n>. */
void op2i_vec_slot_rows(const struct op2i_vec *v, int map, int slot, const char *stem);
/* Read row numbers from the map once more, for increments to memory. The walk is `ahead` elements
 * further than the batch. */
void op2i_vec_rows_again(const struct op2i_vec *v, int map, int ahead);

#endif
