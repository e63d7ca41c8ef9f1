/* SPDX-License-Identifier: BSD-3-Clause */
/* Direct loops: cases E, each for four ways to section the set. */
#include "support.h"

enum { N = 4096 };

OP2_KERNEL(put42, (uint32_t *x), { *x = 42; });
OP2_KERNEL(inc, (uint32_t *x), { *x += 1; });
OP2_KERNEL(next, (uint32_t *x, const uint32_t *y), { *x = *y + 1; });
OP2_KERNEL(inc_mode, (uint32_t *x), { *x += 5; });
OP2_KERNEL(tally, (uint32_t *g), { *g += 1; });
OP2_KERNEL(rw_tally, (uint32_t *x, uint32_t *g), {
  *x += 1;
  *g += *x;
});
OP2_KERNEL(largest, (const uint32_t *x, uint32_t *g), {
  if (*x > *g) *g = *x;
});
OP2_KERNEL(smallest, (const uint32_t *x, uint32_t *g), {
  if (*x < *g) *g = *x;
});
OP2_KERNEL(raise, (uint32_t *x, const uint32_t *y), {
  if (*y > *x) *x = *y;
});
OP2_KERNEL(lower, (uint32_t *x, const uint32_t *y), {
  if (*y < *x) *x = *y;
});
OP2_KERNEL(put_pair, (uint32_t *x), {
  x[0] = 42;
  x[1] = 43;
});
OP2_KERNEL(nothing, (const uint32_t *x), { (void)x; });
OP2_KERNEL(swap3, (double *x, const float *y, int64_t *z), {
  double first = x[0];
  x[0] = x[2] + y[0];
  x[2] = first * y[1];
  z[1] = z[0];
  z[0] = 7;
});
OP2_KERNEL(where_am_i, (int64_t *x, int64_t i, int32_t j, int k, const int64_t *p),
           { *x = i + j + k + *p; });
OP2_KERNEL(by_value, (double *x, double a, const float b[2], int n), { *x = a * b[0] + b[1] * n; });

struct line {
  op2_set set;
  int64_t owned;
  op2_dat x;
  op2_gbl g;
};

static struct line make_line(int kind, uint32_t start) {
  struct line l;
  uint32_t *data = scratch(N, sizeof *data);
  for (uint32_t i = 0; i < N; i++) data[i] = i;
  l.set = new_sectioned(kind, N, &l.owned, "elems");
  l.x = new_dat(l.set, 1, OP2_U32, data, "x");
  l.g = new_gbl(1, OP2_U32, &start, "g");
  return l;
}

#define EACH_SECTIONING(kind) for (int kind = 0; kind < SECTION_KINDS; kind++)

static void e1_write(void) {
  EACH_SECTIONING(s) {
    struct line l = make_line(s, 0);
    MUST(op2_par_loop(new_kernel(&put42_kernel), l.set, op2_arg_direct(l.x, OP2_WRITE)));
    EXPECT_VALUES(uint32_t, l.x, N, i,
                  (i < l.owned ? 42 : i)); /* direct loops do not change the halo */
  }
}

static void e2_rw(void) {
  EACH_SECTIONING(s) {
    struct line l = make_line(s, 0);
    uint64_t sum = 0;
    uint32_t *got = scratch(N, sizeof *got);
    MUST(op2_par_loop(new_kernel(&inc_kernel), l.set, op2_arg_direct(l.x, OP2_RW)));
    EXPECT_VALUES(uint32_t, l.x, N, i, (i < l.owned ? i + 1 : i));
    MUST(op2_dat_get(l.x, got));
    for (int64_t i = 0; i < l.owned; i++) sum += got[i];
    EXPECT(sum == (uint64_t)(l.owned * (l.owned + 1) / 2));
  }
}

/* A direct INC adds to the old values; the kernel's copy starts at zero. */
static void direct_inc(void) {
  EACH_SECTIONING(s) {
    struct line l = make_line(s, 0);
    MUST(op2_par_loop(new_kernel(&inc_mode_kernel), l.set, op2_arg_direct(l.x, OP2_INC)));
    EXPECT_VALUES(uint32_t, l.x, N, i, (i < l.owned ? i + 5 : i));
  }
}

static void e4_tally(void) {
  EACH_SECTIONING(s) {
    struct line l = make_line(s, 10);
    MUST(op2_par_loop(new_kernel(&tally_kernel), l.set, op2_arg_gbl(l.g, OP2_INC)));
    EXPECT_GBL(uint32_t, l.g, l.owned + 10);
  }
}

static void rw_and_inc(void) {
  EACH_SECTIONING(s) {
    struct line l = make_line(s, 0);
    MUST(op2_par_loop(new_kernel(&rw_tally_kernel), l.set, op2_arg_direct(l.x, OP2_RW),
                      op2_arg_gbl(l.g, OP2_INC)));
    EXPECT_GBL(uint32_t, l.g, l.owned * (l.owned + 1) / 2);
    EXPECT_VALUES(uint32_t, l.x, l.owned, i, i + 1);
  }
}

