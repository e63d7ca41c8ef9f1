/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_FORTY_H
#define OP2_TEST_FORTY_H

#include <stddef.h>

#include "op2.h"

/* Forty kernels as people write them, one in each file of this folder. The library gets a file's
 * text up to the line "how it is run", and from the line "the text" on if there is one; the C
 * compiler gets all of it, so that the test can call the same function in a plain loop over the
 * elements.
 *
 * Elements are N, and a map leads from each to ARITY of M nodes. */

enum {
  FORTY_DIRECT = -1, /* a dat of the elements; 0 to ARITY - 1: of the nodes, in this slot */
  FORTY_ALL = -2,    /* a dat of the nodes, in all slots */
  FORTY_GLOBAL = -3,
  FORTY_VALUE = -4, /* a value that the call hands over */
  FORTY_ARGS = 10,
  FORTY_ARITY = 8,
  FORTY_MID = 6
};

/* Component c of each value is mid[c] plus a number drawn from [lo, hi). */
struct forty_arg {
  int dim; /* 0: behind the last argument */
  op2_type type;
  op2_access access;
  int where;
  int shares; /* 1 + the number of the argument whose dat this is; 0: it has its own */
  double lo, hi, mid[FORTY_MID];
};

struct forty_case {
  const char *name; /* of the kernel and of the file */
  const char *form; /* what is special about its text */
  void (*apply)(void *const *p);
  struct forty_arg args[FORTY_ARGS];
  const char *header;          /* one of this folder that the kernel's description names, or null */
  const op2_kernel_desc *desc; /* the kernel's description where its file makes one, or null */
};

/* A constant that kernels use by name. */
extern double gam;

#define FORTY_CASE(name_, form_, call_, ...)                                                       \
  static void apply(void *const *p) { call_; }                                                     \
  const struct forty_case forty_##name_ = {#name_, form_, apply, {__VA_ARGS__}, NULL, NULL};

#endif
