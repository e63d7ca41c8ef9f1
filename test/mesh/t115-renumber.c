/* SPDX-License-Identifier: BSD-3-Clause */
/* Renumbering: it does not show through the interface, and neighbours get numbers near each
 * other. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { CELLS = 90, NODES = 110, EDGES = 160, RIMS = 25 };

OP2_KERNEL(flux, (uint32_t *a, uint32_t *b, const uint32_t *x, const uint32_t *y, uint32_t *w), {
  *a += *x + 3 * *y;
  *b += *x - *y;
  *w += *x ^ *y;
});
OP2_KERNEL(gather, (uint32_t *q, const uint32_t *x[4], int i), {
  *q = 5 * *q + x[0][0] - x[1][0] + 7 * x[2][0] + x[3][0] * (uint32_t)i;
});
OP2_KERNEL(tag, (uint32_t *x, const int *i), { *x = *x * 3 + (uint32_t)*i; });
OP2_KERNEL(rim, (uint32_t *q, const uint32_t *r), { *q += *r; });
OP2_KERNEL(spread, (uint32_t *t[3], const uint32_t *q, int i), {
  t[0][0] += *q;
  t[1][0] += 2 * *q;
  t[2][0] += (uint32_t)i;
});
OP2_KERNEL(lower, (uint32_t *k, const uint32_t *w), {
  if (*w < *k) *k = *w;
});
OP2_KERNEL(measure, (const uint32_t *a, const uint32_t *b, uint32_t *sum, uint32_t *most, int i), {
  *sum += *a * 3 + *b * (uint32_t)i;
  if (*a > *most) *most = *a;
});

/* A mesh in which anything may be connected with anything. */
struct world {
  op2_set cells, nodes, edges, rims, some, few;
  op2_map e2c, e2n, c2n, r2c, c2c;
  const int32_t *e2c_values;
  op2_dat q, t, x, k, w, r;
  op2_gbl sum, most;
};
enum { DATS = 6 };

static struct kernels {
  op2_kernel flux, gather, tag, rim, spread, lower, measure;
} kernels;

static void make_kernels(void) {
  kernels = (struct kernels){new_kernel(&flux_kernel),   new_kernel(&gather_kernel),
                             new_kernel(&tag_kernel),    new_kernel(&rim_kernel),
                             new_kernel(&spread_kernel), new_kernel(&lower_kernel),
                             new_kernel(&measure_kernel)};
}

static int32_t *random_map(uint64_t *seed, int n, int targets) {
  int32_t *idx = scratch((size_t)n, sizeof *idx);
  for (int i = 0; i < n; i++) idx[i] = draw_below(seed, targets);
  return idx;
}

static uint32_t *random_values(uint64_t *seed, int n) {
  uint32_t *values = scratch((size_t)n, sizeof *values);
  for (int i = 0; i < n; i++) values[i] = (uint32_t)draw(seed);
  return values;
}

static op2_set random_sections(uint64_t *seed, int n, const char *name) {
  int owned = n - draw_below(seed, n / 4), exec = owned + draw_below(seed, n - owned + 1);
  return new_sections(draw_below(seed, owned), owned, exec, n, name);
}

static struct world make_world(uint64_t seed) {
  struct world v;
  v.cells = random_sections(&seed, CELLS, "cells");
  v.nodes = random_sections(&seed, NODES, "nodes");
  v.edges = random_sections(&seed, EDGES, "edges");
  v.rims = new_set(RIMS, "rims");
  int64_t list[CELLS / 2], positions[CELLS / 8];
  for (int i = 0; i < CELLS / 2; i++) list[i] = draw_below(&seed, CELLS);
  v.some = new_subset(v.cells, CELLS / 2, list, "some");
  int64_t n;
  const int64_t *idx;
  MUST(op2_subset_indices(v.some, &n, &idx));
  for (int i = 0; i < CELLS / 8; i++) positions[i] = draw_below(&seed, (int)n);
  v.few = new_subset(v.some, CELLS / 8, positions, "few");
  v.e2c_values = random_map(&seed, 2 * EDGES, CELLS);
  v.e2c = new_map(v.edges, v.cells, 2, v.e2c_values, "e2c");
  v.e2n = new_map(v.edges, v.nodes, 2, random_map(&seed, 2 * EDGES, NODES), "e2n");
  v.c2n = new_map(v.cells, v.nodes, 4, random_map(&seed, 4 * CELLS, NODES), "c2n");
  v.r2c = new_map(v.rims, v.cells, 1, random_map(&seed, RIMS, CELLS), "r2c");
  v.c2c = new_map(v.cells, v.cells, 3, random_map(&seed, 3 * CELLS, CELLS), "c2c");
  v.q = new_dat(v.cells, 1, OP2_U32, random_values(&seed, CELLS), "q");
  v.t = new_dat(v.cells, 1, OP2_U32, NULL, "t");
  v.x = new_dat(v.nodes, 1, OP2_U32, random_values(&seed, NODES), "x");
  v.k = new_dat(v.nodes, 1, OP2_U32, random_values(&seed, NODES), "k");
  v.w = new_dat(v.edges, 1, OP2_U32, random_values(&seed, EDGES), "w");
  v.r = new_dat(v.rims, 1, OP2_U32, random_values(&seed, RIMS), "r");
  v.sum = new_gbl(1, OP2_U32, NULL, "sum");
  v.most = new_gbl(1, OP2_U32, NULL, "most");
  return v;
}

enum { STEPS = 12 };

static void write_some(struct world *v, uint64_t seed) {
  void *x = NULL;
  MUST(op2_dat_write_begin(v->x, &x));
  for (int i = 0; i < NODES / 3; i++)
    ((uint32_t *)x)[draw_below(&seed, NODES)] += (uint32_t)draw(&seed);
  MUST(op2_dat_write_end(v->x, &x));
}

/* The same step for worlds of any numbering. */
static void step(struct world *v, int what, uint64_t seed) {
  switch (what) {
  case 0:
    MUST(op2_par_loop(kernels.flux, v->edges, op2_arg_dat(v->t, 0, v->e2c, OP2_INC),
                      op2_arg_dat(v->t, 1, v->e2c, OP2_INC), op2_arg_dat(v->x, 0, v->e2n, OP2_READ),
                      op2_arg_dat(v->x, 1, v->e2n, OP2_READ), op2_arg_direct(v->w, OP2_RW)));
    break;
  case 1:
    MUST(op2_par_loop(kernels.gather, v->cells, op2_arg_direct(v->q, OP2_RW),
                      op2_arg_dat(v->x, OP2_ALL, v->c2n, OP2_READ), op2_arg_idx()));
    break;
  case 2:
    MUST(op2_par_loop(kernels.tag, v->nodes, op2_arg_direct(v->x, OP2_RW), op2_arg_idx()));
    break;
  case 3:
    MUST(op2_par_loop(kernels.tag, v->some, op2_arg_direct(v->q, OP2_RW), op2_arg_idx()));
    break;
  case 4:
    MUST(op2_par_loop(kernels.rim, v->rims, op2_arg_dat(v->q, 0, v->r2c, OP2_INC),
                      op2_arg_direct(v->r, OP2_READ)));
    break;
  case 5:
    MUST(op2_par_loop(kernels.spread, v->cells, op2_arg_dat(v->t, OP2_ALL, v->c2c, OP2_INC),
                      op2_arg_direct(v->q, OP2_READ), op2_arg_idx()));
    break;
  case 6:
    MUST(op2_par_loop(kernels.lower, v->edges, op2_arg_dat(v->k, 0, v->e2n, OP2_MIN),
                      op2_arg_direct(v->w, OP2_READ)));
    break;
  case 7:
    MUST(op2_par_loop(kernels.measure, v->edges, op2_arg_dat(v->q, 0, v->e2c, OP2_READ),
                      op2_arg_dat(v->t, 1, v->e2c, OP2_READ), op2_arg_gbl(v->sum, OP2_INC),
                      op2_arg_gbl(v->most, OP2_MAX), op2_arg_idx()));
    break;
  case 8: MUST(op2_dat_set(v->q, random_values(&seed, CELLS))); break;
  case 9: MUST(op2_dat_set_halo(v->w, random_values(&seed, EDGES))); break;
  case 10: write_some(v, seed); break;
  default:
    MUST(op2_par_loop(kernels.spread, v->few, op2_arg_dat(v->t, OP2_ALL, v->c2c, OP2_INC),
                      op2_arg_direct(v->q, OP2_READ), op2_arg_idx()));
  }
}