/* E5 to E8: start value, mode, result. */
static void e5_minmax(void) {
  EACH_SECTIONING(s) {
    struct line l = make_line(s, 0);
    const struct {
      const op2_kernel_desc *desc;
      op2_access mode;
      uint32_t start, want;
    } runs[] = {{&largest_kernel, OP2_MAX, 0, (uint32_t)l.owned - 1},
                {&largest_kernel, OP2_MAX, 2 * N, 2 * N},
                {&smallest_kernel, OP2_MIN, 1000, 0}};
    for (int r = 0; r < 3; r++) {
      MUST(op2_gbl_set(l.g, &runs[r].start));
      MUST(op2_par_loop(new_kernel(runs[r].desc), l.set, op2_arg_direct(l.x, OP2_READ),
                        op2_arg_gbl(l.g, runs[r].mode)));
      EXPECT_GBL(uint32_t, l.g, runs[r].want);
    }
    MUST(op2_par_loop(new_kernel(&inc_mode_kernel), l.set, op2_arg_direct(l.x, OP2_INC)));
    MUST(op2_gbl_set(l.g, (uint32_t[]){4}));
    MUST(op2_par_loop(new_kernel(&smallest_kernel), l.set, op2_arg_direct(l.x, OP2_READ),
                      op2_arg_gbl(l.g, OP2_MIN)));
    EXPECT_GBL(uint32_t, l.g, 4);
  }
}

/* MIN and MAX of a dat, directly. */
static void dat_minmax(void) {
  struct line l = make_line(2, 0);
  op2_dat y = new_dat(l.set, 1, OP2_U32, NULL, "y");
  uint32_t *data = scratch(N, sizeof *data);
  for (uint32_t i = 0; i < N; i++) data[i] = 2000;
  MUST(op2_dat_set_halo(y, data));
  MUST(op2_par_loop(new_kernel(&raise_kernel), l.set, op2_arg_direct(y, OP2_MAX),
                    op2_arg_direct(l.x, OP2_READ)));
  EXPECT_VALUES(uint32_t, y, N, i, (i > 2000 ? i : 2000));
  MUST(op2_par_loop(new_kernel(&lower_kernel), l.set, op2_arg_direct(l.x, OP2_MIN),
                    op2_arg_direct(y, OP2_READ)));
  EXPECT_VALUES(uint32_t, l.x, N, i, i);
}

static void e10_pair(void) {
  EACH_SECTIONING(s) {
    struct line l = make_line(s, 0);
    op2_dat pair = new_dat(l.set, 2, OP2_U32, NULL, "pair");
    MUST(op2_par_loop(new_kernel(&put_pair_kernel), l.set, op2_arg_direct(pair, OP2_WRITE)));
    EXPECT_VALUES(uint32_t, pair, 2 * l.owned, i, 42 + i % 2);
  }
}

/* E16 */
static void nothing_to_do(void) {
  struct line l = make_line(0, 10);
  op2_set none = new_set(0, "none"), halo = new_sections(0, 0, 0, 3, "halo");
  op2_dat nothing = new_dat(none, 2, OP2_U32, NULL, "nothing"),
          h = new_dat(halo, 1, OP2_U32, NULL, "h");
  op2_kernel put = new_kernel(&put42_kernel);
  MUST(op2_par_loop(new_kernel(&nothing_kernel), l.set, op2_arg_direct(l.x, OP2_READ)));
  MUST(op2_par_loop(new_kernel(&put_pair_kernel), none, op2_arg_direct(nothing, OP2_WRITE)));
  MUST(op2_par_loop(new_kernel(&tally_kernel), none, op2_arg_gbl(l.g, OP2_INC)));
  MUST(op2_par_loop(put, halo, op2_arg_direct(h, OP2_WRITE)));
  MUST(op2_flush(test_ctx));
  EXPECT_VALUES(uint32_t, l.x, N, i, i);
  EXPECT_VALUES(uint32_t, h, 3, i, 0);
  EXPECT_GBL(uint32_t, l.g, 10);
}

