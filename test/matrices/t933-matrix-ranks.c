/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices over ranks: assembled from elements that reach other ranks' rows, with entries that are
 * ignored, blocks, products, zeros and renumbering, on meshes that are distributed at random, in
 * blocks, on one rank, and by partitioning. Each rank's rows are those of the matrix in one piece.
 * Values are whole numbers, so that the order of additions does not matter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "rank_case.h"
#include "renumber.h"
#include "renumber_order.h"
#include "support.h"
#include "whole_case.h"

enum { DIM = 2, TURNS = 3 };

struct trial {
  struct whole whole;
  const char *backend;
  uint64_t seed;
  bool eager;
  bool *there;   /* [nodes][nodes] */
  double *dense; /* [nodes][DIM][nodes][DIM], of one assembly */
};

struct run {
  op2_context ctx;
  struct share share;
  op2_set sets[WHOLE_SETS];
  op2_map maps[WHOLE_MAPS], partial; /* cells to nodes, with some entries ignored */
  op2_dat weight, x, y;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_map self; /* nodes to themselves */
  op2_sparsity of_nodes;
  op2_mat square; /* a diagonal matrix */
  op2_kernel add;
};

static bool absent(int64_t cell, int slot) { return (cell * 5 + slot) % 4 == 0; }
static double weight_of(int64_t cell) { return (double)(cell * 17 % 23); }
static double x_of(int64_t node, int l) { return (double)((node * 7 + l) % 13) - 6; }
static double value(double w, int r, int c) { return w * (r + 1) - 2 * c + r * c; }

/* ---- reference in one context without ranks -------------------------------------------------- */

static void add_cell(const struct trial *t, int64_t cell) {
  const int arity = t->whole.map[CELL_NODE].arity;
  const int64_t n = t->whole.set[NODES].size;
  const int32_t *node = t->whole.map[CELL_NODE].idx + cell * arity;
  for (int r = 0; r < arity * DIM; r++)
    for (int c = 0; c < arity * DIM; c++) {
      int64_t row = node[r / DIM], column = node[c / DIM];
      if (absent(cell, r / DIM)) continue;
      t->there[row * n + column] = true;
      t->dense[((row * DIM + r % DIM) * n + column) * DIM + c % DIM] +=
          value(weight_of(cell), r, c);
    }
}

static double product(const struct trial *t, int64_t row, int k) {
  const int64_t n = t->whole.set[NODES].size;
  double sum = 0;
  for (int64_t c = 0; c < n * DIM; c++)
    sum += t->dense[(row * DIM + k) * n * DIM + c] * x_of(c / DIM, (int)(c % DIM));
  return sum;
}

/* ---- the same on a rank ---------------------------------------------------------------------- */

static op2_status declare_partial(struct run *r, const struct trial *t) {
  const int arity = t->whole.map[CELL_NODE].arity;
  int64_t n = r->share.set[CELLS].ends[3];
  int32_t *idx = calloc((size_t)(n * arity) + 1, sizeof *idx);
  for (int64_t i = 0; i < n * arity; i++) {
    bool none = absent(r->share.set[CELLS].global[i / arity], (int)(i % arity));
    idx[i] = none ? -1 : r->share.idx[CELL_NODE][i];
  }
  op2_status status =
      op2_map_create_partial(r->sets[CELLS], r->sets[NODES], arity, idx, "some", &r->partial);
  free(idx);
  return status;
}

static op2_status declare(struct run *r, const struct trial *t) {
  int64_t ncells = r->share.set[CELLS].ends[3], nnodes = r->share.set[NODES].ends[3];
  double *w = calloc((size_t)ncells + 1, sizeof *w),
         *x = calloc((size_t)(nnodes * DIM) + 1, sizeof *x);
  char source[256];
  const int block = t->whole.map[CELL_NODE].arity * DIM;
  for (int64_t i = 0; i < ncells; i++) w[i] = weight_of(r->share.set[CELLS].global[i]);
  for (int64_t i = 0; i < nnodes * DIM; i++) { /* halo values are not defined at first */
    bool own = i < r->share.set[NODES].ends[1] * DIM;
    x[i] = own ? x_of(r->share.set[NODES].global[i / DIM], (int)(i % DIM)) : 1e9;
  }
  snprintf(source, sizeof source,
           "void add(const double *w, double a[%d][%d]) { for (int r = 0; r < %d; r++) for (int c "
           "= 0; c "
           "< %d; c++) a[r][c] += w[0] * (r + 1) - 2 * c + r * c; }",
           block, block, block, block);
  const op2_kernel_desc desc = {.name = "add", .source = source};
  op2_status status = share_declare(&t->whole, &r->share, r->ctx, r->sets, r->maps);
  if (!status) status = declare_partial(r, t);
  if (!status) status = op2_dat_create(r->sets[CELLS], 1, OP2_F64, w, "w", &r->weight);
  if (!status) status = op2_dat_create(r->sets[NODES], DIM, OP2_F64, x, "x", &r->x);
  if (!status) status = op2_dat_create(r->sets[NODES], DIM, OP2_F64, NULL, "y", &r->y);
  const op2_map_pair pair = {r->partial, r->maps[CELL_NODE]};
  if (!status) status = op2_sparsity_create(1, &pair, "sparsity", &r->sparsity);
  if (!status) status = op2_mat_create(r->sparsity, DIM, DIM, OP2_F64, "K", &r->mat);
  if (!status) status = op2_kernel_create(r->ctx, &desc, &r->add);
  if (!status) status = self_declare(r->sets[NODES], &r->self);
  const op2_map_pair own = {r->self, r->self};
  if (!status) status = op2_sparsity_create(1, &own, "of nodes", &r->of_nodes);
  if (!status) status = op2_mat_create(r->of_nodes, DIM, DIM, OP2_F64, "S", &r->square);
  free(w);
  free(x);
  return status;
}

static int look(struct run *r, const struct trial *t, int times) {
  int64_t rows = 0, places = 0, n = t->whole.set[NODES].size;
  int wrong = op2_sparsity_size(r->sparsity, &rows, &places) != OP2_SUCCESS;
  int64_t *starts = calloc((size_t)rows + 1, sizeof *starts);
  int64_t *columns = calloc((size_t)places + 1, sizeof *columns);
  double *values = calloc((size_t)places * DIM * DIM + 1, sizeof *values);
  double *y = calloc((size_t)rows * DIM + 1, sizeof *y);
  wrong += op2_sparsity_get(r->sparsity, starts, columns) != OP2_SUCCESS;
  wrong += op2_mat_get(r->mat, values) != OP2_SUCCESS;
  wrong += op2_dat_get(r->y, y) != OP2_SUCCESS;
  wrong += rows != r->share.set[NODES].ends[1];
  for (int64_t i = 0; i < rows && !wrong; i++) {
    int64_t row = r->share.set[NODES].global[i], expected = 0;
    for (int64_t c = 0; c < n; c++) expected += t->there[row * n + c];
    wrong += starts[i + 1] - starts[i] != expected;
    for (int64_t p = starts[i]; p < starts[i + 1] && !wrong; p++) {
      wrong += !t->there[row * n + columns[p]] || (p > starts[i] && columns[p] <= columns[p - 1]);
      for (int k = 0; k < DIM * DIM; k++)
        wrong += values[p * DIM * DIM + k] !=
                 times * t->dense[((row * DIM + k / DIM) * n + columns[p]) * DIM + k % DIM];
    }
    for (int k = 0; k < DIM; k++) wrong += y[i * DIM + k] != times * product(t, row, k);
  }
  free(starts);
  free(columns);
  free(values);
  free(y);
  return wrong;
}

/* Every third node gets the rows of the identity. */
static int condition(struct run *r, const struct trial *t) {
  int64_t owned = r->share.set[NODES].ends[1], total = r->share.set[NODES].ends[3], n = 0, rows,
          places;
  int64_t *list = calloc((size_t)total + 1, sizeof *list);
  double *diagonal = calloc((size_t)owned * DIM + 1, sizeof *diagonal);
  op2_set some = NULL;
  int wrong = 0;
  (void)t;
  for (int64_t i = 0; i < total; i++)
    if (r->share.set[NODES].global[i] % 3 == 0) list[n++] = i;
  wrong += op2_subset_create(r->sets[NODES], n, list, "some", &some) != OP2_SUCCESS;
  if (!wrong) wrong += op2_mat_zero_rows(r->square, some, 4) != OP2_SUCCESS;
  if (!wrong) wrong += op2_mat_diagonal(r->square, r->y) != OP2_SUCCESS;
  if (!wrong) wrong += op2_dat_get(r->y, diagonal) != OP2_SUCCESS;
  for (int64_t i = 0; i < owned * DIM && !wrong; i++)
    wrong += diagonal[i] != (r->share.set[NODES].global[i / DIM] % 3 ? 0 : 4);
  wrong += op2_sparsity_size(r->of_nodes, &rows, &places) != OP2_SUCCESS || rows != owned ||
           places != owned;
  op2_set_destroy(&some);
  free(list);
  free(diagonal);
  return wrong;
}

/* A diagonally dominant matrix, and a system with a known solution. */
static int solve(struct run *r, const struct trial *t) {
  const op2_map map = r->maps[CELL_NODE];
  const op2_map_pair pair = {map, map};
  const int block = t->whole.map[CELL_NODE].arity * DIM;
  int64_t owned = r->share.set[NODES].ends[1];
  double *got = calloc((size_t)owned * DIM + 1, sizeof *got);
  char source[256];
  snprintf(
      source, sizeof source,
      "void heavy(double a[%d][%d]) { for (int i = 0; i < %d; i++) for (int j = 0; j < %d; j++) "
      "a[i][j] += i == j ? %d : -1; }",
      block, block, block, block, 2 * block);
  const op2_kernel_desc desc = {.name = "heavy", .source = source};
  const op2_kernel_desc one = {
      .name = "one", .source = "void one(double a[2][2]) { a[0][0] += 1; a[1][1] += 1; }"};
  const op2_solver_options options = {.rtol = 1e-13, .start_at_zero = 1};
  op2_sparsity sparsity = NULL;
  op2_mat mat = NULL;
  op2_kernel heavy = NULL, unit = NULL;
  op2_solver solver = NULL;
  op2_dat x = NULL;
  op2_solve_result result = {0};
  const op2_map_pair both[] = {pair, {r->self, r->self}};
  int wrong = op2_sparsity_create(2, both, "heavy", &sparsity) != OP2_SUCCESS;
  if (!wrong) wrong += op2_mat_create(sparsity, DIM, DIM, OP2_F64, "H", &mat) != OP2_SUCCESS;
  if (!wrong) wrong += op2_kernel_create(r->ctx, &desc, &heavy) != OP2_SUCCESS;
  if (!wrong) wrong += op2_kernel_create(r->ctx, &one, &unit) != OP2_SUCCESS;
  if (!wrong) wrong += op2_solver_create(r->ctx, &options, "cg", &solver) != OP2_SUCCESS;
  if (!wrong)
    wrong += op2_dat_create(r->sets[NODES], DIM, OP2_F64, NULL, "solution", &x) != OP2_SUCCESS;
  if (!wrong)
    wrong +=
        op2_par_loop(heavy, r->sets[CELLS], op2_arg_mat(mat, map, map, OP2_INC)) != OP2_SUCCESS;
  if (!wrong)
    wrong += op2_par_loop(unit, r->sets[NODES], op2_arg_mat(mat, r->self, r->self, OP2_INC)) !=
             OP2_SUCCESS;
  if (!wrong) wrong += op2_mat_mult(mat, r->x, r->y) != OP2_SUCCESS;
  if (!wrong) wrong += op2_solve(solver, mat, x, r->y) != OP2_SUCCESS;
  if (!wrong)
    wrong += op2_solver_result(solver, &result) != OP2_SUCCESS || result.reason <= OP2_NOT_SOLVED;
  if (!wrong) wrong += op2_dat_get(x, got) != OP2_SUCCESS;
  for (int64_t i = 0; i < owned * DIM && !wrong; i++)
    wrong += fabs(got[i] - x_of(r->share.set[NODES].global[i / DIM], (int)(i % DIM))) > 1e-9;
  op2_dat_destroy(&x);
  op2_solver_destroy(&solver);
  op2_kernel_destroy(&unit);
  op2_kernel_destroy(&heavy);
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
  free(got);
  return wrong;
}

static int play(struct run *r, const struct trial *t) {
  int wrong = 0, times = 0;
  for (int turn = 0; turn < TURNS && !wrong; turn++) {
    if (turn == 2) {
      wrong += op2_mat_zero(r->mat) != OP2_SUCCESS;
      times = 0;
    }
    wrong +=
        op2_par_loop(r->add, r->sets[CELLS], op2_arg_direct(r->weight, OP2_READ),
                     op2_arg_mat(r->mat, r->partial, r->maps[CELL_NODE], OP2_INC)) != OP2_SUCCESS;
    times++;
    wrong += op2_mat_mult(r->mat, r->x, r->y) != OP2_SUCCESS;
    if (!wrong) wrong = look(r, t, times);
    if (turn == 0 && t->seed % 2 && !op2i_order_unavailable())
      wrong += op2_renumber(r->maps[CELL_NODE]) != OP2_SUCCESS;
    if (!wrong) wrong = condition(r, t);
    if (!wrong) wrong = solve(r, t);
  }
  return wrong;
}

static int rank(struct op2i_comm *comm, void *data) {
  const struct trial *t = data;
  struct run r = {0};
  const op2_options options = rank_options(t->backend, t->eager);
  int wrong = 0;
  whole_share(&t->whole, comm->rank, &r.share);
  op2_status status = op2i_init_ranks(&options, comm, &r.ctx);
  if (!status) status = declare(&r, t);
  if (!status) wrong = play(&r, t);
  if (status || wrong)
    fprintf(stderr, "# rank %d of %d: %s (%d wrong)\n", comm->rank, comm->size, op2_error_message(),
            wrong);
  op2_kernel_destroy(&r.add);
  op2_mat_destroy(&r.mat);
  op2_sparsity_destroy(&r.sparsity);
  op2_dat *dats[] = {&r.weight, &r.x, &r.y};
  for (int d = 0; d < 3; d++) op2_dat_destroy(dats[d]);
  op2_mat_destroy(&r.square);
  op2_sparsity_destroy(&r.of_nodes);
  op2_map_destroy(&r.self);
  op2_map_destroy(&r.partial);
  for (int m = 0; m < t->whole.nmaps; m++) op2_map_destroy(&r.maps[m]);
  for (int s = 0; s < t->whole.nsets; s++) op2_set_destroy(&r.sets[s]);
  share_free(&t->whole, &r.share);
  if (op2_finalize(&r.ctx)) wrong++;
  return wrong + (status != OP2_SUCCESS);
}

/* ---- all cases ------------------------------------------------------------------------------- */

static int try_one(const char *backend, int ranks, int how, uint64_t seed) {
  struct trial t = {.backend = backend, .eager = seed % 3 == 0, .seed = seed};
  uint64_t state = seed * 31 + 5;
  whole_draw(&t.whole, ranks, how, &state);
  size_t n = (size_t)t.whole.set[NODES].size;
  t.there = calloc(n * n + 1, sizeof *t.there);
  t.dense = calloc(n * n * DIM * DIM + 1, sizeof *t.dense);
  for (int64_t cell = 0; cell < t.whole.set[CELLS].size; cell++) add_cell(&t, cell);
  int wrong = run_contexts(ranks, rank, &t);
  free(t.there);
  free(t.dense);
  whole_free(&t.whole);
  return wrong;
}

int main(void) {
  const char *backend;
  test_environment();
  for (int b = 0; (backend = next_backend_of_ranks(every_backend, &b));) {
    int trials = quick() ? 2 : thorough() ? 40 : 3, wrong = 0, run = 0;
    if (is_device(backend) && trials > 2) trials = 2;
    for (int ranks = 1; ranks <= 4; ranks++)
      for (int how = 0; how < WHOLE_HOWS; how++)
        for (int n = 0; n < trials; n++, run++)
          wrong += try_one(backend, ranks, how, (uint64_t)(100 * ranks + 10 * how + n + 1));
    is_int(wrong, 0, "%s: %d matrices on 1 to 4 ranks", backend, run);
  }
  return done();
}
