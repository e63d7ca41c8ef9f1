/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that make arguments and scalars, for callers that do not inline them. */
#define OP2_INLINE_
#include "op2/algebra.h"
#include "op2/loop.h"
#include "op2/matrix.h"

#include "loop.h"
#include "loop_validate.h"

/* The table of tags, by enum op2i_tag. */
static const struct {
  const struct op2_arg_tag *tag;
  enum op2i_arg_kind kind;
  const char *words;
} made[OP2I_TAGS] = {
#define ARG_TAG(name_, kind_, words_) {OP2_TAG_##name_##_, (enum op2i_arg_kind)(kind_), words_},
#include "arg_tags.def"
#undef ARG_TAG
};

bool op2i_arg_tag(const op2_arg *arg, enum op2i_tag *tag) {
  for (int t = 0; t < OP2I_TAGS; t++) {
    if (arg->tag != made[t].tag) continue;
    *tag = (enum op2i_tag)t;
    return true;
  }
  return false;
}

const char *op2i_arg_words(const op2_arg *arg) {
  enum op2i_tag tag;
  const char *words = op2i_arg_tag(arg, &tag) ? made[tag].words : NULL;
  return words ? words : ((struct op2i_object *)arg->object)->name;
}

const char *op2i_arg_object_name(const op2_arg *arg) {
  static const enum op2i_kind kinds[] = {OP2I_DAT, OP2I_GBL, OP2I_MAT, OP2I_COMPONENT};
  enum op2i_tag tag;
  if (!op2i_arg_tag(arg, &tag) || made[tag].words) return NULL;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (op2i_object_is(arg->object, kinds[k])) return ((struct op2i_object *)arg->object)->name;
  return NULL;
}

enum op2i_arg_kind op2i_arg_kind(const op2_arg *arg) {
  enum op2i_tag tag;
  if (op2i_arg_tag(arg, &tag) && made[tag].kind) return made[tag].kind;
  if (!arg->map) return OP2I_ARG_DIRECT;
  if (arg->idx == OP2_ALL) return OP2I_ARG_ALL;
  if (arg->idx == OP2I_EACH) return OP2I_ARG_ROW_ENTRIES;
  return arg->idx <= OP2_ITER(0) ? OP2I_ARG_ITER : OP2I_ARG_SLOT;
}
