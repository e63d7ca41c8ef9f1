/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of the elements to which a map leads, as arguments: of one slot and of all, by value
 * and by pointer, on sets and subsets, alone and fused, before and after the sets are
 * renumbered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { EDGES = 500, NODES = 317, SLOTS = 3, WIDE = 40 };

OP2_KERNEL(by_value, (int32_t * w, int32_t a, int64_t b), { *w = (int32_t)(1000 * a + b); });
OP2_KERNEL(by_pointer, (int64_t * w, const int64_t *a, const int32_t *b), { *w = 7 * *a - *b; });
OP2_KERNEL(all, (double *w, const int32_t *n), { *w = n[0] + 2 * n[1] + 4.0 * n[2]; });
OP2_KERNEL(all_wide, (int64_t * w, const int64_t n[3]), { *w = n[0] + 3 * n[1] + 9 * n[2]; });
OP2_KERNEL(mixed, (double *w, int i, int a, const double *x, const double *y),
           { *w = i + 2 * a + 4 * *x + (double)8 * y[0]; });
OP2_KERNEL(add_number, (double *x, int64_t n, const double *w), { *x += (double)(n % 5) * *w; });
OP2_KERNEL(once_more, (double *v, const double *w, int b), { *v = *w + b; });
OP2_KERNEL(many, (int64_t * w, const int32_t *n), {
  *w = 0;
  for (int k = 0; k < 40; k++) *w += (k + 1) * n[k];
});
OP2_KERNEL(divided, (double *x, double *z, const double *w, int a), {
  x[0] += 1.0 / (*w + 2 + a);
  z[0] += 1.0 / (*w + 3 + a);
});

struct mesh {
  op2_set edges, nodes, some;
  op2_map map;
  int32_t *idx;
  int64_t list[EDGES];
  int64_t nlist;
  op2_dat w, i32, i64, v, x;
  double *x0;
};

static struct mesh make_mesh(void) {
  struct mesh m = {0};
  uint64_t seed = 9;
  m.idx = scratch(EDGES * SLOTS, sizeof *m.idx);
  m.x0 = scratch(NODES, sizeof *m.x0);
  for (int i = 0; i < EDGES * SLOTS; i++) m.idx[i] = draw_below(&seed, NODES);
  for (int i = 0; i < NODES; i++) m.x0[i] = i % 11;
  for (int i = 1; i < EDGES; i += 1 + i % 2) m.list[m.nlist++] = i;
  m.edges = new_set(EDGES, "edges");
  m.nodes = new_set(NODES, "nodes");
  m.some = new_subset(m.edges, m.nlist, m.list, "some");
  m.map = new_map(m.edges, m.nodes, SLOTS, m.idx, "map");
  m.w = new_dat(m.edges, 1, OP2_F64, NULL, "w");
  m.v = new_dat(m.edges, 1, OP2_F64, NULL, "v");
  m.i32 = new_dat(m.edges, 1, OP2_I32, NULL, "i32");
  m.i64 = new_dat(m.edges, 1, OP2_I64, NULL, "i64");
  m.x = new_dat(m.nodes, 1, OP2_F64, m.x0, "x");
  return m;
}

/* True if op2_explain() must report fused loops. */
static bool fuses(void) {
  bool direct = !strcmp(test_config.backend, "sequential") || on_check();
  return !direct && !test_config.eager;
}

static int32_t at(const struct mesh *m, int64_t edge, int slot) {
  return m->idx[SLOTS * edge + slot];
}

