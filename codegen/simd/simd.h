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
 * (all bits of a lane set or clear, signed 64-bit lanes) or op2_m32x8. All are plain vector types,
 * so +, -, *, / and comparisons work on them. Arithmetic is the scalar kernel's, operation by
 * operation, so that results are bitwise those of the scalar code compiled without contraction.
 *
 * The prelude defines the types and the helper functions, guarded, so that units of different lane
 * counts can share a translation unit. */
void op2i_simd_prelude(int lanes, struct op2i_text *out);

struct op2i_simd_request {
  const struct op2i_rewrite *rewrite; /* the kernel's */
  const bool *varying;                /* [nparams] True if its values differ between lanes. */
  int lanes;                          /* 2, 4, 8 or 16 */
  int widest;                         /* bytes of the longest vectors allowed; 0: any */
  bool own_math; /* functions of math.h are computed by their texts, not by the C library */
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
 * If the kernel cannot be translated, *why gets a phrase for users ("calls rand, which is not
 * known", "the trip count of the loop in line 7 differs between elements") and nothing is appended.
 * A kernel that needs vectors longer than `widest` may be translated with fewer lanes; on longer
 * ones gcc 12 sometimes fails if the machine does not have them.
 *
 * *divides, unless null, is set to true if the kernel divides vectors or takes their square roots:
 * such operations have a long latency.
 *
 * fmin() and fmax() of varying values are defined in the text, with the same results as those of
 * cgen.c. Fails only with OP2_ERR_NOMEM. */
op2_status op2i_simd_kernel(const struct op2i_simd_request *request, struct op2i_text *out,
                            struct op2i_text *why, bool *divides);

/* The result of op2i_simd_kernel() for a request. It does not depend on anything else of the loop,
 * so it is kept with the kernel for other loops, and for those that are fused from this one. */
struct op2i_simd_translation {
  struct op2i_simd_translation *next;
  int lanes, widest;
  bool *varying; /* [nparams] */
  int nconsts;
  struct op2i_simd_const {
    char *name;
    op2_type type;
    int32_t dim;
    bool in_place;
  } * consts;            /* [nconsts] the request's constants, as the text sees them */
  struct op2i_text text; /* with PREFIX in place of the rewrite's prefix */
  struct op2i_text why;  /* empty if the kernel could be translated */
  bool divides;
};
/* Find the translation of a request, or make it and keep it. Fails only with OP2_ERR_NOMEM. */
op2_status op2i_simd_translated(const struct op2i_simd_request *request,
                                const struct op2i_simd_translation **kept);
/* Free kernel->translations. */
void op2i_simd_forget(op2_kernel kernel);
void op2i_simd_append(const struct op2i_simd_translation *kept, const struct op2i_rewrite *rewrite,
                      struct op2i_text *out);

#endif
