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
/* simd_literal.c */
struct op2i_simd_node *op2i_simd_literal(struct op2i_simd_parser *p);
struct op2i_simd_node *op2i_simd_standard(struct op2i_simd_parser *p); /* M_PI, ...; or null */

#endif
