/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_EMULATION_CASE_H
#define OP2_TEST_EMULATION_CASE_H

/* Programs that use every execution strategy of a device, and faults that are planted in their text
 * on the emulation of the CUDA model (test/emulation). */

#include <stdbool.h>
#include <stdint.h>

#include "emulation_names.h"
#include "op2.h"

/* Neither size is a multiple of the block size; reductions have more tiles than a fold has
 * positions. */
enum { NODES = 1003, EDGES = 2009, MANY = 256 * 257 + 5, VALUES = 24 * NODES + EDGES + 64 };

enum emulation_program {
  WIDE,      /* rows are copied through shared memory */
  TWO,       /* rows of two dats */
  PARTS,     /* rows of several parts that are not in shared memory together, and a sum */
  NARROW,    /* one thread for each element */
  FUSED,     /* two loops fused into one */
  INCREMENT, /* increments through both slots of a map */
  VECTOR,    /* increments through all slots together */
  HIGHEST,   /* maxima through a map */
  BESIDES,   /* increments, element values and a sum */
  IN_TURN,   /* values set in place through a map */
  REDUCE,    /* sums, a minimum and a maximum */
  LOCATE,    /* sums, and a minimum with the values stored beside it (op2_arg_info()) */
  SUBSET,    /* increments by the elements of a subset */
  CONSTANTS, /* constants, and globals that are read */
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
/* The results of a program on the `sequential` backend, whose checks are made once. */
const struct outcome *emulation_expected(enum emulation_program program);

/* A substitution s~this~that~ in the text of a program's loop. */
struct emulation_fault {
  const char *name;
  enum emulation_program program;
  const char *plant;
  const char *says; /* text that the report must contain; null: the fault shows in the result */
};

/* Returns false, and records a skip, where programs do not run on the emulation. */
bool emulation_begin(void);
void emulation_end(void);
/* Plant the fault, and check that it is found, where loops run by that strategy (empty: the
 * automatic choice) on such a device (OP2_TEST_EMULATION). */
void emulation_find(const struct emulation_fault *fault, const char *strategy, const char *device);

#endif