/* All forms of the argument, checked by the numbers in the user's map. */
static void try_all(struct mesh *m) {
  const int32_t *n = m->idx;
  MUST(op2_par_loop(new_kernel(&by_value_kernel), m->edges, op2_arg_direct(m->i32, OP2_WRITE),
                    op2_arg_map_idx(m->map, 2), op2_arg_map_idx(m->map, 0)));
  MUST(op2_par_loop(new_kernel(&by_pointer_kernel), m->edges, op2_arg_direct(m->i64, OP2_WRITE),
                    op2_arg_map_idx(m->map, 1), op2_arg_map_idx(m->map, 2)));
  EXPECT_VALUES(int32_t, m->i32, EDGES, i, 1000 * n[3 * i + 2] + n[3 * i]);
  EXPECT_VALUES(int64_t, m->i64, EDGES, i, 7 * n[3 * i + 1] - n[3 * i + 2]);
  MUST(op2_par_loop(new_kernel(&all_kernel), m->edges, op2_arg_direct(m->w, OP2_WRITE),
                    op2_arg_map_idx(m->map, OP2_ALL)));
  EXPECT_VALUES(double, m->w, EDGES, i, n[3 * i] + 2 * n[3 * i + 1] + 4 * n[3 * i + 2]);
  MUST(op2_par_loop(new_kernel(&all_wide_kernel), m->some, op2_arg_direct(m->i64, OP2_WRITE),
                    op2_arg_map_idx(m->map, OP2_ALL)));
  int64_t *want = scratch(EDGES, sizeof *want);
  for (int i = 0; i < EDGES; i++) want[i] = 7 * n[3 * i + 1] - n[3 * i + 2];
  for (int64_t k = 0; k < m->nlist; k++) {
    int64_t e = m->list[k];
    want[e] = at(m, e, 0) + 3 * at(m, e, 1) + 9 * at(m, e, 2);
  }
  EXPECT_VALUES(int64_t, m->i64, EDGES, i, want[i]);
}

static void forms(void) {
  struct mesh m = make_mesh();
  try_all(&m);
  EXPECT(!explains("scalar code: kernel") && !explains("scalar code: an element"));
}

static void renumbered(void) {
  struct mesh m = make_mesh();
  try_all(&m);
  op2_status status = op2_renumber(m.map);
  if (status == OP2_ERR_UNAVAILABLE) {
    diag("%s", op2_error_message());
    return;
  }
  MUST(status);
  int64_t *number = scratch(NODES, sizeof *number);
  bool moved = false;
  MUST(op2_set_numbering(m.nodes, number));
  for (int i = 0; i < NODES; i++) moved |= number[i] != i;
  EXPECT(moved);
  try_all(&m);
}

/* The argument together with values reached through the same slot, the element's own number, and
 * increments. */
static void with_others(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(new_kernel(&mixed_kernel), m.edges, op2_arg_direct(m.w, OP2_WRITE),
                    op2_arg_idx(), op2_arg_map_idx(m.map, 1), op2_arg_dat(m.x, 1, m.map, OP2_READ),
                    op2_arg_dat(m.x, 0, m.map, OP2_READ)));
  MUST(op2_par_loop(new_kernel(&once_more_kernel), m.edges, op2_arg_direct(m.v, OP2_WRITE),
                    op2_arg_direct(m.w, OP2_READ), op2_arg_map_idx(m.map, 2)));
  MUST(op2_par_loop(new_kernel(&add_number_kernel), m.edges, op2_arg_dat(m.x, 2, m.map, OP2_INC),
                    op2_arg_map_idx(m.map, 0), op2_arg_direct(m.w, OP2_READ)));
  MUST(op2_flush(test_ctx));
  EXPECT(explains("mixed+once_more: one loop over 'edges'") == fuses());
  double *w = scratch(EDGES, sizeof *w), *x = scratch(NODES, sizeof *x);
  memcpy(x, m.x0, NODES * sizeof *x);
  for (int i = 0; i < EDGES; i++) {
    w[i] = i + 2 * at(&m, i, 1) + 4 * m.x0[at(&m, i, 1)] + 8 * m.x0[at(&m, i, 0)];
    x[at(&m, i, 2)] += at(&m, i, 0) % 5 * w[i];
  }
  EXPECT_VALUES(double, m.w, EDGES, i, w[i]);
  EXPECT_VALUES(double, m.v, EDGES, i, w[i] + at(&m, i, 2));
  EXPECT_VALUES(double, m.x, NODES, i, x[i]);
}

/* A kernel that divides and increments runs one batch at a time; two batches would mix up the
 * numbers. */
static void divides(void) {
  struct mesh m = make_mesh();
  op2_dat z = new_dat(m.nodes, 1, OP2_F64, NULL, "z"), y = new_dat(m.nodes, 1, OP2_F64, NULL, "y");
  MUST(op2_par_loop(new_kernel(&divided_kernel), m.edges, op2_arg_dat(y, 0, m.map, OP2_INC),
                    op2_arg_dat(z, 1, m.map, OP2_INC), op2_arg_direct(m.w, OP2_READ),
                    op2_arg_map_idx(m.map, 2)));
  double *wy = scratch(NODES, sizeof *wy), *wz = scratch(NODES, sizeof *wz);
  for (int i = 0; i < EDGES; i++) {
    wy[at(&m, i, 0)] += 1.0 / (2 + at(&m, i, 2));
    wz[at(&m, i, 1)] += 1.0 / (3 + at(&m, i, 2));
  }
  const void *got;
  MUST(op2_dat_read_begin(y, &got));
  for (int i = 0; i < NODES; i++) EXPECT(((const double *)got)[i] - wy[i] < 1e-12);
  for (int i = 0; i < NODES; i++) EXPECT(wy[i] - ((const double *)got)[i] < 1e-12);
  MUST(op2_dat_read_end(y, &got));
  MUST(op2_dat_read_begin(z, &got));
  for (int i = 0; i < NODES; i++) EXPECT(((const double *)got)[i] - wz[i] < 1e-12);
  for (int i = 0; i < NODES; i++) EXPECT(wz[i] - ((const double *)got)[i] < 1e-12);
  MUST(op2_dat_read_end(z, &got));
}

/* More slots than generated code unrolls. */
static void wide(void) {
  uint64_t seed = 4;
  int32_t *idx = scratch(EDGES * WIDE, sizeof *idx);
  int64_t *want = scratch(EDGES, sizeof *want);
  for (int i = 0; i < EDGES * WIDE; i++) idx[i] = draw_below(&seed, NODES);
  for (int i = 0; i < EDGES * WIDE; i++) want[i / WIDE] += (i % WIDE + 1) * idx[i];
  op2_set edges = new_set(EDGES, "edges"), nodes = new_set(NODES, "nodes");
  op2_map map = new_map(edges, nodes, WIDE, idx, "map");
  op2_dat w = new_dat(edges, 1, OP2_I64, NULL, "w");
  for (int again = 0; again < 2; again++) {
    MUST(op2_par_loop(new_kernel(&many_kernel), edges, op2_arg_direct(w, OP2_WRITE),
                      op2_arg_map_idx(map, OP2_ALL)));
    EXPECT_VALUES(int64_t, w, EDGES, i, want[i]);
    if (!again && op2_renumber(map)) break;
  }
}

