/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices with dense rows and columns as Mats of PETSc, alone and nested: products of PETSc's against
 * those of op2, after each assembly, also as one AIJ; changes that the program makes; systems that
 * PETSc solves. Run by t946-petsc-dense-rows.sh on 1 to 3 ranks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "petsc_ranks.h"
#include "support.h"

enum { BLOCKS = 4, K = 0, COLUMN, ROW, CORNER };

/* ---- a ring of nodes and edges, and a multiplier of the whole ring --------------------------- */

struct ring {
  op2_context ctx;
  int dim, g; /* values of a node, and of the multiplier */
  op2_type type;
  op2_set nodes, edges, single;
  op2_map ends, whole;
  op2_mat mats[BLOCKS];
  op2_kernel add[BLOCKS];
  op2_dat u, p, f, h;
};

static const char *const text[BLOCKS] = {"r == c ? 9 : -1", "r + 2 * c + 1", "2 * r - c + 1",
                                         "r == c ? 30 : 1"};

static void make_mat(struct ring *r, int m) {
  const op2_map rows = m == ROW || m == CORNER ? r->whole : r->ends;
  const op2_map columns = m == COLUMN || m == CORNER ? r->whole : r->ends;
  const int row_dim = rows == r->whole ? r->g : r->dim;
  const int column_dim = columns == r->whole ? r->g : r->dim;
  const int height = (rows == r->ends ? 2 : 1) * row_dim,
            width = (columns == r->ends ? 2 : 1) * column_dim;
  const op2_map_pair pair = {rows, columns};
  op2_sparsity sparsity = NULL;
  char source[256];
  snprintf(source, sizeof source,
           "void add(%s a[%d][%d]) { for (int r = 0; r < %d; r++) for (int c = 0; c < %d; c++) "
           "a[r][c] += %s; }",
           r->type == OP2_F64 ? "double" : "float", height, width, height, width, text[m]);
  const op2_kernel_desc desc = {.name = "add", .source = source};
  DO(op2_sparsity_create(1, &pair, "pattern", &sparsity));
  DO(op2_mat_create(sparsity, row_dim, column_dim, r->type, "mat", &r->mats[m]));
  DO(op2_kernel_create(r->ctx, &desc, &r->add[m]));
  op2_sparsity_destroy(&sparsity);
}

static void assemble(const struct ring *r) {
  for (int m = 0; m < BLOCKS; m++)
    DO(op2_par_loop(r->add[m], r->edges,
                    op2_arg_mat(r->mats[m], m == ROW || m == CORNER ? r->whole : r->ends,
                                m == COLUMN || m == CORNER ? r->whole : r->ends, OP2_INC)));
}

static void begin(struct ring *r, const char *backend, int dim, int g, op2_type type) {
  *r = (struct ring){.dim = dim, .g = g, .type = type};
  new_ring(backend, &r->ctx, &r->nodes, &r->edges, &r->ends);
  DO(op2_set_create_single(r->ctx, "R", &r->single));
  DO(op2_map_create(r->edges, r->single, 1, NULL, "whole", &r->whole));
  DO(op2_partition(r->ctx, NULL, NULL));
  for (int m = 0; m < BLOCKS; m++) make_mat(r, m);
  op2_dat *const dats[] = {&r->u, &r->f, &r->p, &r->h};
  for (int d = 0; d < 4; d++)
    DO(op2_dat_create(d < 2 ? r->nodes : r->single, d < 2 ? dim : g, type, NULL, "x", dats[d]));
}

static void end(struct ring *r) {
  op2_dat *const dats[] = {&r->u, &r->f, &r->p, &r->h};
  for (int d = 0; d < 4; d++) op2_dat_destroy(dats[d]);
  for (int m = 0; m < BLOCKS; m++) op2_mat_destroy(&r->mats[m]);
  for (int m = 0; m < BLOCKS; m++) op2_kernel_destroy(&r->add[m]);
  op2_map_destroy(&r->ends);
  op2_map_destroy(&r->whole);
  op2_set_destroy(&r->single);
  op2_set_destroy(&r->edges);
  op2_set_destroy(&r->nodes);
  DO(op2_finalize(&r->ctx));
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* The owned values of a dat, in PETSc's order. */
static int64_t list(op2_dat dat, double *out) {
  const PetscScalar *values = NULL;
  PetscInt n = 0;
  Vec v = NULL;
  DO(op2_dat_petsc(dat, OP2_READ, &v));
  if (!v) return 0;
  PETSC(VecGetLocalSize(v, &n));
  PETSC(VecGetArrayRead(v, &values));
  for (PetscInt i = 0; i < n; i++) out[i] = values[i];
  PETSC(VecRestoreArrayRead(v, &values));
  DO(op2_dat_petsc_end(dat, &v));
  return n;
}

/* Whole numbers that depend on where a value is. */
static void fill(const struct ring *r) {
  int64_t number[3 * EACH] = {0};
  double u[3 * EACH * 3], p[3];
  float narrow[3 * EACH * 3];
  const int64_t owned = op2_set_size(r->nodes);
  DO(op2_set_global(r->nodes, number));
  for (int64_t i = 0; i < owned * r->dim; i++)
    narrow[i] = (float)(u[i] = (double)(number[i / r->dim] * 3 + i % r->dim) - 5);
  DO(op2_dat_set(r->u, r->type == OP2_F64 ? (void *)u : (void *)narrow));
  for (int k = 0; k < r->g; k++) narrow[k] = (float)(p[k] = 2 - 3 * k);
  DO(op2_dat_set(r->p, r->type == OP2_F64 ? (void *)p : (void *)narrow));
}

/* f = K u + column p, h = row u + corner p, by op2. */
static void multiply(const struct ring *r) {
  op2_dat f = NULL, h = NULL;
  DO(op2_dat_create(r->nodes, r->dim, r->type, NULL, "f", &f));
  DO(op2_dat_create(r->single, r->g, r->type, NULL, "h", &h));
  DO(op2_mat_mult(r->mats[K], r->u, r->f));
  DO(op2_mat_mult(r->mats[COLUMN], r->p, f));
  DO(op2_dat_axpy(r->f, op2_scalar_value(1), f));
  DO(op2_mat_mult(r->mats[ROW], r->u, r->h));
  DO(op2_mat_mult(r->mats[CORNER], r->p, h));
  DO(op2_dat_axpy(r->h, op2_scalar_value(1), h));
  op2_dat_destroy(&f);
  op2_dat_destroy(&h);
}

/* ---- Mats ------------------------------------------------------------------------------------ */

static void expect_product(const struct ring *r, Mat A) {
  double x[4 * EACH * 3], want[4 * EACH * 3];
  const PetscScalar *got = NULL;
  PetscScalar *values = NULL;
  Vec vx = NULL, vy = NULL;
  PetscInt n = 0;
  int64_t nu = list(r->u, x), nf = list(r->f, want);
  nu += list(r->p, x + nu);
  nf += list(r->h, want + nf);
  PETSC(MatCreateVecs(A, &vx, &vy));
  PETSC(VecGetLocalSize(vx, &n));
  if (GOOD(n == nu)) {
    PETSC(VecGetArray(vx, &values));
    for (PetscInt i = 0; i < n; i++) values[i] = x[i];
    PETSC(VecRestoreArray(vx, &values));
  }
  PETSC(MatMult(A, vx, vy));
  PETSC(VecGetLocalSize(vy, &n));
  PETSC(VecGetArrayRead(vy, &got));
  int different = n != nf;
  for (PetscInt i = 0; i < n && i < nf; i++) different += !(fabs(got[i] - want[i]) < 1e-9);
  GOOD(different == 0);
  PETSC(VecRestoreArrayRead(vy, &got));
  PETSC(VecDestroy(&vx));
  PETSC(VecDestroy(&vy));
}

static void try_nested(const char *backend, int dim, int g, op2_type type) {
  struct ring r;
  begin(&r, backend, dim, g, type);
  fill(&r);
  for (int turn = 0; turn < 2; turn++) {
    Mat A = NULL, whole = NULL;
    assemble(&r);
    multiply(&r);
    DO(op2_nested_petsc(2, 2, r.mats, OP2_READ, NULL, &A));
    if (A) {
      expect_product(&r, A);
      DO(op2_nested_petsc_end(2, 2, r.mats, &A));
    }
    DO(op2_nested_petsc(2, 2, r.mats, OP2_READ, MATAIJ, &A));
    if (!A) continue;
    PETSC(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &whole));
    if (whole) expect_product(&r, whole);
    PETSC(MatDestroy(&whole));
    DO(op2_nested_petsc_end(2, 2, r.mats, &A));
  }
  end(&r);
}

/* The Mat of a dense row is the transpose of one of a column, which may be changed. */
static void try_change(const char *backend, int dim, int g) {
  struct ring r;
  Mat A = NULL, column = NULL;
  PetscInt rows = 0, columns = 0;
  begin(&r, backend, dim, g, OP2_F64);
  fill(&r);
  assemble(&r);
  DO(op2_mat_petsc(r.mats[ROW], OP2_RW, NULL, &A));
  if (A) {
    PETSC(MatGetSize(A, &rows, &columns));
    GOOD(rows == g && columns == (PetscInt)ranks * EACH * dim);
    PETSC(MatTransposeGetMat(A, &column));
    PETSC(MatScale(column, 5));
    DO(op2_mat_petsc_end(r.mats[ROW], &A));
  }
  DO(op2_mat_scale(r.mats[ROW], op2_scalar_value(0.2)));
  multiply(&r);
  double want[3] = {0}, got[3] = {0};
  const int64_t n = list(r.h, want);
  DO(op2_mat_zero(r.mats[ROW]));
  DO(op2_mat_zero(r.mats[CORNER]));
  DO(op2_mat_zero(r.mats[COLUMN]));
  assemble(&r);
  multiply(&r);
  GOOD(list(r.h, got) == n && n == (rank ? 0 : g));
  for (int k = 0; k < n; k++) GOOD(fabs(want[k] - got[k]) < 1e-9 && fabs(got[k]) > 0.5);
  GOOD(op2_mat_petsc(r.mats[ROW], OP2_READ, MATBAIJ, &A) == OP2_ERR_TYPE && !A);
  end(&r);
}

/* ---- solves ---------------------------------------------------------------------------------- */

static void try_solve(const char *backend, int dim, int g, const char *prefix) {
  struct ring r;
  op2_solver solver = NULL;
  op2_dat x[2] = {NULL, NULL};
  double want[4 * EACH * 3] = {0}, got[4 * EACH * 3] = {0};
  const op2_solver_options options = {.rtol = 1e-12, .prefix = prefix, .iterations = 400};
  begin(&r, backend, dim, g, OP2_F64);
  fill(&r);
  assemble(&r);
  multiply(&r);
  DO(op2_solver_create(r.ctx, &options, "solver", &solver));
  DO(op2_dat_create(r.nodes, dim, OP2_F64, NULL, "x", &x[0]));
  DO(op2_dat_create(r.single, g, OP2_F64, NULL, "y", &x[1]));
  DO(op2_solve_nested(solver, 2, r.mats, x, ((const op2_dat[]){r.f, r.h})));
  int64_t n = list(r.u, want), m = list(x[0], got);
  n += list(r.p, want + n);
  m += list(x[1], got + m);
  GOOD(n == m);
  for (int64_t i = 0; i < n; i++) GOOD(fabs(want[i] - got[i]) < 1e-6);
  op2_dat_destroy(&x[0]);
  op2_dat_destroy(&x[1]);
  op2_solver_destroy(&solver);
  end(&r);
}

/* ---- all cases ------------------------------------------------------------------------------- */

static void try_backend(const char *backend) {
  try_nested(backend, 1, 1, OP2_F64);
  tell("%s: nested Mats of doubles", backend);
  try_nested(backend, 2, 3, OP2_F64);
  tell("%s: nested Mats with blocks", backend);
  try_nested(backend, 3, 1, OP2_F32);
  tell("%s: nested Mats of floats", backend);
  try_change(backend, 1, 1);
  try_change(backend, 3, 2);
  tell("%s: a dense row that the program changes", backend);
  try_solve(backend, 1, 1, "nest_");
  try_solve(backend, 2, 3, "nest_");
  tell("%s: a nested system", backend);
  try_solve(backend, 1, 1, "aij_");
  try_solve(backend, 2, 3, "aij_");
  tell("%s: a system as one matrix", backend);
}

int main(int argc, char **argv) {
  test_environment();
  setenv("PETSC_OPTIONS",
         "-nest_pc_type none -nest_ksp_gmres_restart 100 -aij_mat_type aij -aij_pc_type redundant "
         "-aij_redundant_pc_type lu",
         1);
  begin_ranks(&argc, &argv);
  on_backends(try_backend);
  return end_ranks();
}
