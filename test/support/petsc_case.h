/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_PETSC_CASE_H
#define OP2_TEST_PETSC_CASE_H

/* Code that the parts of t941 share: a random mesh that is spread over ranks, and a system of equations
 * on it. */

#include <stdio.h>

#include "petsc_ranks.h"
#include "support.h"
#include "whole_case.h"

/* ---- a mesh ---------------------------------------------------------------------------------- */

struct scene {
  struct whole whole;
  struct share share;
  op2_context ctx;
  op2_set sets[WHOLE_SETS];
  op2_map maps[WHOLE_MAPS], self;
};

void begin(struct scene *s, const char *backend, bool eager, int how, uint64_t seed);
void end(struct scene *s);
/* A dat whose values are the elements' numbers in the mesh, times `scale`. */
op2_dat numbers_of(const struct scene *s, int set, int dim, double scale);
/* The element of the mesh for each of PETSc's rows of a set; all ranks get all of them. */
double *elements_by_row(const struct scene *s, int set);

/* ---- a system of equations ------------------------------------------------------------------- */

enum { DIM = 2 };
struct equations {
  op2_sparsity sparsity;
  op2_mat mat;
  op2_kernel heavy, unit;
  op2_dat solution, x, b;
};

/* Add a symmetric matrix with a dominant diagonal. */
void add_heavy(struct scene *s, struct equations *q);
void new_equations(struct scene *s, struct equations *q);
void end_equations(struct equations *q);
/* The greatest difference between a dat and the values that numbers_of() gives. */
double error_of(const struct scene *s, op2_dat x, int set, int dim, double scale);
/* Set an option of PETSc's database; null clears it. */
void set_option(const char *name, const char *text);

/* ---- the parts ------------------------------------------------------------------------------- */

void try_matrices(const char *backend, int turns);
void try_methods(const char *backend, int how, uint64_t seed);
void try_changes(const char *backend, int how, uint64_t seed, const char *form);
void try_operators(const char *backend, int how, uint64_t seed);
void try_nested(const char *backend, int how, uint64_t seed);

#endif
