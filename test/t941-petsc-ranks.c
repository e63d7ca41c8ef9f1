/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices and dats as PETSc's, and PETSc's solvers, on as many ranks as there are; run by t941-petsc.sh.
 * Matrices of random meshes are compared entry by entry with what the elements add up to, solutions with
 * those that systems were made of. With an argument, how PETSc begins and ends:
 *   before    the program initialises PETSc before the library does, and finalises it before contexts end
 *   after     the library does first, and the program's PetscFinalize() comes while solvers live
 *   never     neither MPI nor PETSc is the program's affair
 *   view      the options -ksp_view and -log_view of the command line */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "op2/mpi.h"
#include "op2/petsc.h"
#include "renumber.h"
#include "support.h"
#include "whole_case.h"

static int rank, ranks, wrong;

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void tell(const char *format, ...) {
  char what[300];
  int all = 0;
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!rank) is_int(all, 0, "%s", what);
  wrong = 0;
}

static bool good(bool holds, int line, const char *text) {
  if (holds) return true;
  fprintf(stderr, "# rank %d, line %d: %s: %s\n", rank, line, text, op2_error_message());
  wrong++;
  return false;
}
#define GOOD(condition) good((condition), __LINE__, #condition)
#define DO(call)        good((call) == OP2_SUCCESS, __LINE__, #call)
#define PETSC(call)     good((call) == 0, __LINE__, #call)

/* ---- a mesh ---------------------------------------------------------------------------------- */

struct scene {
  struct whole whole;
  struct share share;
  op2_context ctx;
  op2_set sets[WHOLE_SETS];
  op2_map maps[WHOLE_MAPS], self;
};

static op2_context new_context(const char *backend, bool eager) {
  const op2_options options = {
      .backend = backend, .threads = 1, .eager = eager ? 1 : -1, .cache_dir = test_cache()};
  op2_context ctx = NULL;
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun)
    DO(op2_init_mpi(&options, MPI_COMM_WORLD, &ctx));
  else
    DO(op2_init(&options, &ctx));
  return ctx;
}

static void begin(struct scene *s, const char *backend, bool eager, int how, uint64_t seed) {
  *s = (struct scene){.ctx = NULL};
  whole_draw(&s->whole, ranks, how, &seed);
  whole_share(&s->whole, rank, &s->share);
  s->ctx = new_context(backend, eager);
  DO(share_declare(&s->whole, &s->share, s->ctx, s->sets, s->maps));
  int64_t total = s->share.set[NODES].ends[3];
  int32_t *self = calloc((size_t)total + 1, sizeof *self);
  for (int64_t i = 0; i < total; i++) self[i] = (int32_t)i;
  DO(op2_map_create(s->sets[NODES], s->sets[NODES], 1, self, "self", &s->self));
  free(self);
  DO(op2_petsc_use(s->ctx, 0, NULL));
}

static void end(struct scene *s) {
  op2_map_destroy(&s->self);
  for (int m = 0; m < s->whole.nmaps; m++) op2_map_destroy(&s->maps[m]);
  for (int n = 0; n < s->whole.nsets; n++) op2_set_destroy(&s->sets[n]);
  share_free(&s->whole, &s->share);
  whole_free(&s->whole);
  DO(op2_finalize(&s->ctx));
}

/* What the elements of a set have, by the mesh's numbers. */
static op2_dat numbers_of(const struct scene *s, int set, int dim, double scale) {
  int64_t total = s->share.set[set].ends[3];
  double *values = calloc((size_t)(total * dim) + 1, sizeof *values);
  op2_dat dat = NULL;
  for (int64_t i = 0; i < total * dim; i++)
    values[i] = scale * (double)((s->share.set[set].global[i / dim] * 7 + i % dim) % 13 - 6);
  DO(op2_dat_create(s->sets[set], dim, OP2_F64, values, "numbers", &dat));
  free(values);
  return dat;
}

/* For each row of PETSc's of a set, which element of the mesh it is: on all ranks, all of them. */
static double *elements_by_row(const struct scene *s, int set) {
  int64_t total = s->share.set[set].ends[3], all = s->whole.set[set].size;
  double *values = calloc((size_t)total + 1, sizeof *values);
  double *elements = calloc((size_t)all + 1, sizeof *elements);
  op2_dat dat = NULL;
  Vec v = NULL, whole = NULL;
  VecScatter scatter;
  const PetscScalar *from;
  for (int64_t i = 0; i < total; i++) values[i] = (double)s->share.set[set].global[i];
  DO(op2_dat_create(s->sets[set], 1, OP2_F64, values, "elements", &dat));
  DO(op2_dat_petsc(dat, OP2_READ, &v));
  PETSC(VecScatterCreateToAll(v, &scatter, &whole));
  PETSC(VecScatterBegin(scatter, v, whole, INSERT_VALUES, SCATTER_FORWARD));
  PETSC(VecScatterEnd(scatter, v, whole, INSERT_VALUES, SCATTER_FORWARD));
  PETSC(VecScatterDestroy(&scatter));
  PETSC(VecGetArrayRead(whole, &from));
  memcpy(elements, from, (size_t)all * sizeof *elements);
  PETSC(VecRestoreArrayRead(whole, &from));
  PETSC(VecDestroy(&whole));
  DO(op2_dat_petsc_end(dat, &v));
  GOOD(v == NULL);
  op2_dat_destroy(&dat);
  free(values);
  return elements;
}

/* ---- matrices -------------------------------------------------------------------------------- */

struct shape {
  int row_dim, column_dim;
  bool edges; /* columns are edges, else nodes */
  op2_type type;
  MatType form;
};

struct assembly {
  op2_sparsity sparsity;
  op2_mat mat;
  op2_kernel add;
  op2_map rows, columns;
  op2_dat weight;
  double *dense; /* of one assembly: [nodes][row_dim][column elements][column_dim] */
};

static double value(double w, int r, int c) { return w * (r + 1) - 2 * c + r * c; }

