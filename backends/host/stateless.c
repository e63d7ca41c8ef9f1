/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions shared by backends that have no state. */
#include "stateless.h"

#include <stddef.h>

const char *op2i_always_available(void) { return NULL; }

op2_status op2i_open_nothing(op2_context ctx, void **state) {
  (void)ctx;
  *state = NULL;
  return OP2_SUCCESS;
}

void op2i_close_nothing(void *state) { (void)state; }

int op2i_one_worker(void *state) {
  (void)state;
  return 1;
}

int op2i_at_most_one(void) { return 1; }
