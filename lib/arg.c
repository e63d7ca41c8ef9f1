/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

/* For those who do not compile the header: other languages, or compilers that inline nothing. */
extern inline op2_arg op2_arg_dat(op2_dat dat, int idx, op2_map map, op2_access access);
extern inline op2_arg op2_arg_direct(op2_dat dat, op2_access access);
extern inline op2_arg op2_arg_gbl(op2_gbl gbl, op2_access access);
extern inline op2_arg op2_arg_val(const void *values, int dim, op2_type type);
extern inline op2_arg op2_arg_idx(void);

bool op2i_arg_tag(const op2_arg *arg, enum op2i_tag *tag) {
  static const uint64_t tags[OP2I_TAGS] = {OP2_TAG_DAT_, OP2_TAG_GBL_, OP2_TAG_VAL_, OP2_TAG_IDX_};
  for (int t = 0; t < OP2I_TAGS; t++) {
    if (arg->tag != tags[t]) continue;
    *tag = (enum op2i_tag)t;
    return true;
  }
  return false;
}

enum op2i_arg_kind op2i_arg_kind(const op2_arg *arg) {
  switch (arg->tag) {
  case OP2_TAG_GBL_: return OP2I_ARG_GBL;
  case OP2_TAG_VAL_: return OP2I_ARG_VAL;
  case OP2_TAG_IDX_: return OP2I_ARG_IDX;
  default: break;
  }
  if (!arg->map) return OP2I_ARG_DIRECT;
  if (arg->idx == OP2_ALL) return OP2I_ARG_ALL;
  return arg->idx <= OP2_ITER(0) ? OP2I_ARG_ITER : OP2I_ARG_SLOT;
}
