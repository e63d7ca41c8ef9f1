/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops through maps: cases F, each for four ways to section the iteration set. A loop that
 * modifies data through a map also runs over the exec halo, so the whole of a set of n elements is
 * reached whatever its sections are. */
#include "support.h"

enum { N = 4096 };

OP2_KERNEL(put42, (uint32_t *x), { *x = 42; });
OP2_KERNEL(put_and_count, (uint32_t *x, uint32_t *n), {
  *x = 42;
  *n += 1;
});
OP2_KERNEL(inc, (uint32_t *x), { *x += 1; });
OP2_KERNEL(divide, (uint32_t *x, const uint32_t *g), { *x /= *g; });
OP2_KERNEL(rw_tally, (uint32_t *x, uint32_t *g), {
  *x += 1;
  *g += *x;
});
OP2_KERNEL(edge_sum, (uint32_t *e, const uint32_t *a, const uint32_t *b), { *e = *a + *b; });
OP2_KERNEL(raise, (int32_t *a, const int32_t *b), {
  if (*b > *a) *a = *b;
});
OP2_KERNEL(lower, (int32_t *a, const int32_t *b), {
  if (*b < *a) *a = *b;
});
OP2_KERNEL(copy, (uint32_t *to, const uint32_t *from), { *to = *from; });
OP2_KERNEL(zero, (uint32_t *x), { *x = 0; });
OP2_KERNEL(put_row, (double *x, const double *y), {
  x[0] = y[0];
  x[1] = -y[0];
});
OP2_KERNEL(add_row, (double *x, const double *y), {
  x[0] += y[0];
  x[1] -= y[0];
});
OP2_KERNEL(both_ends, (double *a, double *b, const double *w), {
  *a += *w;
  *b -= *w;
});
OP2_KERNEL(append, (uint64_t *x, const uint64_t *digit), { *x = *x * 3 + *digit; });
OP2_KERNEL(write_digit, (uint64_t *x, const uint64_t *digit), { *x = *digit; });
OP2_KERNEL(relax, (int64_t *a, const int64_t *b), { *a += *b % 100; });

OP2_KERNEL(grow, (uint32_t *x, const uint32_t *before, uint32_t *most), {
  *x += *before % 7 + 1;
  if (*before > *most) *most = *before;
});
OP2_KERNEL(follow, (int64_t *a, const int64_t *b), { *a += *b; });

struct graph {
  op2_set iter, ind, unit;
  int64_t owned;
  int32_t *perm;
  op2_map iter2ind, iter2unit;
  op2_dat x, u;
  op2_gbl g;
};

static struct graph make_graph(int kind, uint32_t start) {
  struct graph m;
  uint64_t seed = 7;
  uint32_t *data = scratch(N, sizeof *data);
  m.perm = scratch(N, sizeof *m.perm);
  for (int i = 0; i < N; i++) {
    int j = draw_below(&seed, i + 1);
    data[i] = (uint32_t)i;
    m.perm[i] = m.perm[j];
    m.perm[j] = i;
  }
  m.iter = new_sectioned(kind, N, &m.owned, "iterset");
  m.ind = new_set(N, "indset");
  m.unit = new_set(1, "unitset");
  m.iter2ind = new_map(m.iter, m.ind, 1, m.perm, "iter2ind");
  m.iter2unit = new_map(m.iter, m.unit, 1, scratch(N, sizeof(int32_t)), "iter2unit");
  m.x = new_dat(m.ind, 1, OP2_U32, data, "x");
  m.u = new_dat(m.unit, 1, OP2_U32, NULL, "u");
  m.g = new_gbl(1, OP2_U32, &start, "g");
  return m;
}

#define EACH_SECTIONING(kind) for (int kind = 0; kind < SECTION_KINDS; kind++)

static void f1_write(void) {
  EACH_SECTIONING(s) {
    struct graph m = make_graph(s, 0);
    MUST(op2_par_loop(new_kernel(&put42_kernel), m.iter,
                      op2_arg_dat(m.x, 0, m.iter2ind, OP2_WRITE)));
    EXPECT_VALUES(uint32_t, m.x, N, i, 42);
  }
}

static void f2_rw(void) {
  EACH_SECTIONING(s) {
    struct graph m = make_graph(s, 0);
    MUST(op2_par_loop(new_kernel(&inc_kernel), m.iter, op2_arg_dat(m.x, 0, m.iter2ind, OP2_RW)));
    EXPECT_VALUES(uint32_t, m.x, N, i, i + 1);
  }
}

