/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices with rows or columns of a set with one element, over ranks: blocks of several values,
 * products, transposes, values of the host, a system with a Lagrange multiplier, and dats of such a
 * set that loops read and add to. Meshes are distributed at random, in blocks, on one rank, and by
 * partitioning after the set and its dats were declared; some are renumbered in between. Each rank's
 * values are those of the matrix in one piece. They are whole numbers, so that the order of
 * additions does not matter. */
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

enum { DIM = 2, G = 2, TURNS = 2, MATS = 3, ROW = 0, COLUMN, CORNER };

struct trial {
  struct whole whole;
  const char *backend;
  uint64_t seed;
  bool eager, partition;
  double *row, *column, corner[G][G]; /* [G][nodes][DIM], [nodes][DIM][G]: of one assembly */
};

struct run {
  const struct trial *trial;
  op2_context ctx;
  int rank;
  op2_set cells, nodes, single;
  op2_map ends, whole;
  op2_dat weight, u, v, p, q;
  op2_mat mats[MATS];
  op2_kernel add[MATS];
  int64_t owned, total, ncells; /* nodes, and owned cells */
  int64_t *node, *cell;         /* global numbers */
};

static int arity_of(const struct trial *t) { return t->whole.map[CELL_NODE].arity; }
static double weight_of(int64_t cell) { return (double)(cell * 17 % 23) - 11; }
static double u_of(int64_t node, int l) { return (double)((node * 7 + l) % 13) - 6; }
static double p_of(int k) { return 3 - 2 * k; }
static double row_value(double w, int k, int c) { return w * (k + 1) + c; }
static double column_value(double w, int r, int k) { return w - r * (k + 2); }
static double corner_value(double w, int k, int l) { return w * (k - l) + k + 1; }

/* ---- reference ------------------------------------------------------------------------------- */

static void add_cell(struct trial *t, int64_t cell) {
  const int arity = arity_of(t);
  const double w = weight_of(cell);
  const int64_t n = t->whole.set[NODES].size;
  for (int k = 0; k < G; k++) {
    for (int c = 0; c < arity * DIM; c++) {
      const int64_t at = t->whole.map[CELL_NODE].idx[cell * arity + c / DIM] * DIM + c % DIM;
      t->row[k * n * DIM + at] += row_value(w, k, c);
      t->column[at * G + k] += column_value(w, c, k);
    }
    for (int l = 0; l < G; l++) t->corner[k][l] += corner_value(w, k, l);
  }
}

static bool reached(const struct trial *t, int64_t node) {
  const int64_t n = t->whole.set[CELLS].size * arity_of(t);
  for (int64_t i = 0; i < n; i++)
    if (t->whole.map[CELL_NODE].idx[i] == node) return true;
  return false;
}

/* The sum of a dense row's, or of a dense column's, products with u. */
static double dense_product(const struct trial *t, int k, bool by_row) {
  const int64_t n = t->whole.set[NODES].size * DIM;
  double sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += (by_row ? t->row[k * n + i] : t->column[i * G + k]) * u_of(i / DIM, (int)(i % DIM));
  return sum;
}

/* ---- declaring ------------------------------------------------------------------------------- */

static op2_status declare_shares(struct run *r) {
  struct share share;
  op2_set sets[WHOLE_SETS] = {NULL};
  op2_map maps[WHOLE_MAPS] = {NULL};
  const struct whole *w = &r->trial->whole;
  whole_share(w, r->ctx && op2_ranks(r->ctx) > 1 ? r->rank : -1, &share);
  op2_status status = share_declare(w, &share, r->ctx, sets, maps);
  r->cells = sets[CELLS];
  r->nodes = sets[NODES];
  r->ends = maps[CELL_NODE];
  for (int m = 0; m < w->nmaps; m++)
    if (m != CELL_NODE) op2_map_destroy(&maps[m]);
  for (int s = 0; s < w->nsets; s++)
    if (s != CELLS && s != NODES) op2_set_destroy(&sets[s]);
  share_free(w, &share);
  return status;
}

/* The first of a block of elements of this rank. */
static int64_t first_of(const struct run *r, int64_t size, int rank) {
  return size * rank / op2_ranks(r->ctx);
}

static op2_status declare_blocks(struct run *r) {
  const struct whole *w = &r->trial->whole;
  const int arity = arity_of(r->trial);
  const int64_t ncells = w->set[CELLS].size, nnodes = w->set[NODES].size;
  const int64_t first = first_of(r, ncells, r->rank), n = first_of(r, ncells, r->rank + 1) - first;
  const int64_t nn = first_of(r, nnodes, r->rank + 1) - first_of(r, nnodes, r->rank);
  int64_t *idx = calloc((size_t)(n * arity) + 1, sizeof *idx);
  for (int64_t i = 0; i < n * arity; i++) idx[i] = w->map[CELL_NODE].idx[first * arity + i];
  op2_status status = op2_set_create(r->ctx, n, "cells", &r->cells);
  if (!status) status = op2_set_create(r->ctx, nn, "nodes", &r->nodes);
  if (!status) status = op2_map_create_global(r->cells, r->nodes, arity, idx, "ends", &r->ends);
  free(idx);
  return status;
}

/* The single set and its dat stay what they are where all else is moved. */
static op2_status partition(struct run *r) {
  const struct whole *w = &r->trial->whole;
  const int64_t first = first_of(r, w->set[CELLS].size, r->rank);
  const op2_partition_options how = {
      .method = OP2_PARTITION_GIVEN, .set = r->cells, .owner = w->set[CELLS].owner + first};
  return op2_partition(r->ctx, &how, NULL);
}

static op2_status list_numbers(op2_set set, int64_t *owned, int64_t *total, int64_t **number) {
  int64_t ends[4];
  op2_status status = op2_set_sections(set, ends);
  if (status) return status;
  *owned = ends[1];
  *total = ends[3];
  *number = calloc((size_t)ends[3] + 1, sizeof **number);
  return op2_set_global(set, *number);
}

static op2_status declare_mesh(struct run *r) {
  double p[G];
  int64_t all;
  for (int k = 0; k < G; k++) p[k] = r->rank ? -1e9 : p_of(k); /* those of rank 0 count */
  op2_status status = r->trial->partition ? declare_blocks(r) : declare_shares(r);
  if (!status) status = op2_set_create_single(r->ctx, "R", &r->single);
  if (!status) status = op2_map_create(r->cells, r->single, 1, NULL, "whole", &r->whole);
  if (!status) status = op2_dat_create(r->single, G, OP2_F64, p, "p", &r->p);
  if (!status) status = op2_dat_create(r->single, G, OP2_F64, NULL, "q", &r->q);
  if (!status && r->trial->partition) status = partition(r);
  if (!status) status = list_numbers(r->cells, &r->ncells, &all, &r->cell);
  return status ? status : list_numbers(r->nodes, &r->owned, &r->total, &r->node);
}

static op2_status declare_dats(struct run *r) {
  int64_t ends[4] = {0};
  op2_status status = op2_set_sections(r->cells, ends);
  double *w = calloc((size_t)ends[3] + 1, sizeof *w);
  double *u = calloc((size_t)(r->total * DIM) + 1, sizeof *u);
  for (int64_t i = 0; i < ends[3]; i++) w[i] = weight_of(r->cell[i]);
  for (int64_t i = 0; i < r->total * DIM; i++)
    u[i] = i < r->owned * DIM ? u_of(r->node[i / DIM], (int)(i % DIM)) : 1e9;
  if (!status) status = op2_dat_create(r->cells, 1, OP2_F64, w, "w", &r->weight);
  if (!status) status = op2_dat_create(r->nodes, DIM, OP2_F64, u, "u", &r->u);
  if (!status) status = op2_dat_create(r->nodes, DIM, OP2_F64, NULL, "v", &r->v);
  free(w);
  free(u);
  return status;
}

static op2_status declare_mat(struct run *r, int m) {
  const op2_map rows = m == COLUMN ? r->ends : r->whole, columns = m == ROW ? r->ends : r->whole;
  const int height = m == COLUMN ? DIM * arity_of(r->trial) : G;
  const int width = m == ROW ? DIM * arity_of(r->trial) : G;
  static const char *const text[] = {"w[0] * (r + 1) + c", "w[0] - r * (c + 2)",
                                     "w[0] * (r - c) + r + 1"};
  const op2_map_pair pair = {rows, columns};
  op2_sparsity sparsity = NULL;
  char source[256];
  snprintf(source, sizeof source,
           "void add(const double *w, double a[%d][%d]) { for (int r = 0; r < %d; r++) "
           "for (int c = 0; c < %d; c++) a[r][c] += %s; }",
           height, width, height, width, text[m]);
  const op2_kernel_desc desc = {.name = "add", .source = source};
  op2_status status = op2_sparsity_create(1, &pair, "pattern", &sparsity);
  if (!status)
    status = op2_mat_create(sparsity, m == COLUMN ? DIM : G, m == ROW ? DIM : G, OP2_F64, "mat",
                            &r->mats[m]);
  op2_sparsity_destroy(&sparsity);
  return status ? status : op2_kernel_create(r->ctx, &desc, &r->add[m]);
}

static op2_status declare(struct run *r) {
  op2_status status = declare_mesh(r);
  if (!status) status = declare_dats(r);
  for (int m = 0; m < MATS && !status; m++) status = declare_mat(r, m);
  return status;
}

/* ---- playing --------------------------------------------------------------------------------- */

static op2_status assemble(struct run *r) {
  op2_status status = OP2_SUCCESS;
  for (int m = 0; m < MATS && !status; m++)
    status = op2_par_loop(r->add[m], r->cells, op2_arg_direct(r->weight, OP2_READ),
                          op2_arg_mat(r->mats[m], m == COLUMN ? r->ends : r->whole,
                                      m == ROW ? r->ends : r->whole, OP2_INC));
  return status;
}

/* This rank has the columns of a dense row that it owns. */
static int look_at_row(struct run *r, double times) {
  const struct trial *t = r->trial;
  const int64_t n = t->whole.set[NODES].size;
  double *values = calloc((size_t)(r->owned * G * DIM) + 1, sizeof *values);
  int64_t at = 0;
  int wrong = op2_mat_get(r->mats[ROW], values) != OP2_SUCCESS;
  for (int64_t i = 0; i < r->owned && !wrong; i++) {
    if (!reached(t, r->node[i])) continue;
    for (int k = 0; k < G; k++)
      for (int l = 0; l < DIM; l++)
        wrong += values[(at * G + k) * DIM + l] != times * t->row[(k * n + r->node[i]) * DIM + l];
    at++;
  }
  free(values);
  return wrong;
}

static int look_at_column(struct run *r, double times) {
  double *values = calloc((size_t)(r->owned * DIM * G) + 1, sizeof *values);
  int64_t at = 0;
  int wrong = op2_mat_get(r->mats[COLUMN], values) != OP2_SUCCESS;
  for (int64_t i = 0; i < r->owned && !wrong; i++) {
    if (!reached(r->trial, r->node[i])) continue;
    for (int k = 0; k < DIM * G; k++)
      wrong += values[at * DIM * G + k] != times * r->trial->column[r->node[i] * DIM * G + k];
    at++;
  }
  free(values);
  return wrong;
}

/* Rank 0 has the values where both meet. */
static int look_at_corner(struct run *r, double times) {
  double values[G * G] = {0};
  int wrong = op2_mat_get(r->mats[CORNER], values) != OP2_SUCCESS;
  for (int k = 0; k < G * G; k++)
    wrong += values[k] != (r->rank ? 0 : times * r->trial->corner[k / G][k % G]);
  return wrong;
}

/* A dat of the single set has the same values on all ranks when it is read. */
static int look_at(op2_dat dat, const double want[G], const char *what) {
  double got[G] = {0};
  int wrong = op2_dat_get_halo(dat, got) != OP2_SUCCESS;
  for (int k = 0; k < G; k++) wrong += got[k] != want[k];
  if (wrong)
    fprintf(stderr, "# %s: %g %g instead of %g %g\n", what, got[0], got[1], want[0], want[1]);
  return wrong;
}

static int look_at_v(struct run *r, bool by_row, double times) {
  const struct trial *t = r->trial;
  const int64_t n = t->whole.set[NODES].size * DIM;
  double *v = calloc((size_t)(r->total * DIM) + 1, sizeof *v);
  int wrong = op2_dat_get(r->v, v) != OP2_SUCCESS;
  for (int64_t i = 0; i < r->owned * DIM && !wrong; i++) {
    const int64_t at = r->node[i / DIM] * DIM + i % DIM;
    double sum = 0;
    for (int k = 0; k < G; k++)
      sum += (by_row ? t->row[k * n + at] : t->column[at * G + k]) * p_of(k);
    wrong += v[i] != times * sum;
  }
  free(v);
  return wrong;
}

static int multiply(struct run *r, double times) {
  const struct trial *t = r->trial;
  double want[4][G];
  for (int k = 0; k < G; k++) {
    want[0][k] = times * dense_product(t, k, true);
    want[1][k] = times * dense_product(t, k, false);
    want[2][k] = times * (t->corner[k][0] * p_of(0) + t->corner[k][1] * p_of(1));
    want[3][k] = times * (t->corner[0][k] * p_of(0) + t->corner[1][k] * p_of(1));
  }
  int wrong = op2_mat_mult(r->mats[ROW], r->u, r->q) != OP2_SUCCESS;
  wrong += look_at(r->q, want[0], "row times u");
  wrong += op2_mat_mult_transpose(r->mats[COLUMN], r->u, r->q) != OP2_SUCCESS;
  wrong += look_at(r->q, want[1], "column, transposed, times u");
  wrong += op2_mat_mult(r->mats[CORNER], r->p, r->q) != OP2_SUCCESS;
  wrong += look_at(r->q, want[2], "corner times p");
  wrong += op2_mat_mult_transpose(r->mats[CORNER], r->p, r->q) != OP2_SUCCESS;
  wrong += look_at(r->q, want[3], "corner, transposed, times p");
  wrong += op2_mat_mult(r->mats[COLUMN], r->p, r->v) != OP2_SUCCESS;
  wrong += look_at_v(r, false, times);
  wrong += op2_mat_mult_transpose(r->mats[ROW], r->p, r->v) != OP2_SUCCESS;
  return wrong + look_at_v(r, true, times);
}

/* Each rank gives a block of the row that another one may own, and rank 0 takes it back. */
static int put(struct run *r) {
  double block[G * DIM] = {0};
  const int64_t row = 0, n = r->trial->whole.set[NODES].size;
  int64_t column = 0;
  while (column < n && !reached(r->trial, column)) column++;
  for (int k = 0; k < G * DIM; k++) block[k] = r->rank + 1;
  int wrong = op2_mat_add(r->mats[ROW], column < n, &row, &column, block) != OP2_SUCCESS;
  for (int k = 0; k < G * DIM; k++) block[k] = -op2_ranks(r->ctx) * (op2_ranks(r->ctx) + 1) / 2;
  return wrong +
         (op2_mat_add(r->mats[ROW], column < n && !r->rank, &row, &column, block) != OP2_SUCCESS);
}

/* A loop reads p and adds to q, through the map to the single element. */
static int move(struct run *r) {
  const op2_kernel_desc desc = {
      .name = "move",
      .source = "void move(const double *w, const double *p, double *q) { q[0] += w[0] * p[0]; "
                "q[1] += p[1]; }"};
  op2_kernel kernel = NULL;
  const double start[G] = {5, 7};
  double want[G] = {5, 7};
  for (int64_t c = 0; c < r->trial->whole.set[CELLS].size; c++) {
    want[0] += weight_of(c) * p_of(0);
    want[1] += p_of(1);
  }
  int wrong = op2_dat_set(r->q, start) != OP2_SUCCESS;
  wrong += op2_kernel_create(r->ctx, &desc, &kernel) != OP2_SUCCESS;
  wrong += op2_par_loop(kernel, r->cells, op2_arg_direct(r->weight, OP2_READ),
                        op2_arg_dat(r->p, 0, r->whole, OP2_READ),
                        op2_arg_dat(r->q, 0, r->whole, OP2_INC)) != OP2_SUCCESS;
  op2_kernel_destroy(&kernel);
  return wrong + look_at(r->q, want, "a loop that adds to q");
}

/* [K c; c' 0] with a K that has a multiple of the identity: the products of a known solution. */
static int solve(struct run *r) {
  const op2_solver_options options = {.method = OP2_METHOD_GMRES,
                                      .rtol = 1e-12,
                                      .restart = 60,
                                      .preconditioner = OP2_PRECONDITIONER_NONE};
  const op2_kernel_desc desc = {
      .name = "unit", .source = "void unit(double a[2][2]) { a[0][0] += 900; a[1][1] += 900; }"};
  op2_map own = NULL;
  op2_sparsity sparsity = NULL;
  op2_mat k = NULL;
  op2_kernel unit = NULL;
  op2_solver solver = NULL;
  op2_dat x = NULL, y = NULL, b = NULL, d = NULL;
  op2_status status = self_declare(r->nodes, &own);
  const op2_map_pair pair = {own, own};
  if (!status) status = op2_sparsity_create(1, &pair, "diagonal", &sparsity);
  if (!status) status = op2_mat_create(sparsity, DIM, DIM, OP2_F64, "K", &k);
  if (!status) status = op2_kernel_create(r->ctx, &desc, &unit);
  if (!status) status = op2_solver_create(r->ctx, &options, "solver", &solver);
  if (!status) status = op2_dat_create(r->nodes, DIM, OP2_F64, NULL, "x", &x);
  if (!status) status = op2_dat_create(r->nodes, DIM, OP2_F64, NULL, "b", &b);
  if (!status) status = op2_dat_create(r->single, G, OP2_F64, NULL, "y", &y);
  if (!status) status = op2_dat_create(r->single, G, OP2_F64, NULL, "d", &d);
  if (!status) status = op2_par_loop(unit, r->nodes, op2_arg_mat(k, own, own, OP2_INC));
  if (!status) status = op2_mat_mult(k, r->u, b);
  if (!status) status = op2_mat_mult(r->mats[COLUMN], r->p, r->v);
  if (!status) status = op2_dat_axpy(b, op2_scalar_value(1), r->v);
  if (!status) status = op2_mat_mult(r->mats[ROW], r->u, d);
  if (!status) status = op2_mat_mult(r->mats[CORNER], r->p, r->q);
  if (!status) status = op2_dat_axpy(d, op2_scalar_value(1), r->q);
  const op2_mat mats[] = {k, r->mats[COLUMN], r->mats[ROW], r->mats[CORNER]};
  if (!status)
    status =
        op2_solve_nested(solver, 2, mats, ((const op2_dat[]){x, y}), ((const op2_dat[]){b, d}));
  double got[G] = {0}, *all = calloc((size_t)(r->total * DIM) + 1, sizeof *all);
  if (!status) status = op2_dat_get_halo(y, got);
  if (!status) status = op2_dat_get(x, all);
  int wrong = status != OP2_SUCCESS;
  for (int i = 0; i < G && !wrong; i++) wrong += !(fabs(got[i] - p_of(i)) < 1e-6);
  for (int64_t i = 0; i < r->owned * DIM && !wrong; i++)
    wrong += !(fabs(all[i] - u_of(r->node[i / DIM], (int)(i % DIM))) < 1e-6);
  if (wrong) fprintf(stderr, "# a solve: %s, p %g %g\n", op2_error_message(), got[0], got[1]);
  op2_dat *const dats[] = {&x, &y, &b, &d};
  for (int i = 0; i < 4; i++) op2_dat_destroy(dats[i]);
  op2_solver_destroy(&solver);
  op2_kernel_destroy(&unit);
  op2_mat_destroy(&k);
  op2_sparsity_destroy(&sparsity);
  op2_map_destroy(&own);
  free(all);
  return wrong;
}

static int play(struct run *r) {
  int wrong = 0;
  for (int turn = 1; turn <= TURNS && !wrong; turn++) {
    wrong += assemble(r) != OP2_SUCCESS;
    wrong += put(r);
    if (!wrong) wrong += multiply(r, turn);
    if (!wrong) wrong += look_at_row(r, turn) + look_at_column(r, turn) + look_at_corner(r, turn);
    if (turn == 1 && r->trial->seed % 2 && !op2i_order_unavailable())
      wrong += op2_renumber(r->ends) != OP2_SUCCESS;
    if (!wrong) wrong += move(r);
  }
  return wrong ? wrong : solve(r);
}

static void end(struct run *r) {
  op2_dat *const dats[] = {&r->weight, &r->u, &r->v, &r->p, &r->q};
  for (int m = 0; m < MATS; m++) op2_mat_destroy(&r->mats[m]);
  for (int m = 0; m < MATS; m++) op2_kernel_destroy(&r->add[m]);
  for (int d = 0; d < 5; d++) op2_dat_destroy(dats[d]);
  op2_map_destroy(&r->whole);
  op2_map_destroy(&r->ends);
  op2_set_destroy(&r->single);
  op2_set_destroy(&r->nodes);
  op2_set_destroy(&r->cells);
  free(r->node);
  free(r->cell);
}

static int rank(struct op2i_comm *comm, void *data) {
  const struct trial *t = data;
  struct run r = {.trial = t, .rank = comm->rank};
  const op2_options options = rank_options(t->backend, t->eager);
  op2_status status = op2i_init_ranks(&options, comm, &r.ctx);
  if (!status) status = declare(&r);
  int wrong = status ? 1 : play(&r);
  if (wrong)
    fprintf(stderr, "# rank %d of %d, %s: %s (%d wrong)\n", r.rank, comm->size,
            t->partition ? "partitioned" : "declared", op2_error_message(), wrong);
  end(&r);
  return wrong + (op2_finalize(&r.ctx) != OP2_SUCCESS);
}

/* ---- all cases ------------------------------------------------------------------------------- */

/* The last way to distribute a mesh is to partition blocks. */
static int try_one(const char *backend, int ranks, int how, uint64_t seed) {
  struct trial t = {
      .backend = backend, .eager = seed % 3 == 0, .partition = how == WHOLE_HOWS, .seed = seed};
  uint64_t state = seed * 31 + 5;
  whole_draw(&t.whole, ranks, how % WHOLE_HOWS, &state);
  size_t n = (size_t)t.whole.set[NODES].size * DIM;
  t.row = calloc(n * G + 1, sizeof *t.row);
  t.column = calloc(n * G + 1, sizeof *t.column);
  for (int64_t cell = 0; cell < t.whole.set[CELLS].size; cell++) add_cell(&t, cell);
  int wrong = run_contexts(ranks, rank, &t);
  free(t.row);
  free(t.column);
  whole_free(&t.whole);
  return wrong;
}

int main(void) {
  const char *backend;
  test_environment();
  for (int b = 0; (backend = next_backend_of_ranks(every_backend, &b));) {
    int trials = quick() || is_device(backend) ? 1 : thorough() ? 20 : 2, wrong = 0, run = 0;
    for (int ranks = 1; ranks <= 3; ranks++)
      for (int how = 0; how <= WHOLE_HOWS; how++)
        for (int n = 0; n < trials; n++, run++)
          wrong += try_one(backend, ranks, how, (uint64_t)(100 * ranks + 10 * how + n + 1));
    is_int(wrong, 0, "%s: %d systems with dense rows on 1 to 3 ranks", backend, run);
  }
  return done();
}
