/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_PETSC_CASE_H
#define OP2_TEST_PETSC_CASE_H

/* Code that the parts of t941 share: ranks that agree on what was wrong, a random mesh that is
 * spread over them, and a system of equations on it. */

#include <stdio.h>

#include "op2/mpi.h"
#include "op2/petsc.h"
#include "support.h"
#include "whole_case.h"

extern int rank, ranks,
    wrong; /* wrong: checks of this rank that have failed since its last report */

/* Report one check of TAP, by the first rank; it passes if no check has failed on any rank. */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool good(bool holds, const char *file, int line, const char *text);
#define GOOD(condition) good((condition), __FILE__, __LINE__, #condition)
#define DO(call)        good((call) == OP2_SUCCESS, __FILE__, __LINE__, #call)
#define PETSC(call)     good((call) == 0, __FILE__, __LINE__, #call)

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