/* All elements lead to one target. */
static void inc_into_one(void) {
  EACH_SECTIONING(s) {
    struct graph m = make_graph(s, 0);
    MUST(op2_par_loop(new_kernel(&inc_kernel), m.iter, op2_arg_dat(m.u, 0, m.iter2unit, OP2_INC)));
    EXPECT_VALUES(uint32_t, m.u, 1, i, N);
    MUST(op2_par_loop(new_kernel(&inc_kernel), m.iter, op2_arg_dat(m.u, 0, m.iter2unit, OP2_RW)));
    EXPECT_VALUES(uint32_t, m.u, 1, i, 2 * N);
  }
}

static void f4_divide(void) {
  EACH_SECTIONING(s) {
    struct graph m = make_graph(s, 2);
    uint64_t sum = 0;
    uint32_t *got = scratch(N, sizeof *got);
    MUST(op2_par_loop(new_kernel(&divide_kernel), m.iter, op2_arg_dat(m.x, 0, m.iter2ind, OP2_RW),
                      op2_arg_gbl(m.g, OP2_READ)));
    MUST(op2_dat_get(m.x, got));
    for (int i = 0; i < N; i++) sum += got[i];
    EXPECT(sum == 4192256);
  }
}

/* F5: increments of the dat by the exec halo do not count in the reduction. */
static void f5_rw_and_tally(void) {
  EACH_SECTIONING(s) {
    struct graph m = make_graph(s, 0);
    uint32_t want = 0;
    for (int64_t i = 0; i < m.owned; i++) want += (uint32_t)m.perm[i] + 1;
    MUST(op2_par_loop(new_kernel(&rw_tally_kernel), m.iter, op2_arg_dat(m.x, 0, m.iter2ind, OP2_RW),
                      op2_arg_gbl(m.g, OP2_INC)));
    EXPECT_VALUES(uint32_t, m.x, N, i, i + 1);
    EXPECT_GBL(uint32_t, m.g, want);
    if (m.owned == N) EXPECT(want == (uint32_t)N * (N + 1) / 2);
  }
}

static void f7_path(void) {
  op2_set nodes = new_set(N, "nodes"), edges = new_set(N - 1, "edges");
  int32_t *ends = scratch(2 * N, sizeof *ends);
  uint32_t *v = scratch(N, sizeof *v);
  for (int i = 0; i < N; i++) v[i] = (uint32_t)i, ends[2 * i] = i, ends[2 * i + 1] = i + 1;
  op2_map e2n = new_map(edges, nodes, 2, ends, "e2n");
  op2_dat node = new_dat(nodes, 1, OP2_U32, v, "node"),
          edge = new_dat(edges, 1, OP2_U32, NULL, "edge");
  MUST(op2_par_loop(new_kernel(&edge_sum_kernel), edges, op2_arg_direct(edge, OP2_WRITE),
                    op2_arg_dat(node, 0, e2n, OP2_READ), op2_arg_dat(node, 1, e2n, OP2_READ)));
  EXPECT_VALUES(uint32_t, edge, N - 1, i, 2 * i + 1);
}

struct quad {
  op2_set s1, s2;
  op2_map m12;
  op2_dat d1, d2;
};

static struct quad make_quad(const uint32_t *d1, const uint32_t *d2) {
  struct quad q;
  q.s1 = new_set(4, "s1");
  q.s2 = new_set(4, "s2");
  q.m12 = new_map(q.s1, q.s2, 1, (int32_t[]){1, 2, 3, 0}, "m12");
  q.d1 = new_dat(q.s1, 1, OP2_U32, d1, "d1");
  q.d2 = new_dat(q.s2, 1, OP2_U32, d2, "d2");
  return q;
}

