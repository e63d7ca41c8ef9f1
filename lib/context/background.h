/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_BACKGROUND_H
#define OP2I_BACKGROUND_H

/* Work that companions do in threads of their own, such as writing files, beside the loops of a context.
 * op2_flush() and op2_finalize() wait for it. */

#include <stdbool.h>

#include "op2/context.h"

/* Wait until the work is done and return its failure, once. If `ends` is set, free the data. */
typedef op2_status op2i_background_function(void *data, bool ends);

struct op2i_background {
  op2i_background_function *wait;
  void *data;
  struct op2i_background *next;
};

/* Add the work of a function, which ends of programs and flushes wait for. */
op2_status op2i_background_add(op2_context ctx, op2i_background_function *wait, void *data);
/* Wait for all; the first failure is returned. */
op2_status op2i_background_wait(op2_context ctx, bool ends);

#endif
