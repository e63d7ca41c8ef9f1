/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps made of maps with entries that lead nowhere: permuted and composed, of one another and after
 * renumbering. Their entries lead nowhere where those of the parts do. Matrices are assembled with
 * them as with the same map declared at once, and loops over dats refuse them. */
#include <string.h>

#include "support.h"

enum { CASES = 24, MOST = 30, ARITY = 3, CHAIN = 3 };

/* A map, and its entries in the program's numbers; negative ones lead nowhere. */
struct known {
  op2_set from, to;
  int64_t rows;
  int arity;
  bool partial;
  int32_t *idx;
  op2_map map;
};

static struct known random_map(uint64_t *seed, op2_set from, int64_t rows, op2_set to,
                               int64_t targets, int arity) {
  struct known m = {.from = from, .to = to, .rows = rows, .arity = arity};
  m.partial = draw_below(seed, 3) > 0;
  m.idx = scratch((size_t)(rows * arity) + 1, sizeof *m.idx);
  for (int64_t i = 0; i < rows * arity; i++)
    m.idx[i] = m.partial && draw_below(seed, 3) == 0 ? -1 : draw_below(seed, (int)targets);
  if (m.partial) {
    MUST(op2_map_create_partial(from, to, arity, m.idx, "partial", &m.map));
    own_map(m.map);
  } else {
    m.map = new_map(from, to, arity, m.idx, "whole");
  }
  return m;
}

static struct known permute(uint64_t *seed, const struct known *base) {
  struct known m = *base;
  int perm[ARITY];
  m.idx = scratch((size_t)(m.rows * m.arity) + 1, sizeof *m.idx);
  for (int k = 0; k < m.arity; k++) perm[k] = k;
  for (int k = m.arity - 1; k > 0; k--) {
    int other = draw_below(seed, k + 1), slot = perm[k];
    perm[k] = perm[other];
    perm[other] = slot;
  }
  for (int64_t i = 0; i < m.rows; i++)
    for (int k = 0; k < m.arity; k++) m.idx[i * m.arity + k] = base->idx[i * m.arity + perm[k]];
  MUST(op2_map_create_permuted(base->map, perm, "permuted", &m.map));
  own_map(m.map);
  return m;
}

/* Compose n maps; parts[1] and later ones have arity 1. */
static struct known compose(int n, const struct known *parts) {
  const struct known *first = &parts[0], *last = &parts[n - 1];
  struct known m = {.from = last->from, .to = first->to, .rows = last->rows, .arity = first->arity};
  op2_map maps[CHAIN];
  m.idx = scratch((size_t)(m.rows * m.arity) + 1, sizeof *m.idx);
  for (int p = 0; p < n; p++) maps[p] = parts[p].map, m.partial |= parts[p].partial;
  for (int64_t i = 0; i < m.rows; i++) {
    int32_t row = (int32_t)i;
    for (int p = n - 1; p > 0 && row >= 0; p--) row = parts[p].idx[row];
    for (int k = 0; k < m.arity; k++)
      m.idx[i * m.arity + k] = row < 0 ? -1 : first->idx[row * m.arity + k];
  }
  MUST(op2_map_create_composed(n, maps, "composed", &m.map));
  own_map(m.map);
  return m;
}

/* The matrix that op2 assembles through a map to rows and a map to columns. */
struct assembled {
  int64_t rows, places, *starts, *columns;
  double *values;
};

static struct assembled assemble(op2_map rows, op2_map columns, op2_set over, int arity) {
  struct assembled a = {0};
  const op2_map_pair pair = {rows, columns};
  op2_sparsity sparsity;
  op2_mat mat;
  char source[256];
  snprintf(source, sizeof source,
           "void add(double *a, const long *e) {\n"
           "  for (int i = 0; i < %d; i++) a[i] += 1 + e[0] * %d + i;\n}\n",
           arity * arity, arity * arity);
  MUST(op2_sparsity_create(1, &pair, "pattern", &sparsity));
  MUST(op2_mat_create(sparsity, 1, 1, OP2_F64, "A", &mat));
  MUST(op2_par_loop(new_source("add", source), over, op2_arg_mat(mat, rows, columns, OP2_INC),
                    op2_arg_idx()));
  MUST(op2_sparsity_size(sparsity, &a.rows, &a.places));
  a.starts = scratch((size_t)a.rows + 1, sizeof *a.starts);
  a.columns = scratch((size_t)a.places + 1, sizeof *a.columns);
  a.values = scratch((size_t)a.places + 1, sizeof *a.values);
  MUST(op2_sparsity_get(sparsity, a.starts, a.columns));
  MUST(op2_mat_get(mat, a.values));
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
  return a;
}

