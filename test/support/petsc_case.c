/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that the parts of t941 share: see petsc_case.h. */
#include "petsc_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "whole_case.h"

/* ---- a mesh ---------------------------------------------------------------------------------- */

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

void begin(struct scene *s, const char *backend, bool eager, int how, uint64_t seed) {
  *s = (struct scene){.ctx = NULL};
  whole_draw(&s->whole, ranks, how, &seed);
  whole_share(&s->whole, rank, &s->share);
  s->ctx = new_context(backend, eager);
  DO(share_declare(&s->whole, &s->share, s->ctx, s->sets, s->maps));
  DO(self_declare(s->sets[NODES], &s->self));
  DO(op2_petsc_use(s->ctx, 0, NULL));
}

void end(struct scene *s) {
  op2_map_destroy(&s->self);
  for (int m = 0; m < s->whole.nmaps; m++) op2_map_destroy(&s->maps[m]);
  for (int n = 0; n < s->whole.nsets; n++) op2_set_destroy(&s->sets[n]);
  share_free(&s->whole, &s->share);
  whole_free(&s->whole);
  DO(op2_finalize(&s->ctx));
}

op2_dat numbers_of(const struct scene *s, int set, int dim, double scale) {
  int64_t total = s->share.set[set].ends[3];
  double *values = calloc((size_t)(total * dim) + 1, sizeof *values);
  op2_dat dat = NULL;
  for (int64_t i = 0; i < total * dim; i++)
    values[i] = scale * (double)((s->share.set[set].global[i / dim] * 7 + i % dim) % 13 - 6);
  DO(op2_dat_create(s->sets[set], dim, OP2_F64, values, "numbers", &dat));
  free(values);
  return dat;
}

double *elements_by_row(const struct scene *s, int set) {
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

/* ---- a system of equations ------------------------------------------------------------------- */

void add_heavy(struct scene *s, struct equations *q) {
  DO(op2_par_loop(q->heavy, s->sets[CELLS],
                  op2_arg_mat(q->mat, s->maps[CELL_NODE], s->maps[CELL_NODE], OP2_INC)));
  DO(op2_par_loop(q->unit, s->sets[NODES], op2_arg_mat(q->mat, s->self, s->self, OP2_INC)));
}

void new_equations(struct scene *s, struct equations *q) {
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

void end_equations(struct equations *q) {
  op2_dat_destroy(&q->solution);
  op2_dat_destroy(&q->x);
  op2_dat_destroy(&q->b);
  op2_kernel_destroy(&q->heavy);
  op2_kernel_destroy(&q->unit);
  op2_mat_destroy(&q->mat);
  op2_sparsity_destroy(&q->sparsity);
}

double error_of(const struct scene *s, op2_dat x, int set, int dim, double scale) {
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

void set_option(const char *name, const char *text) {
  PETSC(text ? PetscOptionsSetValue(NULL, name, text) : PetscOptionsClearValue(NULL, name));
}
