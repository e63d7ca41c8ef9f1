/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_VALIDATE_H
#define OP2I_LOOP_VALIDATE_H

#include "loop.h"

/* Checks of the arguments of a loop. */

/* Validation (loop_validate.c): the kind of each argument, and every error of a call. */
enum op2i_tag {
  OP2I_TAG_DAT,
  OP2I_TAG_GBL,
  OP2I_TAG_VAL,
  OP2I_TAG_IDX,
  OP2I_TAG_MAP_IDX,
  OP2I_TAG_INFO,
  OP2I_TAG_MAT,
  OP2I_TAGS
};
bool op2i_arg_tag(const op2_arg *arg, enum op2i_tag *tag);
op2_status op2i_loop_validate(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                              const op2_arg *args);
enum op2i_arg_kind op2i_arg_kind(const op2_arg *arg);

#endif
