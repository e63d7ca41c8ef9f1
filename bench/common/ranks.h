/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_RANKS_H
#define BENCH_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op2.h"

/** @file ranks.h
 * Applications that a launcher of MPI has started are ranks of one run, others run alone. Every rank
 * generates or reads the whole mesh and declares its block of it; only rank 0 writes. Alone, all of
 * these are the calls of op2 that they are named for.
 *
 * Functions that return a status leave their message with the library, unless they have no memory
 * themselves. */

/** Start MPI if a launcher has started this process: its standard output is then that of rank 0
 * alone. Returns false having said why there are no ranks. */
bool ranks_begin(int *argc, char ***argv);

/** End it, with the program's exit status, which is returned. Where a rank has failed the others are
 * not waited for. */
int ranks_end(int status);

/** op2_init(), or op2_init_mpi() of all ranks. */
op2_status ranks_init(const op2_options *options, op2_context *ctx);

/** Declare this rank's block of a set of n elements, and what belongs to it of rows and values that
 * are given for the whole set. */
op2_status ranks_set(op2_context ctx, int64_t n, const char *name, op2_set *set);
op2_status ranks_map(op2_set from, op2_set to, int arity, const int32_t *idx, const char *name,
                     op2_map *map);
op2_status ranks_dat(op2_set set, int dim, op2_type type, const void *values, const char *name,
                     op2_dat *dat);

/** Spread the mesh over the ranks by `method`, which option_partition() has read, or null for k-way
 * where there is a partitioner and else coordinates: neighbours of k-way are targets of the map's rows;
 * `x` are two coordinates of each element of the set, whose elements are also what is dealt out at
 * random. What is declared later belongs to the parts. */
op2_status ranks_partition(op2_context ctx, const char *method, op2_map neighbours, op2_set set,
                           const double *x);

/** What the last of these has made of it; all zero alone. */
const op2_partition_report *ranks_parts(void);

/** All values of a dat of so many elements, `width` bytes each, in the mesh's order: *values is null
 * on ranks other than 0. */
op2_status ranks_values_begin(op2_dat dat, int64_t n, size_t width, const void **values);
op2_status ranks_values_end(op2_dat dat, const void **values);

/** Make each of n values the greatest of all ranks, or their sum. */
void ranks_greatest(double *values, int n);
void ranks_sum(double *values, int n);

/** Whether this one writes files: rank 0, or a program alone. */
bool ranks_first(void);

/** How many there are, 1 alone. */
int ranks_number(void);

#endif
