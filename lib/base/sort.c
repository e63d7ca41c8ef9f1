/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting by integer keys: few by insertion, many by radix, from the last digit to the first. */
#include "sort.h"

#include <stdbool.h>
#include <string.h>

#include "error.h"
#include "mem.h"

enum { FEW = 48, MANY = 1 << 13, DIGIT = 8, LONG_DIGIT = 11 };

/* Keys and the values that go with them. Passes alternate between two of these. */
struct columns {
  int64_t *key, *with;
};

static void insert(int64_t n, struct columns c) {
  for (int64_t i = 1; i < n; i++) {
    int64_t at = i, key = c.key[i], with = c.with ? c.with[i] : 0;
    for (; at > 0 && c.key[at - 1] > key; at--) {
      c.key[at] = c.key[at - 1];
      if (c.with) c.with[at] = c.with[at - 1];
    }
    c.key[at] = key;
    if (c.with) c.with[at] = with;
  }
}

/* A digit of the difference between a key and the least one, which is never negative. */
static int64_t digit(int64_t key, int64_t least, int shift, int bits) {
  return (int64_t)(((uint64_t)key - (uint64_t)least) >> shift & ((UINT64_C(1) << bits) - 1));
}

/* Returns false if all keys have the same digit, and nothing was done. */
static bool pass(int64_t n, struct columns in, struct columns out, int64_t least, int shift,
                 int bits) {
  int64_t starts[(1 << LONG_DIGIT) + 1];
  memset(starts, 0, ((1u << bits) + 1) * sizeof *starts);
  for (int64_t i = 0; i < n; i++) starts[digit(in.key[i], least, shift, bits) + 1]++;
  if (starts[digit(in.key[0], least, shift, bits) + 1] == n) return false;
  for (int d = 0; d < 1 << bits; d++) starts[d + 1] += starts[d];
  for (int64_t i = 0; i < n; i++) {
    int64_t at = starts[digit(in.key[i], least, shift, bits)]++;
    out.key[at] = in.key[i];
    if (in.with) out.with[at] = in.with[i];
  }
  return true;
}

static void sort_digits(int64_t n, struct columns c, struct columns other, int64_t least,
                        uint64_t most) {
  struct columns in = c, out = other;
  int bits = n < MANY ? DIGIT : LONG_DIGIT;
  for (int shift = 0; shift < 64 && most >> shift; shift += bits)
    if (pass(n, in, out, least, shift, bits)) {
      struct columns swapped = in;
      in = out;
      out = swapped;
    }
  if (in.key == c.key) return;
  memcpy(c.key, in.key, (size_t)n * sizeof *c.key);
  if (c.with) memcpy(c.with, in.with, (size_t)n * sizeof *c.with);
}

op2_status op2i_sort(int64_t n, int64_t *key, int64_t *with) {
  struct columns c = {key, with}, other = {0};
  int64_t least = n ? key[0] : 0, most = least;
  bool sorted = true;
  for (int64_t i = 1; i < n; i++) {
    sorted = sorted && key[i - 1] <= key[i];
    if (key[i] < least) least = key[i];
    if (key[i] > most) most = key[i];
  }
  if (sorted) return OP2_SUCCESS;
  if (n <= FEW) {
    insert(n, c);
    return OP2_SUCCESS;
  }
  other.key = op2i_malloc((size_t)n * (with ? 2 : 1) * sizeof *key);
  if (!other.key) return op2i_error_nomem("numbers in order");
  if (with) other.with = other.key + n;
  sort_digits(n, c, other, least, (uint64_t)most - (uint64_t)least);
  op2i_free(other.key);
  return OP2_SUCCESS;
}
