/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_PROBLEM_H
#define KERNELS_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "op2.h"

/** @file problem.h
 * The data of a kernel at one size: sets, maps and dats as arrays, which the twins work on and the
 * library's objects are made from. */

enum { MOST_SETS = 3, MOST_MAPS = 3, MOST_DATS = 10 };

typedef struct problem problem;

/** The value of component k of element i at the start. */
typedef double problem_value(const problem *p, int64_t i, int k);

/** A step reads, overwrites or changes a dat. */
typedef enum problem_use { READ = 1, WRITTEN = 2, CHANGED = 3 } problem_use;

typedef struct problem_map {
  int from, to, arity;
  int32_t *rows;
  bool by_hand; /**< the twins alone have it */
} problem_map;

typedef struct problem_dat {
  int set; /**< -1: it is a global */
  int dim;
  op2_type type;
  problem_use use;
  problem_value *value;
  void *data;     /**< what the twins work on */
  void *expected; /**< the library's result; null until there is one */
} problem_dat;

struct problem {
  int nset, nmap, ndat;
  int64_t size[MOST_SETS]; /**< set 0 is the one that the size of a run and `flops` count */
  problem_map map[MOST_MAPS];
  problem_dat dat[MOST_DATS];
  int64_t points[3]; /**< of a mesh from mesh.h, along each side */
  int matrix;        /**< 1 + the map whose nonzeros dat 0 has; 0: there is no matrix */
  bool failed;       /**< there was no memory */
};

/** Add a set, a map or a dat; each gets the next number from 0. The map's rows are for the caller to
 * fill in; null: no memory, which `failed` tells as well. */
void problem_set(problem *p, int64_t size);
int32_t *problem_map_rows(problem *p, int from, int to, int arity);
void problem_dat_add(problem *p, int set, int dim, op2_type type, problem_use use,
                     problem_value *value);

/** Add values that all elements read; they count as a dat in numbers and in arrays. */
void problem_global(problem *p, int dim, op2_type type, problem_value *value);

void problem_free(problem *p);

/** The bytes of the values of a dat. */
size_t problem_bytes(const problem *p, int dat);

/** Give the dats that a step writes their values at the start. */
void problem_reset(problem *p);

/** Change one value of a dat, as a twin that is wrong does. */
void problem_spoil(problem *p, int dat);

/** The bytes that a step moves at least: each map, and each dat once for reading and once for
 * writing. */
double problem_traffic(const problem *p);

/** The bytes of all maps and dats. */
double problem_footprint(const problem *p);

/** The largest difference between a dat and what was expected, as a share of the largest value that
 * was; infinity where one of them is not a number. */
double problem_difference(const problem *p, int dat);

/** The number of elements that have values of a dat. */
int64_t problem_rows(const problem *p, int dat);

/** Values at the start: zeros, numbers from 0.5 to 1.5 that follow no pattern, such from -10 to 10,
 * and such between -1 and 1. */
problem_value problem_zero, problem_mixed, problem_wide, problem_unit;

#endif
