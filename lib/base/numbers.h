/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_NUMBERS_H
#define OP2I_NUMBERS_H

/* Sets of numbers from 0 on, as those of elements: most of them stand in long rows of consecutive
 * ones, wherever those are. Numbers are bits of pages of 64, found by a hash table: to add a number
 * and to find it takes constant time, and memory is in proportion to how many there are. */

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"

struct op2i_page {
  int64_t page;   /* number / 64, */
  uint64_t bits;  /* those that are there: none in what the table has free, */
  int64_t before; /* and how many are in lower pages */
};

struct op2i_numbers {
  struct op2i_page *pages;
  int64_t npages;
  int shift;       /* the table has 2^(64 - shift) places for them; 0: none yet */
  int64_t n;       /* different numbers, */
  int64_t *number; /* [n] ascending, */
  int32_t *is;     /* [n] and something about each, which whoever asks fills in */
};

/* Numbers are added in any order, and as often as wished, */
op2_status op2i_numbers_add(struct op2i_numbers *set, int64_t n, const int64_t *number);
/* and then put in order. */
op2_status op2i_numbers_close(struct op2i_numbers *set);
void op2i_numbers_free(struct op2i_numbers *set);

static inline int64_t op2i_numbers_count(uint64_t bits) {
  bits -= bits >> 1 & UINT64_C(0x5555555555555555);
  bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
  bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
  return (int64_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* The page of a number, or the free place where it would be; there are some. */
static inline struct op2i_page *op2i_numbers_page(const struct op2i_numbers *set, int64_t number) {
  uint64_t page = (uint64_t)number >> 6, mask = (UINT64_C(1) << (64 - set->shift)) - 1;
  uint64_t at = page * UINT64_C(0x9E3779B97F4A7C15) >> set->shift;
  while (set->pages[at].bits && set->pages[at].page != (int64_t)page) at = (at + 1) & mask;
  return &set->pages[at];
}

static inline bool op2i_numbers_has(const struct op2i_numbers *set, int64_t number) {
  return set->npages && op2i_numbers_page(set, number)->bits >> (number & 63) & 1;
}

/* Where a number of a closed set is, or -1. */
static inline int64_t op2i_numbers_at(const struct op2i_numbers *set, int64_t number) {
  if (!set->npages) return -1;
  const struct op2i_page *page = op2i_numbers_page(set, number);
  uint64_t bit = UINT64_C(1) << (number & 63);
  return page->bits & bit ? page->before + op2i_numbers_count(page->bits & (bit - 1)) : -1;
}

#endif