/* Compare the map as rows and as columns with dense sums over the entries that lead somewhere. */
static bool expect_map(const struct known *m, int64_t targets) {
  const int arity = m->arity;
  struct assembled a = assemble(m->map, m->map, m->from, arity);
  double *dense = scratch((size_t)(targets * targets), sizeof *dense);
  bool *there = scratch((size_t)(targets * targets), sizeof *there);
  int64_t expected = 0;
  for (int64_t e = 0; e < m->rows; e++)
    for (int i = 0; i < arity * arity; i++) {
      int32_t row = m->idx[e * arity + i / arity], column = m->idx[e * arity + i % arity];
      if (row < 0 || column < 0) continue;
      dense[row * targets + column] += 1 + (double)e * arity * arity + i;
      there[row * targets + column] = true;
    }
  for (int64_t i = 0; i < targets * targets; i++) expected += there[i];
  if (!EXPECT(a.rows == targets && a.places == expected)) return false;
  for (int64_t row = 0; row < targets; row++)
    for (int64_t p = a.starts[row]; p < a.starts[row + 1]; p++) {
      int64_t at = row * targets + a.columns[p];
      if (!EXPECT(there[at] && a.values[p] == dense[at])) return false;
    }
  return true;
}

/* A partial map can only be used for matrices, however it was made. */
static bool expect_refused(const struct known *m) {
  op2_dat x = new_dat(m->to, 1, OP2_F64, NULL, "x"), y = new_dat(m->from, 1, OP2_F64, NULL, "y");
  op2_kernel kernel = new_source("get", "void get(double *y, const double *x) { y[0] = x[0]; }");
  op2_status status = op2_par_loop(kernel, m->from, op2_arg_direct(y, OP2_WRITE),
                                   op2_arg_dat(x, 0, m->map, OP2_READ));
  return EXPECT(status == (m->partial ? OP2_ERR_MISMATCH : OP2_SUCCESS)) &&
         EXPECT(!m->partial || strstr(op2_error_message(), "lead nowhere"));
}

static void renumber_by(uint64_t *seed, const struct known *m) {
  if (m->arity < 2 || draw_below(seed, 2)) return;
  op2_status status = op2_renumber(m->map);
  if (status != OP2_ERR_UNAVAILABLE) MUST(status);
}

/* One to three maps in a chain, permuted at either end, renumbered before, between or after. */
static void random_case(uint64_t *seed) {
  int n = 1 + draw_below(seed, CHAIN), arity = 1 + draw_below(seed, ARITY);
  int64_t size[CHAIN + 1];
  op2_set set[CHAIN + 1];
  struct known parts[CHAIN];
  for (int s = 0; s <= n; s++) {
    size[s] = 1 + draw_below(seed, MOST);
    set[s] = new_set(size[s], "set");
  }
  for (int p = 0; p < n; p++)
    parts[p] = random_map(seed, set[p + 1], size[p + 1], set[p], size[p], p ? 1 : arity);
  renumber_by(seed, &parts[0]);
  parts[0] = permute(seed, &parts[0]);
  struct known composed = compose(n, parts);
  renumber_by(seed, &composed);
  struct known last = permute(seed, &composed);
  renumber_by(seed, &last);
  if (expect_map(&parts[0], size[0]) && expect_map(&composed, size[0]) &&
      expect_map(&last, size[0]) && expect_refused(&composed))
    expect_refused(&last);
}

static void random_cases(void) {
  const int cases = quick() || on_device() || on_check() ? CASES / 6 : CASES;
  uint64_t seed = 26;
  for (int i = 0; i < cases; i++) random_case(&seed);
}

/* Element 0 leads nowhere: the composed row must not be taken from element 0 of the middle set. */
static void known_case(void) {
  static const int32_t a[] = {0, 1, 1, 2, 2, 3}, b[] = {0, 1, 1, 2}, ab[] = {-1, 0, 1};
  static const int64_t starts[] = {0, 0, 2, 5, 7}, columns[] = {0, 1, 0, 1, 2, 1, 2};
  op2_set from = new_set(3, "A"), nodes = new_set(4, "nA"), middle = new_set(2, "B"),
          to = new_set(3, "nB");
  op2_map rows = new_map(from, nodes, 2, a, "mA"), first = new_map(middle, to, 2, b, "mB"), inner;
  MUST(op2_map_create_partial(from, middle, 1, ab, "AB", &inner));
  own_map(inner);
  const op2_map maps[] = {first, inner};
  op2_map composed;
  MUST(op2_map_create_composed(2, maps, "mB.AB", &composed));
  own_map(composed);
  struct assembled got = assemble(rows, composed, from, 2);
  if (!EXPECT(got.rows == 4 && got.places == 7)) return;
  EXPECT(!memcmp(got.starts, starts, sizeof starts));
  EXPECT(!memcmp(got.columns, columns, sizeof columns));
}

static const struct test_case cases[] = {
    {"a composed map whose inner one leads nowhere", known_case},
    {"random chains of maps", random_cases},
};

int main(void) {
  test_environment();
  return RUN(cases, RUN_ON_DEVICES);
}
