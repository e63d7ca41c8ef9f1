/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_EXPR_H
#define OP2I_SIMD_EXPR_H

#include "simd_parse.h"

/* Reading expressions. */

/* simd_expr.c */
struct op2i_simd_node *op2i_simd_expression(struct op2i_simd_parser *p);
struct op2i_simd_node *op2i_simd_assignment(struct op2i_simd_parser *p);
int64_t op2i_simd_extent(struct op2i_simd_parser *p); /* a constant above zero */
struct op2i_simd_node *op2i_simd_operation(struct op2i_simd *l, const char *op,
                                           struct op2i_simd_node *a, struct op2i_simd_node *b);
/* The condition that an expression is: of a pointer, whether it is not null. */
struct op2i_simd_node *op2i_simd_truth(struct op2i_simd *l, struct op2i_simd_node *e);
/* Return the type that a pointer or array leads to. */
struct op2i_c_type op2i_simd_led_to(struct op2i_c_type type);
struct op2i_simd_node *op2i_simd_unary(struct op2i_simd_parser *p); /* an operand */
/* simd_memory.c: sizeof; and memcpy() and memset(), whose call has been read. */
struct op2i_simd_node *op2i_simd_size_of(struct op2i_simd_parser *p);
/* True if evaluating the expression again gives the same value and changes nothing. */
bool op2i_simd_repeatable(const struct op2i_simd_node *e);
bool op2i_simd_memory_name(const struct op2i_piece *name);
struct op2i_simd_node *op2i_simd_memory(struct op2i_simd_parser *p,
                                        const struct op2i_simd_node *call);
/* simd_literal.c */
struct op2i_simd_node *op2i_simd_literal(struct op2i_simd_parser *p);
struct op2i_simd_node *op2i_simd_standard(struct op2i_simd_parser *p); /* M_PI, ...; or null */

#endif
