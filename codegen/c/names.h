/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_NAMES_H
#define OP2I_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An index of words with a value each, found by spelling; the latest entry of a spelling comes
 * first. Zero-initialise. */
struct op2i_name {
  const char *word; /* borrowed, not ended by a null */
  size_t length;
  uint32_t hash;
  int64_t value;
  int64_t next; /* the entry before this one in its slot, or -1 */
};

struct op2i_names {
  struct op2i_name *list;
  int64_t count, capacity;
  int64_t *slots; /* [nslots] latest entry, or -1; nslots is a power of two */
  int64_t nslots;
};

/* Returns false without memory. */
bool op2i_names_add(struct op2i_names *names, const char *word, size_t length, int64_t value);
/* The latest entry of this spelling, or -1. */
int64_t op2i_names_find(const struct op2i_names *names, const char *word, size_t length);
/* The latest one before `entry` of its spelling, or -1. */
int64_t op2i_names_older(const struct op2i_names *names, int64_t entry);
/* Forget all but the first `count` entries. */
void op2i_names_cut(struct op2i_names *names, int64_t count);
void op2i_names_free(struct op2i_names *names);

#endif
