/* SPDX-License-Identifier: BSD-3-Clause */
/* All slots of a map at once, as an array of pointers (cases G) and as a private buffer (cases H):
 * both forms must give the same result. */
#include "support.h"

enum { NODES = 4096, ELES = 2048 };

OP2_KERNEL(edge_all, (uint32_t *e, uint32_t *v[2]), { *e = v[0][0] + v[1][0]; });
OP2_KERNEL(edge_iter, (uint32_t *e, const uint32_t *v), { *e += v[0] + v[1]; });
OP2_KERNEL(read_all, (uint32_t *d, uint32_t **v), { *d = v[0][0]; });
OP2_KERNEL(read_iter, (uint32_t *d, const uint32_t *v), { *d = v[0]; });
OP2_KERNEL(write_all, (uint32_t **v), { v[0][0] = 2; });
OP2_KERNEL(write_iter, (uint32_t *v), { v[0] = 2; });
OP2_KERNEL(inc_all, (uint32_t **v, const uint32_t *d), { v[0][0] += *d; });
OP2_KERNEL(inc_iter, (uint32_t *v, const uint32_t *d), { v[0] += *d; });
OP2_KERNEL(read2_all, (uint32_t *d, uint32_t **v), {
  d[0] = v[0][0];
  d[1] = v[0][1];
});
OP2_KERNEL(read2_iter, (uint32_t *d, const uint32_t *v), {
  d[0] = v[0];
  d[1] = v[1];
});
OP2_KERNEL(write2_all, (uint32_t **v), {
  v[0][0] = 2;
  v[0][1] = 3;
});
OP2_KERNEL(write2_iter, (uint32_t *v), {
  v[0] = 2;
  v[1] = 3;
});
OP2_KERNEL(inc2_all, (uint32_t **v, const uint32_t *d), {
  v[0][0] += d[0];
  v[0][1] += d[1];
});
OP2_KERNEL(inc2_iter, (uint32_t *v, const uint32_t *d), {
  v[0] += d[0];
  v[1] += d[1];
});
OP2_KERNEL(centroid_all, (double *c, double *x[3]), {
  for (int d = 0; d < 2; d++) c[d] = (x[0][d] + x[1][d] + x[2][d]) / 3;
});
OP2_KERNEL(centroid_iter, (double *c, const double *x), {
  for (int d = 0; d < 2; d++) c[d] = (x[d] + x[2 + d] + x[4 + d]) / 3;
});
OP2_KERNEL(layout, (double *rec, const double *x), {
  for (int i = 0; i < 6; i++) rec[i] = x[i];
});
OP2_KERNEL(ring_all, (int64_t *x[4]), {
  int64_t first = x[0][0];
  for (int k = 0; k < 3; k++) x[k][0] = x[k + 1][0] + 1;
  x[3][0] = first;
});
OP2_KERNEL(ring_iter, (int64_t *x), {
  int64_t first = x[0];
  for (int k = 0; k < 3; k++) x[k] = x[k + 1] + 1;
  x[3] = first;
});
OP2_KERNEL(scatter_all, (int64_t *x[4], const int64_t *w), {
  for (int k = 0; k < 4; k++) x[k][0] += (k + 1) * *w;
});
OP2_KERNEL(scatter_iter, (int64_t *x, const int64_t *w), {
  for (int k = 0; k < 4; k++) x[k] += (k + 1) * *w;
});
OP2_KERNEL(const_rows, (double *c, const double *const *x),
           { *c = x[0][0] * 100 + x[1][0] * 10 + x[2][0]; });
OP2_KERNEL(top_all, (int32_t *x[2], const int32_t *v), {
  for (int k = 0; k < 2; k++)
    if (*v > x[k][0]) x[k][0] = *v;
});
OP2_KERNEL(top_iter, (int32_t *x, const int32_t *v), {
  for (int k = 0; k < 2; k++)
    if (*v > x[k]) x[k] = *v;
});

/* The two forms side by side: index and kernel. */
struct form {
  int idx;
  const op2_kernel_desc *desc;
};

struct mesh {
  op2_set nodes, eles;
  op2_map n2e;
  op2_dat d1, d2, vd1, vd2;
};