static void assemble_whole(const struct scene *s, const struct shape *f, struct assembly *a) {
  const int rows = s->whole.map[CELL_NODE].arity;
  /* through edges: the elements are edges, whose nodes are the rows, and they themselves the columns */
  const int64_t n = s->whole.set[f->edges ? EDGES : NODES].size, nodes = s->whole.set[NODES].size;
  const int64_t elements = s->whole.set[f->edges ? EDGES : CELLS].size;
  const int height = f->edges ? s->whole.map[EDGE_NODE].arity : rows, width = f->edges ? 1 : rows;
  a->dense = calloc((size_t)(nodes * f->row_dim * n * f->column_dim) + 1, sizeof *a->dense);
  for (int64_t e = 0; e < elements; e++) {
    const int32_t *row = s->whole.map[f->edges ? EDGE_NODE : CELL_NODE].idx + e * height;
    double w = (double)((e * 7) % 13 - 6);
    for (int r = 0; r < height * f->row_dim; r++)
      for (int c = 0; c < width * f->column_dim; c++) {
        int64_t column = f->edges ? e : row[c / f->column_dim];
        a->dense[((row[r / f->row_dim] * (int64_t)f->row_dim + r % f->row_dim) * n + column) *
                     f->column_dim +
                 c % f->column_dim] += value(w, r, c);
      }
  }
}

static void add(struct scene *s, const struct shape *f, struct assembly *a) {
  DO(op2_par_loop(a->add, s->sets[f->edges ? EDGES : CELLS], op2_arg_direct(a->weight, OP2_READ),
                  op2_arg_mat(a->mat, a->rows, a->columns, OP2_INC)));
}

static void assemble(struct scene *s, const struct shape *f, struct assembly *a, op2_map own) {
  const int arity = s->whole.map[f->edges ? EDGE_NODE : CELL_NODE].arity;
  const int height = arity * f->row_dim, width = (f->edges ? 1 : arity) * f->column_dim;
  char source[300];
  *a = (struct assembly){.rows = s->maps[f->edges ? EDGE_NODE : CELL_NODE],
                         .columns = f->edges ? own : s->maps[CELL_NODE]};
  snprintf(source, sizeof source,
           "void add(const double *w, %s a[%d][%d]) { for (int r = 0; r < %d; r++) for (int c = "
           "0; c < %d; c++) a[r][c] += w[0] * (r + 1) - 2 * c + r * c; }",
           f->type == OP2_F64 ? "double" : "float", height, width, height, width);
  const op2_kernel_desc desc = {.name = "add", .source = source};
  const op2_map_pair pair = {a->rows, a->columns};
  a->weight = numbers_of(s, f->edges ? EDGES : CELLS, 1, 1);
  DO(op2_sparsity_create(1, &pair, "pattern", &a->sparsity));
  DO(op2_mat_create(a->sparsity, f->row_dim, f->column_dim, f->type, "K", &a->mat));
  DO(op2_kernel_create(s->ctx, &desc, &a->add));
  assemble_whole(s, f, a);
}

static void end_assembly(struct assembly *a) {
  op2_dat_destroy(&a->weight);
  op2_kernel_destroy(&a->add);
  op2_mat_destroy(&a->mat);
  op2_sparsity_destroy(&a->sparsity);
  free(a->dense);
}

/* PETSc's rows of this rank are `times` those of the whole matrix. */
static void compare(const struct scene *s, const struct shape *f, const struct assembly *a, Mat A,
                    double times) {
  const int64_t n = s->whole.set[f->edges ? EDGES : NODES].size;
  double *row_of = elements_by_row(s, NODES);
  double *column_of = elements_by_row(s, f->edges ? EDGES : NODES);
  double *row = calloc((size_t)(n * f->column_dim) + 1, sizeof *row);
  PetscInt lo = 0, hi = 0;
  int differs = 0;
  PETSC(MatGetOwnershipRange(A, &lo, &hi));
  GOOD(hi - lo == s->share.set[NODES].ends[1] * f->row_dim);
  for (PetscInt i = lo; i < hi; i++) {
    PetscInt entries;
    const PetscInt *column;
    const PetscScalar *values;
    const int64_t there = (int64_t)row_of[i / f->row_dim] * f->row_dim + i % f->row_dim;
    memset(row, 0, (size_t)(n * f->column_dim) * sizeof *row);
    PETSC(MatGetRow(A, i, &entries, &column, &values));
    for (PetscInt k = 0; k < entries; k++) {
      int64_t element = (int64_t)column_of[column[k] / f->column_dim];
      row[element * f->column_dim + column[k] % f->column_dim] = values[k];
    }
    PETSC(MatRestoreRow(A, i, &entries, &column, &values));
    for (int64_t c = 0; c < n * f->column_dim; c++)
      differs += row[c] != times * a->dense[there * n * f->column_dim + c];
  }
  GOOD(differs == 0);
  free(row);
  free(row_of);
  free(column_of);
}

/* What the library has after the program has changed a Mat. */
static void compare_own(const struct scene *s, const struct shape *f, const struct assembly *a,
                        double times) {
  const int64_t n = s->whole.set[f->edges ? EDGES : NODES].size;
  const int block = f->row_dim * f->column_dim;
  int64_t rows = 0, places = 0;
  int differs = 0;
  DO(op2_sparsity_size(a->sparsity, &rows, &places));
  int64_t *starts = calloc((size_t)rows + 1, sizeof *starts);
  int64_t *columns = calloc((size_t)places + 1, sizeof *columns);
  void *values = calloc((size_t)(places * block) + 1, sizeof(double));
  DO(op2_sparsity_get(a->sparsity, starts, columns));
  DO(op2_mat_get(a->mat, values));
  for (int64_t i = 0; i < rows; i++)
    for (int64_t p = starts[i]; p < starts[i + 1]; p++)
      for (int k = 0; k < block; k++) {
        int64_t row = s->share.set[NODES].global[i] * f->row_dim + k / f->column_dim;
        double got = f->type == OP2_F64 ? ((double *)values)[p * block + k]
                                        : (double)((float *)values)[p * block + k];
        differs +=
            got != times * a->dense[(row * n + columns[p]) * f->column_dim + k % f->column_dim];
      }
  GOOD(differs == 0);
  free(starts);
  free(columns);
  free(values);
}

/* Open it, look, change it, look again. */
static void look(struct scene *s, const struct shape *f, struct assembly *a, double times) {
  Mat A = NULL, again = NULL;
  DO(op2_mat_petsc(a->mat, OP2_READ, f->form, &A));
  if (A) compare(s, f, a, A, times);
  DO(op2_mat_petsc(a->mat, OP2_READ, f->form, &again)); /* two readers */
  GOOD(A == again);
  DO(op2_mat_petsc_end(a->mat, &again));
  GOOD(op2_mat_zero(a->mat) == OP2_ERR_STATE);
  DO(op2_mat_petsc_end(a->mat, &A));
  GOOD(A == NULL);
}

