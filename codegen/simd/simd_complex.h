/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_COMPLEX_H
#define OP2I_SIMD_COMPLEX_H

#include "simd_print.h"
#include "simd_record.h"

/* Complex numbers (C11 6.2.5, 7.3): structures of two numbers, with functions for their arithmetic
 * in the text. */

static inline bool op2i_simd_complex(const struct op2i_c_type *type) {
  return op2i_simd_record(type) && type->record && type->record->complex;
}
/* For a reader: complex numbers of two numbers of this type. */
struct op2i_c_record *op2i_simd_complex_record(struct op2i_c_reader *r, enum op2i_c_base base);
/* The value converted to this type, where one of them is complex; else the value itself. */
struct op2i_simd_node *op2i_simd_converted(struct op2i_simd *l, struct op2i_simd_node *e,
                                           const struct op2i_c_type *type);
/* a op b, where one of them is complex. */
struct op2i_simd_node *op2i_simd_complex_binary(struct op2i_simd *l, const char *op,
                                                struct op2i_simd_node *a, struct op2i_simd_node *b);
/* op a: + or -, ~ for the conjugate. */
struct op2i_simd_node *op2i_simd_complex_unary(struct op2i_simd *l, const char *op,
                                               struct op2i_simd_node *a);
/* The two values of a condition, where one of them is complex. */
void op2i_simd_complex_choice(struct op2i_simd *l, struct op2i_simd_node *e);
/* True for a function of <complex.h> that is followed; and what its call is, whose only argument
 * has been read. */
bool op2i_simd_complex_name(const struct op2i_piece *name);
struct op2i_simd_node *op2i_simd_complex_call(struct op2i_simd *l, struct op2i_simd_node *call);
/* The imaginary unit. */
struct op2i_simd_node *op2i_simd_imaginary(struct op2i_simd *l, int line);
void op2i_simd_print_complex(struct op2i_simd_printer *p, const struct op2i_simd_node *e);

#endif
