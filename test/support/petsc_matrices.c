/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of random meshes as PETSc matrices: each entry is compared with the sum of the elements'
 * contributions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "petsc_case.h"
#include "renumber.h"
#include "renumber_order.h"

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
  double *dense; /* one assembly, [nodes][row_dim][column elements][column_dim] */
};

static double value(double w, int r, int c) { return w * (r + 1) - 2 * c + r * c; }

static void assemble_whole(const struct scene *s, const struct shape *f, struct assembly *a) {
  const int rows = s->whole.map[CELL_NODE].arity;
  /* With edges as columns the elements are the edges: their nodes are the rows and the edges
   * themselves the columns. */
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

/* Compare the library's values after the program has changed a Mat. */
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

/* Open the matrix, compare it, change it, and compare it again. */
/* The local numbers of rows and columns are those of the elements on this rank, with the halo. */
static void compare_local(const struct scene *s, const struct shape *f, Mat A) {
  const int sets[] = {NODES, f->edges ? EDGES : NODES};
  ISLocalToGlobalMapping maps[2] = {NULL, NULL};
  PETSC(MatGetLocalToGlobalMapping(A, &maps[0], &maps[1]));
  for (int side = 0; side < 2 && maps[side]; side++) {
    const int64_t n = s->share.set[sets[side]].ends[3];
    double *element_of = elements_by_row(s, sets[side]);
    PetscInt size = 0, block = 0;
    const PetscInt *number = NULL;
    int differs = 0;
    PETSC(ISLocalToGlobalMappingGetSize(maps[side], &size));
    PETSC(ISLocalToGlobalMappingGetBlockSize(maps[side], &block));
    GOOD(block == (side ? f->column_dim : f->row_dim) && size == n * block);
    PETSC(ISLocalToGlobalMappingGetBlockIndices(maps[side], &number));
    for (int64_t i = 0; i < n && size == n * block; i++)
      differs += (int64_t)element_of[number[i]] != s->share.set[sets[side]].global[i];
    PETSC(ISLocalToGlobalMappingRestoreBlockIndices(maps[side], &number));
    GOOD(differs == 0);
    free(element_of);
  }
  GOOD(maps[0] && maps[1]);
}

static void look(struct scene *s, const struct shape *f, struct assembly *a, double times) {
  Mat A = NULL, again = NULL;
  DO(op2_mat_petsc(a->mat, OP2_READ, f->form, &A));
  if (A) compare(s, f, a, A, times);
  if (A) compare_local(s, f, A);
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

/* PETSc's product of matrix and vector equals the library's. */
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

void try_matrices(const char *backend, int turns) {
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
