/* SPDX-License-Identifier: BSD-3-Clause */
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>

int problem_create(const mesh *m, problem *p, bench_error *error) {
  const size_t n = (size_t)m->nnode;
  problem made = {.phi = malloc(n * sizeof *made.phi), .inside = malloc(n * sizeof *made.inside)};
  if (!made.phi || !made.inside) {
    problem_free(&made);
    return bench_fail(error, "out of memory for the problem");
  }
  for (int64_t i = 0; i < m->nnode; i++) {
    made.phi[i] = PROBLEM_MACH * m->x[2 * i];
    made.inside[i] = 1;
  }
  for (int64_t i = 0; i < m->nfar; i++) made.inside[m->far[i]] = 0;
  *p = made;
  return 0;
}

void problem_free(problem *p) {
  free(p->phi);
  free(p->inside);
  *p = (problem){0};
}

void problem_line(int step, int iterations, double rms) {
  printf("%d %d %.15e\n", step, iterations, rms);
  fflush(stdout);
}
