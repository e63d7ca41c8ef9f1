/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops over subsets: cases K, with the base set sectioned in three ways. */
#include "support.h"

enum { N = 32 };

OP2_KERNEL(inc, (uint32_t *x), { *x += 1; });
OP2_KERNEL(put, (uint32_t *x), { *x = 9; });
OP2_KERNEL(add_from, (uint32_t *t, const uint32_t *x), { *t += *x; });
OP2_KERNEL(copy, (uint32_t *x, const uint32_t *y), { *x = *y; });
OP2_KERNEL(tally, (uint32_t *t, uint32_t *g, int i), {
  *t += 1;
  *g += (uint32_t)i;
});

static const int64_t sectionings[3][4] = {{N, N, N, N}, {0, N, N, N}, {N / 2, N, N, N}};
#define EACH_SECTIONING(kind) for (int kind = 0; kind < 3; kind++)

struct base {
  op2_set set, even, odd;
  op2_dat x;
  op2_kernel inc;
};

static struct base make_base(int kind) {
  struct base b;
  int64_t even[N / 2], odd[N / 2];
  for (int i = 0; i < N / 2; i++) even[i] = 2 * i, odd[i] = 2 * i + 1;
  b.set = new_sections(sectionings[kind][0], sectionings[kind][1], sectionings[kind][2],
                       sectionings[kind][3], "base");
  b.even = new_subset(b.set, N / 2, even, "even");
  b.odd = new_subset(b.set, N / 2, odd, "odd");
  b.x = new_dat(b.set, 1, OP2_U32, NULL, "x");
  b.inc = new_kernel(&inc_kernel);
  return b;
}

static void k1_direct(void) {
  EACH_SECTIONING(s) {
    struct base b = make_base(s);
    op2_set none = new_subset(b.set, 0, NULL, "none");
    MUST(op2_par_loop(b.inc, none, op2_arg_direct(b.x, OP2_RW)));
    EXPECT_VALUES(uint32_t, b.x, N, i, 0);
    MUST(op2_par_loop(b.inc, b.even, op2_arg_direct(b.x, OP2_RW)));
    EXPECT_VALUES(uint32_t, b.x, N, i, i % 2 == 0);
    MUST(op2_par_loop(b.inc, b.odd, op2_arg_direct(b.x, OP2_RW)));
    EXPECT_VALUES(uint32_t, b.x, N, i, 1);
  }
}

/* A WRITE over a subset is not a WRITE of the whole dat: loops queued before still count for the
 * other elements. */
static void partial_write(void) {
  EACH_SECTIONING(s) {
    struct base b = make_base(s);
    op2_kernel k = new_kernel(&put_kernel);
    MUST(op2_par_loop(b.inc, b.set, op2_arg_direct(b.x, OP2_RW)));
    MUST(op2_par_loop(k, b.even, op2_arg_direct(b.x, OP2_WRITE)));
    MUST(op2_par_loop(b.inc, b.set, op2_arg_direct(b.x, OP2_RW)));
    EXPECT_VALUES(uint32_t, b.x, N, i, (i % 2 ? 2 : 10));
  }
}

static void k4_nested(void) {
  EACH_SECTIONING(s) {
    struct base b = make_base(s);
    int64_t half[N / 4], fourth[N / 4];
    for (int i = 0; i < N / 4; i++) half[i] = 2 * i, fourth[i] = 4 * i;
    op2_set nested = new_subset(b.even, N / 4, half, "nested"),
            flat = new_subset(b.set, N / 4, fourth, "flat");
    op2_dat y = new_dat(b.set, 1, OP2_U32, NULL, "y");
    MUST(op2_par_loop(b.inc, nested, op2_arg_direct(b.x, OP2_RW)));
    MUST(op2_par_loop(b.inc, flat, op2_arg_direct(y, OP2_RW)));
    EXPECT_VALUES(uint32_t, b.x, N, i, i % 4 == 0);
    EXPECT_VALUES(uint32_t, y, N, i, i % 4 == 0);
  }
}

struct target {
  op2_set set;
  op2_map map; /* even elements to 0, odd to 1 */
  op2_dat t;
};

