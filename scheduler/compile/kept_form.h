/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_KEPT_FORM_H
#define OP2I_KEPT_FORM_H

#include "jit.h"
#include "loop.h"

/* Which form of a loop was faster in a trial, kept in the cache of compiled loops. */

/* The request for code with which a loop is compiled. */
struct op2i_jit_code op2i_code_of(const struct op2i_loop *loop, enum op2i_variant variant,
                                  const char *source);
/* True if the loop is vector code or could be, so that a trial is possible; then *why is null, or
 * says why there is none nevertheless. The loop's form must be known. */
bool op2i_form_open(const struct op2i_loop *loop, const char **why);
/* Before the loop's vector code is compiled: take the result of an earlier trial from the cache. */
op2_status op2i_form_recall(struct op2i_loop *loop);
/* Keep the result of the loop's trial. Without memory it is not kept. */
void op2i_form_keep(struct op2i_loop *loop);

#endif
