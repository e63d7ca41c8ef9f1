/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs with matrices of blocks between two sets, as Taylor and Hood's elements have them:
 * packed arguments of three extents in one loop, components of dats, rows and columns that a subset
 * leaves out, transposed products, values of the host, sums of matrices; on 1 to 3 ranks, lazily and
 * eagerly, against dense matrices. Values are whole numbers, so that results must be equal.
 *
 *   t934-random-packed [count [seed]]
 *
 * runs `count` programs on each backend, 300 with OP2_TEST_FULL=1; on devices, whose compilers take
 * long, 10, unless OP2_TEST_BACKEND names one. It prints how many ran where. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "init.h"
#include "rank_case.h"
#include "support.h"
#include "whole_case.h"

enum { STEPS = 30, LIMIT = 97, LARGEST = 1000000 };
enum {
  CELL_EDGE = 3,
  CELL_FIVE
}; /* maps besides those of whole_case.h, to 2 edges and to 5 nodes */
/* D and E: edges to nodes, in blocks of 2 x 1; M: edges to edges, in blocks of 2 x 2 */
enum { D, E, M, MATS };
enum { X, Y, Q, P, DATS }; /* X and Y: a value for each node; Q and P: two for each edge */

static const char *const sources[][2] = {
    {"couple", "void couple(double d[4][5], const double x[3], const double q[2][2], const double "
               "y[5], const "
               "double *w) { for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++) d[i][j] += "
               "w[0] + x[i % 3] "
               "- q[i / 2][i % 2] + y[j] - j; }"},
    {"mass",
     "void mass(double m[4][4], const double q[4], const double *w) { for (int i = 0; i < 4; "
     "i++) for (int j = 0; j < 4; j++) m[i][j] += w[0] * (i + 1) - q[j]; }"},
    {"spread",
     "void spread(double q[2][2], const double x[3], double y[5]) { for (int i = 0; i < 4; "
     "i++) q[i / 2][i % 2] += x[i % 3] + i; for (int j = 0; j < 5; j++) y[j] += x[j % 3]; }"},
    {"second",
     "void second(const double q[2], double y[5]) { for (int j = 0; j < 5; j++) y[j] += q[j "
     "% 2]; }"},
    {"fold", "#include <math.h>\nvoid fold(double *x) { x[0] -= 97 * floor(x[0] / 97); }"},
    {"fold2", "#include <math.h>\nvoid fold2(double *q) { for (int i = 0; i < 2; i++) q[i] -= 97 * "
              "floor(q[i] / 97); }"},
    {"take", "void take(double *q, const double *p) { q[0] = p[0]; q[1] = p[1]; }"},
};
enum { COUPLE, MASS, SPREAD, SECOND, FOLD, FOLD2, TAKE, KERNELS };

struct trial {
  struct whole whole;
  const char *backend;
  uint64_t seed;
  bool eager;
};

/* A dense matrix or dat, by global numbers. */
struct dense {
  int64_t rows, columns; /* elements; a dat has one column */
  int row_dim, column_dim;
  double *value; /* [rows * row_dim][columns * column_dim] */
  bool *there;   /* [rows][columns] nonzeros of a matrix */
};

struct run {
  op2_context ctx;
  const struct whole *whole;
  struct share share;
  op2_set sets[WHOLE_SETS], thirds, rim; /* subsets of nodes and edges */
  op2_map maps[WHOLE_MAPS];
  op2_sparsity of_d, of_m;
  op2_mat mats[MATS];
  op2_dat dats[DATS], weight, second;
  op2_kernel kernels[KERNELS];
  struct dense mat[MATS], dat[DATS];
  int wrong;
};

#define DO(call)                                                                                   \
  do {                                                                                             \
    if (!r->wrong && (call) != OP2_SUCCESS) {                                                      \
      fprintf(stderr, "# %s:%d: %s\n", __FILE__, __LINE__, op2_error_message());                   \
      r->wrong++;                                                                                  \
    }                                                                                              \
  } while (0)

static double weight_of(int64_t cell) { return (double)(cell * 17 % 11); }
static bool in_thirds(int64_t node) { return node % 3 == 0; }
static bool on_rim(int64_t edge) { return edge % 4 == 0; }

static int64_t target(const struct run *r, int map, int64_t cell, int slot) {
  return r->whole->map[map].idx[cell * r->whole->map[map].arity + slot];
}

static int64_t ncells(const struct run *r) { return r->whole->set[CELLS].size; }

static double *entry(const struct dense *d, int64_t row, int64_t column) {
  return &d->value[row * d->columns * d->column_dim + column];
}
static double *value(const struct dense *d, int64_t element, int c) {
  return &d->value[element * d->row_dim + c];
}

/* ---- declarations ---------------------------------------------------------------------------- */

static void make_dense(struct dense *d, int64_t rows, int row_dim, int64_t columns,
                       int column_dim) {
  *d = (struct dense){rows, columns, row_dim, column_dim, NULL, NULL};
  d->value = calloc((size_t)(rows * row_dim * columns * column_dim) + 1, sizeof *d->value);
  d->there = calloc((size_t)(rows * columns) + 1, sizeof *d->there);
}

static void declare_dense(struct run *r) {
  const int64_t nnodes = r->whole->set[NODES].size, nedges = r->whole->set[EDGES].size;
  make_dense(&r->mat[D], nedges, 2, nnodes, 1);
  make_dense(&r->mat[E], nedges, 2, nnodes, 1);
  make_dense(&r->mat[M], nedges, 2, nedges, 2);
  make_dense(&r->dat[X], nnodes, 1, 1, 1);
  make_dense(&r->dat[Y], nnodes, 1, 1, 1);
  make_dense(&r->dat[Q], nedges, 2, 1, 1);
  make_dense(&r->dat[P], nedges, 2, 1, 1);
  for (int64_t i = 0; i < nnodes; i++) r->dat[X].value[i] = (double)(i * 7 % 13);
  for (int64_t e = 0; e < nedges; e++) r->mat[M].there[e * nedges + e] = true;
  for (int64_t c = 0; c < ncells(r); c++)
    for (int i = 0; i < 2; i++) {
      const int64_t row = target(r, CELL_EDGE, c, i);
      for (int j = 0; j < 5; j++) r->mat[D].there[row * nnodes + target(r, CELL_FIVE, c, j)] = true;
      for (int j = 0; j < 2; j++) r->mat[M].there[row * nedges + target(r, CELL_EDGE, c, j)] = true;
    }
  memcpy(r->mat[E].there, r->mat[D].there, (size_t)(nedges * nnodes) * sizeof(bool));
}

static void declare_subset(struct run *r, int set, bool (*in)(int64_t), const char *name,
                           op2_set *subset) {
  const int64_t total = r->share.set[set].ends[3];
  int64_t *list = calloc((size_t)total + 1, sizeof *list), n = 0;
  for (int64_t i = 0; i < total; i++)
    if (in(r->share.set[set].global[i])) list[n++] = i;
  DO(op2_subset_create(r->sets[set], n, list, name, subset));
  free(list);
}

static void declare_dats(struct run *r) {
  static const char *const names[] = {"x", "y", "q", "p"};
  const int64_t total = r->share.set[NODES].ends[3], cells = r->share.set[CELLS].ends[3];
  double *x = calloc((size_t)total + 1, sizeof *x), *w = calloc((size_t)cells + 1, sizeof *w);
  for (int64_t i = 0; i < total; i++) /* halo values are not defined at first */
    x[i] = i < r->share.set[NODES].ends[1] ? r->dat[X].value[r->share.set[NODES].global[i]] : 1e9;
  for (int64_t i = 0; i < cells; i++) w[i] = weight_of(r->share.set[CELLS].global[i]);
  for (int d = 0; d < DATS; d++)
    DO(op2_dat_create(r->sets[d < Q ? NODES : EDGES], r->dat[d].row_dim, OP2_F64, d == X ? x : NULL,
                      names[d], &r->dats[d]));
  DO(op2_dat_create(r->sets[CELLS], 1, OP2_F64, w, "w", &r->weight));
  DO(op2_dat_component(r->dats[Q], 1, 1, &r->second));
  free(x);
  free(w);
}

static void declare_mats(struct run *r) {
  const op2_map_pair of_d = {r->maps[CELL_EDGE], r->maps[CELL_FIVE]};
  const op2_map_pair of_m[] = {{r->maps[CELL_EDGE], r->maps[CELL_EDGE]}, {NULL, NULL}};
  DO(op2_sparsity_create(1, &of_d, "of d", &r->of_d));
  DO(op2_sparsity_create(2, of_m, "of m", &r->of_m));
  DO(op2_mat_create(r->of_d, 2, 1, OP2_F64, "D", &r->mats[D]));
  DO(op2_mat_create(r->of_d, 2, 1, OP2_F64, "E", &r->mats[E]));
  DO(op2_mat_create(r->of_m, 2, 2, OP2_F64, "M", &r->mats[M]));
}

static void declare(struct run *r) {
  DO(share_declare(r->whole, &r->share, r->ctx, r->sets, r->maps));
  if (r->wrong) return;
  declare_subset(r, NODES, in_thirds, "thirds", &r->thirds);
  declare_subset(r, EDGES, on_rim, "rim", &r->rim);
  declare_dats(r);
  if (!r->wrong) declare_mats(r);
  for (int k = 0; k < KERNELS; k++)
    DO(op2_kernel_create(r->ctx, &(op2_kernel_desc){.name = sources[k][0], .source = sources[k][1]},
                         &r->kernels[k]));
}

/* ---- loops ----------------------------------------------------------------------------------- */

static op2_arg packed(const struct run *r, op2_dat dat, int map, op2_access access) {
  return op2_arg_dat(dat, OP2_PACKED, r->maps[map], access);
}

/* `side` leaves out rows of the rim, or columns of the thirds. */
static op2_arg block_of_d(const struct run *r, int m, int side) {
  const op2_map rows = r->maps[CELL_EDGE], columns = r->maps[CELL_FIVE];
  if (side == OP2_ROWS)
    return op2_arg_mat_drop(r->mats[m], rows, columns, OP2_INC, OP2_ROWS, r->rim);
  if (side == OP2_COLUMNS)
    return op2_arg_mat_drop(r->mats[m], rows, columns, OP2_INC, OP2_COLUMNS, r->thirds);
  return op2_arg_mat(r->mats[m], rows, columns, OP2_INC);
}

static void couple(struct run *r, int m, int side) {
  DO(op2_par_loop(r->kernels[COUPLE], r->sets[CELLS], block_of_d(r, m, side),
                  packed(r, r->dats[X], CELL_NODE, OP2_READ),
                  packed(r, r->dats[Q], CELL_EDGE, OP2_READ),
                  packed(r, r->dats[Y], CELL_FIVE, OP2_READ), op2_arg_direct(r->weight, OP2_READ)));
  for (int64_t c = 0; c < ncells(r); c++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 5; j++) {
        const int64_t edge = target(r, CELL_EDGE, c, i / 2), node = target(r, CELL_FIVE, c, j);
        if ((side == OP2_ROWS && on_rim(edge)) || (side == OP2_COLUMNS && in_thirds(node)))
          continue;
        *entry(&r->mat[m], 2 * edge + i % 2, node) +=
            weight_of(c) + *value(&r->dat[X], target(r, CELL_NODE, c, i % 3), 0) -
            *value(&r->dat[Q], edge, i % 2) + *value(&r->dat[Y], node, 0) - j;
      }
}

static void mass(struct run *r, int side) {
  const op2_map edges = r->maps[CELL_EDGE];
  const op2_arg all = op2_arg_mat(r->mats[M], edges, edges, OP2_INC);
  const op2_arg some =
      op2_arg_mat_drop(r->mats[M], edges, edges, OP2_INC, (op2_side)(side ? side : 1), r->rim);
  DO(op2_par_loop(r->kernels[MASS], r->sets[CELLS], side ? some : all,
                  packed(r, r->dats[Q], CELL_EDGE, OP2_READ), op2_arg_direct(r->weight, OP2_READ)));
  for (int64_t c = 0; c < ncells(r); c++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        const int64_t row = target(r, CELL_EDGE, c, i / 2), column = target(r, CELL_EDGE, c, j / 2);
        if ((side & OP2_ROWS && on_rim(row)) || (side & OP2_COLUMNS && on_rim(column))) continue;
        *entry(&r->mat[M], 2 * row + i % 2, 2 * column + j % 2) +=
            weight_of(c) * (i + 1) - *value(&r->dat[Q], column, j % 2);
      }
}

static void spread(struct run *r) {
  DO(op2_par_loop(r->kernels[SPREAD], r->sets[CELLS], packed(r, r->dats[Q], CELL_EDGE, OP2_INC),
                  packed(r, r->dats[X], CELL_NODE, OP2_READ),
                  packed(r, r->dats[Y], CELL_FIVE, OP2_INC)));
  for (int64_t c = 0; c < ncells(r); c++) {
    for (int i = 0; i < 4; i++)
      *value(&r->dat[Q], target(r, CELL_EDGE, c, i / 2), i % 2) +=
          *value(&r->dat[X], target(r, CELL_NODE, c, i % 3), 0) + i;
    for (int j = 0; j < 5; j++)
      *value(&r->dat[Y], target(r, CELL_FIVE, c, j), 0) +=
          *value(&r->dat[X], target(r, CELL_NODE, c, j % 3), 0);
  }
}

/* The second component of q alone, packed. */
static void second(struct run *r) {
  DO(op2_par_loop(r->kernels[SECOND], r->sets[CELLS], packed(r, r->second, CELL_EDGE, OP2_READ),
                  packed(r, r->dats[Y], CELL_FIVE, OP2_INC)));
  for (int64_t c = 0; c < ncells(r); c++)
    for (int j = 0; j < 5; j++)
      *value(&r->dat[Y], target(r, CELL_FIVE, c, j), 0) +=
          *value(&r->dat[Q], target(r, CELL_EDGE, c, j % 2), 1);
}

/* Values stay small, so that all sums are exact. */
static void fold(struct run *r, int d) {
  const int dim = r->dat[d].row_dim;
  DO(op2_par_loop(r->kernels[dim == 1 ? FOLD : FOLD2], r->sets[d < Q ? NODES : EDGES],
                  op2_arg_direct(r->dats[d], OP2_RW)));
  for (int64_t i = 0; i < r->dat[d].rows * dim; i++)
    r->dat[d].value[i] -= LIMIT * floor(r->dat[d].value[i] / LIMIT);
}

static void take(struct run *r) {
  DO(op2_par_loop(r->kernels[TAKE], r->sets[EDGES], op2_arg_direct(r->dats[Q], OP2_WRITE),
                  op2_arg_direct(r->dats[P], OP2_READ)));
  memcpy(r->dat[Q].value, r->dat[P].value, (size_t)(2 * r->dat[Q].rows) * sizeof(double));
}

/* ---- matrices -------------------------------------------------------------------------------- */

static void multiply(struct run *r, int m, bool transposed, int from, int to) {
  const struct dense *d = &r->mat[m];
  const int64_t rows = d->rows * d->row_dim, columns = d->columns * d->column_dim;
  if (transposed)
    DO(op2_mat_mult_transpose(r->mats[m], r->dats[from], r->dats[to]));
  else
    DO(op2_mat_mult(r->mats[m], r->dats[from], r->dats[to]));
  memset(r->dat[to].value, 0, (size_t)(transposed ? columns : rows) * sizeof(double));
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++)
      r->dat[to].value[transposed ? j : i] +=
          *entry(d, i, j) * r->dat[from].value[transposed ? i : j];
  fold(r, to);
}

static void clear(struct run *r, int m) {
  const struct dense *d = &r->mat[m];
  DO(op2_mat_zero(r->mats[m]));
  memset(d->value, 0, (size_t)(d->rows * d->row_dim * d->columns * d->column_dim) * sizeof(double));
}

/* The host overwrites or adds to a few blocks, each of which one rank gives. */
static void put(struct run *r, int m, uint64_t *seed, bool adds) {
  enum { BLOCKS = 6 };
  const struct dense *d = &r->mat[m];
  const struct op2i_comm *comm = r->ctx->comm;
  const int size = d->row_dim * d->column_dim;
  int64_t rows[BLOCKS], columns[BLOCKS], n = 0;
  double values[BLOCKS * 4];
  for (int k = 0; k < BLOCKS; k++) {
    const int64_t row = (draw_below(seed, 97) * BLOCKS + k) % d->rows;
    int64_t column = draw_below(seed, (int)d->columns), tried = 0;
    while (!d->there[row * d->columns + column] && tried++ < d->columns)
      column = (column + 1) % d->columns;
    if (!d->there[row * d->columns + column]) continue;
    for (int c = 0; c < size; c++) {
      double *const to = entry(d, row * d->row_dim + c / d->column_dim,
                               column * d->column_dim + c % d->column_dim);
      const double given = (double)((row * 3 + column + c) % 19); /* the same if given twice */
      *to = adds ? *to + given : given;
      values[n * size + c] = given;
    }
    rows[n] = row;
    columns[n] = column;
    if (!comm || draw_below(seed, comm->size) == comm->rank) n++;
  }
  if (adds)
    DO(op2_mat_add(r->mats[m], n, rows, columns, values));
  else
    DO(op2_mat_set(r->mats[m], n, rows, columns, values));
}

/* E = D, D += a E, or D = a D; matrices that grow too much are made zero. */
static void combine(struct run *r, int how, double factor) {
  struct dense *d = &r->mat[D], *e = &r->mat[E];
  double largest = 0;
  if (how == 0) DO(op2_mat_copy(r->mats[D], r->mats[E]));
  if (how == 1) DO(op2_mat_axpy(r->mats[D], op2_scalar_value(factor), r->mats[E]));
  if (how == 2) DO(op2_mat_scale(r->mats[D], op2_scalar_value(factor)));
  for (int64_t k = 0; k < d->rows * d->row_dim * d->columns; k++) {
    if (how == 0) e->value[k] = d->value[k];
    if (how == 1) d->value[k] += factor * e->value[k];
    if (how == 2) d->value[k] *= factor;
    largest = fmax(largest, fabs(d->value[k]));
  }
  if (largest > LARGEST) clear(r, D);
}

/* Rows of the rim become those of a multiple of the identity, with or without their columns; then p
 * is corrected by q. */
static void bound(struct run *r, double diagonal, int how) {
  const struct dense *d = &r->mat[M];
  const int64_t n = 2 * d->rows;
  if (how == 0)
    DO(op2_mat_zero_rows(r->mats[M], r->rim, diagonal));
  else
    DO(op2_mat_zero_rows_columns(r->mats[M], r->rim, diagonal, how > 1 ? r->dats[Q] : NULL,
                                 how > 1 ? r->dats[P] : NULL));
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      if (!on_rim(i / 2) && (how == 0 || !on_rim(j / 2))) continue;
      if (how > 1 && !on_rim(i / 2)) r->dat[P].value[i] -= *entry(d, i, j) * r->dat[Q].value[j];
      *entry(d, i, j) = i == j ? diagonal : 0;
    }
  for (int64_t i = 0; i < n && how > 1; i++)
    if (on_rim(i / 2)) r->dat[P].value[i] = diagonal * r->dat[Q].value[i];
  fold(r, P);
}

static void diagonal(struct run *r) {
  DO(op2_mat_diagonal(r->mats[M], r->dats[P]));
  for (int64_t i = 0; i < 2 * r->mat[M].rows; i++) r->dat[P].value[i] = *entry(&r->mat[M], i, i);
  fold(r, P);
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static bool same_block(const struct dense *d, int64_t row, int64_t column, const double *block) {
  bool same = d->there[row * d->columns + column];
  for (int c = 0; c < d->row_dim * d->column_dim; c++)
    same = same && block[c] == *entry(d, row * d->row_dim + c / d->column_dim,
                                      column * d->column_dim + c % d->column_dim);
  return same;
}

static void look_at_mat(struct run *r, int m) {
  const struct dense *d = &r->mat[m];
  const op2_sparsity sparsity = m == M ? r->of_m : r->of_d;
  const int size = d->row_dim * d->column_dim;
  int64_t rows = 0, places = 0;
  DO(op2_sparsity_size(sparsity, &rows, &places));
  int64_t *starts = calloc((size_t)rows + 1, sizeof *starts);
  int64_t *columns = calloc((size_t)places + 1, sizeof *columns);
  double *values = calloc((size_t)(places * size) + 1, sizeof *values);
  DO(op2_sparsity_get(sparsity, starts, columns));
  DO(op2_mat_get(r->mats[m], values));
  for (int64_t i = 0; i < rows && !r->wrong; i++) {
    const int64_t row = r->share.set[EDGES].global[i];
    int64_t expected = 0;
    for (int64_t c = 0; c < d->columns; c++) expected += d->there[row * d->columns + c];
    r->wrong += starts[i + 1] - starts[i] != expected;
    for (int64_t p = starts[i]; p < starts[i + 1] && !r->wrong; p++)
      r->wrong += !same_block(d, row, columns[p], values + p * size);
  }
  free(starts);
  free(columns);
  free(values);
}

static void look(struct run *r) {
  for (int d = 0; d < DATS; d++) {
    const int set = d < Q ? NODES : EDGES, dim = r->dat[d].row_dim;
    const int64_t n = r->share.set[set].ends[1] * dim;
    double *values = calloc((size_t)n + 1, sizeof *values);
    DO(op2_dat_get(r->dats[d], values));
    for (int64_t i = 0; i < n && !r->wrong; i++)
      r->wrong +=
          values[i] != *value(&r->dat[d], r->share.set[set].global[i / dim], (int)(i % dim));
    free(values);
  }
  for (int m = 0; m < MATS; m++) look_at_mat(r, m);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void step(struct run *r, uint64_t *seed) {
  const int kind = draw_below(seed, 13), m = draw_below(seed, 2) ? D : E;
  switch (kind) {
  case 0:
  case 1: couple(r, m, draw_below(seed, 3)); break;
  case 2: mass(r, draw_below(seed, 4)); break;
  case 3: spread(r), fold(r, Q), fold(r, Y); break;
  case 4: second(r), fold(r, Y); break;
  case 5: multiply(r, m, false, X, Q); break;
  case 6: multiply(r, m, true, Q, draw_below(seed, 2) ? X : Y); break;
  case 7: multiply(r, M, draw_below(seed, 2), Q, P); break;
  case 8: put(r, draw_below(seed, MATS), seed, draw_below(seed, 2)); break;
  case 9: combine(r, draw_below(seed, 3), draw_below(seed, 5) - 2); break;
  case 10: bound(r, draw_below(seed, 5), draw_below(seed, 3)); break;
  case 11: draw_below(seed, 2) ? diagonal(r) : take(r); break;
  default: draw_below(seed, 3) ? clear(r, draw_below(seed, MATS)) : look(r);
  }
}

static void destroy(struct run *r) {
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&r->kernels[k]);
  for (int m = 0; m < MATS; m++) {
    op2_mat_destroy(&r->mats[m]);
    free(r->mat[m].value);
    free(r->mat[m].there);
  }
  op2_sparsity_destroy(&r->of_d);
  op2_sparsity_destroy(&r->of_m);
  op2_dat_destroy(&r->second);
  op2_dat_destroy(&r->weight);
  for (int d = 0; d < DATS; d++) {
    op2_dat_destroy(&r->dats[d]);
    free(r->dat[d].value);
    free(r->dat[d].there);
  }
  op2_set_destroy(&r->thirds);
  op2_set_destroy(&r->rim);
  for (int m = 0; m < r->whole->nmaps; m++) op2_map_destroy(&r->maps[m]);
  for (int s = 0; s < r->whole->nsets; s++) op2_set_destroy(&r->sets[s]);
  share_free(r->whole, &r->share);
}

static int rank(struct op2i_comm *comm, void *data) {
  const struct trial *t = data;
  struct run run = {.whole = &t->whole}, *r = &run;
  const op2_options options = rank_options(t->backend, t->eager);
  uint64_t seed = t->seed;
  whole_share(&t->whole, comm->rank, &r->share);
  declare_dense(r);
  DO(op2i_init_ranks(&options, comm, &r->ctx));
  if (!r->wrong) declare(r);
  for (int s = 0; s < STEPS && !r->wrong; s++) step(r, &seed);
  if (!r->wrong) look(r);
  destroy(r);
  DO(op2_finalize(&r->ctx));
  return r->wrong;
}

/* Add a map from the cells, of targets near each other. */
static void add_map(struct whole *whole, const char *name, int to, int arity, uint64_t *seed) {
  const int64_t n = whole->set[CELLS].size, targets = whole->set[to].size;
  int32_t *idx = calloc((size_t)(n * arity) + 1, sizeof *idx);
  for (int64_t i = 0; i < n * arity; i++)
    idx[i] = (int32_t)((i / arity * targets / n + draw_below(seed, 7)) % targets);
  whole->map[whole->nmaps].name = name;
  whole->map[whole->nmaps].from = CELLS;
  whole->map[whole->nmaps].to = to;
  whole->map[whole->nmaps].arity = arity;
  whole->map[whole->nmaps++].idx = idx;
}

static int tried[4][2]; /* programs by ranks, lazy and eager */

static int try_one(const char *backend, uint64_t seed) {
  uint64_t state = seed * 37 + 11;
  const int ranks = 1 + draw_below(&state, 3), how = draw_below(&state, WHOLE_HOWS);
  struct trial t = {.backend = backend, .eager = draw_below(&state, 3) == 0, .seed = seed};
  tried[ranks][t.eager]++;
  whole_draw(&t.whole, ranks, how, &state);
  add_map(&t.whole, "cell_edge", EDGES, 2, &state);
  add_map(&t.whole, "cell_five", NODES, 5, &state);
  const int wrong = run_contexts(ranks, rank, &t);
  if (wrong) diag("program %llu: %d ranks, spread %d", (unsigned long long)seed, ranks, how);
  whole_free(&t.whole);
  return wrong;
}

int main(int argc, char **argv) {
  const char *backend, *named = getenv("OP2_TEST_BACKEND");
  const int count = argc > 1 ? atoi(argv[1]) : thorough() ? 300 : quick() ? 10 : 30;
  const uint64_t first = argc > 2 ? (uint64_t)atoll(argv[2]) : 1;
  test_environment();
  for (int b = 0; (backend = next_backend_of_ranks(every_backend, &b));) {
    const int some = is_device(backend) && !named && count > 10 ? 10 : count;
    int wrong = 0;
    for (int n = 0; n < some; n++) wrong += try_one(backend, first + (uint64_t)n);
    is_int(wrong, 0, "%s: %d programs on 1 to 3 ranks", backend, some);
  }
  for (int ranks = 1; ranks < 4; ranks++)
    diag("%d ranks: %d programs were lazy, %d eager", ranks, tried[ranks][0], tried[ranks][1]);
  return done();
}
