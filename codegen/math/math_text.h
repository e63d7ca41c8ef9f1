/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MATH_TEXT_H
#define OP2I_MATH_TEXT_H

#include <stddef.h>

/* The texts of mathematical functions, in a dialect of C that math_print.c prints for scalars and for
 * vectors.
 *
 *   real, whole, mask  the types: double and int64_t, or vectors of them; a mask is what a comparison
 *                      gives, which is cast to it: (mask)(x < 1.0). In scalar text it is an int.
 *   + - * / & | ^      work on these types, also between them and numbers. Integers also have << and
 *                      >>, and what is shifted to the right is not negative.
 *   LANES              the number of lanes
 *
 * All other words that are no keywords get the prefix op2_, and names of these functions the type
 * as a suffix, so texts use no macro and no name of the C library. No operation is left to the
 * compiler's choice: each is one of IEEE 754, and text is compiled without contraction. Hence the
 * same text gives the same bits for every type, and in every language that has these operations.
 *
 * The sources name the methods. All coefficients come from fit.py (coefficients.h). */

enum op2i_math_how {
  OP2I_MATH_PART,     /* is called by other texts, and becomes part of them */
  OP2I_MATH_FUNCTION, /* is a function of C's library */
  OP2I_MATH_EACH,     /* is computed lane by lane, by the scalar function */
  OP2I_MATH_APART     /* is a scalar function which is seldom called */
};

struct op2i_math_text {
  enum op2i_math_how how;
  const char *result, *name, *parameters, *text;
  const char *lanes; /* the text for vectors; null: the same */
};

/* Arguments are expanded before they become text, so that coefficients are numbers there. */
#define OP2I_MATH(how_, result_, name_, parameters_, ...)                                          \
  { OP2I_MATH_##how_, #result_, #name_, #parameters_, OP2I_MATH_STRING(__VA_ARGS__), NULL }
#define OP2I_MATH_STRING(...) #__VA_ARGS__

/* Each list ends with an element whose name is null. */
extern const struct op2i_math_text op2i_math_base[];
extern const struct op2i_math_text op2i_math_exp[];
extern const struct op2i_math_text op2i_math_log[];
extern const struct op2i_math_text op2i_math_pow[];
extern const struct op2i_math_text op2i_math_root[];
extern const struct op2i_math_text op2i_math_trig[];
extern const struct op2i_math_text op2i_math_arc[];
extern const struct op2i_math_text op2i_math_area[];

#endif
