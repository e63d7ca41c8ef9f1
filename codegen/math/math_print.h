/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MATH_PRINT_H
#define OP2I_MATH_PRINT_H

#include <stdbool.h>

#include "text.h"

/* Functions of the math library that generated text brings along, so that they give the same bits
 * in scalar code, in vectors and with every compiler, with errors below one unit in the last place.
 * math_text.h describes how they are written. */

/* Functions that a text has already; zero-initialise it for each text. */
enum { OP2I_MATH_MOST = 256 };
struct op2i_math_seen {
  bool scalar[OP2I_MATH_MOST], vector[OP2I_MATH_MOST];
};

/* True if there is a text for the function of this name (without the f of float's). */
bool op2i_math_known(const char *name);
/* Append the definition of a function that is known, and of what it needs:
 *
 *   static double op2_exp_f64(double op2_x)                with one lane
 *   static op2_f64x8 op2_exp_f64x8(op2_f64x8 op2_x)        with eight
 *
 * The text for vectors uses the types of op2i_simd_prelude(). Every definition has a guard, so that
 * a translation unit may have the same text several times. */
void op2i_math_print(const char *name, int lanes, struct op2i_math_seen *seen,
                     struct op2i_text *out);
/* The same for float: op2_exp_f32, op2_exp_f32x8. They compute in double, in two halves if `halves`
 * is true; the types of half as many lanes must then be there, too. */
void op2i_math_print_single(const char *name, int lanes, bool halves, struct op2i_math_seen *seen,
                            struct op2i_text *out);
/* The name of function n of C's library that has a text, for double; null: there are no more. */
const char *op2i_math_name(int n);
/* Append, for scalar code, each such function that a source may call, for double and float, defined
 * by its name in C.
 * `source` contains the headers that could be read; if it or `headers` (lines of directives, may be
 * null) include others but those of C, it may call any function. */
void op2i_math_define(const char *source, const char *headers, struct op2i_text *out);

#endif