static void f16_small(void) {
  const uint32_t up[4] = {0, 1, 2, 3}, ones[4] = {1, 1, 1, 1}, tens[4] = {10, 10, 10, 10};
  const uint32_t through[4] = {3, 0, 1, 2}, sub[4] = {3, 10, 1, 10};
  op2_kernel copies = new_kernel(&copy_kernel), add = new_kernel(&inc_kernel);
  struct quad q = make_quad(NULL, up);
  MUST(op2_par_loop(copies, q.s1, op2_arg_direct(q.d1, OP2_WRITE),
                    op2_arg_dat(q.d2, 0, q.m12, OP2_READ)));
  EXPECT_VALUES(uint32_t, q.d1, 4, i, (i + 1) % 4);
  q = make_quad(up, NULL);
  MUST(op2_par_loop(copies, q.s1, op2_arg_dat(q.d2, 0, q.m12, OP2_WRITE),
                    op2_arg_direct(q.d1, OP2_READ)));
  EXPECT_VALUES(uint32_t, q.d2, 4, i, through[i]);
  q = make_quad(NULL, up);
  MUST(op2_par_loop(add, q.s1, op2_arg_dat(q.d2, 0, q.m12, OP2_INC)));
  EXPECT_VALUES(uint32_t, q.d2, 4, i, i + 1);
  q = make_quad(ones, NULL);
  op2_set odd = new_subset(q.s1, 2, (int64_t[]){1, 3}, "odd");
  MUST(op2_par_loop(new_kernel(&zero_kernel), odd, op2_arg_direct(q.d1, OP2_WRITE)));
  EXPECT_VALUES(uint32_t, q.d1, 4, i, i % 2 == 0);
  q = make_quad(up, tens);
  odd = new_subset(q.s1, 2, (int64_t[]){1, 3}, "odd");
  MUST(op2_par_loop(copies, odd, op2_arg_dat(q.d2, 0, q.m12, OP2_WRITE),
                    op2_arg_direct(q.d1, OP2_READ)));
  EXPECT_VALUES(uint32_t, q.d2, 4, i, sub[i]);
}

static void f17_minmax(void) {
  EACH_SECTIONING(s) {
    struct graph m = make_graph(s, 0);
    int32_t *a = scratch(N, sizeof *a), *b = scratch(N, sizeof *b);
    for (int i = 0; i < N; i++) a[i] = -10, b[i] = -5;
    op2_dat da = new_dat(m.ind, 1, OP2_I32, a, "a"), db = new_dat(m.iter, 1, OP2_I32, b, "b");
    MUST(op2_par_loop(new_kernel(&raise_kernel), m.iter, op2_arg_dat(da, 0, m.iter2ind, OP2_MAX),
                      op2_arg_direct(db, OP2_READ)));
    EXPECT_VALUES(int32_t, da, N, i, -5);
    for (int i = 0; i < N; i++) b[i] = i % 100 - 40;
    MUST(op2_dat_set_halo(db, b));
    op2_dat low = new_dat(m.unit, 1, OP2_I32, (int32_t[]){-7}, "low");
    MUST(op2_par_loop(new_kernel(&lower_kernel), m.iter, op2_arg_dat(low, 0, m.iter2unit, OP2_MIN),
                      op2_arg_direct(db, OP2_READ)));
    EXPECT_VALUES(int32_t, low, 1, i, -40);
    op2_dat high = new_dat(m.unit, 1, OP2_I32, (int32_t[]){70}, "high");
    MUST(op2_par_loop(new_kernel(&raise_kernel), m.iter, op2_arg_dat(high, 0, m.iter2unit, OP2_MAX),
                      op2_arg_direct(db, OP2_READ)));
    EXPECT_VALUES(int32_t, high, 1, i, 70);
  }
}

static void rows(void) {
  EACH_SECTIONING(s) {
    struct graph m = make_graph(s, 0);
    double *y = scratch(N, sizeof *y), *want = scratch(2 * N, sizeof *want);
    for (int i = 0; i < N; i++) y[i] = i, want[2 * m.perm[i]] = i, want[2 * m.perm[i] + 1] = -i;
    op2_dat dy = new_dat(m.iter, 1, OP2_F64, y, "y"), row = new_dat(m.ind, 2, OP2_F64, NULL, "row");
    MUST(op2_par_loop(new_kernel(&put_row_kernel), m.iter,
                      op2_arg_dat(row, 0, m.iter2ind, OP2_WRITE), op2_arg_direct(dy, OP2_READ)));
    EXPECT_VALUES(double, row, 2 * N, i, want[i]);
    MUST(op2_par_loop(new_kernel(&add_row_kernel), m.iter, op2_arg_dat(row, 0, m.iter2ind, OP2_INC),
                      op2_arg_direct(dy, OP2_READ)));
    EXPECT_VALUES(double, row, 2 * N, i, 2 * want[i]);
  }
}