static void change(struct scene *s, const struct shape *f, struct assembly *a, double times) {
  Mat A = NULL;
  DO(op2_mat_petsc(a->mat, OP2_RW, f->form, &A));
  if (A) PETSC(MatScale(A, 2));
  DO(op2_mat_petsc_end(a->mat, &A));
  compare_own(s, f, a, 2 * times);
  DO(op2_mat_petsc(a->mat, OP2_READ, f->form, &A));
  if (A) compare(s, f, a, A, 2 * times);
  DO(op2_mat_petsc_end(a->mat, &A));
}

/* A product of PETSc's is that of the library. */
static void multiply(struct scene *s, const struct shape *f, struct assembly *a) {
  const int set = f->edges ? EDGES : NODES;
  op2_dat x = NULL, y = NULL, z = NULL;
  Mat A = NULL;
  Vec vx = NULL, vy = NULL;
  int64_t rows = s->share.set[NODES].ends[1], n = s->share.set[set].ends[3];
  double *values = calloc((size_t)(n * f->column_dim) + 1, sizeof *values);
  float *floats = calloc((size_t)(n * f->column_dim) + 1, sizeof *floats);
  for (int64_t i = 0; i < n * f->column_dim; i++)
    floats[i] =
        (float)(values[i] = (double)(s->share.set[set].global[i / f->column_dim] % 5 - i % 2));
  bool doubles = f->type == OP2_F64;
  DO(op2_dat_create(s->sets[set], f->column_dim, f->type, doubles ? (void *)values : floats, "x",
                    &x));
  DO(op2_dat_create(s->sets[NODES], f->row_dim, f->type, NULL, "y", &y));
  DO(op2_dat_create(s->sets[NODES], f->row_dim, f->type, NULL, "z", &z));
  DO(op2_mat_mult(a->mat, x, y));
  DO(op2_mat_petsc(a->mat, OP2_READ, f->form, &A));
  DO(op2_dat_petsc(x, OP2_READ, &vx));
  DO(op2_dat_petsc(z, OP2_WRITE, &vy));
  if (A && vx && vy) PETSC(MatMult(A, vx, vy));
  DO(op2_dat_petsc_end(z, &vy));
  DO(op2_dat_petsc_end(x, &vx));
  DO(op2_mat_petsc_end(a->mat, &A));
  double *got[2];
  for (int k = 0; k < 2; k++) {
    got[k] = calloc((size_t)(rows * f->row_dim) + 1, sizeof *got[k]);
    DO(op2_dat_get(k ? z : y, got[k]));
  }
  GOOD(memcmp(got[0], got[1], (size_t)(rows * f->row_dim) * (doubles ? 8 : 4)) == 0);
  free(got[0]);
  free(got[1]);
  free(values);
  free(floats);
  op2_dat_destroy(&x);
  op2_dat_destroy(&y);
  op2_dat_destroy(&z);
}

static void try_matrix(const char *backend, const struct shape *f, int how, uint64_t seed) {
  struct scene s;
  struct assembly a;
  op2_map own = NULL;
  begin(&s, backend, seed % 3 == 0, how, seed);
  int64_t total = s.share.set[EDGES].ends[3];
  int32_t *self = calloc((size_t)total + 1, sizeof *self);
  for (int64_t i = 0; i < total; i++) self[i] = (int32_t)i;
  DO(op2_map_create(s.sets[EDGES], s.sets[EDGES], 1, self, "own", &own));
  free(self);
  assemble(&s, f, &a, own);
  add(&s, f, &a);
  look(&s, f, &a, 1);
  multiply(&s, f, &a);
  change(&s, f, &a, 1);
  add(&s, f, &a);
  look(&s, f, &a, 3);
  if (!op2i_order_unavailable()) {
    DO(op2_renumber(s.maps[CELL_NODE]));
    look(&s, f, &a, 3);
    change(&s, f, &a, 3);
    multiply(&s, f, &a);
  }
  end_assembly(&a);
  op2_map_destroy(&own);
  end(&s);
}

static void try_matrices(const char *backend, int turns) {
  static const struct shape shapes[] = {
      {1, 1, false, OP2_F64, NULL},    {1, 1, false, OP2_F32, NULL},
      {1, 1, true, OP2_F64, NULL},     {2, 2, false, OP2_F64, NULL},
      {2, 2, false, OP2_F64, MATAIJ},  {3, 3, false, OP2_F32, MATBAIJ},
      {2, 3, true, OP2_F64, MATAIJ},   {3, 1, false, OP2_F64, NULL},
      {1, 1, false, OP2_F64, MATBAIJ},
  };
  for (size_t f = 0; f < sizeof shapes / sizeof *shapes; f++) {
    for (int how = 0; how < WHOLE_HOWS; how++)
      for (int turn = 0; turn < turns; turn++)
        try_matrix(backend, &shapes[f], how, 100 * f + 10 * (size_t)how + (size_t)turn + 1);
    tell("%s, %d ranks: blocks of %d * %d, %s, as %s", backend, ranks, shapes[f].row_dim,
         shapes[f].column_dim, shapes[f].type == OP2_F64 ? "double" : "float",
         shapes[f].form ? shapes[f].form : "it comes");
  }
}

/* ---- solving --------------------------------------------------------------------------------- */

enum { DIM = 2 };
struct equations {
  op2_sparsity sparsity;
  op2_mat mat;
  op2_kernel heavy, unit;
  op2_dat solution, x, b;
};

/* Symmetric, and the diagonal is heavy. */
static void add_heavy(struct scene *s, struct equations *q) {
  DO(op2_par_loop(q->heavy, s->sets[CELLS],
                  op2_arg_mat(q->mat, s->maps[CELL_NODE], s->maps[CELL_NODE], OP2_INC)));
  DO(op2_par_loop(q->unit, s->sets[NODES], op2_arg_mat(q->mat, s->self, s->self, OP2_INC)));
}

