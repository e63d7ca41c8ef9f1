/* SPDX-License-Identifier: BSD-3-Clause */
/* Union, intersection and difference of subsets: every kind of pair, with sections, before and
 * after the set is renumbered, and as sets that loops run over. */
#include <string.h>

#include "support.h"

enum { N = 60, PAIRS = 40 };

typedef op2_status maker(op2_set a, op2_set b, const char *name, op2_set *subset);
static maker *const makers[] = {op2_subset_create_union, op2_subset_create_intersection,
                                op2_subset_create_difference};

static bool keeps(int which, bool a, bool b) {
  return which == 0 ? a || b : which == 1 ? a && b : a && !b;
}

OP2_KERNEL(count, (int32_t * x), { *x += 1; });

/* Mark the elements of a subset; of a set, all elements. */
static void mark(op2_set set, bool marks[N]) {
  int64_t n;
  const int64_t *idx;
  for (int i = 0; i < N; i++) marks[i] = true;
  if (op2_subset_indices(set, &n, &idx)) return;
  memset(marks, 0, N * sizeof *marks);
  for (int64_t i = 0; i < n; i++) marks[idx[i]] = true;
}

static void check_pair(op2_set base, op2_set a, op2_set b, int which) {
  int64_t n, at = 0, ends[4], base_ends[4], want[4] = {0};
  const int64_t *idx;
  bool in_a[N], in_b[N];
  op2_set made = NULL;
  mark(a, in_a);
  mark(b, in_b);
  MUST(makers[which](a, b, "made", &made));
  own_set(made);
  MUST(op2_subset_indices(made, &n, &idx));
  MUST(op2_set_sections(made, ends));
  MUST(op2_set_sections(base, base_ends));
  for (int i = 0; i < N; i++) {
    if (!keeps(which, in_a[i], in_b[i])) continue;
    EXPECT(at < n && idx[at] == i);
    at++;
    for (int s = 0; s < 4; s++) want[s] += i < base_ends[s];
  }
  EXPECT(at == n && !memcmp(ends, want, sizeof ends));
  op2_dat x = new_dat(base, 1, OP2_I32, NULL, "x");
  MUST(op2_par_loop(new_kernel(&count_kernel), made, op2_arg_direct(x, OP2_RW)));
  EXPECT_VALUES(int32_t, x, N, i, (i < base_ends[1] && keeps(which, in_a[i], in_b[i])));
}

static op2_set random_subset(op2_set base, uint64_t *seed) {
  int64_t idx[N], n = 0;
  int share = draw_below(seed, 5);
  if (share == 4) return base;
  for (int i = N - 1; i >= 0; i--)
    if (draw_below(seed, 4) < share) idx[n++] = i;
  return new_subset(base, n, idx, "random");
}

static void pairs_on(op2_set base, op2_map map) {
  uint64_t seed = 12;
  for (int p = 0; p < PAIRS; p++) {
    op2_set a = random_subset(base, &seed), b = p % 7 ? random_subset(base, &seed) : a;
    if (p == PAIRS / 2 && map) {
      op2_status status = op2_renumber(map);
      if (status == OP2_ERR_UNAVAILABLE) return;
      MUST(status);
    }
    for (int which = 0; which < 3; which++) check_pair(base, a, b, which);
  }
}

static void pairs(void) { pairs_on(new_set(N, "set"), NULL); }
static void sections(void) { pairs_on(new_sections(10, 30, 45, N, "set"), NULL); }

static void renumbered(void) {
  int32_t idx[2 * N];
  op2_set set = new_set(N, "set"), edges = new_set(N, "edges");
  for (int i = 0; i < N; i++) idx[2 * i] = i * 7 % N, idx[2 * i + 1] = (i * 7 + 31) % N;
  pairs_on(set, new_map(edges, set, 2, idx, "map"));
}

/* Operands may be subsets of subsets and results of such operations, and may be destroyed
 * afterwards. */
static void nested(void) {
  op2_set set = new_set(N, "set"), odd, made = NULL, rest = NULL;
  int64_t idx[N];
  for (int i = 0; i < N / 2; i++) idx[i] = 2 * i + 1;
  odd = new_subset(set, N / 2, idx, "odd");
  for (int i = 0; i < N / 6; i++) idx[i] = 3 * i;
  op2_set third = new_subset(odd, N / 6, idx, "third");
  MUST(op2_subset_create_difference(odd, third, "made", &made));
  disown(third);
  op2_set_destroy(&third);
  disown(odd);
  op2_set_destroy(&odd);
  MUST(op2_subset_create_difference(set, made, NULL, &rest));
  op2_set_destroy(&made);
  op2_dat x = new_dat(set, 1, OP2_I32, NULL, "x");
  MUST(op2_par_loop(new_kernel(&count_kernel), rest, op2_arg_direct(x, OP2_RW)));
  op2_set_destroy(&rest);
  EXPECT_VALUES(int32_t, x, N, i, (i % 2 == 0 || i % 6 == 1));
}

static void messages(void) {
  int64_t idx[] = {1, 2};
  op2_set set = new_set(N, "set"), other = new_set(N, "other"), none = NULL, made = NULL;
  op2_set a = new_subset(set, 2, idx, "some"), b = new_subset(other, 2, idx, "others");
  static const char *const names[] = {"op2_subset_create_union", "op2_subset_create_intersection",
                                      "op2_subset_create_difference"};
  for (int which = 0; which < 3; which++) {
    REFUSED(OP2_ERR_MISMATCH, makers[which](a, b, "mine", &made), names[which], "'mine'",
            "'some' is of set 'set'", "'others' of set 'other'");
    REFUSED(OP2_ERR_MISMATCH, makers[which](set, other, NULL, &made), "'set'", "'other'");
    REFUSED(OP2_ERR_ARG, makers[which](none, a, "mine", &made), names[which]);
    REFUSED(OP2_ERR_ARG, makers[which](a, none, "mine", &made), names[which]);
    REFUSED(OP2_ERR_ARG, makers[which](a, a, "mine", NULL), names[which], "null");
    EXPECT(!made);
  }
}

static const struct test_case cases[] = {
    {"pairs", pairs},
    {"sections", sections},
    {"before and after renumbering", renumbered},
    {"of subsets of subsets", nested},
    {"messages", messages},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }
