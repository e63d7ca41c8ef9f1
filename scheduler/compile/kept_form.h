/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_KEPT_FORM_H
#define OP2I_KEPT_FORM_H

#include "jit.h"
#include "loop.h"

/* The results of a loop's trials are kept in the cache of compiled loops. */

/* The request for code with which a loop is compiled. */
struct op2i_jit_code op2i_code_of(const struct op2i_loop *loop, enum op2i_variant variant,
                                  const char *source);
/* True if the loop is vector code or could be, so that a trial of scalar code is possible; then *why
 * is null, or says why there is none nevertheless. The loop's form must be known. */
bool op2i_form_open(const struct op2i_loop *loop, const char **why);
/* True if a trial of prefetches is possible. */
bool op2i_prefetch_open(const struct op2i_loop *loop);
/* Before the loop's vector code is compiled: take the results of earlier trials from the cache. */
op2_status op2i_form_recall(struct op2i_loop *loop);
/* Keep the results of the loop's trials. Without memory they are not kept. */
void op2i_form_keep(struct op2i_loop *loop);

#endif
