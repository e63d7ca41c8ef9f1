/* SPDX-License-Identifier: BSD-3-Clause */
/* PETSc's views for reading that are changed nevertheless, on no rank, on one or on all: the
 * consequences are the same on all ranks. Run by t945-petsc-views.sh on 1 to 3 ranks. */
#include <math.h>

#include "petsc_ranks.h"
#include "support.h"

enum who { NOBODY, THE_FIRST, THE_LAST, EVERYBODY, WHOS };
static const char *const whos[] = {"no rank", "the first rank", "the last rank", "all ranks"};

static bool changes(enum who who) {
  return who == EVERYBODY || (who == THE_FIRST && rank == 0) ||
         (who == THE_LAST && rank == ranks - 1);
}

/* ---- a ring of nodes and edges --------------------------------------------------------------- */

struct ring {
  op2_context ctx;
  op2_set nodes, edges;
  op2_map ends;
  op2_kernel sum, add;
};

static void begin(struct ring *r, const char *backend) {
  const op2_partition_options blocks = {.method = OP2_PARTITION_BLOCKS};
  const op2_kernel_desc sum = {.name = "sum",
                               .source = "void sum(const double *const *x, double *y) {\n"
                                         "  y[0] = x[0][0] + x[1][0];\n}"};
  const op2_kernel_desc add = {.name = "add",
                               .source =
                                   "void add(double a[2][2]) {\n"
                                   "  a[0][0] += 2; a[0][1] -= 1; a[1][0] -= 1; a[1][1] += 2;\n"
                                   "}"};
  *r = (struct ring){0};
  new_ring(backend, &r->ctx, &r->nodes, &r->edges, &r->ends);
  DO(op2_partition(r->ctx, &blocks, NULL));
  DO(op2_kernel_create(r->ctx, &sum, &r->sum));
  DO(op2_kernel_create(r->ctx, &add, &r->add));
}

static void end(struct ring *r) {
  op2_kernel_destroy(&r->sum);
  op2_kernel_destroy(&r->add);
  op2_map_destroy(&r->ends);
  op2_set_destroy(&r->edges);
  op2_set_destroy(&r->nodes);
  DO(op2_finalize(&r->ctx));
}

/* ---- dats ------------------------------------------------------------------------------------ */

/* Change a Vec despite the lock that it has as a view for reading. */
static void change_vec(Vec v) {
  PetscScalar *values = NULL;
  PetscInt n = 0;
  PETSC(VecLockReadPop(v));
  PETSC(VecGetLocalSize(v, &n));
  if (PETSC(VecGetArray(v, &values)))
    for (PetscInt i = 0; i < n; i++) values[i] += 100;
  PETSC(VecRestoreArray(v, &values));
  PETSC(VecLockReadPush(v));
}

/* Check the sums that edges read from nodes, some of them in the halo: each end whose rank has
 * changed its values contributes 100 more per change. */
static void expect_sums(const struct ring *r, op2_dat x, op2_dat y, enum who who, int times) {
  const int64_t all = (int64_t)ranks * EACH;
  double sums[EACH] = {0};
  DO(op2_par_loop(r->sum, r->edges, op2_arg_dat(x, OP2_ALL, r->ends, OP2_READ),
                  op2_arg_direct(y, OP2_WRITE)));
  DO(op2_dat_get_block(y, (int64_t)rank * EACH, EACH, sums));
  for (int i = 0; i < EACH; i++) {
    double want = 0;
    for (int e = 0; e < 2; e++) {
      int64_t node = ((int64_t)rank * EACH + i + e) % all;
      int owner = (int)(node / EACH);
      bool changed = who == EVERYBODY || (who == THE_FIRST && !owner) ||
                     (who == THE_LAST && owner == ranks - 1);
      want += (double)node + (changed ? 100 * times : 0);
    }
    GOOD(sums[i] == want);
  }
}

