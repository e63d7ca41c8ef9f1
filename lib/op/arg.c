/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that make arguments and scalars, for callers that do not inline them. */
#define OP2_INLINE_
#include "op2/algebra.h"
#include "op2/loop.h"
#include "op2/matrix.h"

#include "loop.h"
#include "loop_validate.h"

bool op2i_arg_tag(const op2_arg *arg, enum op2i_tag *tag) {
  const struct op2_arg_tag *const tags[OP2I_TAGS] = {OP2_TAG_DAT_, OP2_TAG_GBL_,     OP2_TAG_VAL_,
                                                     OP2_TAG_IDX_, OP2_TAG_MAP_IDX_, OP2_TAG_INFO_,
                                                     OP2_TAG_MAT_};
  for (int t = 0; t < OP2I_TAGS; t++) {
    if (arg->tag != tags[t]) continue;
    *tag = (enum op2i_tag)t;
    return true;
  }
  return false;
}

enum op2i_arg_kind op2i_arg_kind(const op2_arg *arg) {
  if (arg->tag == OP2_TAG_GBL_ || arg->tag == OP2_TAG_INFO_) return OP2I_ARG_GBL;
  if (arg->tag == OP2_TAG_VAL_) return OP2I_ARG_VAL;
  if (arg->tag == OP2_TAG_IDX_ || arg->tag == OP2_TAG_MAP_IDX_) return OP2I_ARG_IDX;
  if (arg->tag == OP2_TAG_MAT_) return OP2I_ARG_ITER;
  if (!arg->map) return OP2I_ARG_DIRECT;
  if (arg->idx == OP2_ALL) return OP2I_ARG_ALL;
  if (arg->idx == OP2I_EACH) return OP2I_ARG_ROW_ENTRIES;
  return arg->idx <= OP2_ITER(0) ? OP2I_ARG_ITER : OP2I_ARG_SLOT;
}