static struct mesh make_mesh(void) {
  struct mesh m;
  int32_t *idx = scratch(NODES, sizeof *idx);
  uint32_t *d1 = scratch(NODES, sizeof *d1), *d2 = scratch(2 * NODES, sizeof *d2),
           *v2 = scratch(2 * ELES, sizeof *v2);
  for (int i = 0; i < NODES; i++) {
    idx[i] = i / 2;
    d1[i] = (uint32_t)i;
    d2[2 * i] = 2 * (uint32_t)i, d2[2 * i + 1] = 2 * (uint32_t)i + 1;
  }
  for (uint32_t i = 0; i < 2 * ELES; i++) v2[i] = i;
  m.nodes = new_set(NODES, "nodes");
  m.eles = new_set(ELES, "eles");
  m.n2e = new_map(m.nodes, m.eles, 1, idx, "node2ele");
  m.d1 = new_dat(m.nodes, 1, OP2_U32, d1, "d1");
  m.d2 = new_dat(m.nodes, 2, OP2_U32, d2, "d2");
  m.vd1 = new_dat(m.eles, 1, OP2_U32, d1, "vd1");
  m.vd2 = new_dat(m.eles, 2, OP2_U32, v2, "vd2");
  return m;
}

static void path(void) {
  op2_set nodes = new_set(NODES, "nodes"), edges = new_set(NODES - 1, "edges");
  int32_t *ends = scratch(2 * NODES, sizeof *ends);
  uint32_t *v = scratch(NODES, sizeof *v);
  for (int i = 0; i < NODES; i++) v[i] = (uint32_t)i, ends[2 * i] = i, ends[2 * i + 1] = i + 1;
  op2_map e2n = new_map(edges, nodes, 2, ends, "e2n");
  op2_dat node = new_dat(nodes, 1, OP2_U32, v, "node");
  op2_dat all = new_dat(edges, 1, OP2_U32, NULL, "all"),
          iter = new_dat(edges, 1, OP2_U32, NULL, "iter");
  MUST(op2_par_loop(new_kernel(&edge_all_kernel), edges, op2_arg_direct(all, OP2_WRITE),
                    op2_arg_dat(node, OP2_ALL, e2n, OP2_READ)));
  MUST(op2_par_loop(new_kernel(&edge_iter_kernel), edges, op2_arg_direct(iter, OP2_INC),
                    op2_arg_dat(node, OP2_ITER(0), e2n, OP2_READ)));
  EXPECT_VALUES(uint32_t, all, NODES - 1, i, 2 * i + 1);
  EXPECT_VALUES(uint32_t, iter, NODES - 1, i, 2 * i + 1);
}

static void reads(void) {
  static const struct form one[] = {{OP2_ALL, &read_all_kernel}, {OP2_ITER(0), &read_iter_kernel}};
  static const struct form two[] = {{OP2_ALL, &read2_all_kernel},
                                    {OP2_ITER(1), &read2_iter_kernel}};
  for (int f = 0; f < 2; f++) {
    struct mesh m = make_mesh();
    MUST(op2_par_loop(new_kernel(one[f].desc), m.nodes, op2_arg_direct(m.d1, OP2_WRITE),
                      op2_arg_dat(m.vd1, one[f].idx, m.n2e, OP2_READ)));
    MUST(op2_par_loop(new_kernel(two[f].desc), m.nodes, op2_arg_direct(m.d2, OP2_WRITE),
                      op2_arg_dat(m.vd2, two[f].idx, m.n2e, OP2_READ)));
    EXPECT_VALUES(uint32_t, m.d1, NODES, i, i / 2);
    EXPECT_VALUES(uint32_t, m.d2, 2 * NODES, i, 2 * (i / 4) + i % 2);
  }
}

static void writes(void) {
  static const struct form one[] = {{OP2_ALL, &write_all_kernel},
                                    {OP2_ITER(0), &write_iter_kernel}};
  static const struct form two[] = {{OP2_ALL, &write2_all_kernel},
                                    {OP2_ITER(0), &write2_iter_kernel}};
  for (int f = 0; f < 2; f++) {
    struct mesh m = make_mesh();
    MUST(op2_par_loop(new_kernel(one[f].desc), m.nodes,
                      op2_arg_dat(m.vd1, one[f].idx, m.n2e, OP2_WRITE)));
    MUST(op2_par_loop(new_kernel(two[f].desc), m.nodes,
                      op2_arg_dat(m.vd2, two[f].idx, m.n2e, OP2_WRITE)));
    EXPECT_VALUES(uint32_t, m.vd1, ELES, i, 2);
    EXPECT_VALUES(uint32_t, m.vd2, 2 * ELES, i, 2 + i % 2);
  }
}