/* Two slots of one map into one dat, the form every edge loop has. */
static void edge_increments(void) {
  enum { EDGES = 3000, NODES = 211 };
  uint64_t seed = 99;
  int32_t *ends = scratch(2 * EDGES, sizeof *ends);
  double *w = scratch(EDGES, sizeof *w), *want = scratch(NODES, sizeof *want);
  for (int e = 0; e < EDGES; e++) {
    for (int k = 0; k < 2; k++)
      ends[2 * e + k] = draw_below(&seed, NODES); /* some edges have both ends at one node */
    w[e] = draw_below(&seed, 1000);
    want[ends[2 * e]] += w[e], want[ends[2 * e + 1]] -= w[e];
  }
  op2_set edges = new_set(EDGES, "edges"), nodes = new_set(NODES, "nodes");
  op2_map e2n = new_map(edges, nodes, 2, ends, "e2n");
  op2_dat dw = new_dat(edges, 1, OP2_F64, w, "w"), x = new_dat(nodes, 1, OP2_F64, NULL, "x");
  MUST(op2_par_loop(new_kernel(&both_ends_kernel), edges, op2_arg_dat(x, 0, e2n, OP2_INC),
                    op2_arg_dat(x, 1, e2n, OP2_INC), op2_arg_direct(dw, OP2_READ)));
  EXPECT_VALUES(double, x, NODES, i, want[i]);
}

/* Targets shared by several elements are updated in element order: the values after RW show the
 * order, and of several WRITEs the last one stays. */
static void element_order(void) {
  enum { FROM = 900, TO = 30 };
  uint64_t seed = 5, *digit = scratch(FROM, sizeof *digit), *rw = scratch(TO, sizeof *rw),
           *last = scratch(TO, sizeof *last);
  int32_t *idx = scratch(FROM, sizeof *idx);
  for (int i = 0; i < FROM; i++) {
    idx[i] = draw_below(&seed, TO);
    digit[i] = (uint64_t)draw_below(&seed, 3);
    rw[idx[i]] = rw[idx[i]] * 3 + digit[i];
    last[idx[i]] = digit[i];
  }
  op2_set from = new_set(FROM, "from"), to = new_set(TO, "to");
  op2_map map = new_map(from, to, 1, idx, "map");
  op2_dat d = new_dat(from, 1, OP2_U64, digit, "digit"), x = new_dat(to, 1, OP2_U64, NULL, "x");
  MUST(op2_par_loop(new_kernel(&append_kernel), from, op2_arg_dat(x, 0, map, OP2_RW),
                    op2_arg_direct(d, OP2_READ)));
  EXPECT_VALUES(uint64_t, x, TO, i, rw[i]);
  if (on_check()) return; /* the checked mode refuses WRITEs of different values to one location */
  MUST(op2_par_loop(new_kernel(&write_digit_kernel), from, op2_arg_dat(x, 0, map, OP2_WRITE),
                    op2_arg_direct(d, OP2_READ)));
  EXPECT_VALUES(uint64_t, x, TO, i, last[i]);
}

/* A dat modified through one slot and read through another, as in Gauss-Seidel: element order. */
static void modified_and_read(void) {
  enum { NODES = 400 };
  int64_t *x = scratch(NODES, sizeof *x);
  int32_t *idx = scratch(2 * NODES, sizeof *idx);
  for (int i = 0; i < NODES; i++) x[i] = i % 5;
  op2_set nodes = new_set(NODES, "nodes"), edges = new_set(NODES, "edges");
  for (int e = 0; e < NODES; e++)
    idx[2 * e] = (e * 7 + 1) % NODES, idx[2 * e + 1] = (e * 7 + 2 + e % 3) % NODES;
  op2_map e2n = new_map(edges, nodes, 2, idx, "e2n");
  op2_dat d = new_dat(nodes, 1, OP2_I64, x, "x");
  MUST(op2_par_loop(new_kernel(&relax_kernel), edges, op2_arg_dat(d, 0, e2n, OP2_RW),
                    op2_arg_dat(d, 1, e2n, OP2_READ)));
  for (int e = 0; e < NODES; e++) x[idx[2 * e]] += x[idx[2 * e + 1]] % 100;
  MUST(op2_par_loop(new_kernel(&relax_kernel), edges, op2_arg_dat(d, 0, e2n, OP2_INC),
                    op2_arg_dat(d, 1, e2n, OP2_READ)));
  for (int e = 0; e < NODES; e++) x[idx[2 * e]] += x[idx[2 * e + 1]] % 100;
  EXPECT_VALUES(int64_t, d, NODES, i, x[i]);
}

