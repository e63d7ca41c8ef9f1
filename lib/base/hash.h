/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HASH_H
#define OP2I_HASH_H

/* Hashes of sequences of words, for tables in memory. */

#include <stdint.h>

/* The hash of a sequence that is extended by one word. */
static inline uint64_t op2i_hash_word(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

#endif