static void increments(void) {
  static const struct form one[] = {{OP2_ALL, &inc_all_kernel}, {OP2_ITER(0), &inc_iter_kernel}};
  static const struct form two[] = {{OP2_ALL, &inc2_all_kernel}, {OP2_ITER(0), &inc2_iter_kernel}};
  for (int f = 0; f < 2; f++) {
    struct mesh m = make_mesh();
    uint32_t *three = scratch(ELES, sizeof *three), *pairs = scratch(2 * ELES, sizeof *pairs);
    for (int i = 0; i < ELES; i++) three[i] = 3, pairs[2 * i] = 3, pairs[2 * i + 1] = 4;
    MUST(op2_dat_set(m.vd1, three));
    MUST(op2_dat_set(m.vd2, pairs));
    MUST(op2_par_loop(new_kernel(one[f].desc), m.nodes,
                      op2_arg_dat(m.vd1, one[f].idx, m.n2e, OP2_INC),
                      op2_arg_direct(m.d1, OP2_READ)));
    MUST(op2_par_loop(new_kernel(two[f].desc), m.nodes,
                      op2_arg_dat(m.vd2, two[f].idx, m.n2e, OP2_INC),
                      op2_arg_direct(m.d2, OP2_READ)));
    EXPECT_VALUES(uint32_t, m.vd1, ELES, e, 4 * e + 4);
    EXPECT_VALUES(uint32_t, m.vd2, 2 * ELES, i, 8 * (i / 2) + (i % 2 ? 8 : 5));
  }
}

/* G8, H10 */
static void centroid(void) {
  op2_set cells = new_set(1, "cells"), nodes = new_set(3, "nodes");
  op2_map c2n = new_map(cells, nodes, 3, (int32_t[]){0, 1, 2}, "c2n");
  op2_dat x = new_dat(nodes, 2, OP2_F64, (double[]){0, 0, 2, 0, 0, 1.5}, "x");
  op2_dat all = new_dat(cells, 2, OP2_F64, NULL, "all"),
          iter = new_dat(cells, 2, OP2_F64, NULL, "iter");
  op2_dat rec = new_dat(cells, 6, OP2_F64, NULL, "rec");
  MUST(op2_par_loop(new_kernel(&centroid_all_kernel), cells, op2_arg_direct(all, OP2_WRITE),
                    op2_arg_dat(x, OP2_ALL, c2n, OP2_READ)));
  MUST(op2_par_loop(new_kernel(&centroid_iter_kernel), cells, op2_arg_direct(iter, OP2_WRITE),
                    op2_arg_dat(x, OP2_ITER(0), c2n, OP2_READ)));
  MUST(op2_par_loop(new_kernel(&layout_kernel), cells, op2_arg_direct(rec, OP2_WRITE),
                    op2_arg_dat(x, OP2_ITER(0), c2n, OP2_READ)));
  EXPECT_VALUES(double, all, 2, i, (i == 0 ? 2.0 / 3 : 0.5));
  EXPECT_VALUES(double, iter, 2, i, (i == 0 ? 2.0 / 3 : 0.5));
  EXPECT_VALUES(double, rec, 6, i, (i == 2 ? 2 : i == 5 ? 1.5 : 0));
}

static void const_pointers(void) {
  op2_set cells = new_set(2, "cells"), nodes = new_set(4, "nodes");
  op2_map c2n = new_map(cells, nodes, 3, (int32_t[]){3, 1, 2, 0, 0, 1}, "c2n");
  op2_dat x = new_dat(nodes, 1, OP2_F64, (double[]){4, 5, 6, 7}, "x"),
          c = new_dat(cells, 1, OP2_F64, NULL, "c");
  MUST(op2_par_loop(new_kernel(&const_rows_kernel), cells, op2_arg_direct(c, OP2_WRITE),
                    op2_arg_dat(x, OP2_ALL, c2n, OP2_READ)));
  EXPECT_VALUES(double, c, 2, i, (i == 0 ? 756 : 445));
}

enum { CELLS = 300, POINTS = 97 };

/* Rows without repeats, so that both forms of the argument must agree. */
static int32_t *distinct_rows(void) {
  uint64_t seed = 3;
  int32_t *idx = scratch(4 * CELLS, sizeof *idx);
  for (int c = 0; c < CELLS; c++) {
    const int start = draw_below(&seed, POINTS), step = 1 + draw_below(&seed, POINTS / 4);
    for (int k = 0; k < 4; k++) idx[4 * c + k] = (start + k * step) % POINTS;
  }
  return idx;
}

