/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_PETSC_RANKS_H
#define OP2_TEST_PETSC_RANKS_H

/* Ranks of MPI in tests with PETSc: they agree on what was wrong, try each backend, and have a small
 * mesh in common. */

#include <stdbool.h>

#include "op2/mpi.h"
#include "op2/petsc.h"

extern int rank, ranks,
    wrong; /* wrong: checks of this rank that have failed since its last report */

/* Start MPI. */
void begin_ranks(int *argc, char ***argv);
/* Call the function for each backend on which such ranks run. */
void on_backends(void (*try_backend)(const char *backend));
/* End MPI; returns the status with which the program ends. */
int end_ranks(void);

/* Report one check of TAP, by the first rank; it passes if no check has failed on any rank. */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool good(bool holds, const char *file, int line, const char *text);
#define GOOD(condition) good((condition), __FILE__, __LINE__, #condition)
#define DO(call)        good((call) == OP2_SUCCESS, __FILE__, __LINE__, #call)
#define PETSC(call)     good((call) == 0, __FILE__, __LINE__, #call)

/* A context that uses PETSc, with a ring of nodes and edges: each rank declares EACH of both, and edge
 * i leads from node i to the next one. */
enum { EACH = 6 };
void new_ring(const char *backend, op2_context *ctx, op2_set *nodes, op2_set *edges, op2_map *ends);

#endif
