/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_CONTRACT_H
#define OP2I_SIMD_CONTRACT_H

#include "rewrite.h"
#include "text.h"

/* Contraction: a product of doubles that is added to something is rounded once, with the sum, as
 * compilers for processors with such an instruction do by themselves. They choose other products in
 * scalar code than in vectors; here the kernel's source is rewritten, before any form of code is made
 * of it, so that all forms have the same bits. */

/* Append the source of the rewrite's kernel with each sum of a product as a call:
 *
 *   a * b + c, c + a * b, c += a * b   op2_fused_f64(a, b, c)
 *   a * b - c                          op2_fused_f64(a, b, -(c))
 *   c - a * b, c -= a * b              op2_fused_minus_f64(a, b, c)
 *
 * where the product has no parentheses of its own. Of two products that are added, the left one is
 * contracted. Functions that cannot be read, expressions of macros that are more than a name, and
 * kernels with headers of their own stay as they are. Nothing is appended if there is no such
 * sum. Lines stay where they are. Fails only with OP2_ERR_NOMEM. */
op2_status op2i_simd_contract(const struct op2i_rewrite *rewrite, struct op2i_text *out);

#endif
