/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MATH_TEXT_H
#define OP2I_MATH_TEXT_H

#include <stddef.h>

/* The texts of mathematical functions, in a dialect of C that math_print.c prints for scalars and
 * for vectors.
 *
 *   real, whole, mask  the types: double and int64_t, or vectors of them; a mask is what a
 *                      comparison gives, which is cast to it: (mask)(x < 1.0). In scalar text it
 *                      is an int.
 *   natural            uint64_t, or vectors of it
 *   + - * / & | ^      work on these types, also between them and numbers. Integers also have <<
 *                      and >>; what is shifted to the right is natural, for which all processors
 *                      have an instruction.
 *   fused(a, b, c)     a b + c, and fused_minus(a, b, c) c - a b, rounded once where the processor
 *                      can do so, else twice. A function whose accuracy depends on it has two
 *                      texts.
 *   LANES              the number of lanes
 *
 * All other words that are no keywords get the prefix op2_, and names of these functions the type
 * as a suffix, so texts use no macro and no name of the C library. No operation is left to the
 * compiler's choice: each is one of IEEE 754, and text is compiled without contraction. Hence the
 * same text gives the same bits for every type. Bits may differ between processors with fused
 * operations and others.
 *
 * The sources name the methods. All coefficients come from fit.py (coefficients.h). */

enum op2i_math_how {
  OP2I_MATH_PART,     /* is called by other texts, and becomes part of them */
  OP2I_MATH_FUNCTION, /* is a function of C's library */
  OP2I_MATH_FLOAT,    /* is NAME_float, which computes NAMEf in double */
  OP2I_MATH_LANES,    /* is a part whose form for vectors is in lanes.c */
  OP2I_MATH_SELDOM,   /* is a function which is seldom called */
  OP2I_MATH_EACH,     /* is computed lane by lane, by the scalar function */
  OP2I_MATH_APART     /* is a scalar function which is seldom called */
};

struct op2i_math_text {
  enum op2i_math_how how;
  const char *result, *name, *parameters, *text;
  const char *lanes; /* the text for vectors; null: the same */
  const char *fused; /* the text where fused() rounds once; null: the same */
};

/* Arguments are expanded before they become text, so that coefficients are numbers there. */
#define OP2I_MATH(how_, result_, name_, parameters_, ...)                                          \
  { OP2I_MATH_##how_, #result_, #name_, #parameters_, OP2I_MATH_STRING(__VA_ARGS__), NULL, NULL }
/* A function with two texts, of which the first, in parentheses, is for fused operations. */
#define OP2I_MATH_TWO(how_, result_, name_, parameters_, fused_, ...)                              \
  {                                                                                                \
    OP2I_MATH_##how_, #result_, #name_, #parameters_, OP2I_MATH_STRING(__VA_ARGS__), NULL,         \
        OP2I_MATH_STRING fused_                                                                    \
  }
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
