/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_CONVERT_H
#define OP2I_SIMD_CONVERT_H

#include "simd_base.h"

/* Conversions of vectors of numbers to another type with as many lanes. Compilers cut many of them
 * into halves although the processor has one instruction; these get a helper function. */

/* Add the definition of the helper for this conversion to the text, if there is one. True if so. */
bool op2i_simd_convert_define(struct op2i_simd *l, enum op2i_c_base from, enum op2i_c_base to);

/* Append the beginning of a conversion; then comes the operand, and then what the second function
 * appends. */
void op2i_simd_convert_begin(struct op2i_simd *l, enum op2i_c_base from, enum op2i_c_base to,
                             struct op2i_text *out);
void op2i_simd_convert_end(struct op2i_simd *l, enum op2i_c_base from, enum op2i_c_base to,
                           struct op2i_text *out);

#endif
