/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ADDITION_H
#define ADDITION_H

/* The programs of this folder share this macro. */

#include <op2.h>
#include <stdio.h>

/* Make a call of the library; if it fails, print its message and return 1. */
#define DO(call)                                                                                   \
  do {                                                                                             \
    if ((call) != OP2_SUCCESS) {                                                                   \
      fprintf(stderr, "%s: %s\n", #call, op2_error_message());                                     \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

#endif
