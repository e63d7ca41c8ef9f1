/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_EMULATION_CASE_H
#define OP2_TEST_EMULATION_CASE_H

/* Programs of all ways to run a loop on a device, and faults that are planted in their text on the emulation
 * of the CUDA model (test/emulation). */

#include <stdbool.h>
#include <stdint.h>

#include "op2.h"

/* Neither is a multiple of what runs together; reductions have more tiles than a fold has positions. */
enum { NODES = 1003, EDGES = 2009, MANY = 256 * 257 + 5, VALUES = 4 * NODES + EDGES + 64 };

enum emulation_program {
  WIDE,      /* rows by way of shared memory */
  TWO,       /* of two dats */
  NARROW,    /* an item for each element */
  FUSED,     /* two loops made one */
  INCREMENT, /* through both slots of a map */
  VECTOR,    /* through all slots together */
  HIGHEST,   /* maxima through a map */
  BESIDES,   /* increments, values of elements and a sum */
  IN_TURN,   /* values set in place through a map */
  REDUCE,    /* sums, a minimum and a maximum */
  LOCATE,    /* sums, and a minimum with what stands beside it */
  SUBSET,    /* increments by some elements */
  CONSTANTS, /* and globals that are read */
  PROGRAMS
};

struct outcome {
  op2_status status;
  char message[1024];
  int64_t launches, host_runs;
  int n;
  double values[VALUES];
};

const char *emulation_name(enum emulation_program program);
void emulation_run(const char *backend, enum emulation_program program, const char *cache,
                   struct outcome *out);
bool emulation_same(const struct outcome *a, const struct outcome *b);
/* What a program leaves on `sequential`, which has its checks once. */
const struct outcome *emulation_expected(enum emulation_program program);

/* s~this~that~ in the text of a program's loop. */
struct emulation_fault {
  const char *name;
  enum emulation_program program;
  const char *plant;
  const char *says; /* what the report says, among other things; null: the result tells */
};

/* False, and a skip, where programs do not run on the emulation. */
bool emulation_begin(void);
void emulation_end(void);
/* The fault is planted, and found, where loops are to run by that strategy (empty: by their own) on such a
 * device (OP2_TEST_EMULATION). */
void emulation_find(const struct emulation_fault *fault, const char *strategy, const char *device);

#endif
