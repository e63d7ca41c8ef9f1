/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_H
#define OP2I_SIMD_H

#include "rewrite.h"
#include "text.h"

/* Kernels for several elements at a time, in portable C with the vector extensions of gcc and
 * clang.
 *
 * Vector types are named by element type and lane count: op2_f64x8, op2_f32x8, op2_i32x8,
 * op2_i64x8, op2_u8x8 and so on, always with as many lanes as the loop has; a mask is op2_m64x8
 * (all bits of a lane set or clear, signed 64-bit lanes) or op2_m32x8. All have plain vector types
 * behind them, so
 * +, -, *, / and comparisons work on them. Arithmetic is the scalar kernel's, operation by
 * operation, so that results are bitwise those of the scalar code compiled without contraction.
 *
 * The prelude defines the types and the helper functions, guarded, so that units of different lane
 * counts can share a translation unit. */
void op2i_simd_prelude(int lanes, struct op2i_text *out);

struct op2i_simd_request {
  const struct op2i_rewrite *rewrite; /* of the kernel */
  const bool *varying;                /* [nparams] its values differ between lanes */
  int lanes;                          /* 2, 4, 8 or 16 */
  int widest;                         /* bytes of the longest vectors there may be, 0: any */
};

/* Append vector forms of the kernel's function and of those it calls. The kernel's is
 *
 *   static inline __attribute__((always_inline)) void
 *   OP2_NAME(<prefix>op2_vec_<kernel>)([const struct OP2_NAME(<prefix>op2_consts) *op2_consts,]
 *                                   parameters)
 *
 * with the rewrite's prefix and the kernel's parameters in order: a parameter that does not vary
 * keeps its type; a varying `T *p` (or `T p[D]`) becomes a pointer to vectors, op2_f64x8 *p, whose
 * element j holds component j of all lanes; a varying `T **p` (all slots of a map) a pointer to
 * such pointers; a varying `T p` a vector by value. The constants come first where
 * op2i_rewrite_kernel_needs() says so, as in scalar code.
 *
 * Where the kernel cannot be had in this form, *why gets a phrase for people ("calls rand, which is
 * not known", "the trip count of the loop in line 7 differs between elements") and nothing is
 * appended. With fewer lanes a kernel may be had that needs vectors longer than `widest`, on which
 * gcc 12 stumbles now and then when the machine has none of the kind.
 *
 * *divides is set, unless null, to whether vectors are divided, as the kernel is written, or their
 * square roots are taken: what needs that takes long to come.
 *
 * fmin() and fmax() of what varies are the text's own, and do what those of cgen.c do. Fails only
 * with OP2_ERR_NOMEM. */
op2_status op2i_simd_kernel(const struct op2i_simd_request *request, struct op2i_text *out,
                            struct op2i_text *why, bool *divides);

/* What op2i_simd_kernel() made of a request. It does not depend on the loop otherwise, so it is
 * kept with the kernel for other loops, and for those that are fused from this one. */
struct op2i_simd_translation {
  struct op2i_simd_translation *next;
  int lanes, widest;
  bool *varying;          /* [nparams] */
  int nconsts;
  struct op2i_simd_const {
    char *name;
    op2_type type;
    int32_t dim;
    bool in_place;
  } * consts;             /* [nconsts] those of the request: all that the text shows of them */
  struct op2i_text text;  /* with PREFIX where the rewrite's prefix goes */
  struct op2i_text why;   /* empty: it can be had */
  bool divides;
};
/* Found, or made and kept. Fails only with OP2_ERR_NOMEM. */
op2_status op2i_simd_translated(const struct op2i_simd_request *request,
                                const struct op2i_simd_translation **kept);
/* Free kernel->translations. */
void op2i_simd_forget(op2_kernel kernel);
void op2i_simd_append(const struct op2i_simd_translation *kept, const struct op2i_rewrite *rewrite,
                      struct op2i_text *out);

#endif