static void in_the_halo(void) {
  op2_set cells = new_sections(10, 20, 25, 30, "cells"), to = new_sections(4, 8, 9, 12, "to");
  int32_t idx[30];
  for (int i = 0; i < 30; i++) idx[i] = i * 5 % 12;
  op2_map map = new_map(cells, to, 1, idx, "map");
  op2_dat u = new_dat(to, 1, OP2_I64, NULL, "u");
  op2_kernel kernel = new_source("tell", "void tell(long *u, long n) { *u += n; }");
  MUST(op2_par_loop(kernel, cells, op2_arg_dat(u, 0, map, OP2_INC), op2_arg_map_idx(map, 0)));
  int64_t want[12] = {0};
  for (int i = 0; i < 25; i++) want[idx[i]] += idx[i];
  EXPECT_VALUES(int64_t, u, 12, i, want[i]);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void messages(void) {
  struct mesh m = make_mesh();
  op2_kernel value = new_source("value", "void value(double *w, int n) { *w = n; }");
  op2_kernel wrong[] = {new_source("real", "void real(double *w, double n) { *w = n; }"),
                        new_source("open", "void open(double *w, int *n) { *w = *n; }"),
                        new_source("rows", "void rows(double *w, const int **n) { *w = **n; }"),
                        new_source("more", "void more(double *w, const int n[4]) { *w = *n; }")};
  op2_map bare = NULL, none = NULL, gone = new_map(m.edges, m.nodes, SLOTS, m.idx, "gone");
  MUST(op2_map_create(m.edges, m.nodes, 2, NULL, "bare", &bare));
  own_map(bare);
  op2_arg w = op2_arg_direct(m.w, OP2_WRITE);
#define WITH(kernel_, arg_) op2_par_loop((kernel_), m.edges, w, (arg_))
  REFUSED(OP2_ERR_ARG, WITH(value, op2_arg_map_idx(none, 0)), "value", "argument 1", "null");
  REFUSED(OP2_ERR_RANGE, WITH(value, op2_arg_map_idx(m.map, SLOTS)), "argument 1", "slot 3",
          "'map'", "[0, 3)");
  REFUSED(OP2_ERR_RANGE, WITH(value, op2_arg_map_idx(m.map, -2)), "slot -2");
  REFUSED(OP2_ERR_RANGE, WITH(value, op2_arg_map_idx(m.map, OP2_ITER(0))), "slot -1000");
  REFUSED(OP2_ERR_MISMATCH, WITH(value, op2_arg_map_idx(bare, 0)), "'bare'", "without values");
  REFUSED(OP2_ERR_MISMATCH, op2_par_loop(value, m.nodes, w, op2_arg_map_idx(m.map, 0)), "'nodes'");
  REFUSED(OP2_ERR_MISMATCH,
          op2_par_loop(value, m.nodes, op2_arg_direct(m.x, OP2_WRITE), op2_arg_map_idx(m.map, 0)),
          "argument 1", "'map' starts from set 'edges'", "'nodes'");
  REFUSED(OP2_ERR_TYPE, WITH(value, op2_arg_map_idx(m.map, OP2_ALL)), "expected a pointer");
  REFUSED(OP2_ERR_TYPE, WITH(wrong[0], op2_arg_map_idx(m.map, 0)), "int32_t or int64_t",
          "double n");
  REFUSED(OP2_ERR_TYPE, WITH(wrong[1], op2_arg_map_idx(m.map, 0)), "pointer to const", "int * n");
  REFUSED(OP2_ERR_TYPE, WITH(wrong[1], op2_arg_map_idx(m.map, OP2_ALL)), "element numbers need");
  REFUSED(OP2_ERR_TYPE, WITH(wrong[2], op2_arg_map_idx(m.map, OP2_ALL)), "expected a pointer");
  REFUSED(OP2_ERR_TYPE, WITH(wrong[3], op2_arg_map_idx(m.map, OP2_ALL)), "array of 4 values",
          "has 3");
  REFUSED(OP2_ERR_TYPE, WITH(wrong[3], op2_arg_map_idx(m.map, 1)), "array of 4 values", "has 1");
  op2_arg late = op2_arg_map_idx(gone, 0);
  disown(gone);
  op2_map_destroy(&gone);
  REFUSED(OP2_ERR_ARG, WITH(value, late), "argument 1");
}

/* The checked mode finds kernels that write a number, or read past the numbers. */
static void accused(void) {
  if (!on_check()) return;
  static const struct {
    const char *name, *source, *say;
    int slot;
  } bad[] = {
      {"past", "void past(double *w, const int *n) { *w = n[3]; }", "read outside of it", OP2_ALL},
      {"before", "void before(double *w, const long *n) { *w = n[-1]; }", "read outside of it", 1},
      {"far", "void far(double *w, const long *n) { *w = n[1000000]; }", "", OP2_ALL},
      {"writer", "void writer(double *w, const int *n) { *(int *)n += 1; *w = *n; }", "", 0},
      {"row", "void row(double *w, const int *n) { ((int *)n)[2] = 4; *w = 1; }", "", OP2_ALL},
  };
  struct mesh m = make_mesh();
  for (int b = 0; b < (int)(sizeof bad / sizeof *bad); b++) {
    op2_status status =
        op2_par_loop(new_source(bad[b].name, bad[b].source), m.edges,
                     op2_arg_direct(m.w, OP2_WRITE), op2_arg_map_idx(m.map, bad[b].slot));
    if (!test_config.eager) {
      MUST(status);
      status = op2_flush(test_ctx);
    }
    EXPECT(status == OP2_ERR_KERNEL);
    const char *text = op2_error_message();
    if (!EXPECT(strstr(text, "argument 1 (op2_arg_map_idx, ") && strstr(text, "of map 'map'") &&
                strstr(text, "element 0 of 'edges'") && strstr(text, bad[b].say)))
      diag("%s: %s", bad[b].name, text);
    MUST(op2_dat_set(m.w, scratch(EDGES, sizeof(double))));
  }
}

static int call_none(void *data, void *const *values) {
  (void)data;
  (void)values;
  return 0;
}

static void refused_by_calls(void) {
  struct mesh m = make_mesh();
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, call_none, NULL, op2_arg_map_idx(m.map, 0)),
          "argument 0");
}

