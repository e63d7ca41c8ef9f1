/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_EMIT_H
#define OP2I_SIMD_EMIT_H

#include "simd_print.h"

/* Printing of declarations, statements and functions. */

/* simd_emit.c */
void op2i_simd_declare(struct op2i_simd *l, const struct op2i_c_type *type, bool varying,
                       const char *name, struct op2i_text *out);
/* Append the name of a value's type, the pointers to it left out. */
void op2i_simd_base_name(struct op2i_simd *l, const struct op2i_c_type *type, bool varying,
                         struct op2i_text *out);
void op2i_simd_print_initial(struct op2i_simd_printer *p, const struct op2i_c_type *type,
                             bool varying, const struct op2i_simd_node *e);
/* Add a constant of the source to the text, and those that it depends on. */
void op2i_simd_emit_table(struct op2i_simd *l, struct op2i_simd_var *var);
void op2i_simd_emit_statements(struct op2i_simd_printer *p, const struct op2i_simd_node *body);
void op2i_simd_indent(const struct op2i_simd_printer *p);
void op2i_simd_statement(struct op2i_simd_printer *p, const struct op2i_simd_node *s);
void op2i_simd_statements(struct op2i_simd_printer *p, const struct op2i_simd_node *s);
/* simd_apart.c: loops and switches that some lanes leave before others, and the jumps by which they
 * do. */
void op2i_simd_emit_loop(struct op2i_simd_printer *p, const struct op2i_simd_node *s);
void op2i_simd_emit_switch(struct op2i_simd_printer *p, const struct op2i_simd_node *s);
void op2i_simd_emit_jump(struct op2i_simd_printer *p, const struct op2i_simd_node *s);
/* simd_function.c. The item that defines a function, or -1; refuses a function that is defined
 * twice. */
int op2i_simd_function(struct op2i_simd *l, const char *name, size_t length);
/* Note which function is being translated; returns what was noted before. */
const char *op2i_simd_within(struct op2i_simd *l, int item);
/* Append a function to l->functions, after those that it calls. */
void op2i_simd_emit(struct op2i_simd *l, struct op2i_simd_form *form);

#endif
