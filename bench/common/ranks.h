/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_RANKS_H
#define BENCH_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op2.h"

/** @file ranks.h
 * Applications that an MPI launcher has started are ranks of one run, others run alone. Every rank
 * generates or reads the whole mesh and declares its block of it; only rank 0 writes. For a program
 * alone, all of these functions are the calls of op2 that they are named for.
 *
 * Functions that return a status leave their message with the library, unless they themselves run
 * out of memory. */

/** Start MPI if a launcher has started this process: its standard output is then that of rank 0
 * alone. Returns false after reporting why there are no ranks. */
bool ranks_begin(int *argc, char ***argv);

/** End MPI with the program's exit status, which is returned. If a rank has failed, the others are
 * not waited for. */
int ranks_end(int status);

/** op2_init(), or op2_init_mpi() on all ranks. */
op2_status ranks_init(const op2_options *options, op2_context *ctx);

/** Declare this rank's block of a set of n elements, and its part of rows and values that are given
 * for the whole set. */
op2_status ranks_set(op2_context ctx, int64_t n, const char *name, op2_set *set);
op2_status ranks_map(op2_set from, op2_set to, int arity, const int32_t *idx, const char *name,
                     op2_map *map);
op2_status ranks_dat(op2_set set, int dim, op2_type type, const void *values, const char *name,
                     op2_dat *dat);

/** Distribute the mesh over the ranks by `method`, as read by option_partition(); null: k-way if
 * there is a partitioner, else coordinates. Neighbours of k-way are targets of the map's rows; `x`
 * are two coordinates of each element of the set, whose elements are also the ones that random
 * partitioning distributes. Objects that are declared later belong to the parts. */
op2_status ranks_partition(op2_context ctx, const char *method, op2_map neighbours, op2_set set,
                           const double *x);

/** Return the report of the last partitioning; all zero for a program alone. */
const op2_partition_report *ranks_parts(void);

/** Get all values of a dat of so many elements, `width` bytes each, in the mesh's order: *values is
 * null on ranks other than 0. */
op2_status ranks_values_begin(op2_dat dat, int64_t n, size_t width, const void **values);
op2_status ranks_values_end(op2_dat dat, const void **values);

/** Replace each of n values by the greatest of all ranks, or by their sum. */
void ranks_greatest(double *values, int n);
void ranks_sum(double *values, int n);

/** True if this rank writes files: rank 0, or a program alone. */
bool ranks_first(void);

/** Return the number of ranks; 1 for a program alone. */
int ranks_number(void);

#endif
