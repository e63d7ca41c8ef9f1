/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRAIL_H
#define OP2I_TRAIL_H

/* The trail of a rank: the public collective calls that it has made. They are numbered from 1 on,
 * and each has a digest of itself and of all calls before it. Two ranks that have made the same
 * calls therefore have the same digest at every number, and the first number at which their digests
 * differ is the first call in which they differ. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"
#include "op2/loop.h"

enum { OP2I_TRAIL_CALLS = 4096, OP2I_TRAIL_TEXT = 512 };

/* The description of one call. It has a fixed size without pointers, so that it can be sent. */
struct op2i_trail_words {
  char call[32]; /* "op2_gbl_get", "loop" */
  char name[40]; /* of the object or kernel; may be empty */
  char file[40]; /* the end of the path of the program's file; empty if it is not known */
  int32_t line;
  uint64_t arguments; /* a digest of objects, accesses, shapes and texts */
  uint64_t values;    /* a digest of values that must be the same on all ranks */
};

struct op2i_trail_entry {
  uint64_t digest;
  struct op2i_trail_words words;
};

/* The most recent calls; call n is entry n % OP2I_TRAIL_CALLS. */
struct op2i_trail {
  int64_t number; /* of the last call; 0 at first */
  struct op2i_trail_entry entries[OP2I_TRAIL_CALLS];
};

/* Add a call. Strings are copied; a null name or file is empty. Does nothing if `trail` is null. */
void op2i_trail_add(struct op2i_trail *trail, const char *call, const char *name, op2_where where,
                    uint64_t arguments, uint64_t values);

/* The oldest call that is still kept. */
int64_t op2i_trail_oldest(const struct op2i_trail *trail);
/* True if call `number` is still kept. */
bool op2i_trail_has(const struct op2i_trail *trail, int64_t number);
const struct op2i_trail_entry *op2i_trail_at(const struct op2i_trail *trail, int64_t number);
/* Describe a call for messages: "loop 'res_calc' (airfoil.c:120)". */
void op2i_trail_describe(const struct op2i_trail_words *words, char text[OP2I_TRAIL_TEXT]);
/* The difference of two calls whose descriptions are the same: ", with other values". */
const char *op2i_trail_difference(const struct op2i_trail_words *a,
                                  const struct op2i_trail_words *b);

/* Digests of the arguments of calls. The same bytes have the same digest on every rank. */
uint64_t op2i_digest_bytes(uint64_t digest, const void *bytes, size_t n);
uint64_t op2i_digest_text(uint64_t digest, const char *text); /* null differs from "" */

#endif
