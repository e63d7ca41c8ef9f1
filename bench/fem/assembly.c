/* SPDX-License-Identifier: BSD-3-Clause */
/* Times to assemble a matrix and to multiply by it, compared with PETSc and with a hand-written
 * program, in turn, with the same kernel: bilinear elements of Poisson's problem, and of
 * elasticity, on N * N cells. On several ranks PETSc gets the indices of all values in advance
 * (MatSetValuesCOO), on one rank it is called for each element (MatSetValues). Times are the best
 * of the rounds, and of several ranks the longest. */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_hand.h"
#include "common/application.h"
#include "common/clock.h"
#include "common/ranks.h"
#include "common/report.h"
#include "grid.h"
#include "kernels_assembly.h"
#include "op2/petsc.h"

const char report_name[] = "assembly";

struct options {
  const char *problem;
  int cells, rounds;
  run_options run;
};

static const option table[] = {
    {"--problem", "poisson|elasticity", "what to assemble (default poisson)", PROGRAM_OP2,
     option_text, offsetof(options, problem)},
    {"--cells", "N", "cells along a side (default 1000)", PROGRAM_OP2, option_positive,
     offsetof(options, cells)},
    {"--rounds", "N", "how often (default 10)", PROGRAM_OP2, option_positive,
     offsetof(options, rounds)},
    {0},
};

int options_parse(int argc, char **argv, unsigned program, options *o) {
  *o = (options){.problem = "poisson", .cells = 1000, .rounds = 10};
  return option_parse(argc, argv, program, table, o, &o->run);
}

int options_mesh(const options *o, mesh *m, bench_error *error) {
  if (strcmp(o->problem, "poisson") != 0 && strcmp(o->problem, "elasticity") != 0)
    return bench_fail(error, "no such problem: %s", o->problem);
  if (o->cells > 4000) return bench_fail(error, "%d cells along a side: at most 4000", o->cells);
  return grid_make(GRID_Q1, o->cells, m, error);
}

/* Times of the best round. */
typedef struct times {
  double ours, hand, petsc, ours_mult, petsc_mult;
} times;

static void best(double begin, double *time) {
  double took = clock_now() - begin;
  ranks_greatest(&took, 1);
  if (*time == 0 || took < *time) *time = took;
}

/* ---- the library ----------------------------------------------------------------------------- */

typedef struct ours {
  op2_context ctx;
  op2_set nodes, cells;
  op2_map map;
  op2_dat x, u, v;
  op2_sparsity pattern;
  op2_mat mat;
  op2_kernel kernel;
  int dim;
  double bytes, csr; /* memory in bytes: of the library's matrix; of its rows, columns and values */
} ours;

static double in_use(void) {
  const struct mallinfo2 info = mallinfo2();
  return (double)info.uordblks + (double)info.hblkhd;
}

static bool assemble(ours *a) {
  TRY(op2_par_loop(a->kernel, a->cells, op2_arg_dat(a->x, OP2_ALL, a->map, OP2_READ),
                   op2_arg_mat(a->mat, a->map, a->map, OP2_INC)));
  TRY(op2_flush(a->ctx));
  return true;
fail:
  return false;
}

static bool declare(ours *a, const mesh *m, const options *o) {
  double *u = malloc((size_t)(m->nnode * a->dim) * sizeof *u);
  int64_t places, rows;
  bool good = false;
  for (int64_t i = 0; u && i < m->nnode * a->dim; i++) u[i] = sin(0.1 * (double)i);
  TRY(u ? OP2_SUCCESS : OP2_ERR_NOMEM);
  TRY(ranks_set(a->ctx, m->nnode, "nodes", &a->nodes));
  TRY(ranks_set(a->ctx, m->ncell, "cells", &a->cells));
  TRY(ranks_map(a->cells, a->nodes, 4, m->cell, "cell_nodes", &a->map));
  TRY(ranks_dat(a->nodes, 2, OP2_F64, m->x, "x", &a->x));
  TRY(ranks_dat(a->nodes, a->dim, OP2_F64, u, "u", &a->u));
  TRY(ranks_partition(a->ctx, o->run.partition, a->map, a->nodes, m->x));
  TRY(op2_dat_create(a->nodes, a->dim, OP2_F64, NULL, "v", &a->v));
  TRY(op2_kernel_create(a->ctx, a->dim == 1 ? &poisson_kernel : &elasticity_kernel, &a->kernel));
  const op2_map_pair pair = {a->map, a->map};
  const double before = in_use();
  TRY(op2_sparsity_create(1, &pair, "pattern", &a->pattern));
  TRY(op2_mat_create(a->pattern, a->dim, a->dim, OP2_F64, "A", &a->mat));
  TRY(op2_mat_zero(a->mat));
  if (!assemble(a)) goto fail;
  a->bytes = in_use() - before;
  TRY(op2_sparsity_size(a->pattern, &rows, &places));
  a->csr = (double)places * (4 + 8.0 * a->dim * a->dim) + 4.0 * (double)(rows + 1);
  good = true;
fail:
  free(u);
  return good;
}

static bool run_ours(ours *a, times *t) {
  TRY(op2_mat_zero(a->mat));
  TRY(op2_flush(a->ctx));
  double begin = clock_now();
  if (!assemble(a)) return false;
  best(begin, &t->ours);
  for (int k = 0; k < 3; k++) {
    begin = clock_now();
    TRY(op2_mat_mult(a->mat, a->u, a->v));
    TRY(op2_flush(a->ctx));
    best(begin, &t->ours_mult);
  }
  return true;
fail:
  return false;
}

static void destroy(ours *a) {
  op2_kernel_destroy(&a->kernel);
  op2_mat_destroy(&a->mat);
  op2_sparsity_destroy(&a->pattern);
  op2_dat_destroy(&a->x);
  op2_dat_destroy(&a->u);
  op2_dat_destroy(&a->v);
  op2_map_destroy(&a->map);
  op2_set_destroy(&a->cells);
  op2_set_destroy(&a->nodes);
}

/* ---- the hand-written assembly --------------------------------------------------------------- */

static void run_hand(by_hand *h, const mesh *m, times *t) {
  by_hand_zero(h);
  const double begin = clock_now();
  by_hand_assemble(h, m);
  best(begin, &t->hand);
}

/* ---- PETSc ----------------------------------------------------------------------------------- */

typedef struct petsc {
  Mat a;
  Vec x, y;
  PetscInt first, last; /* this rank's cells */
  PetscScalar *values;  /* values of all its cells' blocks, for COO */
} petsc;

static bool fine(PetscErrorCode code, const char *what) {
  if (code) fprintf(stderr, "assembly: PETSc: %s\n", what);
  return !code;
}
#define FINE(call) fine((call), #call)

/* Give PETSc the indices of all values of all blocks. */
static bool tell_places(petsc *p, const mesh *m, int dim) {
  const int block = 4 * dim;
  const PetscCount n = (PetscCount)(p->last - p->first) * block * block;
  PetscInt *i = malloc((size_t)n * sizeof *i), *j = malloc((size_t)n * sizeof *j);
  p->values = malloc((size_t)n * sizeof *p->values);
  bool good = i && j && p->values;
  for (PetscCount k = 0; k < n && good; k++) {
    const int32_t *cell = m->cell + 4 * (p->first + k / (block * block));
    const int r = (int)(k / block % block), c = (int)(k % block);
    i[k] = cell[r / dim] * dim + r % dim;
    j[k] = cell[c / dim] * dim + c % dim;
  }
  good = good && FINE(MatSetPreallocationCOO(p->a, n, i, j));
  free(i);
  free(j);
  return good;
}

static bool petsc_prepare(petsc *p, const mesh *m, int dim) {
  const PetscInt rows = (PetscInt)m->nnode * dim, cells = (PetscInt)m->ncell;
  PetscMPIInt rank, size;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  p->first = (PetscInt)((int64_t)cells * rank / size);
  p->last = (PetscInt)((int64_t)cells * (rank + 1) / size);
  bool good = FINE(MatCreate(PETSC_COMM_WORLD, &p->a)) &&
              FINE(MatSetSizes(p->a, PETSC_DECIDE, PETSC_DECIDE, rows, rows)) &&
              FINE(MatSetType(p->a, MATAIJ)) && FINE(MatSetBlockSize(p->a, dim)) &&
              FINE(MatSeqAIJSetPreallocation(p->a, 9 * dim, NULL));
  if (good && size > 1) good = tell_places(p, m, dim);
  return good && FINE(MatCreateVecs(p->a, &p->x, &p->y)) && FINE(VecSet(p->x, 1));
}

static void corners(const mesh *m, int64_t c, const double *x[4]) {
  for (int k = 0; k < 4; k++) x[k] = m->x + 2 * m->cell[4 * c + k];
}

static void local_block(const mesh *m, int dim, int64_t c, double *a) {
  const double *x[4];
  corners(m, c, x);
  memset(a, 0, (size_t)(16 * dim * dim) * sizeof *a);
  if (dim == 1)
    poisson(x, (double(*)[4])a);
  else
    elasticity(x, (double(*)[8])a);
}

static bool insert(const petsc *p, const mesh *m, int dim) {
  for (PetscInt c = p->first; c < p->last; c++) {
    double a[64];
    PetscInt rows[8];
    for (int k = 0; k < 4 * dim; k++) rows[k] = m->cell[4 * c + k / dim] * dim + k % dim;
    local_block(m, dim, c, a);
    if (MatSetValues(p->a, 4 * dim, rows, 4 * dim, rows, a, ADD_VALUES)) return false;
  }
  return FINE(MatAssemblyBegin(p->a, MAT_FINAL_ASSEMBLY)) &&
         FINE(MatAssemblyEnd(p->a, MAT_FINAL_ASSEMBLY));
}

/* The time of the faster of the two formats, rows and blocks, counts. */
static bool multiply(Mat a, Vec x, Vec y, times *t) {
  const double begin = clock_now();
  const bool good = FINE(MatMult(a, x, y));
  best(begin, &t->petsc_mult);
  return good;
}

static bool run_petsc(const petsc *p, const mesh *m, int dim, times *t) {
  bool good = p->values || FINE(MatZeroEntries(p->a));
  double begin = clock_now();
  if (p->values) {
    for (PetscInt c = p->first; c < p->last; c++)
      local_block(m, dim, c, p->values + (int64_t)(c - p->first) * 16 * dim * dim);
    good = good && FINE(MatSetValuesCOO(p->a, p->values, INSERT_VALUES));
  } else
    good = good && insert(p, m, dim);
  best(begin, &t->petsc);
  for (int k = 0; k < 3 && good; k++) good = multiply(p->a, p->x, p->y, t);
  return good;
}

/* Time the product with the same values in blocks, which PETSc would take minutes to collect from
 * its rows. */
static bool run_blocks(const ours *a, times *t) {
  Mat blocks = NULL;
  Vec x = NULL, y = NULL;
  TRY(op2_mat_petsc(a->mat, OP2_READ, MATBAIJ, &blocks));
  bool good = FINE(MatCreateVecs(blocks, &x, &y)) && FINE(VecSet(x, 1));
  for (int k = 0; k < 3 && good; k++) good = multiply(blocks, x, y, t);
  (void)VecDestroy(&x);
  (void)VecDestroy(&y);
  TRY(op2_mat_petsc_end(a->mat, &blocks));
  return good;
fail:
  return false;
}

static void petsc_free(petsc *p) {
  free(p->values);
  (void)VecDestroy(&p->x);
  (void)VecDestroy(&p->y);
  (void)MatDestroy(&p->a);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Check that all three matrices have the same Frobenius norm. */
static bool agree(ours *a, const petsc *p, const by_hand *h) {
  Mat own = NULL;
  PetscReal left = 0, right = 1;
  TRY(op2_mat_petsc(a->mat, OP2_READ, MATAIJ, &own));
  const bool good =
      FINE(MatNorm(own, NORM_FROBENIUS, &left)) && FINE(MatNorm(p->a, NORM_FROBENIUS, &right));
  TRY(op2_mat_petsc_end(a->mat, &own));
  const double hand = h->values ? sqrt(by_hand_squares(h)) : right;
  if (good && fabs(left - right) <= 1e-12 * right && fabs(hand - right) <= 1e-12 * right)
    return true;
  fprintf(stderr, "assembly: the matrices differ: norms %.15e, PETSc's %.15e, by hand %.15e\n",
          left, right, hand);
fail:
  return false;
}

static void print(const ours *a, const times *t, bool coo) {
  printf("assembly_ms %.2f\n", 1e3 * t->ours);
  printf("assembly_petsc_ms %.2f (%s), %.2f times\n", 1e3 * t->petsc,
         coo ? "MatSetValuesCOO" : "MatSetValues", t->petsc / t->ours);
  if (t->hand > 0)
    printf("assembly_by_hand_ms %.2f, ratio %.3f\n", 1e3 * t->hand, t->ours / t->hand);
  printf("mult_ms %.3f\n", 1e3 * t->ours_mult);
  printf("mult_petsc_ms %.3f, ratio %.3f\n", 1e3 * t->petsc_mult, t->ours_mult / t->petsc_mult);
  printf("matrix_bytes %.0f, %.3f times its rows, columns and values\n", a->bytes,
         a->bytes / a->csr);
}

static bool run(const options *o, const mesh *m, run_times *unused) {
  ours a = {.dim = strcmp(o->problem, "poisson") != 0 ? 2 : 1};
  petsc p = {.a = NULL};
  by_hand h = {0};
  times t = {0};
  (void)unused;
  if (!report_init(&o->run, &a.ctx)) return false;
  const bool alone = ranks_number() == 1;
  bool good = report_ok(op2_petsc_use(a.ctx, 0, NULL), "op2_petsc_use") && declare(&a, m, o) &&
              petsc_prepare(&p, m, a.dim) && (!alone || by_hand_prepare(&h, m, a.dim));
  for (int r = 0; r < o->rounds && good; r++) {
    good = run_ours(&a, &t);
    if (good && alone) run_hand(&h, m, &t);
    good = good && run_petsc(&p, m, a.dim, &t) && (a.dim == 1 || run_blocks(&a, &t));
  }
  good = good && agree(&a, &p, &h);
  if (good) print(&a, &t, !alone);
  good = good && report_explain(a.ctx, o->run.explain) && report_state(a.ctx, o->run.state);
  petsc_free(&p);
  by_hand_free(&h);
  destroy(&a);
  return report_finalize(&a.ctx, good);
}

int main(int argc, char **argv) {
  options o;
  mesh m;
  return application_main(argc, argv, &o, &m, run);
}
