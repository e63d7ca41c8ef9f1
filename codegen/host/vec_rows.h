/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VEC_ROWS_H
#define OP2I_VEC_ROWS_H

#include "vec.h"

/* Rows of values in vectors. */

/* Find out whether a loop can be vectorised with vectors of simd_bytes; *why stays empty if it
 * can. */
op2_status op2i_vec_judge(const struct op2i_emitter *e, int simd_bytes,
                          struct op2i_judgement *judgement, struct op2i_text *why);
/* vec_rows.c */
/* The width of the widest piece of a row that can come next where `left` values are left. */
int op2i_vec_piece(const struct op2i_vec *v, int left);
/* Append a helper function and those that it needs, once. */
void op2i_vec_need(struct op2i_vec *v, enum op2i_vec_help help, op2_type type, int width);
/* vec_emit.c */
/* Append the vector forms of the kernels, the function over positions and the entry; nothing if
 * *why gets a reason. */
op2_status op2i_vec_emit(struct op2i_emitter *e, int simd_bytes, struct op2i_text *why);
/* vec_entries.c: the loop over the entries of a matrix's row, around the call of a member that
 * takes one. Returns false if the member takes none. */
bool op2i_vec_entries_begin(const struct op2i_vec *v, int m);
void op2i_vec_entries_end(const struct op2i_vec *v, int m);

#endif
