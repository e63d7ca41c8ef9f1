/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VEC_VIEW_H
#define OP2I_VEC_VIEW_H

#include "vec.h"

/* Views of rows, and moves between them and memory. */

/* vec_view.c */
/* The number of lanes of vectors of simd_bytes in this loop, determined by its largest floating
 * type. */
int op2i_vec_lanes(const struct op2i_loop *loop, int simd_bytes);
/* Assign views to arguments and translate the kernels into vector form, with the lanes of vectors
 * of lane_bytes; vectors may be as long as `widest`. If the loop cannot be vectorised, *why gets
 * the reason, a sentence for users without its full stop. */
op2_status op2i_vec_begin(struct op2i_vec *v, const struct op2i_emitter *e, int lane_bytes,
                          int widest, struct op2i_text *why);
void op2i_vec_end(struct op2i_vec *v);
/* vec_move.c: transfers between memory and vectors. `a` is the number of an argument, `n` of a
 * view. */
void op2i_vec_move_helps(struct op2i_vec *v);        /* the helper functions for all transfers */
void op2i_vec_load(const struct op2i_vec *v, int n); /* also declares the view */
void op2i_vec_store(const struct op2i_vec *v, int n);
/* True if a view is overwritten by whole vectors, so that its stores may go past the caches. */
bool op2i_vec_passes(const struct op2i_vec *v, int n);
void op2i_vec_copy(const struct op2i_vec *v, int a);   /* the private copy, before the call */
void op2i_vec_settle(const struct op2i_vec *v, int a); /* adds it to the view, after the call */
/* True if a dat gets so many increments that the text has loops for them. */
bool op2i_vec_rolled(const struct op2i_vec *v, int dat);
/* Load the vectors of an argument's view, without declaring it, from the rows that `base` and an
 * array of row numbers give. */
void op2i_vec_get(const struct op2i_vec *v, int a, const char *base, const char *rows);
/* Add increments to memory, after all calls, from op2_own<n> or op2_early_own<n>: `copy` is the
 * stem. Values go to a dat in the same order as in scalar code: for each element argument by
 * argument, slot by slot. The first function does it for a dat that has minima or maxima, or loops,
 * and the last one for all others; they have a line for each addition. */
void op2i_vec_accumulate(const struct op2i_vec *v, int dat, const char *copy);
void op2i_vec_add_parts(const struct op2i_vec *v, int a, const char *copy);
void op2i_vec_add_slot(const struct op2i_vec *v, int a, int slot, int lane);
void op2i_vec_add_lines(const struct op2i_vec *v, const char *copy); /* vec_add.c */

#endif