static void new_equations(struct scene *s, struct equations *q) {
  const int block = s->whole.map[CELL_NODE].arity * DIM;
  char source[300];
  snprintf(source, sizeof source,
           "void heavy(double a[%d][%d]) { for (int i = 0; i < %d; i++) for (int j = 0; j < %d; "
           "j++) a[i][j] += i == j ? %d : -1; }",
           block, block, block, block, 2 * block);
  const op2_kernel_desc heavy = {.name = "heavy", .source = source};
  const op2_kernel_desc unit = {
      .name = "unit", .source = "void unit(double a[2][2]) { a[0][0] += 1; a[1][1] += 1; }"};
  const op2_map_pair pairs[] = {{s->maps[CELL_NODE], s->maps[CELL_NODE]}, {s->self, s->self}};
  *q = (struct equations){.mat = NULL};
  DO(op2_sparsity_create(2, pairs, "heavy", &q->sparsity));
  DO(op2_mat_create(q->sparsity, DIM, DIM, OP2_F64, "H", &q->mat));
  DO(op2_kernel_create(s->ctx, &heavy, &q->heavy));
  DO(op2_kernel_create(s->ctx, &unit, &q->unit));
  q->solution = numbers_of(s, NODES, DIM, 1);
  DO(op2_dat_create(s->sets[NODES], DIM, OP2_F64, NULL, "x", &q->x));
  DO(op2_dat_create(s->sets[NODES], DIM, OP2_F64, NULL, "b", &q->b));
  add_heavy(s, q);
}

static void end_equations(struct equations *q) {
  op2_dat_destroy(&q->solution);
  op2_dat_destroy(&q->x);
  op2_dat_destroy(&q->b);
  op2_kernel_destroy(&q->heavy);
  op2_kernel_destroy(&q->unit);
  op2_mat_destroy(&q->mat);
  op2_sparsity_destroy(&q->sparsity);
}

