/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_FAILURE_CASE_H
#define OP2_TEST_FAILURE_CASE_H

#include "rank_case.h"
#include "whole_case.h"

/* One rank of several fails: every rank gets an error that names it and its cause; results that
 * depend on the failure are missing on all ranks and no others are; and no rank waits for more than
 * 10 s. The mesh is a row of cells with edges between them, cut into as many pieces as there are
 * ranks. */
struct scene {
  const char *backend;
  int ranks, victim;
  bool verify;
  int64_t n;            /* number of the victim's allocation that fails, 0: none */
  _Atomic int64_t made; /* allocations of the victim until it ended */
  int (*play)(struct scene *scene, struct op2i_comm *comm);
  struct whole whole;
};

struct failure {
  const char *what;
  int (*play)(struct scene *scene, struct op2i_comm *comm);
  bool verify;
  const char *only;  /* the only backend on which it runs; null: any */
  bool threads_only; /* over MPI the end of a rank is not reported, or all ranks end */
};
enum { FAILURES = 12 };
extern const struct failure failures[FAILURES];
/* The reason why the failure cannot be tried here; null: it can. */
const char *failure_unavailable(const struct failure *failure);

/* Allocation n of the victim fails. Returns 0 if the failure has no effect and results are right,
 * 1000 for each rank that gets an error which names the victim. */
int failure_memory(struct scene *scene, struct op2i_comm *comm);

/* Try the failure; returns the number of failed checks. */
int failure_run(struct scene *scene, rank_runner *runner);

#endif
