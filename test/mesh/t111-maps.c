/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps: declaration, permuted and composed maps, and errors. Cases C22, F19, F20. */
#include <limits.h>

#include "support.h"

OP2_KERNEL(take, (int32_t *x, const int32_t *y), { *x = *y; });
OP2_KERNEL(copy4, (int32_t *to[4], int32_t *from[4]), {
  for (int k = 0; k < 4; k++) to[k][0] = from[k][0];
});
OP2_KERNEL(copy2, (double *to[2], double *from[2]), {
  to[0][0] = from[0][0];
  to[1][0] = from[1][0];
});

static void map_refused(void) {
  op2_set from = new_set(3, "edges"), to = new_set(4, "nodes");
  op2_set sub = new_subset(from, 1, (int64_t[]){0}, "some");
  const int32_t good[6] = {0, 1, 2, 3, 0, 1}, high[6] = {0, 1, 2, 4, 0, 1},
                low[6] = {0, 1, 2, 3, -7, 1};
  op2_map map = NULL;
  REFUSED(OP2_ERR_RANGE, op2_map_create(from, to, 2, high, "e2n", &map), "e2n", "row 1", "column 1",
          "4");
  REFUSED(OP2_ERR_RANGE, op2_map_create(from, to, 2, low, "e2n", &map), "e2n", "row 2", "column 0",
          "-7");
  REFUSED(OP2_ERR_RANGE, op2_map_create(from, to, 1, (int32_t[]){0, INT_MAX, 0}, "e2n", &map),
          "row 1");
  REFUSED(OP2_ERR_ARG, op2_map_create(from, to, 0, good, "e2n", &map), "e2n", "0");
  REFUSED(OP2_ERR_ARG, op2_map_create(from, to, -2, good, "e2n", &map), "e2n", "-2");
  REFUSED(OP2_ERR_ARG, op2_map_create(NULL, to, 2, good, "e2n", &map));
  REFUSED(OP2_ERR_ARG, op2_map_create(from, NULL, 2, good, "e2n", &map));
  REFUSED(OP2_ERR_ARG, op2_map_create(from, to, 2, good, "e2n", NULL));
  REFUSED(OP2_ERR_MISMATCH, op2_map_create(sub, to, 2, good, "e2n", &map), "e2n", "some");
  REFUSED(OP2_ERR_MISMATCH, op2_map_create(to, sub, 1, good, "e2n", &map), "e2n", "some");
  EXPECT(map == NULL);
}

/* Rows and entries of the halo are checked and usable like any others. */
static void map_with_halo(void) {
  op2_set from = new_sections(1, 2, 3, 3, "edges"), to = new_sections(1, 2, 3, 4, "nodes");
  op2_map map = NULL;
  REFUSED(OP2_ERR_RANGE, op2_map_create(from, to, 1, (int32_t[]){0, 1, 4}, "e2n", &map), "row 2",
          "4");
  int32_t idx[3] = {3, 2, 1}, y[4] = {10, 11, 12, 13};
  map = new_map(from, to, 1, idx, "e2n");
  idx[0] = 0; /* the map has a copy */
  op2_dat x = new_dat(from, 1, OP2_I32, NULL, "x"), source = new_dat(to, 1, OP2_I32, y, "y");
  MUST(op2_par_loop(new_kernel(&take_kernel), from, op2_arg_direct(x, OP2_WRITE),
                    op2_arg_dat(source, 0, map, OP2_READ)));
  EXPECT_VALUES(int32_t, x, 3, i, (i == 0 ? 13 : i == 1 ? 12 : 0));
}

static void permuted(void) {
  static const struct {
    int32_t row[4];
    int to[4], from[4];
    int32_t want[4];
  } cases[] = {{{1, 2, 3, 0}, {3, 2, 0, 1}, {0, 1, 2, 3}, {1, 3, 0, 2}},
               {{0, 2, 1, 3}, {3, 2, 1, 0}, {0, 2, 3, 1}, {2, 1, 3, 0}}};
  for (int c = 0; c < 2; c++) {
    const int32_t values[4] = {0, 1, 2, 3};
    op2_set one = new_set(1, "one"), four = new_set(4, "four");
    op2_map base = new_map(one, four, 4, cases[c].row, "base"), to = NULL, from = NULL;
    MUST(op2_map_create_permuted(base, cases[c].to, "to", &to));
    own_map(to);
    MUST(op2_map_create_permuted(base, cases[c].from, "from", &from));
    own_map(from);
    op2_dat d1 = new_dat(four, 1, OP2_I32, values, "d1"),
            d2 = new_dat(four, 1, OP2_I32, NULL, "d2");
    MUST(op2_par_loop(new_kernel(&copy4_kernel), one, op2_arg_dat(d2, OP2_ALL, to, OP2_WRITE),
                      op2_arg_dat(d1, OP2_ALL, from, OP2_READ)));
    EXPECT_VALUES(int32_t, d2, 4, i, cases[c].want[i]);
  }
}

