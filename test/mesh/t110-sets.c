/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets and subsets: cases B. */
#include <string.h>

#include "support.h"

OP2_KERNEL(add_one, (int32_t *x), { *x += 1; });

static void set_sizes(void) {
  int64_t ends[4] = {-1, -1, -1, -1};
  op2_set set = new_set(5, "cells");
  EXPECT(op2_set_size(set) == 5);
  MUST(op2_set_sections(set, ends));
  EXPECT(ends[0] == 5 && ends[1] == 5 && ends[2] == 5 && ends[3] == 5);
  op2_set parts = new_sections(2, 4, 6, 9, "parts");
  EXPECT(op2_set_size(parts) == 4);
  MUST(op2_set_sections(parts, ends));
  EXPECT(ends[0] == 2 && ends[1] == 4 && ends[2] == 6 && ends[3] == 9);
  EXPECT(op2_set_size(new_set(0, "empty")) == 0);
  EXPECT(op2_set_size(new_sections(0, 0, 0, 3, "halo only")) == 0);
  EXPECT(op2_set_size(NULL) == -1);
  EXPECT(op2_set_size(new_set(3, NULL)) == 3);
}

static void set_refused(void) {
  static const int64_t bad[][4] = {
      {4, 2, 4, 4}, {4, 4, 2, 4}, {2, 4, 4, 3}, {-1, 4, 4, 4}, {-3, -2, -1, 0}};
  op2_set set = NULL;
  int64_t ends[4];
  REFUSED(OP2_ERR_ARG, op2_set_create(test_ctx, -1, "cells", &set), "cells", "-1");
  REFUSED(OP2_ERR_ARG, op2_set_create(test_ctx, 4, "cells", NULL));
  for (int i = 0; i < 5; i++)
    REFUSED(OP2_ERR_ARG, op2_set_create_sections(test_ctx, bad[i], "parts", &set), "parts");
  REFUSED(OP2_ERR_ARG, op2_set_create_sections(test_ctx, NULL, "parts", &set));
  REFUSED(OP2_ERR_ARG, op2_set_sections(NULL, ends));
  REFUSED(OP2_ERR_ARG, op2_set_sections(new_set(1, "s"), NULL));
  EXPECT(set == NULL);
}

static bool holds(op2_set subset, int64_t n, const int64_t *want) {
  int64_t count = -1;
  const int64_t *idx = NULL;
  MUST(op2_subset_indices(subset, &count, &idx));
  return count == n && (n == 0 || memcmp(idx, want, (size_t)n * sizeof *want) == 0);
}

static void subset_indices(void) {
  op2_set set = new_set(5, "cells");
  EXPECT(holds(new_subset(set, 0, NULL, "none"), 0, NULL));
  EXPECT(op2_set_size(new_subset(set, 0, NULL, "none")) == 0);
  EXPECT(holds(new_subset(set, 4, (int64_t[]){0, 0, 1, 1}, "twice"), 2, (int64_t[]){0, 1}));
  op2_set mixed = new_subset(set, 5, (int64_t[]){0, 4, 1, 2, 3}, "mixed");
  EXPECT(holds(mixed, 5, (int64_t[]){0, 1, 2, 3, 4}));
  EXPECT(op2_set_size(mixed) == 5);
}

static void subset_of_subset(void) {
  int64_t even[16], half[8], want[8];
  for (int i = 0; i < 16; i++) even[i] = 2 * i;
  for (int i = 0; i < 8; i++) half[i] = 2 * i, want[i] = 4 * i;
  op2_set base = new_set(32, "base");
  op2_set evens = new_subset(base, 16, even, "evens");
  EXPECT(holds(evens, 16, even));
  EXPECT(holds(new_subset(evens, 8, half, "quarter"), 8, want));
  EXPECT(holds(new_subset(evens, 3, (int64_t[]){15, 0, 15}, "ends"), 2, (int64_t[]){0, 30}));
}

static void subset_sections(void) {
  op2_set base = new_sections(2, 5, 7, 10, "base");
  op2_set sub = new_subset(base, 6, (int64_t[]){9, 0, 4, 1, 5, 6}, "sub");
  int64_t ends[4];
  MUST(op2_set_sections(sub, ends));
  EXPECT(ends[0] == 2 && ends[1] == 3 && ends[2] == 5 && ends[3] == 6);
  EXPECT(op2_set_size(sub) == 3);
}

static void subset_refused(void) {
  op2_set set = new_set(5, "cells"), sub = NULL;
  int64_t n;
  const int64_t *idx;
  REFUSED(OP2_ERR_RANGE, op2_subset_create(set, 3, (int64_t[]){0, 5, 1}, "few", &sub), "few",
          "cells", "5", "1");
  REFUSED(OP2_ERR_RANGE, op2_subset_create(set, 3, (int64_t[]){0, 1, -4}, "few", &sub), "few", "-4",
          "2");
  op2_set small = new_subset(set, 2, (int64_t[]){3, 4}, "small");
  REFUSED(OP2_ERR_RANGE, op2_subset_create(small, 1, (int64_t[]){3}, "deep", &sub), "deep", "small",
          "3");
  REFUSED(OP2_ERR_ARG, op2_subset_create(set, 1, NULL, "few", &sub));
  REFUSED(OP2_ERR_ARG, op2_subset_create(set, -1, (int64_t[]){1}, "few", &sub));
  REFUSED(OP2_ERR_ARG, op2_subset_create(NULL, 1, (int64_t[]){1}, "few", &sub));
  REFUSED(OP2_ERR_ARG, op2_subset_create(set, 1, (int64_t[]){1}, "few", NULL));
  REFUSED(OP2_ERR_ARG, op2_subset_indices(set, &n, &idx), "cells");
  REFUSED(OP2_ERR_ARG, op2_subset_indices(NULL, &n, &idx));
  EXPECT(sub == NULL);
}

/* Handles may be destroyed in any order: the subset keeps its base, the dat its set, and the queue
 * all that it uses. */
static void destroyed_in_use(void) {
  op2_set base = NULL, sub = NULL;
  op2_dat x = NULL;
  MUST(op2_set_create(test_ctx, 6, "base", &base));
  MUST(op2_subset_create(base, 2, (int64_t[]){1, 4}, "sub", &sub));
  MUST(op2_dat_create(base, 1, OP2_I32, NULL, "x", &x));
  op2_set_destroy(&base);
  EXPECT(base == NULL);
  MUST(op2_par_loop(new_kernel(&add_one_kernel), sub, op2_arg_direct(x, OP2_RW)));
  op2_set_destroy(&sub);
  EXPECT_VALUES(int32_t, x, 6, i, i == 1 || i == 4);
  op2_dat_destroy(&x);
  op2_set_destroy(&(op2_set){NULL});
  op2_set_destroy(NULL);
}

static const struct test_case cases[] = {
    {"B2 sizes and sections", set_sizes},
    {"B1 B2 sets that are refused", set_refused},
    {"B10 B11 subset indices", subset_indices},
    {"B13 subset of a subset", subset_of_subset},
    {"subset sections", subset_sections},
    {"subsets that are refused", subset_refused},
    {"sets destroyed while in use", destroyed_in_use},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }
