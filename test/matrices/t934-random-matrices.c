/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs that assemble, write, zero, multiply and solve with matrices, with loops, the
 * algebra of dats and reads by the host in between, on random meshes over 1 to 4 ranks, lazily and
 * eagerly: each rank gets the results of dense matrices. Values are whole numbers, and solutions
 * are rounded to whole numbers, so that results must be equal.
 *
 *   t934-random-matrices [count [seed]]
 *
 * runs `count` programs on each backend; OP2_TEST_FULL=1 takes 1,000, OP2_TEST_QUICK=1
 * a few. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "init.h"
#include "rank_case.h"
#include "renumber.h"
#include "renumber_order.h"
#include "support.h"
#include "whole_case.h"

enum { STEPS = 40, KINDS = 14, LIMIT = 97 };
/* A: cells to nodes, with rows left out; B: also nodes to themselves; C: of the sparsity of B */
enum { A, B, C, MATS };

static const char *const sources[][2] = {
    {"add", "void add(const double *w, double a[3][3]) { for (int i = 0; i < 3; i++) for (int j = "
            "0; j < 3; j++) "
            "a[i][j] += w[0] * (i + 1) - 2 * j; }"},
    {"put", "void put(double *a, const double *x) { a[0] = 3 * x[0] + 1; }"},
    {"fold", "#include <math.h>\nvoid fold(double *x, const double *y) { x[0] = y[0] - 97 * "
             "floor(y[0] / 97); }"},
    {"sum", "void sum(const double *x, double *s) { s[0] += x[0]; }"},
    {"spread", "void spread(const double *w, double **y) { for (int k = 0; k < 3; k++) y[k][0] += "
               "w[0] + k; }"},
    {"heavy", "void heavy(double a[3][3]) { for (int i = 0; i < 9; i++) a[i / 3][i % 3] += i % 4 "
              "== 0 ? 7 : -1; }"},
    {"unit", "void unit(double *a) { a[0] += 1; }"},
    {"nearest", "#include <math.h>\nvoid nearest(double *x) { x[0] = floor(x[0] + 0.5); }"},
};
enum { ADD, PUT, FOLD, SUM, SPREAD, HEAVY, UNIT, NEAREST, KERNELS };

struct trial {
  struct whole whole;
  const char *backend;
  uint64_t seed;
  bool eager;
};

/* The reference: dense matrices in one piece, by global numbers. */
struct dense {
  int64_t n;
  bool *there[MATS];
  double *mat[MATS], *x, *y, sum;
};

struct run {
  op2_context ctx;
  struct share share;
  op2_set sets[WHOLE_SETS], thirds; /* nodes whose number is a multiple of 3 */
  op2_map maps[WHOLE_MAPS], partial, self;
  op2_dat weight, x, y, z, t;
  op2_gbl sum;
  op2_sparsity sparsities[C], heavy_sparsity;
  op2_mat mats[MATS], heavy;
  op2_solver solver;
  op2_kernel kernels[KERNELS];
  struct dense dense;
  int wrong;
};

static bool absent(int64_t cell, int slot) { return (cell * 5 + slot) % 4 == 0; }
static double weight_of(int64_t cell) { return (double)(cell * 17 % 11); }

#define DO(call)                                                                                   \
  do {                                                                                             \
    if (!r->wrong && (call) != OP2_SUCCESS) {                                                      \
      fprintf(stderr, "# %s:%d: %s\n", __FILE__, __LINE__, op2_error_message());                   \
      r->wrong++;                                                                                  \
    }                                                                                              \
  } while (0)

/* ---- declarations ---------------------------------------------------------------------------- */

static void mark(struct run *r, const struct trial *t, int64_t cell) {
  const int32_t *node = t->whole.map[CELL_NODE].idx + 3 * cell;
  struct dense *d = &r->dense;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      if (!absent(cell, i)) d->there[A][node[i] * d->n + node[j]] = true;
      d->there[B][node[i] * d->n + node[j]] = d->there[C][node[i] * d->n + node[j]] = true;
    }
}

static void declare_dense(struct run *r, const struct trial *t) {
  struct dense *d = &r->dense;
  d->n = t->whole.set[NODES].size;
  size_t square = (size_t)(d->n * d->n) + 1;
  for (int m = 0; m < MATS; m++) {
    d->there[m] = calloc(square, sizeof(bool));
    d->mat[m] = calloc(square, sizeof(double));
  }
  d->x = calloc((size_t)d->n + 1, sizeof *d->x);
  d->y = calloc((size_t)d->n + 1, sizeof *d->y);
  for (int64_t i = 0; i < d->n; i++) {
    d->x[i] = (double)(i * 7 % 13) - 6;
    for (int m = 0; m < MATS; m++) d->there[m][i * d->n + i] = true;
  }
  for (int64_t c = 0; c < t->whole.set[CELLS].size; c++) mark(r, t, c);
}

static void declare_maps(struct run *r) {
  int64_t ncells = r->share.set[CELLS].ends[3], nnodes = r->share.set[NODES].ends[3], n = 0;
  int32_t *idx = calloc((size_t)(3 * ncells) + 1, sizeof *idx);
  int64_t *list = calloc((size_t)nnodes + 1, sizeof *list);
  for (int64_t i = 0; i < 3 * ncells; i++)
    idx[i] =
        absent(r->share.set[CELLS].global[i / 3], (int)(i % 3)) ? -1 : r->share.idx[CELL_NODE][i];
  for (int64_t i = 0; i < nnodes; i++)
    if (r->share.set[NODES].global[i] % 3 == 0) list[n++] = i;
  DO(op2_map_create_partial(r->sets[CELLS], r->sets[NODES], 3, idx, "some", &r->partial));
  DO(self_declare(r->sets[NODES], &r->self));
  DO(op2_subset_create(r->sets[NODES], n, list, "thirds", &r->thirds));
  free(idx);
  free(list);
}

static op2_sparsity sparsity_of(const struct run *r, int m) {
  return r->sparsities[m == A ? A : B];
}

static void declare_mats(struct run *r) {
  static const char *const names[] = {"A", "B", "C"};
  const op2_map cells = r->maps[CELL_NODE];
  const op2_map_pair of_a[] = {{r->partial, cells}, {NULL, NULL}}; /* and the diagonal */
  const op2_map_pair of_b[] = {{r->self, r->self}, {cells, cells}};
  DO(op2_sparsity_create(2, of_a, "of a", &r->sparsities[A]));
  DO(op2_sparsity_create(2, of_b, "of b", &r->sparsities[B]));
  DO(op2_sparsity_create(2, of_b, "heavy", &r->heavy_sparsity));
  for (int m = 0; m < MATS; m++)
    DO(op2_mat_create(sparsity_of(r, m), 1, 1, OP2_F64, names[m], &r->mats[m]));
  DO(op2_mat_create(r->heavy_sparsity, 1, 1, OP2_F64, "H", &r->heavy));
  DO(op2_par_loop(r->kernels[HEAVY], r->sets[CELLS], op2_arg_mat(r->heavy, cells, cells, OP2_INC)));
  DO(op2_par_loop(r->kernels[UNIT], r->sets[NODES],
                  op2_arg_mat(r->heavy, r->self, r->self, OP2_INC)));
}

static void declare(struct run *r, const struct trial *t) {
  int64_t ncells = r->share.set[CELLS].ends[3], nnodes = r->share.set[NODES].ends[3];
  double *w = calloc((size_t)ncells + 1, sizeof *w), *x = calloc((size_t)nnodes + 1, sizeof *x);
  const op2_solver_options options = {.rtol = 1e-12};
  DO(share_declare(&t->whole, &r->share, r->ctx, r->sets, r->maps));
  if (!r->wrong) declare_maps(r);
  for (int64_t i = 0; i < ncells; i++) w[i] = weight_of(r->share.set[CELLS].global[i]);
  for (int64_t i = 0; i < nnodes; i++) /* halo values are not defined at first */
    x[i] = i < r->share.set[NODES].ends[1] ? r->dense.x[r->share.set[NODES].global[i]] : 1e9;
  DO(op2_dat_create(r->sets[CELLS], 1, OP2_F64, w, "w", &r->weight));
  DO(op2_dat_create(r->sets[NODES], 1, OP2_F64, x, "x", &r->x));
  DO(op2_dat_create(r->sets[NODES], 1, OP2_F64, NULL, "y", &r->y));
  DO(op2_dat_create(r->sets[NODES], 1, OP2_F64, NULL, "z", &r->z));
  DO(op2_dat_create(r->sets[NODES], 1, OP2_F64, NULL, "t", &r->t));
  DO(op2_gbl_create(r->ctx, 1, OP2_F64, NULL, "sum", &r->sum));
  DO(op2_solver_create(r->ctx, &options, "solver", &r->solver));
  for (int k = 0; k < KERNELS; k++)
    DO(op2_kernel_create(r->ctx, &(op2_kernel_desc){.name = sources[k][0], .source = sources[k][1]},
                         &r->kernels[k]));
  if (!r->wrong) declare_mats(r);
  free(w);
  free(x);
}

/* ---- steps, and their effect on the dense matrices ------------------------------------------- */

/* Nothing is added to rows or columns of the thirds, as `side` says. */
static void assemble(struct run *r, const struct trial *t, int side) {
  struct dense *d = &r->dense;
  const op2_map rows = r->partial, columns = r->maps[CELL_NODE];
  const op2_arg all = op2_arg_mat(r->mats[A], rows, columns, OP2_INC);
  const op2_arg some =
      op2_arg_mat_drop(r->mats[A], rows, columns, OP2_INC, (op2_side)side, r->thirds);
  DO(op2_par_loop(r->kernels[ADD], r->sets[CELLS], op2_arg_direct(r->weight, OP2_READ),
                  side ? some : all));
  for (int64_t c = 0; c < t->whole.set[CELLS].size; c++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const int32_t *node = t->whole.map[CELL_NODE].idx + 3 * c;
        if (side & OP2_ROWS && node[i] % 3 == 0) continue;
        if (side & OP2_COLUMNS && node[j] % 3 == 0) continue;
        if (!absent(c, i)) d->mat[A][node[i] * d->n + node[j]] += weight_of(c) * (i + 1) - 2 * j;
      }
}

static void put(struct run *r) {
  struct dense *d = &r->dense;
  DO(op2_par_loop(r->kernels[PUT], r->sets[NODES],
                  op2_arg_mat(r->mats[B], r->self, r->self, OP2_WRITE),
                  op2_arg_direct(r->x, OP2_READ)));
  for (int64_t i = 0; i < d->n; i++) d->mat[B][i * d->n + i] = 3 * d->x[i] + 1;
}

static void add_heavy_to_b(struct run *r, const struct trial *t) {
  const op2_map cells = r->maps[CELL_NODE];
  struct dense *d = &r->dense;
  DO(op2_par_loop(r->kernels[HEAVY], r->sets[CELLS],
                  op2_arg_mat(r->mats[B], cells, cells, OP2_INC)));
  for (int64_t c = 0; c < t->whole.set[CELLS].size; c++)
    for (int i = 0; i < 9; i++) {
      const int32_t *node = t->whole.map[CELL_NODE].idx + 3 * c;
      d->mat[B][node[i / 3] * d->n + node[i % 3]] += i % 4 == 0 ? 7 : -1;
    }
}

static void zero(struct run *r, int m) {
  DO(op2_mat_zero(r->mats[m]));
  memset(r->dense.mat[m], 0, (size_t)(r->dense.n * r->dense.n) * sizeof(double));
}

static void zero_rows(struct run *r, int m, double diagonal) {
  struct dense *d = &r->dense;
  DO(op2_mat_zero_rows(r->mats[m], r->thirds, diagonal));
  for (int64_t i = 0; i < d->n; i += 3)
    for (int64_t j = 0; j < d->n; j++) d->mat[m][i * d->n + j] = i == j ? diagonal : 0;
}

/* The right-hand side y is corrected by x if `corrects`, else there is none. */
static void zero_rows_columns(struct run *r, int m, double diagonal, bool corrects) {
  struct dense *d = &r->dense;
  DO(op2_mat_zero_rows_columns(r->mats[m], r->thirds, diagonal, corrects ? r->x : NULL,
                               corrects ? r->y : NULL));
  for (int64_t i = 0; i < d->n; i++)
    for (int64_t j = 0; j < d->n; j++) {
      if (i % 3 && j % 3) continue;
      if (corrects && i % 3) d->y[i] -= d->mat[m][i * d->n + j] * d->x[j];
      d->mat[m][i * d->n + j] = i == j ? diagonal : 0;
    }
  for (int64_t i = 0; i < d->n && corrects; i += 3) d->y[i] = diagonal * d->x[i];
}

static void multiply(struct run *r, int m, bool transposed) {
  struct dense *d = &r->dense;
  if (transposed)
    DO(op2_mat_mult_transpose(r->mats[m], r->x, r->y));
  else
    DO(op2_mat_mult(r->mats[m], r->x, r->y));
  for (int64_t i = 0; i < d->n; i++) {
    d->y[i] = 0;
    for (int64_t j = 0; j < d->n; j++)
      d->y[i] += d->mat[m][transposed ? j * d->n + i : i * d->n + j] * d->x[j];
  }
}

static void diagonal(struct run *r, int m) {
  struct dense *d = &r->dense;
  DO(op2_mat_diagonal(r->mats[m], r->y));
  for (int64_t i = 0; i < d->n; i++) d->y[i] = d->mat[m][i * d->n + i];
}

static void fold(struct run *r) {
  struct dense *d = &r->dense;
  DO(op2_par_loop(r->kernels[FOLD], r->sets[NODES], op2_arg_direct(r->x, OP2_WRITE),
                  op2_arg_direct(r->y, OP2_READ)));
  for (int64_t i = 0; i < d->n; i++) d->x[i] = d->y[i] - LIMIT * floor(d->y[i] / LIMIT);
}

static void spread(struct run *r, const struct trial *t) {
  struct dense *d = &r->dense;
  DO(op2_par_loop(r->kernels[SPREAD], r->sets[CELLS], op2_arg_direct(r->weight, OP2_READ),
                  op2_arg_dat(r->y, OP2_ALL, r->maps[CELL_NODE], OP2_INC)));
  for (int64_t c = 0; c < t->whole.set[CELLS].size; c++)
    for (int k = 0; k < 3; k++) d->y[t->whole.map[CELL_NODE].idx[3 * c + k]] += weight_of(c) + k;
}

/* Solving H z = H x must give z = x. */
static void solve(struct run *r) {
  DO(op2_mat_mult(r->heavy, r->x, r->t));
  DO(op2_solve(r->solver, r->heavy, r->z, r->t));
  DO(op2_par_loop(r->kernels[NEAREST], r->sets[NODES], op2_arg_direct(r->z, OP2_RW)));
  DO(op2_par_loop(r->kernels[FOLD], r->sets[NODES], op2_arg_direct(r->x, OP2_WRITE),
                  op2_arg_direct(r->z, OP2_READ)));
  for (int64_t i = 0; i < r->dense.n; i++)
    r->dense.x[i] = r->dense.x[i] - LIMIT * floor(r->dense.x[i] / LIMIT);
}

static void sum(struct run *r) {
  DO(op2_par_loop(r->kernels[SUM], r->sets[NODES], op2_arg_direct(r->x, OP2_READ),
                  op2_arg_gbl(r->sum, OP2_INC)));
  for (int64_t i = 0; i < r->dense.n; i++) r->dense.sum += r->dense.x[i];
}

/* Update y and the sum by the algebra of dats. */
static void combine(struct run *r, double factor) {
  struct dense *d = &r->dense;
  DO(op2_dat_axpy(r->y, op2_scalar_value(factor), r->x));
  DO(op2_dat_dot(r->x, r->y, r->sum));
  d->sum = 0;
  for (int64_t i = 0; i < d->n; i++) {
    d->y[i] += factor * d->x[i];
    d->sum += d->x[i] * d->y[i];
  }
}

/* The host overwrites, or adds to, some nonzeros of any rows, each of which one rank gives. */
static void put_values(struct run *r, int m, uint64_t *seed, bool adds) {
  enum { BLOCKS = 8 };
  struct dense *d = &r->dense;
  const struct op2i_comm *comm = r->ctx->comm;
  int64_t rows[BLOCKS], columns[BLOCKS], n = 0;
  double values[BLOCKS];
  for (int k = 0; k < BLOCKS && d->n; k++) {
    const int64_t row = (draw_below(seed, 97) * BLOCKS + k) % d->n;
    int64_t column = draw_below(seed, (int)d->n);
    const double value = draw_below(seed, 9) - 4;
    while (!d->there[m][row * d->n + column]) column = (column + 1) % d->n;
    double *const to = &d->mat[m][row * d->n + column];
    *to = adds ? *to + value : (double)(row - column); /* given twice, it is the same */
    if (comm && draw_below(seed, comm->size) != comm->rank) continue;
    rows[n] = row;
    columns[n] = column;
    values[n++] = adds ? value : (double)(row - column);
  }
  if (adds)
    DO(op2_mat_add(r->mats[m], n, rows, columns, values));
  else
    DO(op2_mat_set(r->mats[m], n, rows, columns, values));
}

/* One of the operations with whole matrices B and C. */
static void combine_mats(struct run *r, int how, double factor) {
  struct dense *d = &r->dense;
  const op2_scalar a = op2_scalar_value(factor);
  if (how == 0) DO(op2_mat_axpy(r->mats[B], a, r->mats[C]));
  if (how == 1) DO(op2_mat_copy(r->mats[B], r->mats[C]));
  if (how == 2) DO(op2_mat_scale(r->mats[C], a));
  for (int64_t k = 0; k < d->n * d->n; k++) {
    if (how == 0) d->mat[B][k] += factor * d->mat[C][k];
    if (how == 1) d->mat[C][k] = d->mat[B][k];
    if (how == 2) d->mat[C][k] *= factor;
  }
}

/* The largest sum of a row, or the root of a sum of squares, whose rounding is taken away. */
static void norm(struct run *r, int m, bool largest) {
  struct dense *d = &r->dense;
  double norm = 0, got = 0;
  DO(op2_mat_norm(r->mats[m], largest ? OP2_NORM_INF : OP2_NORM_FROBENIUS, r->sum));
  DO(op2_gbl_get(r->sum, &got));
  for (int64_t i = 0; i < d->n; i++) {
    double row = 0;
    for (int64_t j = 0; j < d->n; j++) {
      const double value = d->mat[m][i * d->n + j];
      row += largest ? fabs(value) : value * value;
    }
    norm = !largest ? norm + row : row > norm ? row : norm;
  }
  norm = largest ? norm : sqrt(norm);
  r->wrong += !r->wrong && fabs(got - norm) > (largest ? 0 : 1e-13 * norm);
  d->sum = 0;
  DO(op2_gbl_set(r->sum, &d->sum));
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static void look_at_mat(struct run *r, int m) {
  struct dense *d = &r->dense;
  int64_t rows = 0, places = 0;
  DO(op2_sparsity_size(sparsity_of(r, m), &rows, &places));
  int64_t *starts = calloc((size_t)rows + 1, sizeof *starts);
  int64_t *columns = calloc((size_t)places + 1, sizeof *columns);
  double *values = calloc((size_t)places + 1, sizeof *values);
  DO(op2_sparsity_get(sparsity_of(r, m), starts, columns));
  DO(op2_mat_get(r->mats[m], values));
  for (int64_t i = 0; i < rows && !r->wrong; i++) {
    int64_t row = r->share.set[NODES].global[i], expected = 0;
    for (int64_t c = 0; c < d->n; c++) expected += d->there[m][row * d->n + c];
    r->wrong += starts[i + 1] - starts[i] != expected;
    for (int64_t p = starts[i]; p < starts[i + 1] && !r->wrong; p++)
      r->wrong +=
          !d->there[m][row * d->n + columns[p]] || values[p] != d->mat[m][row * d->n + columns[p]];
  }
  free(starts);
  free(columns);
  free(values);
}

static void look(struct run *r) {
  int64_t owned = r->share.set[NODES].ends[1];
  double *values = calloc((size_t)owned + 1, sizeof *values), total = 0;
  const op2_dat dats[] = {r->x, r->y};
  const double *const want[] = {r->dense.x, r->dense.y};
  for (int k = 0; k < 2; k++) {
    DO(op2_dat_get(dats[k], values));
    for (int64_t i = 0; i < owned && !r->wrong; i++)
      r->wrong += values[i] != want[k][r->share.set[NODES].global[i]];
  }
  DO(op2_gbl_get(r->sum, &total));
  r->wrong += !r->wrong && total != r->dense.sum;
  for (int m = 0; m < MATS; m++) look_at_mat(r, m);
  free(values);
}

static void step(struct run *r, const struct trial *t, uint64_t *seed) {
  int kind = draw_below(seed, KINDS), m = draw_below(seed, MATS);
  switch (kind) {
  case 0:
  case 1: assemble(r, t, kind ? draw_below(seed, 4) : 0); break;
  case 2: put(r); break;
  case 3: add_heavy_to_b(r, t); break;
  case 4: zero(r, m); break;
  case 5: {
    const int how = draw_below(seed, 3), value = draw_below(seed, 5);
    how ? zero_rows_columns(r, m, value, how > 1) : zero_rows(r, m, value);
    break;
  }
  case 6: multiply(r, m, draw_below(seed, 2)); break;
  case 7: draw_below(seed, 2) ? diagonal(r, m) : spread(r, t); break;
  case 8: fold(r); break;
  case 9: draw_below(seed, 2) ? solve(r) : sum(r); break;
  case 10: combine(r, draw_below(seed, 5) - 2); break;
  case 11: {
    const int how = draw_below(seed, 5);
    how > 2 ? norm(r, m, how == 3) : combine_mats(r, how, draw_below(seed, 5) - 2);
    break;
  }
  case 12: put_values(r, m, seed, draw_below(seed, 2)); break;
  default:
    if (draw_below(seed, 3) == 0) look(r);
  }
}

static int rank(struct op2i_comm *comm, void *data) {
  const struct trial *t = data;
  struct run run = {0}, *r = &run;
  const op2_options options = rank_options(t->backend, t->eager);
  uint64_t seed = t->seed;
  int renumber_at = draw_below(&seed, 2 * STEPS);
  whole_share(&t->whole, comm->rank, &r->share);
  declare_dense(r, t);
  DO(op2i_init_ranks(&options, comm, &r->ctx));
  if (!r->wrong) declare(r, t);
  for (int s = 0; s < STEPS && !r->wrong; s++) {
    step(r, t, &seed);
    if (s == renumber_at && !op2i_order_unavailable()) DO(op2_renumber(r->maps[CELL_NODE]));
  }
  if (!r->wrong) look(r);
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&r->kernels[k]);
  for (int m = 0; m < MATS; m++) {
    op2_mat_destroy(&r->mats[m]);
    if (m < C) op2_sparsity_destroy(&r->sparsities[m]);
    free(r->dense.there[m]);
    free(r->dense.mat[m]);
  }
  free(r->dense.x);
  free(r->dense.y);
  op2_mat_destroy(&r->heavy);
  op2_sparsity_destroy(&r->heavy_sparsity);
  op2_solver_destroy(&r->solver);
  op2_gbl_destroy(&r->sum);
  op2_dat *dats[] = {&r->weight, &r->x, &r->y, &r->z, &r->t};
  for (int d = 0; d < 5; d++) op2_dat_destroy(dats[d]);
  op2_map_destroy(&r->partial);
  op2_map_destroy(&r->self);
  op2_set_destroy(&r->thirds);
  for (int m = 0; m < t->whole.nmaps; m++) op2_map_destroy(&r->maps[m]);
  for (int s = 0; s < t->whole.nsets; s++) op2_set_destroy(&r->sets[s]);
  share_free(&t->whole, &r->share);
  DO(op2_finalize(&r->ctx));
  return r->wrong;
}

/* ---- all cases ------------------------------------------------------------------------------- */

static bool layout; /* OP2_SLICES was set */

static int try_one(const char *backend, uint64_t seed) {
  uint64_t state = seed * 31 + 5;
  int ranks = 1 + draw_below(&state, 4), how = draw_below(&state, WHOLE_HOWS);
  struct trial t = {.backend = backend, .eager = draw_below(&state, 3) == 0, .seed = seed};
  if (seed % 3 < 2 && !layout)
    setenv("OP2_SLICES", seed % 3 ? "1" : "0", 1);
  else if (!layout)
    unsetenv("OP2_SLICES");
  whole_draw(&t.whole, ranks, how, &state);
  int wrong = run_contexts(ranks, rank, &t);
  if (wrong) diag("program %llu: %d ranks, spread %d", (unsigned long long)seed, ranks, how);
  whole_free(&t.whole);
  return wrong;
}

int main(int argc, char **argv) {
  const char *backend, *named = getenv("OP2_TEST_BACKEND");
  const int count = argc > 1 ? atoi(argv[1]) : quick() ? 20 : thorough() ? 1000 : 50;
  const uint64_t first = argc > 2 ? (uint64_t)atoll(argv[2]) : 1;
  test_environment();
  layout = getenv("OP2_SLICES") != NULL;
  for (int b = 0; (backend = next_backend_of_ranks(every_backend, &b));) {
    int some = is_device(backend) && !named && count > 10 ? 10 : count, wrong = 0;
    for (int n = 0; n < some; n++) wrong += try_one(backend, first + (uint64_t)n);
    is_int(wrong, 0, "%s: %d programs on 1 to 4 ranks", backend, some);
  }
  return done();
}
