/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_STMT_H
#define OP2I_SIMD_STMT_H

#include "simd_parse.h"

/* Reading functions and declarations at file scope. */

/* simd_stmt.c */
struct op2i_c_type op2i_simd_result(struct op2i_simd *l, int item); /* what a function returns */
extern const struct op2i_c_asker op2i_simd_asker;                   /* for a parser's reader */
/* Make a name visible from here on. */
void op2i_simd_let_see(struct op2i_simd_parser *p, struct op2i_simd_var *var);
/* Read a function's parameters and body. */
void op2i_simd_read(struct op2i_simd *l, struct op2i_simd_form *form);
/* Note the range of a counter, as in for (int n = 2; n < 5; n++), or downwards. */
void op2i_simd_note_counter(struct op2i_simd_node *loop);
/* simd_counter.c. Give the loops of a body counters of their own where one is declared above them
 * and used by loops only. */
void op2i_simd_counters(struct op2i_simd *l, struct op2i_simd_node *body);
/* simd_global.c: declarations at file scope that functions can use. */
void op2i_simd_globals(struct op2i_simd *l);

#endif
