/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_JIT_STATE_H
#define OP2I_JIT_STATE_H

/* The state of a context's compiled loops, and requests. */

#include <stdint.h>

#include "cache.h"
#include "compiler.h"
#include "jit.h"

struct op2i_device_unit;
struct op2i_query;

/* A known function. */
struct op2i_jit_slot {
  struct op2i_key key;
  void *function; /* null: the slot is free */
  struct op2i_image *image;
};

struct op2i_jit {
  struct op2i_compiler compiler;
  struct op2i_key identity; /* digest of the compiler's identity */
  struct op2i_key plain;    /* digest of the identity without a compiler */
  struct op2i_cache cache;
  struct op2i_scratch scratch;
  struct op2i_jit_slot *slots; /* open addressing, at most half full */
  int64_t nslots, used;        /* nslots: a power of two, or 0 */
  struct op2i_jit_stats stats;
  /* Number of images, and of units, that stay without uses: OP2I_IDLE_MOST, or less in tests. */
  int64_t idle_most;
  struct op2i_query *query;       /* list: answers of the compiler in this context */
  struct op2i_device_unit *units; /* list: units built for the context's device */
  char *outdated; /* without a compiler: why an entry of the cache was not used; null */
  char *halted;   /* why no compiler is started until op2i_jit_resume(); null */
};

/* One requested function. */
struct op2i_request {
  struct op2i_key key;
  struct op2i_key plain; /* the key without the compiler's identity: it names the function, and is
                            the key if there is no compiler */
  struct op2i_jit_code *code;
  struct op2i_request *earlier; /* an earlier request with the same key, or null */
};

/* Record that the function of a request is in this image, and hand it out with a use of the
 * image. */
op2_status op2i_jit_learn(struct op2i_jit *jit, struct op2i_request *request,
                          struct op2i_image *image);
/* Forget the functions of images that are about to be unloaded. Without memory for that, returns
 * false and forgets none. */
bool op2i_jit_forget_leaving(struct op2i_jit *jit);

/* build.c: compile requests, of which no two have the same key; each gets a function or a message.
 * Reorders the array. Fails only for lack of memory. */
op2_status op2i_build(op2_context ctx, struct op2i_request **requests, int64_t n);

#endif
