/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_FAILURE_CASE_H
#define OP2_TEST_FAILURE_CASE_H

#include "rank_case.h"
#include "whole_case.h"

/* One rank of several fails: every rank gets an error that names it and its cause, what depends on
 * the failure is missing on all ranks and nothing else is, and nobody waits for more than 10 s. A row
 * of cells with edges between them, cut into as many pieces as there are ranks. */
struct scene {
  const char *backend;
  int ranks, victim;
  bool verify;
  int64_t n;            /* of the victim's allocations fails, 0: none */
  _Atomic int64_t made; /* by the victim until it ended */
  int (*play)(struct scene *scene, struct op2i_comm *comm);
  struct whole whole;
};

struct failure {
  const char *what;
  int (*play)(struct scene *scene, struct op2i_comm *comm);
  bool verify;
  const char *only;  /* on this backend, if any */
  bool threads_only; /* over MPI nothing tells that a rank has ended, or all ranks end */
};
enum { FAILURES = 12 };
extern const struct failure failures[FAILURES];
/* Why it cannot be played here; null: it can. */
const char *failure_unavailable(const struct failure *failure);

/* Allocation n of the victim fails: 0 where nobody notices and results are right, 1000 for each rank
 * that gets an error, which names the victim. */
int failure_memory(struct scene *scene, struct op2i_comm *comm);

/* Plays it; returns how much was wrong. */
int failure_run(struct scene *scene, rank_runner *runner);

#endif