static void permuted_refused(void) {
  op2_set one = new_set(1, "one"), four = new_set(4, "four");
  op2_map base = new_map(one, four, 4, (int32_t[]){0, 1, 2, 3}, "base"), map = NULL;
  REFUSED(OP2_ERR_RANGE, op2_map_create_permuted(base, (int[]){0, 1, 2, 2}, "p", &map), "base");
  REFUSED(OP2_ERR_RANGE, op2_map_create_permuted(base, (int[]){0, 1, 2, 4}, "p", &map), "base");
  REFUSED(OP2_ERR_RANGE, op2_map_create_permuted(base, (int[]){-1, 1, 2, 3}, "p", &map), "base");
  REFUSED(OP2_ERR_ARG, op2_map_create_permuted(base, NULL, "p", &map));
  REFUSED(OP2_ERR_ARG, op2_map_create_permuted(NULL, (int[]){0, 1, 2, 3}, "p", &map));
  EXPECT(map == NULL);
}

struct chain {
  op2_set cells, three, five, two, six;
  op2_map a0, a0_swapped, a1, a2, rows;
  op2_dat data, out;
};

static struct chain make_chain(void) {
  static const int32_t a0[10] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1}, a1[3] = {3, 1, 2}, a2[2] = {2, 0},
                       rows[6] = {0, 1, 2, 3, 4, 5};
  struct chain c;
  double data[8];
  for (int i = 0; i < 8; i++) data[i] = 0.1 * i;
  c.five = new_set(5, "five");
  c.three = new_set(3, "three");
  c.two = new_set(2, "two");
  c.six = new_set(6, "six");
  op2_set eight = new_set(8, "eight");
  c.cells = eight;
  c.a0 = new_map(c.five, eight, 2, a0, "a0");
  c.a1 = new_map(c.three, c.five, 1, a1, "a1");
  c.a2 = new_map(c.two, c.three, 1, a2, "a2");
  c.rows = new_map(c.three, c.six, 2, rows, "rows");
  MUST(op2_map_create_permuted(c.a0, (int[]){1, 0}, "a0 swapped", &c.a0_swapped));
  own_map(c.a0_swapped);
  c.data = new_dat(eight, 1, OP2_F64, data, "data");
  c.out = new_dat(c.six, 1, OP2_F64, NULL, "out");
  return c;
}

static op2_map compose(int n, const op2_map *maps) {
  op2_map map = NULL;
  MUST(op2_map_create_composed(n, maps, "composed", &map));
  own_map(map);
  return map;
}

static void composed(void) {
  struct chain c = make_chain();
  op2_kernel copy = new_kernel(&copy2_kernel);
  static const double want[2][6] = {{.6, .7, .2, .3, .4, .5}, {.7, .6, .3, .2, .5, .4}};
  for (int swapped = 0; swapped < 2; swapped++) {
    op2_map map = compose(2, (op2_map[]){swapped ? c.a0_swapped : c.a0, c.a1});
    MUST(op2_par_loop(copy, c.three, op2_arg_dat(c.out, OP2_ALL, c.rows, OP2_WRITE),
                      op2_arg_dat(c.data, OP2_ALL, map, OP2_READ)));
    EXPECT_VALUES(double, c.out, 6, i, 0.1 * (int)(want[swapped][i] * 10 + 0.5));
  }
}

/* Three maps, however the composition is nested: cells (2,0) of "two" end at .4 .5 and .6 .7. */
static void composed_of_three(void) {
  struct chain c = make_chain();
  op2_kernel copy = new_kernel(&copy2_kernel);
  op2_set four = new_set(4, "four");
  op2_map out = new_map(c.two, four, 2, (int32_t[]){0, 1, 2, 3}, "pairs");
  op2_map maps[3] = {compose(3, (op2_map[]){c.a0, c.a1, c.a2}),
                     compose(2, (op2_map[]){c.a0, compose(2, (op2_map[]){c.a1, c.a2})}),
                     compose(2, (op2_map[]){compose(2, (op2_map[]){c.a0, c.a1}), c.a2})};
  op2_set last = new_subset(c.two, 1, (int64_t[]){1}, "last");
  for (int m = 0; m < 3; m++) {
    op2_dat whole = new_dat(four, 1, OP2_F64, NULL, "whole"),
            part = new_dat(four, 1, OP2_F64, NULL, "part");
    MUST(op2_par_loop(copy, c.two, op2_arg_dat(whole, OP2_ALL, out, OP2_WRITE),
                      op2_arg_dat(c.data, OP2_ALL, maps[m], OP2_READ)));
    MUST(op2_par_loop(copy, last, op2_arg_dat(part, OP2_ALL, out, OP2_WRITE),
                      op2_arg_dat(c.data, OP2_ALL, maps[m], OP2_READ)));
    EXPECT_VALUES(double, whole, 4, i, 0.1 * (4 + (int)i));
    EXPECT_VALUES(double, part, 4, i, (i < 2 ? 0 : 0.1 * (4 + (int)i)));
  }
}

