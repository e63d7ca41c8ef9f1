/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames hold blocks of pages (test/support/blocks.py). Calls in them that ignore their status are
 * wrapped in MUST, which ends the program if a call fails. */
#include <stdio.h>
#include <stdlib.h>

#define MUST(call)                                                                                 \
  do {                                                                                             \
    if (call) {                                                                                    \
      fprintf(stderr, "%s: %s\n", #call, op2_error_message());                                     \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
