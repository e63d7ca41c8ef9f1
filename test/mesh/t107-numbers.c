/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting by numbers, and sets of numbers, compared with the results of the C library and of plain
 * search; and their behaviour when memory runs out. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "numbers.h"
#include "sort.h"
#include "tap.h"

enum { MOST = 20000 };

static uint64_t state = 7;

static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* ---- sorting --------------------------------------------------------------------------------- */

struct pair {
  int64_t key, with;
};

static int by_key(const void *a, const void *b) {
  const struct pair *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->with > y->with) - (x->with < y->with);
}

static int64_t keys[MOST], with[MOST];
static struct pair expected[MOST];

static bool is_expected(int64_t n, bool pairs) {
  for (int64_t i = 0; i < n; i++)
    if (keys[i] != expected[i].key || (pairs && with[i] != expected[i].with)) return false;
  return true;
}

/* `with` holds positions, so the expected order is stable. */
static bool sorts(int64_t n, bool pairs) {
  for (int64_t i = 0; i < n; i++) {
    with[i] = i;
    expected[i] = (struct pair){keys[i], i};
  }
  qsort(expected, (size_t)n, sizeof *expected, by_key);
  return !op2i_sort(n, keys, pairs ? with : NULL) && is_expected(n, pairs);
}

static void sorting(void) {
  static const struct {
    const char *what;
    uint64_t mask;
    int64_t from;
  } kinds[] = {{"few values", 3, -1},
               {"one digit", 0xff, 0},
               {"two digits", 0xffff, 100000},
               {"three digits", 0xfffffff, -5},
               {"digits that are all the same between others", UINT64_C(0xff000000ff), 0},
               {"any number", UINT64_MAX, 0}};
  static const int64_t sizes[] = {1, 2, 47, 48, 49, 300, 8191, 8192, MOST};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    int bad = 0;
    for (size_t s = 0; s < 2 * sizeof sizes / sizeof *sizes; s++) {
      int64_t n = sizes[s / 2];
      for (int64_t i = 0; i < n; i++) keys[i] = kinds[k].from + (int64_t)(draw() & kinds[k].mask);
      if (sorts(n, s % 2)) continue;
      diag("%lld of them, %s", (long long)n, s % 2 ? "with places" : "alone");
      bad++;
    }
    is_int(bad, 0, "sorted as by the C library, equal ones in their order: %s", kinds[k].what);
  }
  keys[0] = INT64_MAX;
  keys[1] = INT64_MIN;
  for (int64_t i = 2; i < 100; i++) keys[i] = i % 2 ? INT64_MIN + i : INT64_MAX - i;
  ok(sorts(100, true), "the least and the greatest numbers there are");
  is_int(op2i_sort(0, NULL, NULL), OP2_SUCCESS, "none");
}

static void sorting_without_memory(void) {
  for (int64_t i = 0; i < 1000; i++) keys[i] = expected[i].key = i;
  op2i_mem_fail_at(0);
  is_int(op2i_sort(1000, keys, NULL), OP2_SUCCESS, "what is sorted");
  is_int(op2i_mem_fail_at(0), 0, "takes no memory");
  keys[999] = expected[999].key = -1;
  op2i_mem_fail_at(1);
  is_int(op2i_sort(1000, keys, NULL), OP2_ERR_NOMEM, "what is not, without memory, is refused");
  op2i_mem_fail_at(0);
  ok(is_expected(1000, false), "and stays as it was");
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* Compare with the same numbers sorted, each once; the numbers next to them are not in the set. */
static bool holds(int64_t n, const int64_t *sorted, const struct op2i_numbers *set) {
  if (set->n != n) return false;
  for (int64_t i = 0; i < n; i++) {
    int64_t below = sorted[i] - 1, above = sorted[i] + 1;
    if (set->number[i] != sorted[i] || op2i_numbers_at(set, sorted[i]) != i) return false;
    if (!op2i_numbers_has(set, sorted[i])) return false;
    if (below >= 0 && (i == 0 || sorted[i - 1] < below) &&
        (op2i_numbers_has(set, below) || op2i_numbers_at(set, below) >= 0))
      return false;
    if ((i == n - 1 || sorted[i + 1] > above) &&
        (op2i_numbers_has(set, above) || op2i_numbers_at(set, above) >= 0))
      return false;
  }
  return true;
}

static bool collects(int64_t n, int64_t *numbers) {
  struct op2i_numbers set = {0};
  op2_status status = op2i_numbers_add(&set, n / 2, numbers);
  if (!status) status = op2i_numbers_add(&set, n - n / 2, numbers + n / 2);
  if (!status) status = op2i_numbers_add(&set, n / 3, numbers);
  if (!status) status = op2i_numbers_close(&set);
  if (!status) status = op2i_sort(n, numbers, NULL);
  int64_t kept = 0;
  for (int64_t i = 0; i < n; i++)
    if (kept == 0 || numbers[kept - 1] != numbers[i]) numbers[kept++] = numbers[i];
  bool good = !status && holds(kept, numbers, &set);
  op2i_numbers_free(&set);
  return good;
}

static void sets(void) {
  struct op2i_numbers none = {0};
  ok(!op2i_numbers_has(&none, 0) && op2i_numbers_at(&none, 5) == -1, "nothing is in no set");
  ok(collects(0, keys), "a set of none");
  for (int64_t i = 0; i < MOST; i++) keys[i] = 1000 + (i * 7919) % MOST;
  ok(collects(MOST, keys), "one row of consecutive numbers, in another order");
  for (int64_t i = 0; i < MOST; i++) keys[i] = (i % 4 << 40) + (i * 7) % (MOST / 4);
  ok(collects(MOST, keys), "rows of them far from each other");
  for (int64_t i = 0; i < MOST; i++) keys[i] = (int64_t)(draw() >> 2);
  ok(collects(MOST, keys), "any numbers");
  for (int64_t i = 0; i < MOST; i++) keys[i] = (int64_t)(draw() % 5000);
  ok(collects(MOST, keys), "many of them more than once");
  for (int64_t i = 0; i < MOST; i++) keys[i] = 64 * i + (i % 2 ? 63 : 0);
  ok(collects(MOST, keys), "one in each page");
}

/* The first failure is reported; memory is freed in any case. */
static void sets_without_memory(void) {
  int failed = 0, told = 0;
  for (int64_t nth = 1; nth <= 100; nth++) {
    struct op2i_numbers set = {0};
    for (int64_t i = 0; i < 2000; i++) keys[i] = 65 * i;
    op2i_mem_fail_at(nth);
    op2_status status = op2i_numbers_add(&set, 2000, keys);
    if (!status) status = op2i_numbers_close(&set);
    bool all = op2i_mem_fail_at(0) < nth;
    op2i_numbers_free(&set);
    if (all) break;
    failed++;
    told += status == OP2_ERR_NOMEM;
  }
  ok(failed > 4 && told == failed, "each of %d allocations fails and is told", failed);
}

int main(void) {
  sorting();
  sorting_without_memory();
  sets();
  sets_without_memory();
  return done();
}
