/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

struct op2_arg_tag {
  enum op2i_tag tag;
};

/* Only these addresses are tags: an op2_arg that no function here made is recognised by having
 * another. */
static const struct op2_arg_tag tags[OP2I_TAGS] = {
    {OP2I_TAG_DAT}, {OP2I_TAG_GBL}, {OP2I_TAG_VAL}, {OP2I_TAG_IDX}};

bool op2i_arg_tag(const op2_arg *arg, enum op2i_tag *tag) {
  for (int t = 0; t < OP2I_TAGS; t++) {
    if (arg->tag != &tags[t]) continue;
    *tag = tags[t].tag;
    return true;
  }
  return false;
}

enum op2i_arg_kind op2i_arg_kind(const op2_arg *arg) {
  if (arg->tag == &tags[OP2I_TAG_GBL]) return OP2I_ARG_GBL;
  if (arg->tag == &tags[OP2I_TAG_VAL]) return OP2I_ARG_VAL;
  if (arg->tag == &tags[OP2I_TAG_IDX]) return OP2I_ARG_IDX;
  if (!arg->map) return OP2I_ARG_DIRECT;
  if (arg->idx == OP2_ALL) return OP2I_ARG_ALL;
  return arg->idx <= OP2_ITER(0) ? OP2I_ARG_ITER : OP2I_ARG_SLOT;
}

/* Static, so that neither of its callers goes through the table of symbols. */
static inline op2_arg dat_arg(op2_dat dat, int idx, op2_map map, op2_access access) {
  return (op2_arg){
      .tag = &tags[OP2I_TAG_DAT], .object = dat, .map = map, .idx = idx, .access = (int32_t)access};
}

op2_arg op2_arg_dat(op2_dat dat, int idx, op2_map map, op2_access access) {
  return dat_arg(dat, idx, map, access);
}

op2_arg op2_arg_direct(op2_dat dat, op2_access access) {
  return dat_arg(dat, OP2_ALL, NULL, access);
}

op2_arg op2_arg_gbl(op2_gbl gbl, op2_access access) {
  return (op2_arg){.tag = &tags[OP2I_TAG_GBL], .object = gbl, .access = (int32_t)access};
}

op2_arg op2_arg_val(const void *values, int dim, op2_type type) {
  return (op2_arg){.tag = &tags[OP2I_TAG_VAL],
                   .value = values,
                   .dim = dim,
                   .type = (int32_t)type,
                   .access = OP2_READ};
}

op2_arg op2_arg_idx(void) { return (op2_arg){.tag = &tags[OP2I_TAG_IDX], .access = OP2_READ}; }
