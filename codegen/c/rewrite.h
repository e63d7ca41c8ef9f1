/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_REWRITE_H
#define OP2I_REWRITE_H

#include "loop.h"
#include "text.h"
#include "unit.h"

/* A kernel's source on its way into generated text. Every function that the source defines becomes
 * static inline. A function that uses one of the loop's constants, itself or through another, takes
 * a pointer to the structure of all of them as a first parameter, hands it on, and finds the
 * constant in it. When the text is to share its translation unit, each function f becomes
 * OP2_NAME(<prefix>f). Where constants have a memory of their own, tables at file scope go there, and
 * those of functions are no longer static, which for constants is the same. Nothing else changes, and
 * no token moves to another line. */
struct op2i_rewrite {
  struct op2i_member member;
  const struct op2i_loop_const *consts; /* [member.nconsts] */
  int same_as;     /* the first member of the loop with this kernel; only its text is needed */
  char prefix[16]; /* of the names of its functions: "", in fused loops "k<same_as>_" */
  struct op2i_unit unit;
  bool apart;  /* the structure holds pointers to the constants, each by itself */
  bool *needs; /* [unit.nitems] the function at this item uses constants */
  /* Source and headers cannot disturb others in their translation unit: there are functions only,
   * no preprocessor lines, and no headers but those that all loops see. Otherwise functions keep
   * their names, which macros may use. */
  bool mergeable;
  const char
      *tables; /* what qualifies constants at file scope besides, with a blank; null: nothing */
  bool longs;  /* `long long` is `long` there: longs.h */
};

op2_status op2i_rewrite_begin(const struct op2i_loop *loop, int member,
                              struct op2i_rewrite *rewrite);
void op2i_rewrite_end(struct op2i_rewrite *rewrite);

void op2i_rewrite_emit(const struct op2i_rewrite *rewrite, struct op2i_text *out);
/* Whether the kernel's own function takes the constants. */
bool op2i_rewrite_kernel_needs(const struct op2i_rewrite *rewrite);
/* The constant that token t refers to, or null; the function of this source that it
 * refers to, as its item, or -1. A call may stand before the definition. */
const struct op2i_loop_const *op2i_rewrite_constant(const struct op2i_rewrite *rewrite, int64_t t);
int op2i_rewrite_function(const struct op2i_rewrite *rewrite, int64_t t);

#endif
