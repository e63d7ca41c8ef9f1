/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_RECORD_H
#define OP2I_SIMD_RECORD_H

#include "simd_parse.h"

/* Structures and unions of numbers. One that varies has a vector for each number, which lets C copy,
 * pass and return it as it does any other; masks choose member by member. */

static inline bool op2i_simd_record(const struct op2i_c_type *type) {
  return type->nlevels == 0 && type->base == OP2I_C_RECORD;
}
/* For a reader: what struct or union means here. */
struct op2i_c_record *op2i_simd_tagged(struct op2i_c_reader *r, const struct op2i_piece *word,
                                       const struct op2i_piece *tag);
/* Refuse the use of a structure whose values cannot be followed. */
void op2i_simd_check_record(struct op2i_simd *l, const struct op2i_c_type *type, int line);
/* The type of its numbers, if it is a structure of numbers of one type; else OP2I_C_VOID. */
enum op2i_c_base op2i_simd_row_base(const struct op2i_c_record *record);
/* The member that the word names, or null. */
const struct op2i_c_member *op2i_simd_member(const struct op2i_c_record *record,
                                             const struct op2i_piece *word);
/* a.member, or a->member where a is a pointer; the parser is at the sign. */
struct op2i_simd_node *op2i_simd_select_member(struct op2i_simd_parser *p,
                                               struct op2i_simd_node *a);
/* Append the name of the type of its values, varying or not. */
void op2i_simd_record_name(struct op2i_simd *l, struct op2i_c_record *record, bool varying,
                           struct op2i_text *out);
/* Append the name of the function that makes a varying structure of a uniform one (`splat`), or
 * that chooses by a mask. */
void op2i_simd_record_help(struct op2i_simd *l, struct op2i_c_record *record, bool splat,
                           struct op2i_text *out);
/* simd_initial.c. The initializer of a value of this type. */
struct op2i_simd_node *op2i_simd_initializer(struct op2i_simd_parser *p,
                                             const struct op2i_c_type *type);
/* Refuse an initializer that is not made as its type is. */
void op2i_simd_check_initializer(struct op2i_simd *l, const struct op2i_c_type *type,
                                 const struct op2i_simd_node *e);

#endif
