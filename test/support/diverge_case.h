/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_DIVERGE_CASE_H
#define OP2_TEST_DIVERGE_CASE_H

/* A program of public calls that all ranks make together, one after the other. On one of two ranks
 * one call is left out, made twice or changed, and the library must report to both ranks which
 * ranks differ and in which call. */

#include "op2.h"
#include "op2/io.h"

enum { DIVERGE_CELLS = 4, DIVERGE_WORDS = 2048 };

enum diverge_way { AS_USUAL, LEFT_OUT, TWICE, CHANGED, DIVERGE_WAYS };
extern const char *const diverge_ways[DIVERGE_WAYS];

/* The objects that the calls have made so far. A handle is null where its call was left out. */
struct diverge_world {
  op2_context ctx;
  int rank;
  op2_set cells, edges, nodes, some, both, shared, rest;
  op2_map ends, self, partial;
  op2_dat q, b, x, wrapped, vector[2];
  double memory[DIVERGE_CELLS];
  op2_gbl sum, by, parts;
  op2_const factor;
  op2_kernel spread, scale, fill;
  op2_loop loop;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_solver solver, other;
  op2_operator op;
  op2_file file;
  const char *path; /* path of the file, the same on all ranks */
  void *view;       /* a Mat or Vec of PETSc */
  double differs;   /* time in seconds at which the rank came to the call in which ranks differ */
};

struct diverge_step {
  const char *name;
  const char *says; /* the text by which messages name the call */
  op2_status (*run)(struct diverge_world *w, bool changed);
  enum diverge_way never; /* the difference that this call cannot have: nothing can be changed in
                           * it, or a second call does nothing */
};
#define DIVERGE_STEP(name_) static op2_status name_(struct diverge_world *w, bool changed)

struct diverge_list {
  int n;
  const struct diverge_step *steps;
  void (*end)(struct diverge_world *w); /* after the context has ended; may be null */
};
#define DIVERGE_LIST(name_, steps_)                                                                \
  const struct diverge_list name_ = {(int)(sizeof(steps_) / sizeof *(steps_)), steps_, NULL}

extern const struct diverge_list diverge_mesh, diverge_loops, diverge_algebra, diverge_matrices;
extern const struct diverge_list diverge_files; /* diverge_files.c, with HDF5 */
extern const struct diverge_list diverge_petsc; /* diverge_petsc.c, with PETSc */

/* One program: the steps of several lists, of which the last pointer is null. */
struct diverge_kind {
  const struct diverge_list *const *lists;
  int step; /* counted over all lists */
  enum diverge_way way;
  int deviant; /* the rank that differs */
};
const struct diverge_step *diverge_step_at(const struct diverge_list *const *lists, int step);
int diverge_steps(const struct diverge_list *const *lists);

/* Make the calls in the context, finalize it and judge the message that the rank got and its time:
 * within ten seconds of the call in which ranks differ, or thirty if the run is not one of full
 * sizes, since other tests may run at the same time. Returns 0 if both are right; otherwise prints
 * the difference in a comment. */
int diverge_run(struct diverge_world *w, const struct diverge_kind *kind);

/* True if the run tries this program; with OP2_TEST_FULL=1 it tries all. */
bool diverge_tries(const struct diverge_kind *kind);
/* Backend and mode of a program: the available backends alternate, each also in eager mode. */
op2_options diverge_options(const struct diverge_kind *kind);

#endif