/* The element's own row, and the row of the element before it. */
static void own_and_read(void) {
  int64_t *x = scratch(N, sizeof *x);
  int32_t *idx = scratch(N, sizeof *idx);
  for (int i = 0; i < N; i++) x[i] = i % 5, idx[i] = i > 0 ? i - 1 : 0;
  op2_set nodes = new_set(N, "nodes");
  op2_map before = new_map(nodes, nodes, 1, idx, "before");
  op2_dat d = new_dat(nodes, 1, OP2_I64, x, "x");
  MUST(op2_par_loop(new_kernel(&follow_kernel), nodes, op2_arg_direct(d, OP2_RW),
                    op2_arg_dat(d, 0, before, OP2_READ)));
  for (int i = 0; i < N; i++) x[i] += x[idx[i]];
  EXPECT_VALUES(int64_t, d, N, i, x[i]);
}

/* No two elements meet in what is read and incremented, but all of them do in the maximum. A device
 * may compute each element for its targets of the maximum, and once more for the rest. */
static void read_and_incremented(void) {
  struct graph m = make_graph(0, 0);
  MUST(op2_par_loop(new_kernel(&grow_kernel), m.iter, op2_arg_dat(m.x, 0, m.iter2ind, OP2_INC),
                    op2_arg_dat(m.x, 0, m.iter2ind, OP2_READ),
                    op2_arg_dat(m.u, 0, m.iter2unit, OP2_MAX)));
  EXPECT_VALUES(uint32_t, m.x, N, i, i + i % 7 + 1);
  EXPECT_VALUES(uint32_t, m.u, 1, i, N - 1);
}

/* Loops that only read through maps stay out of the exec halo. */
static void halo_of_readers(void) {
  EACH_SECTIONING(s) {
    struct graph m = make_graph(s, 0);
    op2_dat y = new_dat(m.iter, 1, OP2_U32, NULL, "y");
    MUST(op2_par_loop(new_kernel(&copy_kernel), m.iter, op2_arg_direct(y, OP2_WRITE),
                      op2_arg_dat(m.x, 0, m.iter2ind, OP2_READ)));
    EXPECT_VALUES(uint32_t, y, N, i, (i < m.owned ? m.perm[i] : 0));
  }
}

/* Loops that write through maps run over the exec halo and write their own rows there, but not in
 * the rest of the halo. */
static void halo_of_writers(void) {
  enum { EXEC = 25, TOTAL = 30 };
  op2_set cells = new_sections(10, 20, EXEC, TOTAL, "cells"), unit = new_set(1, "unitset");
  op2_map map = new_map(cells, unit, 1, scratch(TOTAL, sizeof(int32_t)), "map");
  uint32_t *data = scratch(TOTAL, sizeof *data);
  for (int i = 0; i < TOTAL; i++) data[i] = (uint32_t)i;
  op2_dat x = new_dat(cells, 1, OP2_U32, data, "x"), u = new_dat(unit, 1, OP2_U32, NULL, "u");
  MUST(op2_par_loop(new_kernel(&put_and_count_kernel), cells, op2_arg_direct(x, OP2_WRITE),
                    op2_arg_dat(u, 0, map, OP2_INC)));
  EXPECT_VALUES(uint32_t, x, TOTAL, i, (i < EXEC ? 42 : i));
  EXPECT_VALUES(uint32_t, u, 1, i, EXEC);
}

static const struct test_case cases[] = {
    {"F1 write through a permutation", f1_write},
    {"F2 read and write through a permutation", f2_rw},
    {"everything into one element", inc_into_one},
    {"F4 global read", f4_divide},
    {"F5 RW and global INC", f5_rw_and_tally},
    {"F7 path graph", f7_path},
    {"F16 four elements", f16_small},
    {"F17 MIN and MAX of dats", f17_minmax},
    {"rows of two", rows},
    {"two slots of one dat", edge_increments},
    {"element order", element_order},
    {"modified and read through a map", modified_and_read},
    {"modified directly and read through a map", own_and_read},
    {"read and incremented through a map, with a maximum", read_and_incremented},
    {"exec halo of loops that read", halo_of_readers},
    {"exec halo of loops that write", halo_of_writers},
};

int main(void) { return RUN(cases, RUN_ON_DEVICES); }