static double error_of(const struct scene *s, op2_dat x, int set, int dim, double scale) {
  int64_t owned = s->share.set[set].ends[1];
  double *got = calloc((size_t)(owned * dim) + 1, sizeof *got), most = 0, all = 0;
  DO(op2_dat_get(x, got));
  for (int64_t i = 0; i < owned * dim; i++)
    most = fmax(most,
                fabs(got[i] -
                     scale * (double)((s->share.set[set].global[i / dim] * 7 + i % dim) % 13 - 6)));
  free(got);
  MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static void set_option(const char *name, const char *text) {
  PETSC(text ? PetscOptionsSetValue(NULL, name, text) : PetscOptionsClearValue(NULL, name));
}

static void try_methods(const char *backend, int how, uint64_t seed) {
  struct scene s;
  struct equations q;
  begin(&s, backend, seed % 3 == 0, how, seed);
  new_equations(&s, &q);
  DO(op2_mat_mult(q.mat, q.solution, q.b));
  for (op2_method method = OP2_METHOD_DEFAULT; method <= OP2_METHOD_BICGSTAB; method++)
    for (op2_preconditioner p = OP2_PRECONDITIONER_DEFAULT; p <= OP2_PRECONDITIONER_BLOCK_JACOBI;
         p++) {
      /* MINRES wants a preconditioner that is symmetric. */
      if (method == OP2_METHOD_MINRES && p == OP2_PRECONDITIONER_DEFAULT) continue;
      const op2_solver_options options = {
          .method = method, .preconditioner = p, .rtol = 1e-13, .start_at_zero = 1};
      op2_solver solver = NULL;
      op2_solve_result result = {0};
      KSP ksp = NULL;
      DO(op2_solver_create(s.ctx, &options, "any", &solver));
      DO(op2_solve(solver, q.mat, q.x, q.b));
      DO(op2_solver_result(solver, &result));
      GOOD(result.reason == OP2_CONVERGED_RTOL && result.iterations > 0);
      GOOD(error_of(&s, q.x, NODES, DIM, 1) < 1e-9);
      DO(op2_solver_petsc(solver, &ksp));
      PetscInt its = -1;
      if (ksp) PETSC(KSPGetIterationNumber(ksp, &its));
      GOOD(its == result.iterations);
      op2_solver_destroy(&solver);
    }
  end_equations(&q);
  end(&s);
}

/* One step of a direct method has nothing to mend what is out of date. */
static void try_changes(const char *backend, int how, uint64_t seed, const char *form) {
  struct scene s;
  struct equations q;
  op2_solver solver = NULL;
  op2_solve_result result = {0};
  const op2_solver_options options = {.prefix = "direct_", .start_at_zero = 1};
  begin(&s, backend, seed % 3 == 0, how, seed);
  set_option("-direct_ksp_type", "preonly");
  set_option("-direct_pc_type", "redundant");
  set_option("-direct_mat_type", form);
  new_equations(&s, &q);
  DO(op2_solver_create(s.ctx, &options, "direct", &solver));
  DO(op2_mat_mult(q.mat, q.solution, q.b));
  for (int times = 1; times < 4; times++) {
    DO(op2_solve(solver, q.mat, q.x, q.b));
    DO(op2_solver_result(solver, &result));
    GOOD(result.reason == OP2_CONVERGED_OTHER);
    GOOD(error_of(&s, q.x, NODES, DIM, 1.0 / times) < 1e-10);
    DO(op2_solve(solver, q.mat, q.x, q.b)); /* the same again */
    GOOD(error_of(&s, q.x, NODES, DIM, 1.0 / times) < 1e-10);
    add_heavy(&s, &q);
    if (times == 2 && !op2i_order_unavailable()) DO(op2_renumber(s.maps[CELL_NODE]));
  }
  op2_solver_destroy(&solver);
  end_equations(&q);
  end(&s);
  set_option("-direct_mat_type", NULL);
}

/* ---- operators ------------------------------------------------------------------------------- */

struct applied {
  struct equations *q;
  op2_gbl scale; /* read */
  op2_kernel stretch;
  op2_set set;
  op2_dat secret; /* that it does not name */
  bool uses_secret;
  int calls;
};

static op2_status apply(void *data, op2_dat x, op2_dat y) {
  struct applied *a = data;
  op2_status status = op2_mat_mult(a->q->mat, x, y);
  a->calls++;
  if (!status)
    status = op2_par_loop(a->stretch, a->set, op2_arg_direct(y, OP2_RW),
                          op2_arg_gbl(a->scale, OP2_READ));
  if (!status && a->uses_secret) status = op2_mat_mult(a->q->mat, a->secret, y);
  return status;
}

/* The scale is what it was when the solve was queued. */
static void solve_operator(struct scene *s, struct equations *q, struct applied *a, op2_operator op,
                           op2_library library, op2_preconditioner p) {
  const op2_solver_options options = {.method = OP2_METHOD_CG,
                                      .preconditioner = p,
                                      .library = library,
                                      .rtol = 1e-13,
                                      .start_at_zero = 1};
  const double two = 2, seven = 7;
  op2_solver solver = NULL;
  op2_solve_result result = {0};
  DO(op2_gbl_set(a->scale, &two));
  DO(op2_solver_create(s->ctx, &options, "free", &solver));
  DO(op2_solve_operator(solver, op, q->x, q->b));
  DO(op2_gbl_set(a->scale, &seven));
  DO(op2_solver_result(solver, &result));
  GOOD(result.reason == OP2_CONVERGED_RTOL && result.iterations > 0);
  GOOD(error_of(s, q->x, NODES, DIM, 0.5) < 1e-9);
  op2_solver_destroy(&solver);
}

static void refuse_secret(struct scene *s, struct equations *q, struct applied *a, op2_operator op,
                          op2_library library) {
  const op2_solver_options options = {.library = library, .start_at_zero = 1};
  op2_solver solver = NULL;
  DO(op2_solver_create(s->ctx, &options, "secret", &solver));
  a->uses_secret = true;
  op2_status status = op2_solve_operator(solver, op, q->x, q->b), flushed = op2_flush(s->ctx);
  a->uses_secret = false;
  GOOD(status || flushed);
  GOOD(strstr(op2_error_message(), "does not name") != NULL);
  GOOD(op2_dat_get(q->x, NULL) != OP2_SUCCESS);
  op2_solver_destroy(&solver);
}

/* A solver of the program's own. */
static void solve_by_hand(struct scene *s, struct equations *q, struct applied *a,
                          op2_operator op) {
  Mat A = NULL;
  Vec b = NULL, x = NULL;
  KSP ksp = NULL;
  MPI_Comm comm = MPI_COMM_SELF;
  const double three = 3;
  DO(op2_gbl_set(a->scale, &three));
  DO(op2_operator_petsc(op, &A));
  DO(op2_mpi_comm(s->ctx, &comm));
  DO(op2_dat_petsc(q->b, OP2_READ, &b));
  DO(op2_dat_petsc(q->x, OP2_WRITE, &x));
  PETSC(KSPCreate(comm, &ksp));
  PETSC(KSPSetOperators(ksp, A, A));
  PETSC(KSPSetType(ksp, KSPCG));
  PC pc;
  PETSC(KSPGetPC(ksp, &pc));
  PETSC(PCSetType(pc, PCNONE));
  PETSC(KSPSetTolerances(ksp, 1e-13, 0, PETSC_DEFAULT, 1000));
  int calls = a->calls;
  PETSC(KSPSolve(ksp, b, x));
  GOOD(a->calls > calls);
  PETSC(KSPDestroy(&ksp));
  DO(op2_dat_petsc_end(q->b, &b));
  DO(op2_dat_petsc_end(q->x, &x));
  GOOD(error_of(s, q->x, NODES, DIM, 1.0 / 3) < 1e-9);
}

static void try_operators(const char *backend, int how, uint64_t seed) {
  struct scene s;
  struct equations q;
  const op2_kernel_desc stretch = {
      .name = "stretch",
      .source = "void stretch(double *y, const double *s) { y[0] *= s[0]; y[1] *= s[0]; }"};
  const double one = 1;
  begin(&s, backend, seed % 3 == 0, how, seed);
  new_equations(&s, &q);
  struct applied a = {.q = &q, .set = s.sets[NODES]};
  DO(op2_gbl_create(s.ctx, 1, OP2_F64, &one, "scale", &a.scale));
  DO(op2_kernel_create(s.ctx, &stretch, &a.stretch));
  a.secret = numbers_of(&s, NODES, DIM, 1);
  DO(op2_mat_mult(q.mat, q.solution, q.b));
  const op2_arg args[] = {op2_arg_mat(q.mat, NULL, NULL, OP2_READ), op2_arg_gbl(a.scale, OP2_READ)};
  for (int with = 0; with < 2; with++) {
    const op2_operator_desc desc = {.set = s.sets[NODES],
                                    .dim = DIM,
                                    .type = OP2_F64,
                                    .apply = apply,
                                    .data = &a,
                                    .preconditioner = with ? q.mat : NULL,
                                    .nargs = 2,
                                    .args = args};
    op2_operator op = NULL;
    DO(op2_operator_create(&desc, "shell", &op));
    for (op2_library l = OP2_LIBRARY_OP2; l <= OP2_LIBRARY_PETSC; l++) {
      solve_operator(&s, &q, &a, op, l,
                     with ? OP2_PRECONDITIONER_JACOBI : OP2_PRECONDITIONER_DEFAULT);
      refuse_secret(&s, &q, &a, op, l);
    }
    solve_by_hand(&s, &q, &a, op);
    op2_operator_destroy(&op);
  }
  op2_gbl_destroy(&a.scale);
  op2_kernel_destroy(&a.stretch);
  op2_dat_destroy(&a.secret);
  end_equations(&q);
  end(&s);
}

/* ---- several dats ---------------------------------------------------------------------------- */

/* Values on nodes and on edges: heavy among themselves, and each edge with its nodes. */
struct blocks {
  op2_map own;
  op2_sparsity sparsity[4];
  op2_mat mat[4];
  op2_kernel kernel[4];
  op2_dat solution[2], x[2], b[2], part;
};

static void new_blocks(struct scene *s, struct equations *q, struct blocks *k) {
  static const char *const sources[4] = {
      NULL, "void up(double a[4][1]) { for (int i = 0; i < 4; i++) a[i][0] += 0.25 * (i + 1); }",
      "void down(double a[1][4]) { for (int j = 0; j < 4; j++) a[0][j] += 0.5 - 0.25 * j; }",
      "void edge(double a[1][1]) { a[0][0] += 5; }"};
  static const char *const names[4] = {NULL, "up", "down", "edge"};
  int64_t total = s->share.set[EDGES].ends[3];
  int32_t *own = calloc((size_t)total + 1, sizeof *own);
  *k = (struct blocks){.own = NULL};
  for (int64_t i = 0; i < total; i++) own[i] = (int32_t)i;
  DO(op2_map_create(s->sets[EDGES], s->sets[EDGES], 1, own, "own", &k->own));
  free(own);
  const op2_map_pair pairs[4] = {
      {NULL, NULL}, {s->maps[EDGE_NODE], k->own}, {k->own, s->maps[EDGE_NODE]}, {k->own, k->own}};
  const int dims[2] = {DIM, 1};
  k->mat[0] = q->mat;
  for (int m = 1; m < 4; m++) {
    const op2_kernel_desc desc = {.name = names[m], .source = sources[m]};
    DO(op2_sparsity_create(1, &pairs[m], names[m], &k->sparsity[m]));
    DO(op2_mat_create(k->sparsity[m], dims[m / 2], dims[m % 2], OP2_F64, names[m], &k->mat[m]));
    DO(op2_kernel_create(s->ctx, &desc, &k->kernel[m]));
  }
  for (int i = 0; i < 2; i++) {
    k->solution[i] = numbers_of(s, i ? EDGES : NODES, dims[i], 1);
    DO(op2_dat_create(s->sets[i ? EDGES : NODES], dims[i], OP2_F64, NULL, "x", &k->x[i]));
    DO(op2_dat_create(s->sets[i ? EDGES : NODES], dims[i], OP2_F64, NULL, "b", &k->b[i]));
  }
}

static void add_blocks(struct scene *s, struct blocks *k) {
  for (int m = 1; m < 4; m++) {
    const op2_map maps[2] = {s->maps[EDGE_NODE], k->own};
    DO(op2_par_loop(k->kernel[m], s->sets[EDGES],
                    op2_arg_mat(k->mat[m], maps[m / 2], maps[m % 2], OP2_INC)));
  }
}

static void multiply_blocks(struct scene *s, struct blocks *k) {
  const op2_kernel_desc descs[2] = {
      {.name = "plus2",
       .source = "void plus2(double *b, const double *c) { b[0] += c[0]; b[1] += c[1]; }"},
      {.name = "plus1", .source = "void plus1(double *b, const double *c) { b[0] += c[0]; }"}};
  for (int i = 0; i < 2; i++) {
    op2_kernel plus = NULL;
    op2_dat part = NULL;
    op2_set set = s->sets[i ? EDGES : NODES];
    DO(op2_kernel_create(s->ctx, &descs[i], &plus));
    DO(op2_dat_create(set, i ? 1 : DIM, OP2_F64, NULL, "part", &part));
    DO(op2_mat_mult(k->mat[2 * i], k->solution[0], k->b[i]));
    DO(op2_mat_mult(k->mat[2 * i + 1], k->solution[1], part));
    DO(op2_par_loop(plus, set, op2_arg_direct(k->b[i], OP2_RW), op2_arg_direct(part, OP2_READ)));
    op2_dat_destroy(&part);
    op2_kernel_destroy(&plus);
  }
}

static void end_blocks(struct blocks *k) {
  for (int m = 1; m < 4; m++) {
    op2_mat_destroy(&k->mat[m]);
    op2_sparsity_destroy(&k->sparsity[m]);
    op2_kernel_destroy(&k->kernel[m]);
  }
  for (int i = 0; i < 2; i++) {
    op2_dat_destroy(&k->solution[i]);
    op2_dat_destroy(&k->x[i]);
    op2_dat_destroy(&k->b[i]);
  }
  op2_map_destroy(&k->own);
}

/* One matrix, solved directly; the nested one by GMRES; and split into its fields. */
static void try_nested(const char *backend, int how, uint64_t seed) {
  static const char *const prefixes[] = {"flat_", "nest_", "split_"};
  struct scene s;
  struct equations q;
  struct blocks k;
  op2_solver solvers[3] = {NULL};
  begin(&s, backend, seed % 3 == 0, how, seed);
  set_option("-flat_mat_type", "aij");
  set_option("-flat_ksp_type", "preonly");
  set_option("-flat_pc_type", "redundant");
  set_option("-nest_pc_type", "none");
  set_option("-split_pc_type", "fieldsplit");
  set_option("-split_fieldsplit_1_pc_type", "jacobi");
  new_equations(&s, &q);
  new_blocks(&s, &q, &k);
  add_blocks(&s, &k);
  for (int n = 0; n < 3; n++) {
    const op2_solver_options options = {
        .prefix = prefixes[n], .rtol = 1e-13, .start_at_zero = 1, .restart = 100};
    DO(op2_solver_create(s.ctx, &options, prefixes[n], &solvers[n]));
  }
  for (int turn = 0; turn < 3; turn++) {
    multiply_blocks(&s, &k);
    for (int n = 0; n < 3; n++) {
      op2_solve_result result = {0};
      DO(op2_solve_nested(solvers[n], 2, k.mat, k.x, k.b));
      DO(op2_solver_result(solvers[n], &result));
      GOOD(result.reason > OP2_NOT_SOLVED);
      GOOD(error_of(&s, k.x[0], NODES, DIM, 1) < 1e-8);
      GOOD(error_of(&s, k.x[1], EDGES, 1, 1) < 1e-8);
    }
    add_heavy(&s, &q);
    if (turn) add_blocks(&s, &k);
    if (turn == 1 && !op2i_order_unavailable()) DO(op2_renumber(s.maps[CELL_NODE]));
  }
  const op2_mat none[4] = {NULL};
  GOOD(op2_solve_nested(solvers[0], 2, none, k.x, k.b) == OP2_ERR_ARG);
  const op2_mat turned[4] = {k.mat[3], k.mat[2], k.mat[1], k.mat[0]};
  GOOD(op2_solve_nested(solvers[0], 2, turned, k.x, k.b) == OP2_ERR_MISMATCH);
  for (int n = 0; n < 3; n++) op2_solver_destroy(&solvers[n]);
  end_blocks(&k);
  end_equations(&q);
  end(&s);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static void fail_to_solve(struct scene *s, struct equations *q, const op2_solver_options *options,
                          op2_reason reason, const char *word) {
  op2_solver solver = NULL;
  op2_solve_result result = {0};
  op2_dat after = NULL;
  int64_t owned = s->share.set[NODES].ends[1];
  double *got = calloc((size_t)(owned * DIM) + 1, sizeof *got);
  DO(op2_dat_create(s->sets[NODES], DIM, OP2_F64, NULL, "after", &after));
  DO(op2_solver_create(s->ctx, options, "fails", &solver));
  op2_status queued = op2_solve(solver, q->mat, q->x, q->b);
  GOOD(!queued || queued == OP2_ERR_DIVERGED);
  DO(op2_mat_mult(q->mat, q->x, after));
  GOOD(op2_dat_get(after, got) == OP2_ERR_DIVERGED); /* it is cancelled */
  if (!good(strstr(op2_error_message(), word) != NULL, __LINE__, word))
    fprintf(stderr, "# %s\n", op2_error_message());
  DO(op2_solver_result(solver, &result));
  if (!GOOD(result.reason == reason)) fprintf(stderr, "# reason %d\n", (int)result.reason);
  op2_solver_destroy(&solver);
  /* as PETSc left it, where that is allowed */
  op2_solver_options allowing = *options;
  allowing.allow_failure = 1;
  DO(op2_solver_create(s->ctx, &allowing, "may", &solver));
  const op2_kernel_desc desc = {.name = "zero",
                                .source = "void zero(double *x) { x[0] = x[1] = 0; }"};
  op2_kernel zero = NULL;
  DO(op2_kernel_create(s->ctx, &desc, &zero));
  DO(op2_par_loop(zero, s->sets[NODES], op2_arg_direct(q->x, OP2_WRITE)));
  DO(op2_solve(solver, q->mat, q->x, q->b));
  DO(op2_dat_get(q->x, got));
  DO(op2_solver_result(solver, &result));
  GOOD(result.reason == reason);
  op2_kernel_destroy(&zero);
  op2_solver_destroy(&solver);
  op2_dat_destroy(&after);
  free(got);
}

static void spoil(struct scene *s, struct equations *q, const char *value) {
  char source[200];
  snprintf(
      source, sizeof source,
      "#include <math.h>\nvoid spoil(double a[2][2]) { a[0][0] = a[0][1] = a[1][0] = a[1][1] = "
      "%s; }",
      value);
  const op2_kernel_desc desc = {.name = "spoil", .source = source};
  op2_kernel spoil = NULL;
  DO(op2_kernel_create(s->ctx, &desc, &spoil));
  DO(op2_mat_zero(q->mat));
  add_heavy(s, q);
  DO(op2_par_loop(spoil, s->sets[NODES], op2_arg_mat(q->mat, s->self, s->self, OP2_WRITE)));
  op2_kernel_destroy(&spoil);
}

static void try_failures(const char *backend) {
  struct scene s;
  struct equations q;
  op2_solver solver = NULL;
  begin(&s, backend, false, 1, 6);
  new_equations(&s, &q);
  DO(op2_mat_mult(q.mat, q.solution, q.b));
  const op2_solver_options few = {.method = OP2_METHOD_CG,
                                  .preconditioner = OP2_PRECONDITIONER_NONE,
                                  .iterations = 1,
                                  .rtol = 1e-14,
                                  .start_at_zero = 1};
  fail_to_solve(&s, &q, &few, OP2_DIVERGED_ITERATIONS, "DIVERGED_ITS");
  spoil(&s, &q, "NAN");
  const op2_solver_options jacobi = {
      .method = OP2_METHOD_GMRES, .preconditioner = OP2_PRECONDITIONER_NONE, .start_at_zero = 1};
  fail_to_solve(&s, &q, &jacobi, OP2_DIVERGED_NAN, "DIVERGED_NANORINF");
  spoil(&s, &q, "-1000");
  const op2_solver_options cg = {.method = OP2_METHOD_CG,
                                 .preconditioner = OP2_PRECONDITIONER_NONE,
                                 .dtol = 1e100,
                                 .start_at_zero = 1};
  fail_to_solve(&s, &q, &cg, OP2_DIVERGED_INDEFINITE, "DIVERGED_INDEFINITE_MAT");
  /* singular: a row of zeros has no pivot */
  DO(op2_mat_zero(q.mat));
  add_heavy(&s, &q);
  int64_t first[1] = {0};
  op2_set row = NULL;
  DO(op2_subset_create(s.sets[NODES], s.share.set[NODES].ends[1] > 0 ? 1 : 0, first, "row", &row));
  DO(op2_mat_zero_rows(q.mat, row, 0));
  const op2_solver_options lu = {.prefix = "lu_", .start_at_zero = 1};
  set_option("-lu_pc_type", "redundant");
  set_option("-lu_mat_type", "aij");
  fail_to_solve(&s, &q, &lu, OP2_DIVERGED_PRECONDITIONER, "DIVERGED_PC_FAILED");
  op2_set_destroy(&row);
  /* options that there are not */
  const op2_solver_options odd = {.prefix = "odd_", .start_at_zero = 1};
  set_option("-odd_ksp_type", "no such method");
  DO(op2_solver_create(s.ctx, &odd, "odd", &solver));
  DO(op2_solve(solver, q.mat, q.x, q.b));
  GOOD(op2_flush(s.ctx) == OP2_ERR_CALL);
  GOOD(strstr(op2_error_message(), "no such method") != NULL);
  op2_solver_destroy(&solver);
  set_option("-odd_ksp_type", NULL);
  set_option("-odd_mat_type", "dense");
  DO(op2_solver_create(s.ctx, &odd, "odd", &solver));
  DO(op2_solve(solver, q.mat, q.x, q.b));
  GOOD(op2_flush(s.ctx) == OP2_ERR_OPTION);
  op2_solver_destroy(&solver);
  set_option("-odd_mat_type", NULL);
  /* scopes, types and handles */
  Mat A = NULL;
  Vec v = NULL, w = NULL;
  GOOD(op2_mat_petsc(q.mat, OP2_INC, NULL, &A) == OP2_ERR_ACCESS);
  GOOD(op2_mat_petsc(q.mat, OP2_READ, MATDENSE, &A) == OP2_ERR_TYPE);
  GOOD(op2_mat_petsc(NULL, OP2_READ, NULL, &A) == OP2_ERR_ARG);
  GOOD(op2_mat_petsc(q.mat, OP2_READ, NULL, NULL) == OP2_ERR_ARG);
  GOOD(op2_mat_petsc_end(q.mat, &A) == OP2_ERR_STATE);
  DO(op2_mat_petsc(q.mat, OP2_RW, NULL, &A));
  Mat B = NULL;
  GOOD(op2_mat_petsc(q.mat, OP2_READ, NULL, &B) == OP2_ERR_STATE && !B);
  GOOD(op2_mat_mult(q.mat, q.solution, q.b) == OP2_ERR_STATE);
  GOOD(strstr(op2_error_message(), "matrix 'H' is open for writing (op2_mat_petsc_end is missing)"));
  DO(op2_mat_petsc_end(q.mat, &A));
  GOOD(op2_dat_petsc(q.x, OP2_INC, &v) == OP2_ERR_ACCESS);
  DO(op2_dat_petsc(q.b, OP2_RW, &v));
  GOOD(op2_dat_petsc(q.b, OP2_READ, &w) == OP2_ERR_STATE && !w);
  GOOD(op2_dat_petsc_end(q.x, &v) == OP2_ERR_STATE && v);
  DO(op2_dat_petsc_end(q.b, &v));
  op2_dat ints = NULL;
  DO(op2_dat_create(s.sets[NODES], 1, OP2_I32, NULL, "ints", &ints));
  GOOD(op2_dat_petsc(ints, OP2_READ, &v) == OP2_ERR_TYPE);
  op2_dat_destroy(&ints);
  end_equations(&q);
  end(&s);
}

/* ---- how PETSc begins and ends --------------------------------------------------------------- */

static void solve_once(struct scene *s, struct equations *q, op2_solver *solver,
                       const op2_solver_options *options) {
  Mat A = NULL;
  new_equations(s, q);
  DO(op2_mat_mult(q->mat, q->solution, q->b));
  DO(op2_solver_create(s->ctx, options, "once", solver));
  DO(op2_solve(*solver, q->mat, q->x, q->b));
  GOOD(error_of(s, q->x, NODES, DIM, 1) < 1e-4);
  DO(op2_mat_petsc(q->mat, OP2_READ, MATAIJ, &A));
  DO(op2_mat_petsc_end(q->mat, &A));
}

static void finish(struct scene *s, struct equations *q, op2_solver *solver) {
  op2_solver_destroy(solver);
  end_equations(q);
  end(s);
}

static int begins(const char *who, int argc, char **argv) {
  const op2_solver_options options = {.prefix = "once_"};
  struct scene s;
  struct equations q = {.mat = NULL};
  op2_solver solver = NULL;
  KSP ksp = NULL;
  bool before = !strcmp(who, "before"), after = !strcmp(who, "after");
  char view[] = "-once_ksp_view", *rest[] = {argv[0], view}, **given = rest;
  int ngiven = 2;
  if (!before && !after) {
    begin(&s, "sequential", false, 1, 7);
    GOOD(PetscInitializeCalled && !PetscFinalizeCalled);
    finish(&s, &q, &solver);
    return wrong;
  }
  if (before) PETSC(PetscInitialize(&ngiven, &given, NULL, NULL));
  begin(&s, "sequential", false, 1, 7);
  PETSC(PetscInitialize(&argc, &argv, NULL, NULL)); /* which does nothing */
  PETSC(KSPCreate(PETSC_COMM_WORLD, &ksp));
  solve_once(&s, &q, &solver, &options);
  if (after) finish(&s, &q, &solver);
  PETSC(KSPDestroy(&ksp));
  PETSC(PetscFinalize());
  if (before) {
    /* what was PETSc's is gone, and all else works */
    Mat A = NULL;
    GOOD(op2_mat_petsc(q.mat, OP2_READ, NULL, &A) == OP2_ERR_STATE);
    DO(op2_mat_mult(q.mat, q.x, q.b));
    DO(op2_flush(s.ctx));
    finish(&s, &q, &solver);
  }
  return wrong;
}

/* Neither MPI nor PETSc is initialised here. */
static int alone(int argc, char **argv) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_map map = NULL;
  op2_sparsity sparsity = NULL;
  op2_mat mat = NULL;
  op2_kernel two = NULL;
  op2_dat x = NULL, b = NULL;
  op2_solver solver = NULL;
  const int32_t idx[] = {0, 1, 2, 3};
  const double ones[] = {2, 4, 6, 8};
  double got[4] = {0};
  const op2_kernel_desc desc = {.name = "two",
                                .source = "void two(double a[1][1]) { a[0][0] += 2; }"};
  DO(op2_init(&options, &ctx));
  DO(op2_petsc_use(ctx, argc, argv));
  DO(op2_set_create(ctx, 4, "set", &set));
  DO(op2_map_create(set, set, 1, idx, "map", &map));
  const op2_map_pair pair = {map, map};
  DO(op2_sparsity_create(1, &pair, "pattern", &sparsity));
  DO(op2_mat_create(sparsity, 1, 1, OP2_F64, "A", &mat));
  DO(op2_kernel_create(ctx, &desc, &two));
  DO(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  DO(op2_dat_create(set, 1, OP2_F64, ones, "b", &b));
  DO(op2_solver_create(ctx, NULL, "s", &solver));
  DO(op2_par_loop(two, set, op2_arg_mat(mat, map, map, OP2_INC)));
  DO(op2_solve(solver, mat, x, b));
  DO(op2_dat_get(x, got));
  for (int i = 0; i < 4; i++) GOOD(fabs(got[i] - (i + 1)) < 1e-10);
  op2_solver_destroy(&solver);
  op2_dat_destroy(&x);
  op2_dat_destroy(&b);
  op2_kernel_destroy(&two);
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
  op2_map_destroy(&map);
  op2_set_destroy(&set);
  DO(op2_finalize(&ctx));
  printf("%d wrong\n", wrong);
  return wrong;
}

int main(int argc, char **argv) {
  static const char *const backends[] = {"sequential", "openmp", "starpu"};
  test_environment();
  if (argc > 1 && !strcmp(argv[1], "alone")) return alone(argc - 1, argv + 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1) {
    wrong = begins(argv[1], argc, argv);
    tell("PETSc begins and ends: %s", argv[1]);
  }
  for (size_t b = 0; b < sizeof backends / sizeof *backends && argc == 1; b++) {
    const char *why = backend_unfit(backends[b]);
    if (why) {
      if (!rank) skip("%s: %s", backends[b], why);
      continue;
    }
    int turns = quick() ? 1 : 2;
    try_matrices(backends[b], turns);
    for (int how = 0; how < WHOLE_HOWS; how++)
      for (int turn = 0; turn < turns; turn++) {
        uint64_t seed = (uint64_t)(10 * how + turn + 1);
        try_methods(backends[b], how, seed);
        tell("%s, %d ranks, mesh %d.%d: methods", backends[b], ranks, how, turn);
        try_changes(backends[b], how, seed, turn % 2 ? "aij" : "baij");
        tell("%s, %d ranks, mesh %d.%d: changes", backends[b], ranks, how, turn);
        try_operators(backends[b], how, seed);
        tell("%s, %d ranks, mesh %d.%d: operators", backends[b], ranks, how, turn);
        try_nested(backends[b], how, seed);
        tell("%s, %d ranks, mesh %d.%d: several dats", backends[b], ranks, how, turn);
      }
    try_failures(backends[b]);
    tell("%s, %d ranks: failures", backends[b], ranks);
  }
  int status = rank ? 0 : done();
  MPI_Finalize();
  return status;
}