static void compare(const struct world *a, const struct world *b) {
  const op2_dat of_a[DATS] = {a->q, a->t, a->x, a->k, a->w, a->r},
                of_b[DATS] = {b->q, b->t, b->x, b->k, b->w, b->r};
  static const int sizes[DATS] = {CELLS, CELLS, NODES, NODES, EDGES, RIMS};
  for (int d = 0; d < DATS; d++) {
    uint32_t *want = scratch((size_t)sizes[d], sizeof *want),
             *got = scratch((size_t)sizes[d], sizeof *got);
    MUST(op2_dat_get_halo(of_a[d], want));
    MUST(op2_dat_get_halo(of_b[d], got));
    for (int i = 0; i < sizes[d]; i++)
      if (got[i] != want[i]) {
        mismatch_at(__FILE__, __LINE__, "a renumbered dat", i, got[i], want[i]);
        break;
      }
    EXPECT_VALUES(uint32_t, of_b[d], sizes[d], i, want[i]);
  }
  uint32_t sum, most;
  MUST(op2_gbl_get(a->sum, &sum));
  MUST(op2_gbl_get(a->most, &most));
  EXPECT_GBL(uint32_t, b->sum, sum);
  EXPECT_GBL(uint32_t, b->most, most);
}

/* Two worlds, one of which is renumbered now and then by one of its maps. */
static void random_programs(void) {
  make_kernels();
  for (int round = 0; round < (quick() ? 2 : 5); round++) {
    uint64_t seed = (uint64_t)(100 * round + test_config.block_size);
    struct world a = make_world(seed), b = make_world(seed);
    const op2_map maps[] = {b.e2c, b.c2n, b.e2n, b.c2c};
    for (int s = 0; s < 40; s++) {
      if (s % 13 == 5) MUST(op2_renumber(maps[draw_below(&seed, 4)]));
      int what = draw_below(&seed, STEPS);
      uint64_t own = draw(&seed);
      step(&a, what, own);
      step(&b, what, own);
    }
    compare(&a, &b);
  }
}

/* ---- properties of the order ----------------------------------------------------------------- */

static int64_t *numbering(op2_set set, int64_t total) {
  int64_t *number = scratch((size_t)total, sizeof *number);
  MUST(op2_set_numbering(set, number));
  return number;
}

/* True if the numbers are a permutation that keeps every section. */
static bool keeps_sections(op2_set set) {
  int64_t ends[4];
  MUST(op2_set_sections(set, ends));
  int64_t *number = numbering(set, ends[3]), lo = 0;
  bool *seen = scratch((size_t)ends[3], sizeof *seen), good = true;
  for (int s = 0; s < 4; lo = ends[s++])
    for (int64_t i = lo; i < ends[s]; i++) {
      good = good && number[i] >= lo && number[i] < ends[s] && !seen[number[i]];
      if (good) seen[number[i]] = true;
    }
  return good;
}

static bool is_natural(op2_set set, int64_t total) {
  int64_t *number = numbering(set, total);
  for (int64_t i = 0; i < total; i++)
    if (number[i] != i) return false;
  return true;
}

static void sections_stay(void) {
  for (uint64_t seed = 0; seed < 6; seed++) {
    struct world v = make_world(seed);
    EXPECT(is_natural(v.cells, CELLS) && is_natural(v.rims, RIMS));
    for (int again = 0; again < 2; again++) {
      MUST(op2_renumber(again ? v.c2n : v.e2c));
      EXPECT(keeps_sections(v.cells) && keeps_sections(v.nodes) && keeps_sections(v.edges) &&
             keeps_sections(v.rims));
      EXPECT(!is_natural(v.cells, CELLS) && !is_natural(v.nodes, NODES));
    }
  }
}

/* Edges are sorted by the first of their two cells, then by the second, then by their old
 * numbers. */
static void rows_are_sorted(void) {
  for (uint64_t seed = 0; seed < 4; seed++) {
    struct world v = make_world(seed);
    int64_t place[CELLS], ends[4], begin = 0;
    MUST(op2_renumber(v.e2c));
    int64_t *cell = numbering(v.cells, CELLS), *edge = numbering(v.edges, EDGES);
    for (int i = 0; i < CELLS; i++) place[cell[i]] = i;
    MUST(op2_set_sections(v.edges, ends));
    for (int s = 0; s < 4; begin = ends[s++])
      for (int64_t i = begin, last = -1; i < ends[s]; i++) {
        int64_t a = place[v.e2c_values[2 * edge[i]]], b = place[v.e2c_values[2 * edge[i] + 1]];
        int64_t key = ((a < b ? a : b) * CELLS + (a < b ? b : a)) * EDGES + edge[i];
        EXPECT(key > last);
        last = key;
      }
  }
}