/* In a set of 2^31 elements every number fits into an int; with one more element a number that may
 * not fit is refused. */
static void beyond_int(void) {
  const int64_t size = INT64_C(1) << 31, last[2] = {4, size}, fits[2] = {4, size - 1};
  op2_set large = new_set(size + 1, "large"), just = new_set(size, "just");
  op2_set some = new_subset(large, 2, last, "last"), most = new_subset(just, 2, fits, "fits");
  op2_kernel narrow = new_source("narrow",
                                 "void narrow(int32_t i, int64_t *n) { *n = *n > i ? *n : i; }"),
             at = new_source("at",
                             "void at(const int32_t *i, int64_t *n) { *n = *n > *i ? *n : *i; }"),
             broad =
                 new_source("broad", "void broad(int64_t i, int64_t *n) { *n = *n > i ? *n : i; }");
  op2_gbl n = new_gbl(1, OP2_I64, &(int64_t){0}, "n"), m = new_gbl(1, OP2_I64, &(int64_t){0}, "m");
  REFUSED(OP2_ERR_RANGE, op2_par_loop(narrow, some, op2_arg_idx(), op2_arg_gbl(n, OP2_MAX)),
          "t121-map-numbers.c", "narrow", "'large'", "2147483649", "int64_t");
  REFUSED(OP2_ERR_RANGE, op2_par_loop(at, some, op2_arg_idx(), op2_arg_gbl(n, OP2_MAX)), "'large'");
  MUST(op2_par_loop(broad, some, op2_arg_idx(), op2_arg_gbl(n, OP2_MAX)));
  MUST(op2_par_loop(narrow, most, op2_arg_idx(), op2_arg_gbl(m, OP2_MAX)));
  EXPECT_GBL(int64_t, n, size);
  EXPECT_GBL(int64_t, m, size - 1);
}

static const struct test_case cases[] = {
    {"numbers that an int cannot hold", beyond_int},
    {"one slot and all", forms},
    {"in the user's numbers", renumbered},
    {"beside other arguments", with_others},
    {"with divisions and increments", divides},
    {"more slots than are written out", wide},
    {"in the halo", in_the_halo},
    {"messages", messages},
    {"kernels that do wrong", accused},
    {"calls of functions have no elements", refused_by_calls},
};

int main(void) {
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, 0);
}