/* The change is made twice, so that a copy that was updated after the first is stale again. */
static void try_dat(const char *backend, op2_type type, enum who who) {
  struct ring r;
  op2_dat x = NULL, y = NULL;
  Vec v = NULL;
  begin(&r, backend);
  double values[EACH];
  float floats[EACH];
  for (int i = 0; i < EACH; i++) floats[i] = (float)(values[i] = rank * EACH + i);
  if (type == OP2_F64) {
    DO(op2_dat_create(r.nodes, 1, type, NULL, "x", &x));
    DO(op2_dat_create(r.edges, 1, OP2_F64, NULL, "y", &y));
    DO(op2_dat_set_block(x, (int64_t)rank * EACH, EACH, values));
    expect_sums(&r, x, y, NOBODY, 0);
  } else {
    DO(op2_dat_create(r.nodes, 1, type, NULL, "x", &x));
    DO(op2_dat_set_block(x, (int64_t)rank * EACH, EACH, floats));
  }
  for (int times = 1; times <= 2; times++) {
    DO(op2_dat_petsc(x, OP2_READ, &v));
    if (v && changes(who)) change_vec(v);
    DO(op2_dat_petsc_end(x, &v));
    GOOD(!v);
    if (type == OP2_F64) expect_sums(&r, x, y, who, times);
  }
  if (type == OP2_F32) {
    /* The change was made to a copy, so the dat keeps its values. */
    DO(op2_dat_get_block(x, (int64_t)rank * EACH, EACH, floats));
    for (int i = 0; i < EACH; i++) GOOD(floats[i] == (float)values[i]);
  }
  op2_dat_destroy(&x);
  op2_dat_destroy(&y);
  end(&r);
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* The entry that PETSc's product with a vector of ones has in all rows of this rank; NaN if they
 * differ. */
static double product(op2_mat mat) {
  Mat A = NULL;
  Vec x = NULL, y = NULL;
  PetscReal least = NAN, most = NAN;
  DO(op2_mat_petsc(mat, OP2_READ, MATAIJ, &A));
  if (!A) return NAN;
  PETSC(MatCreateVecs(A, &x, &y));
  PETSC(VecSet(x, 1));
  PETSC(MatMult(A, x, y));
  PETSC(VecMin(y, NULL, &least));
  PETSC(VecMax(y, NULL, &most));
  PETSC(VecDestroy(&x));
  PETSC(VecDestroy(&y));
  DO(op2_mat_petsc_end(mat, &A));
  return least == most ? most : NAN;
}

/* On one rank the Mat uses the matrix's own values, so the change stays; on several it is a copy,
 * which is built anew for the next view. */
static void try_mat(const char *backend, enum who who) {
  struct ring r;
  op2_sparsity sparsity = NULL;
  op2_mat mat = NULL;
  Mat A = NULL;
  double want = 2;
  begin(&r, backend);
  const op2_map_pair pair = {r.ends, r.ends};
  DO(op2_sparsity_create(1, &pair, "pattern", &sparsity));
  DO(op2_mat_create(sparsity, 1, 1, OP2_F64, "A", &mat));
  DO(op2_par_loop(r.add, r.edges, op2_arg_mat(mat, r.ends, r.ends, OP2_INC)));
  GOOD(product(mat) == want);
  for (int times = 1; times <= 2; times++) {
    DO(op2_mat_petsc(mat, OP2_READ, MATAIJ, &A));
    /* MatScale() is collective, but on one rank alone it scales that rank's rows. */
    if (A && changes(who)) PETSC(MatScale(A, 3));
    DO(op2_mat_petsc_end(mat, &A));
    GOOD(!A);
    if (ranks == 1 && who != NOBODY) want *= 3;
    GOOD(product(mat) == want);
  }
  DO(op2_mat_zero(mat));
  DO(op2_par_loop(r.add, r.edges, op2_arg_mat(mat, r.ends, r.ends, OP2_INC)));
  GOOD(product(mat) == 2);
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
  end(&r);
}

/* ---- all cases ------------------------------------------------------------------------------- */

static void try_backend(const char *backend) {
  for (enum who who = NOBODY; who < WHOS; who++) {
    try_dat(backend, OP2_F64, who);
    tell("%s: a Vec of doubles for reading that %s changed", backend, whos[who]);
    try_dat(backend, OP2_F32, who);
    tell("%s: a Vec of floats for reading that %s changed", backend, whos[who]);
    try_mat(backend, who);
    tell("%s: a Mat for reading that %s changed", backend, whos[who]);
  }
}

int main(int argc, char **argv) {
  test_environment();
  begin_ranks(&argc, &argv);
  on_backends(try_backend);
  return end_ranks();
}