/* A chain of cells with an edge between each two and a node at each end, all shuffled: the best
 * order is along the chain. */
struct chain {
  op2_set cells, edges, nodes;
  op2_map e2c, c2n;
  int32_t *cell, *edge, *node; /* numbers, along the chain */
};

static int32_t *shuffled(uint64_t *seed, int n) {
  int32_t *p = scratch((size_t)n, sizeof *p);
  for (int i = 0; i < n; i++) {
    int k = draw_below(seed, i + 1);
    p[i] = p[k];
    p[k] = i;
  }
  return p;
}

static struct chain make_chain(int n, uint64_t seed) {
  struct chain c;
  int32_t *e2c = scratch(2 * (size_t)n, sizeof *e2c), *c2n = scratch(2 * (size_t)n, sizeof *c2n);
  c.cell = shuffled(&seed, n);
  c.edge = shuffled(&seed, n - 1);
  c.node = shuffled(&seed, n + 1);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 2; k++) {
      c2n[2 * c.cell[i] + k] = c.node[i + k];
      if (i < n - 1) e2c[2 * c.edge[i] + k] = c.cell[i + k];
    }
  c.cells = new_set(n, "cells");
  c.edges = new_set(n - 1, "edges");
  c.nodes = new_set(n + 1, "nodes");
  c.e2c = new_map(c.edges, c.cells, 2, e2c, "e2c");
  c.c2n = new_map(c.cells, c.nodes, 2, c2n, "c2n");
  return c;
}

/* Cells in the order of the chain, edges by the cells they join, nodes as the cells meet them. */
static void along_a_chain(void) {
  enum { N = 300 };
  struct chain c = make_chain(N, 7);
  EXPECT(numbering(c.cells, N)[0] == 0);
  MUST(op2_renumber(c.e2c));
  int64_t *cell = numbering(c.cells, N), *edge = numbering(c.edges, N - 1);
  int64_t *node = numbering(c.nodes, N + 1), wrong = 0;
  bool up = cell[0] == c.cell[0]; /* the chain may start at either end */
  for (int i = 0; i < N; i++) wrong += cell[i] != c.cell[up ? i : N - 1 - i];
  for (int i = 0; i < N - 1; i++) wrong += edge[i] != c.edge[up ? i : N - 2 - i];
  for (int i = 0; i <= N; i++) {
    int down =
        i < 2 ? N - 1 + i : N - i; /* the first cell met has its nodes in the order of slots */
    wrong += node[i] != c.node[up ? i : down];
  }
  EXPECT(wrong == 0);
}

/* Renumbering changes only sets that are connected by maps with values: a second mesh keeps its
 * numbers. */
static void only_the_connected(void) {
  struct chain a = make_chain(40, 1), b = make_chain(50, 2);
  op2_map bare = new_map(a.cells, b.cells, 2, NULL, "bare"); /* without values: connects nothing */
  MUST(op2_renumber(a.e2c));
  EXPECT(bare && !is_natural(a.cells, 40) && !is_natural(a.nodes, 41));
  EXPECT(is_natural(b.cells, 50) && is_natural(b.nodes, 51) && is_natural(b.edges, 49));
  MUST(op2_renumber(b.c2n));
  EXPECT(!is_natural(b.cells, 50) && !is_natural(b.nodes, 51));
}

/* The order depends on the mesh alone. */
static void reproducible(void) {
  struct world a = make_world(3), b = make_world(3);
  MUST(op2_renumber(a.e2c));
  MUST(op2_renumber(b.e2c));
  EXPECT(!memcmp(numbering(a.cells, CELLS), numbering(b.cells, CELLS), CELLS * sizeof(int64_t)));
  EXPECT(!memcmp(numbering(a.nodes, NODES), numbering(b.nodes, NODES), NODES * sizeof(int64_t)));
}

/* Maps that leave elements out, a map without entries, and sets without elements. */
static void odd_graphs(void) {
  op2_set rows = new_set(6, "rows"), many = new_set(40, "many"), none = new_set(0, "none");
  op2_map alone =
      new_map(rows, many, 2, (int32_t[]){3, 3, 9, 7, 7, 9, 30, 30, 9, 7, 39, 3}, "alone");
  op2_map nothing = new_map(none, many, 2, (int32_t[]){0}, "nothing");
  op2_map nowhere = new_map(none, none, 1, (int32_t[]){0}, "nowhere");
  op2_dat x = new_dat(many, 2, OP2_I32, scratch(80, 4), "x");
  MUST(op2_renumber(alone));
  EXPECT(keeps_sections(many) && keeps_sections(rows));
  MUST(op2_renumber(nothing));
  MUST(op2_renumber(nowhere));
  EXPECT(keeps_sections(many));
  EXPECT_VALUES(int32_t, x, 80, i, 0);
}