static struct target make_target(op2_set from) {
  struct target t;
  int32_t idx[N];
  for (int i = 0; i < N; i++) idx[i] = i % 2;
  t.set = new_set(2, "two");
  t.map = new_map(from, t.set, 1, idx, "parity");
  t.t = new_dat(t.set, 1, OP2_U32, NULL, "t");
  return t;
}

static void k5_indirect(void) {
  EACH_SECTIONING(s) {
    struct base b = make_base(s);
    struct target t = make_target(b.set);
    op2_set none = new_subset(b.set, 0, NULL, "none");
    MUST(op2_par_loop(b.inc, none, op2_arg_dat(t.t, 0, t.map, OP2_INC)));
    EXPECT_VALUES(uint32_t, t.t, 2, i, 0);
    MUST(op2_par_loop(b.inc, b.even, op2_arg_dat(t.t, 0, t.map, OP2_INC)));
    EXPECT_VALUES(uint32_t, t.t, 2, i, (i == 0 ? 16 : 0));
    op2_set first = new_subset(b.even, 3, (int64_t[]){0, 1, 5}, "first");
    MUST(op2_par_loop(b.inc, first, op2_arg_dat(t.t, 0, t.map, OP2_RW)));
    EXPECT_VALUES(uint32_t, t.t, 2, i, (i == 0 ? 19 : 0));
  }
}

static void k7_with_direct(void) {
  EACH_SECTIONING(s) {
    struct base b = make_base(s);
    struct target t = make_target(b.set);
    uint32_t v[N];
    for (uint32_t i = 0; i < N; i++) v[i] = i % 2 ? 2976579765u : i / 2;
    MUST(op2_dat_set(b.x, v));
    MUST(op2_par_loop(new_kernel(&add_from_kernel), b.even, op2_arg_dat(t.t, 0, t.map, OP2_INC),
                      op2_arg_direct(b.x, OP2_READ)));
    EXPECT_VALUES(uint32_t, t.t, 2, i, (i == 0 ? 120 : 0));
  }
}

static void k10_copy(void) {
  op2_set set = new_set(5, "cells"), some = new_subset(set, 2, (int64_t[]){1, 3}, "some");
  op2_dat from = new_dat(set, 1, OP2_U32, (uint32_t[]){1, 2, 3, 4, 5}, "from"),
          to = new_dat(set, 1, OP2_U32, NULL, "to");
  MUST(op2_par_loop(new_kernel(&copy_kernel), some, op2_arg_direct(to, OP2_WRITE),
                    op2_arg_direct(from, OP2_READ)));
  EXPECT_VALUES(uint32_t, to, 5, i, (i == 1 || i == 3 ? i + 1 : 0));
}

/* Entries in the exec halo run if the loop modifies data through a map, and do not count in
 * reductions; entries past it never run. */
static void halo(void) {
  op2_set set = new_sections(2, 5, 8, 10, "base"), one = new_set(1, "one");
  op2_set sub = new_subset(set, 6, (int64_t[]){0, 4, 5, 7, 8, 9}, "sub");
  op2_map map = new_map(set, one, 1, scratch(10, sizeof(int32_t)), "to one");
  op2_dat t = new_dat(one, 1, OP2_U32, NULL, "t"), x = new_dat(set, 1, OP2_U32, NULL, "x");
  op2_gbl g = new_gbl(1, OP2_U32, NULL, "g");
  MUST(op2_par_loop(new_kernel(&tally_kernel), sub, op2_arg_dat(t, 0, map, OP2_INC),
                    op2_arg_gbl(g, OP2_INC), op2_arg_idx()));
  EXPECT_VALUES(uint32_t, t, 1, i, 4);
  EXPECT_GBL(uint32_t, g, 4);
  MUST(op2_par_loop(new_kernel(&inc_kernel), sub, op2_arg_direct(x, OP2_RW)));
  EXPECT_VALUES(uint32_t, x, 10, i, i == 0 || i == 4);
}

static const struct test_case cases[] = {
    {"K1-K3 direct", k1_direct},
    {"partial write", partial_write},
    {"K4 subset of a subset", k4_nested},
    {"K5 indirect", k5_indirect},
    {"K7 indirect and direct", k7_with_direct},
    {"K10 copy on a subset", k10_copy},
    {"subset with halo entries", halo},
};

int main(void) { return RUN(cases, RUN_ON_DEVICES); }
