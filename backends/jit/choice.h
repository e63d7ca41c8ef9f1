/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHOICE_H
#define OP2I_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "entry.h"
#include "jit.h"

/* The results of a loop's trials are kept in the cache beside the code. They choose between
 * functions that compute the same, and whether one of them prefetches, so nothing but speed depends
 * on them. */

/* Where a loop's data stay from run to run: the form that is faster in a cache may be the slower one
 * past it. */
enum op2i_memory { OP2I_IN_CORE_CACHE, OP2I_IN_CACHES, OP2I_PAST_CACHES };

/* The result of a trial that compared two of them. */
struct op2i_comparison {
  bool known;        /* False if there was no such trial */
  bool second;       /* True if the second one is faster */
  int32_t runs;      /* of each */
  int64_t elements;  /* of a run */
  double seconds[2]; /* of the fastest run of each */
};
struct op2i_choice {
  struct op2i_comparison prefetch; /* vector code with prefetches, and without them */
  struct op2i_comparison scalar;   /* vector code, by that result, and scalar code */
  struct op2i_key scalar_key;      /* of the scalar code, if that comparison is known */
};

/* Return the key under which code is kept: of its text, the compiler, the flags and the processor's
 * features. The other functions are called after this one, which opens the cache. */
op2_status op2i_code_key(op2_context ctx, const struct op2i_jit_code *code, struct op2i_key *key);
/* Find the choice for a loop whose vector code has this key and whose data come from there. *found is
 * false if there is none that is sound. */
op2_status op2i_choice_read(op2_context ctx, struct op2i_key vector, enum op2i_memory memory,
                            struct op2i_choice *choice, bool *found);
/* Keep it; without a usable folder nothing is kept. */
void op2i_choice_write(op2_context ctx, struct op2i_key vector, enum op2i_memory memory,
                       const struct op2i_choice *choice);

#endif