/* ---- objects that are declared, held and read after renumbering ------------------------------ */

/* Maps, dats and subsets declared after a renumbering also use the user's numbering. */
static void declared_after(void) {
  make_kernels();
  struct world a = make_world(11), b = make_world(11);
  MUST(op2_renumber(b.e2c));
  struct world *both[] = {&a, &b};
  for (int w = 0; w < 2; w++) {
    struct world *v = both[w];
    uint64_t seed = 12;
    int64_t list[20], n;
    const int64_t *idx;
    op2_map first = NULL, composed = NULL, permuted = NULL;
    for (int i = 0; i < 20; i++) list[i] = draw_below(&seed, CELLS);
    v->some = new_subset(v->cells, 20, list, "late");
    MUST(op2_subset_indices(v->some, &n, &idx));
    v->few = new_subset(v->some, 3, (int64_t[]){n - 1, 0, 5}, "late few");
    v->c2c = new_map(v->cells, v->cells, 3, random_map(&seed, 3 * CELLS, CELLS), "late c2c");
    first = new_map(v->rims, v->rims, 1, random_map(&seed, RIMS, RIMS), "turn");
    MUST(op2_map_create_composed(2, (op2_map[]){v->r2c, first}, "composed", &composed));
    own_map(composed);
    v->r2c = composed;
    MUST(op2_map_create_permuted(v->e2c, (int[]){1, 0}, "swapped", &permuted));
    own_map(permuted);
    v->e2c = permuted;
    v->q = new_dat(v->cells, 1, OP2_U32, random_values(&seed, CELLS), "late q");
    for (int s = 0; s < STEPS; s++) step(v, s, 99);
  }
  compare(&a, &b);
}

static void subset_indices(void) {
  struct world v = make_world(21);
  int64_t n, m, before[CELLS];
  const int64_t *old, *now;
  MUST(op2_subset_indices(v.some, &n, &old));
  memcpy(before, old, (size_t)n * sizeof *old);
  for (int again = 0; again < 2; again++) {
    MUST(op2_renumber(v.e2c));
    MUST(op2_subset_indices(v.some, &m, &now));
    /* Returned arrays live as long as the subset does. */
    EXPECT(m == n && now == old && !memcmp(before, now, (size_t)n * sizeof *now));
  }
  int64_t ends[4], sub_ends[4], counts[4] = {0};
  MUST(op2_set_sections(v.cells, ends));
  MUST(op2_set_sections(v.some, sub_ends));
  for (int s = 0; s < 4; s++)
    for (int64_t i = 0; i < n; i++) counts[s] += before[i] < ends[s];
  EXPECT(!memcmp(counts, sub_ends, sizeof counts));
}

/* Queued loops run before the renumbering, and loop objects made before it can be used after it. */
static void queued_before(void) {
  make_kernels();
  struct world v = make_world(31);
  op2_loop loop = NULL;
  uint32_t x[NODES], want[NODES];
  int64_t owned = op2_set_size(v.nodes);
  MUST(op2_dat_get_halo(v.x, want));
  MUST(op2_loop_create(&loop, kernels.tag, v.nodes, op2_arg_direct(v.x, OP2_RW), op2_arg_idx()));
  own_loop(loop);
  for (int use = 0; use < 3; use++) {
    MUST(op2_loop_enqueue(loop));
    MUST(op2_renumber(v.e2n));
    EXPECT(op2_queued(test_ctx) == 0);
    for (int64_t i = 0; i < owned; i++) want[i] = want[i] * 3 + (uint32_t)i;
  }
  MUST(op2_dat_get_halo(v.x, x));
  EXPECT(!memcmp(x, want, sizeof x));
}

