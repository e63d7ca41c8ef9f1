/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_NUMBERS_H
#define OP2I_NUMBERS_H

/* Sets of non-negative numbers, such as those of elements: most of them form long runs of
 * consecutive numbers, wherever these are. Numbers are bits of pages of 64, found by a hash table:
 * adding and finding a number takes constant time, and memory is in proportion to the size of the
 * set. */

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"

struct op2i_page {
  int64_t page;   /* number / 64 */
  uint64_t bits;  /* numbers of the page that are in the set; 0: a free slot of the table */
  int64_t before; /* how many numbers of the set are in lower pages */
};

struct op2i_numbers {
  struct op2i_page *pages;
  int64_t npages;
  int shift;       /* the table has 2^(64 - shift) slots; 0: there is none yet */
  int64_t n;       /* how many different numbers there are */
  int64_t *number; /* [n] ascending */
  int32_t *is;     /* [n] one value for each number, which the user of the set fills in */
};

/* Add numbers, in any order; repetitions do no harm. */
op2_status op2i_numbers_add(struct op2i_numbers *set, int64_t n, const int64_t *number);
/* List the numbers in ascending order, once all are added. */
op2_status op2i_numbers_close(struct op2i_numbers *set);
void op2i_numbers_free(struct op2i_numbers *set);

static inline int64_t op2i_numbers_count(uint64_t bits) {
  bits -= bits >> 1 & UINT64_C(0x5555555555555555);
  bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
  bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
  return (int64_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* The page of a number, or the free slot where it would be. The table always has free slots. */
static inline struct op2i_page *op2i_numbers_page(const struct op2i_numbers *set, int64_t number) {
  uint64_t page = (uint64_t)number >> 6, mask = (UINT64_C(1) << (64 - set->shift)) - 1;
  uint64_t at = page * UINT64_C(0x9E3779B97F4A7C15) >> set->shift;
  while (set->pages[at].bits && set->pages[at].page != (int64_t)page) at = (at + 1) & mask;
  return &set->pages[at];
}

static inline bool op2i_numbers_has(const struct op2i_numbers *set, int64_t number) {
  return set->npages && op2i_numbers_page(set, number)->bits >> (number & 63) & 1;
}

/* The index of a number in a closed set, or -1. */
static inline int64_t op2i_numbers_at(const struct op2i_numbers *set, int64_t number) {
  if (!set->npages) return -1;
  const struct op2i_page *page = op2i_numbers_page(set, number);
  uint64_t bit = UINT64_C(1) << (number & 63);
  return page->bits & bit ? page->before + op2i_numbers_count(page->bits & (bit - 1)) : -1;
}

#endif
