/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_HELPER_H
#define OP2I_SIMD_HELPER_H

#include "simd_base.h"
#include "simd_math.h"

/* Helper functions of generated text. */

/* simd_helper.c */
enum op2i_simd_help {
  OP2I_SIMD_SPLAT,
  OP2I_SIMD_SELECT,
  OP2I_SIMD_BLEND, /* the same by one instruction, where a mask has been tested for active lanes */
  OP2I_SIMD_ANY,
  OP2I_SIMD_WEIGH,   /* 1 where a mask is set, else 0 */
  OP2I_SIMD_DIVISOR, /* 1 where nothing is divided */
  OP2I_SIMD_GATHER   /* numbers of an array by subscripts of type int64_t */
};
/* True if the text lacks the helper of this name, which is noted as present from now on. */
bool op2i_simd_lacks(struct op2i_simd *l, const char *name);
const char *op2i_simd_scalar_name(enum op2i_c_base base); /* of a uniform number */
void op2i_simd_type_name(struct op2i_simd *l, enum op2i_c_base base, struct op2i_text *out);
/* Append the name of a helper function, whose definition the text gets. */
void op2i_simd_help(struct op2i_simd *l, enum op2i_simd_help help, enum op2i_c_base base,
                    struct op2i_text *out);
void op2i_simd_help_math(struct op2i_simd *l, const struct op2i_simd_math *math, bool single,
                         struct op2i_text *out);
/* The same for arguments that all lanes share, of functions with texts of their own. */
void op2i_simd_help_scalar_math(struct op2i_simd *l, const struct op2i_simd_math *math, bool single,
                                struct op2i_text *out);
/* True if the function has a text of its own (math_print.h), which vectors and scalars share. */
bool op2i_simd_own_math(const struct op2i_simd *l, const struct op2i_simd_math *math);

#endif