static void scopes(void) {
  struct world v = make_world(41);
  const void *a = NULL, *b = NULL;
  void *w = NULL;
  uint32_t before[NODES];
  MUST(op2_dat_get_halo(v.x, before));
  MUST(op2_dat_read_begin(v.x, &a));
  REFUSED(OP2_ERR_STATE, op2_renumber(v.e2c), "'x'", "reading");
  MUST(op2_dat_read_end(v.x, &a));
  MUST(op2_dat_write_begin(v.x, &w));
  REFUSED(OP2_ERR_STATE, op2_renumber(v.e2c), "'x'", "writing");
  MUST(op2_dat_write_end(v.x, &w));
  EXPECT(is_natural(v.nodes, NODES));
  MUST(op2_renumber(v.e2c));
  MUST(op2_dat_read_begin(v.x, &a));
  MUST(op2_dat_read_begin(v.x, &b));
  EXPECT(a == b && !memcmp(a, before, sizeof before));
  MUST(op2_dat_read_end(v.x, &b));
  EXPECT(!memcmp(a, before, sizeof before));
  MUST(op2_dat_read_end(v.x, &a));
  MUST(op2_dat_write_begin(v.x, &w));
  ((uint32_t *)w)[7] = before[7] = 77;
  MUST(op2_dat_write_end(v.x, &w));
  EXPECT_VALUES(uint32_t, v.x, NODES, i, before[i]);
}

static void refused(void) {
  struct world v = make_world(51);
  op2_map bare = new_map(v.edges, v.cells, 2, NULL, "bare");
  int64_t number[CELLS];
  REFUSED(OP2_ERR_ARG, op2_renumber(NULL));
  REFUSED(OP2_ERR_ARG, op2_renumber((op2_map)v.cells));
  REFUSED(OP2_ERR_MISMATCH, op2_renumber(bare), "bare");
  REFUSED(OP2_ERR_MISMATCH, op2_renumber(v.r2c), "r2c", "cells");
  REFUSED(OP2_ERR_ARG, op2_set_numbering(NULL, number));
  REFUSED(OP2_ERR_ARG, op2_set_numbering(v.cells, NULL));
  REFUSED(OP2_ERR_ARG, op2_set_numbering(v.some, number), "some");
  MUST(op2_renumber(v.e2c));
  /* Maps are checked in the user's numbering, and errors use it. */
  int32_t *idx = scratch(2 * EDGES, sizeof *idx);
  op2_map map = NULL;
  idx[2 * 17 + 1] = CELLS;
  REFUSED(OP2_ERR_RANGE, op2_map_create(v.edges, v.cells, 2, idx, "m", &map), "entry 90 at row 17",
          "column 1");
}

/* The failure of a queued loop is returned, and nothing is renumbered; the next call succeeds. */
static void failing_before(void) {
  struct world v = make_world(61);
  op2_kernel broken = new_source("broken", "void broken(unsigned *x) { *x = no_such_thing; }");
  const op2_status queued = op2_par_loop(broken, v.nodes, op2_arg_direct(v.x, OP2_RW));
  if (test_config.eager) {
    EXPECT(queued == OP2_ERR_COMPILE);
  } else {
    MUST(queued);
    EXPECT(op2_renumber(v.e2c) == OP2_ERR_COMPILE);
    EXPECT(is_natural(v.cells, CELLS));
  }
  MUST(op2_renumber(v.e2c));
  uint32_t x[NODES] = {0};
  EXPECT(op2_dat_get(v.x, x) == OP2_ERR_COMPILE); /* the poison stays */
  uint32_t *fresh = scratch(NODES, sizeof *fresh);
  MUST(op2_dat_set(v.x, fresh));
  MUST(op2_dat_get(v.x, x));
}

static const struct test_case cases[] = {
    {"random programs", random_programs},
    {"sections stay", sections_stay},
    {"rows are sorted", rows_are_sorted},
    {"along a chain", along_a_chain},
    {"only what is connected", only_the_connected},
    {"the same mesh, the same order", reproducible},
    {"odd graphs", odd_graphs},
    {"declared after", declared_after},
    {"subset indices", subset_indices},
    {"queued before, used after", queued_before},
    {"scopes", scopes},
    {"refused", refused},
    {"failing before", failing_before},
};

/* True if this library can renumber; if it cannot, its message must give the reason. */
static bool available(void) {
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_map map = NULL;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, 2, "set", &set));
  CHECK(op2_map_create(set, set, 1, (int32_t[]){1, 0}, "map", &map));
  const op2_status status = op2_renumber(map);
  if (status) {
    ok(status == OP2_ERR_UNAVAILABLE && strstr(op2_error_message(), "Scotch"),
       "not available, and why");
    skip("%s", op2_error_message());
  }
  op2_map_destroy(&map);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
  return !status;
}

int main(void) {
  test_environment();
  return available() ? RUN(cases, 0) : done();
}