static void read_and_write(void) {
  static const struct form forms[] = {{OP2_ALL, &ring_all_kernel},
                                      {OP2_ITER(0), &ring_iter_kernel}};
  int32_t *idx = distinct_rows();
  int64_t *want = scratch(POINTS, sizeof *want), start[POINTS];
  for (int i = 0; i < POINTS; i++) start[i] = want[i] = i * 1000;
  for (int c = 0; c < CELLS; c++) {
    const int32_t *row = idx + 4 * c;
    const int64_t first = want[row[0]];
    for (int k = 0; k < 3; k++) want[row[k]] = want[row[k + 1]] + 1;
    want[row[3]] = first;
  }
  for (int f = 0; f < 2; f++) {
    op2_set cells = new_set(CELLS, "cells"), points = new_set(POINTS, "points");
    op2_map map = new_map(cells, points, 4, idx, "c2p");
    op2_dat x = new_dat(points, 1, OP2_I64, start, "x");
    MUST(op2_par_loop(new_kernel(forms[f].desc), cells, op2_arg_dat(x, forms[f].idx, map, OP2_RW)));
    EXPECT_VALUES(int64_t, x, POINTS, i, want[i]);
  }
}

/* Rows that name one element several times: the increment of every slot counts. */
static void repeats_in_a_row(void) {
  static const struct form forms[] = {{OP2_ALL, &scatter_all_kernel},
                                      {OP2_ITER(1), &scatter_iter_kernel}};
  uint64_t seed = 11;
  int32_t *idx = scratch(4 * CELLS, sizeof *idx);
  int64_t w[CELLS], *want = scratch(POINTS, sizeof *want);
  for (int c = 0; c < CELLS; c++) {
    w[c] = draw_below(&seed, 50);
    const int a = draw_below(&seed, POINTS);
    for (int k = 0; k < 4; k++) {
      idx[4 * c + k] = draw_below(&seed, 2) ? a : draw_below(&seed, POINTS);
      want[idx[4 * c + k]] += (k + 1) * w[c];
    }
  }
  for (int f = 0; f < 2; f++) {
    op2_set cells = new_set(CELLS, "cells"), points = new_set(POINTS, "points");
    op2_map map = new_map(cells, points, 4, idx, "c2p");
    op2_dat x = new_dat(points, 1, OP2_I64, NULL, "x"), dw = new_dat(cells, 1, OP2_I64, w, "w");
    MUST(op2_par_loop(new_kernel(forms[f].desc), cells, op2_arg_dat(x, forms[f].idx, map, OP2_INC),
                      op2_arg_direct(dw, OP2_READ)));
    EXPECT_VALUES(int64_t, x, POINTS, i, want[i]);
  }
}

static void maxima(void) {
  static const struct form forms[] = {{OP2_ALL, &top_all_kernel}, {OP2_ITER(0), &top_iter_kernel}};
  uint64_t seed = 17;
  int32_t *idx = scratch(2 * CELLS, sizeof *idx), *v = scratch(CELLS, sizeof *v), start[POINTS],
          want[POINTS];
  for (int i = 0; i < POINTS; i++) start[i] = want[i] = -20 + i % 3;
  for (int c = 0; c < CELLS; c++) {
    v[c] = draw_below(&seed, 1000) - 900;
    for (int k = 0; k < 2; k++) {
      const int32_t at = idx[2 * c + k] = draw_below(&seed, POINTS);
      if (v[c] > want[at]) want[at] = v[c];
    }
  }
  for (int f = 0; f < 2; f++) {
    op2_set cells = new_set(CELLS, "cells"), points = new_set(POINTS, "points");
    op2_map map = new_map(cells, points, 2, idx, "c2p");
    op2_dat x = new_dat(points, 1, OP2_I32, start, "x"), dv = new_dat(cells, 1, OP2_I32, v, "v");
    MUST(op2_par_loop(new_kernel(forms[f].desc), cells, op2_arg_dat(x, forms[f].idx, map, OP2_MAX),
                      op2_arg_direct(dv, OP2_READ)));
    EXPECT_VALUES(int32_t, x, POINTS, i, want[i]);
  }
}

static const struct test_case cases[] = {
    {"G1 H1 path graph", path},
    {"G2 G5 H2 H5 read", reads},
    {"G3 G6 H3 H6 write", writes},
    {"G4 G7 H4 H7 increment", increments},
    {"G8 H10 centroid and layout", centroid},
    {"pointers to const", const_pointers},
    {"read and write all slots", read_and_write},
    {"repeats in a row", repeats_in_a_row},
    {"maxima", maxima},
};

int main(void) { return RUN(cases, 0); }