static void composed_alone_and_parts_gone(void) {
  op2_set from = new_set(2, "from"), mid = new_set(2, "mid"), to = new_set(2, "to");
  op2_map first = NULL, second = NULL;
  MUST(op2_map_create(mid, to, 1, (int32_t[]){1, 0}, "first", &first));
  MUST(op2_map_create(from, mid, 1, (int32_t[]){1, 1}, "second", &second));
  op2_map both = compose(2, (op2_map[]){first, second}), alone = compose(1, (op2_map[]){first});
  op2_map_destroy(&first);
  op2_map_destroy(&second);
  EXPECT(!first && !second);
  op2_dat y = new_dat(to, 1, OP2_I32, (int32_t[]){7, 9}, "y"),
          x = new_dat(from, 1, OP2_I32, NULL, "x");
  op2_dat z = new_dat(mid, 1, OP2_I32, NULL, "z");
  op2_kernel k = new_kernel(&take_kernel);
  MUST(op2_par_loop(k, from, op2_arg_direct(x, OP2_WRITE), op2_arg_dat(y, 0, both, OP2_READ)));
  MUST(op2_par_loop(k, mid, op2_arg_direct(z, OP2_WRITE), op2_arg_dat(y, 0, alone, OP2_READ)));
  EXPECT_VALUES(int32_t, x, 2, i, 7);
  EXPECT_VALUES(int32_t, z, 2, i, (i == 0 ? 9 : 7));
}

static void composed_refused(void) {
  struct chain c = make_chain();
  op2_map map = NULL, wide = new_map(c.two, c.five, 2, (int32_t[]){0, 1, 2, 3}, "wide");
  op2_map bare = new_map(c.three, c.five, 1, NULL, "bare");
  REFUSED(OP2_ERR_MISMATCH, op2_map_create_composed(2, (op2_map[]){c.a0, wide}, "m", &map), "wide");
  REFUSED(OP2_ERR_MISMATCH, op2_map_create_composed(2, (op2_map[]){c.a0, c.a2}, "m", &map), "a0",
          "a2", "three", "five");
  REFUSED(OP2_ERR_MISMATCH, op2_map_create_composed(2, (op2_map[]){c.a1, c.a0}, "m", &map), "a0");
  REFUSED(OP2_ERR_MISMATCH, op2_map_create_composed(2, (op2_map[]){c.a0, bare}, "m", &map), "bare");
  REFUSED(OP2_ERR_ARG, op2_map_create_composed(0, (op2_map[]){c.a0}, "m", &map));
  REFUSED(OP2_ERR_ARG, op2_map_create_composed(1, NULL, "m", &map));
  REFUSED(OP2_ERR_ARG, op2_map_create_composed(2, (op2_map[]){c.a0, NULL}, "m", &map));
  REFUSED(OP2_ERR_ARG, op2_map_create_composed(1, (op2_map[]){c.a0}, "m", NULL));
  EXPECT(map == NULL);
}

/* Copies with the same sets and values are separate maps. */
static void two_equal_maps(void) {
  op2_set from = new_set(3, "from"), to = new_set(3, "to");
  const int32_t idx[3] = {2, 0, 1};
  op2_map a = new_map(from, to, 1, idx, "a"), b = new_map(from, to, 1, idx, "b");
  op2_dat y = new_dat(to, 1, OP2_I32, (int32_t[]){5, 6, 7}, "y"),
          x = new_dat(from, 1, OP2_I32, NULL, "x");
  op2_kernel k = new_kernel(&take_kernel);
  EXPECT(a != b);
  MUST(op2_par_loop(k, from, op2_arg_direct(x, OP2_WRITE), op2_arg_dat(y, 0, a, OP2_READ)));
  MUST(op2_par_loop(k, from, op2_arg_direct(x, OP2_WRITE), op2_arg_dat(y, 0, b, OP2_READ)));
  EXPECT_VALUES(int32_t, x, 3, i, 5 + idx[i]);
}

static const struct test_case cases[] = {
    {"maps that are refused", map_refused},
    {"map over halo rows and entries", map_with_halo},
    {"C23 equal maps are two maps", two_equal_maps},
    {"F19 permuted maps", permuted},
    {"permutations that are refused", permuted_refused},
    {"F20 composed map", composed},
    {"F20 composed of three, nested in any way", composed_of_three},
    {"composition outlives its parts", composed_alone_and_parts_gone},
    {"F20 compositions that are refused", composed_refused},
};

int main(void) { return RUN(cases, 0); }