/* Several types and dims in one loop, with reads after writes of the same element. */
static void many_types(void) {
  op2_set set = new_set(100, "cells");
  double x[300];
  float y[200];
  int64_t z[200];
  for (int i = 0; i < 100; i++) {
    for (int c = 0; c < 3; c++) x[3 * i + c] = i + 100 * c;
    for (int c = 0; c < 2; c++) y[2 * i + c] = (float)(i % 7 + c), z[2 * i + c] = i - 50 * c;
  }
  op2_dat dx = new_dat(set, 3, OP2_F64, x, "x"), dy = new_dat(set, 2, OP2_F32, y, "y"),
          dz = new_dat(set, 2, OP2_I64, z, "z");
  MUST(op2_par_loop(new_kernel(&swap3_kernel), set, op2_arg_direct(dx, OP2_RW),
                    op2_arg_direct(dy, OP2_READ), op2_arg_direct(dz, OP2_RW)));
  EXPECT_VALUES(double, dx, 300, i,
                (i % 3 == 0   ? (int)(i / 3) + 200 + (int)(i / 3) % 7
                 : i % 3 == 1 ? (int)(i / 3) + 100
                              : (int)(i / 3) * ((int)(i / 3) % 7 + 1)));
  EXPECT_VALUES(int64_t, dz, 200, i, (i % 2 ? i / 2 : 7));
}

static void element_index(void) {
  op2_set set = new_sections(10, 50, 60, 60, "cells");
  op2_dat x = new_dat(set, 1, OP2_I64, NULL, "x");
  op2_kernel k = new_kernel(&where_am_i_kernel);
  MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_WRITE), op2_arg_idx(), op2_arg_idx(),
                    op2_arg_idx(), op2_arg_idx()));
  EXPECT_VALUES(int64_t, x, 60, i, (i < 50 ? 4 * i : 0));
  /* Over a subset the number is that of the element, not of the position. */
  op2_set sub = new_subset(set, 3, (int64_t[]){3, 20, 49}, "sub");
  op2_dat y = new_dat(set, 1, OP2_I64, NULL, "y");
  MUST(op2_par_loop(k, sub, op2_arg_direct(y, OP2_WRITE), op2_arg_idx(), op2_arg_idx(),
                    op2_arg_idx(), op2_arg_idx()));
  EXPECT_VALUES(int64_t, y, 60, i, (i == 3 || i == 20 || i == 49 ? 4 * i : 0));
}

/* Values are captured by the call: later changes of the caller's memory do not matter. */
static void values_are_captured(void) {
  op2_set set = new_set(9, "cells");
  op2_dat x[3];
  op2_kernel k = new_kernel(&by_value_kernel);
  double a;
  float b[2];
  int32_t n;
  for (int r = 0; r < 3; r++) {
    x[r] = new_dat(set, 1, OP2_F64, NULL, "x");
    a = r + 1, b[0] = 2, b[1] = 0.5f, n = 10 * r;
    MUST(op2_par_loop(k, set, op2_arg_direct(x[r], OP2_WRITE), op2_arg_val(&a, 1, OP2_F64),
                      op2_arg_val(b, 2, OP2_F32), op2_arg_val(&n, 1, OP2_I32)));
    a = b[0] = b[1] = -1000, n = -1000;
  }
  for (int r = 0; r < 3; r++) EXPECT_VALUES(double, x[r], 9, i, (r + 1) * 2 + 0.5 * 10 * r);
}

/* A chain of loops over the same data, checked only at its end. */
static void chain(void) {
  struct line l = make_line(2, 0);
  op2_kernel k = new_kernel(&inc_kernel), t = new_kernel(&rw_tally_kernel);
  for (int i = 0; i < 20; i++) MUST(op2_par_loop(k, l.set, op2_arg_direct(l.x, OP2_RW)));
  MUST(op2_par_loop(t, l.set, op2_arg_direct(l.x, OP2_RW), op2_arg_gbl(l.g, OP2_INC)));
  EXPECT_GBL(uint32_t, l.g, (uint32_t)N * (N - 1) / 2 + 21 * N);
  EXPECT_VALUES(uint32_t, l.x, N, i, i + 21);
}

/* One row under two names. */
static void twice_named(void) {
  EACH_SECTIONING(s) {
    struct line l = make_line(s, 0);
    MUST(op2_par_loop(new_kernel(&next_kernel), l.set, op2_arg_direct(l.x, OP2_WRITE),
                      op2_arg_direct(l.x, OP2_READ)));
    EXPECT_VALUES(uint32_t, l.x, N, i, i + (i < l.owned));
  }
}

static const struct test_case cases[] = {
    {"E1 write", e1_write},
    {"E2 read and write", e2_rw},
    {"direct INC", direct_inc},
    {"E4 global not zero at the start", e4_tally},
    {"RW and global INC in one loop", rw_and_inc},
    {"E5-E8 MIN and MAX of globals", e5_minmax},
    {"MIN and MAX of dats", dat_minmax},
    {"E10 two components", e10_pair},
    {"E16 empty kernel, empty set", nothing_to_do},
    {"several types and dims", many_types},
    {"element index", element_index},
    {"values are captured", values_are_captured},
    {"a chain of loops", chain},
    {"one row by two names", twice_named},
};

int main(void) { return RUN(cases, RUN_ON_DEVICES); }
