/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_VALIDATE_H
#define OP2I_LOOP_VALIDATE_H

#include "loop.h"

/* Checks of the arguments of a loop. */

/* Validation (loop_validate.c): the kind of each argument, and every error of a call. */
enum op2i_tag {
#define ARG_TAG(name_, kind_, words_) OP2I_TAG_##name_,
#include "arg_tags.def"
#undef ARG_TAG
  OP2I_TAGS
};
bool op2i_arg_tag(const op2_arg *arg, enum op2i_tag *tag);
/* Return what messages call an argument: words, or the name of its object. */
const char *op2i_arg_words(const op2_arg *arg);
/* The name of an argument's object; null if it has none, or is no valid handle. */
const char *op2i_arg_object_name(const op2_arg *arg);
op2_status op2i_loop_validate(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                              const op2_arg *args);
enum op2i_arg_kind op2i_arg_kind(const op2_arg *arg);

#endif
