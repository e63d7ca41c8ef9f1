/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_YARDSTICK_H
#define KERNELS_YARDSTICK_H

#include "mesh.h"
#include "op2.h"
#include "problem.h"

/** @file yardstick.h
 * A kernel as the library runs it, and its twins by hand. Each is a row of kernels.def
 * and defined in a file of its own or with its like. */

enum { MOST_KERNELS = 4, MOST_TWINS = 4, MOST_PHASES = 4 };

/** The library's objects for a problem, with the same numbers. */
typedef struct ours {
  op2_context ctx;
  op2_set set[MOST_SETS];
  op2_map map[MOST_MAPS];
  op2_dat dat[MOST_DATS]; /**< null where `gbl` is not */
  op2_gbl gbl[MOST_DATS];
  op2_kernel kernel[MOST_KERNELS];
  op2_sparsity sparsity;
  op2_mat mat;
  op2_gbl most; /**< one double */
  double found; /**< what the host last read of it */
} ours;

/** The arrays of a problem for one thread. */
typedef struct arrays {
  void *dat[MOST_DATS];
  const int32_t *map[MOST_MAPS];
  double *most; /**< the largest value that this thread has found in this step */
} arrays;

/** A loop by hand over elements [first, last). */
typedef void twin_range(const arrays *a, int64_t first, int64_t last);

/** A loop of a step. Several threads share the elements out: in equal parts, or, if the loop adds
 * through a map, in contiguous blocks by colours, so that nothing needs to be atomic. */
typedef struct twin_phase {
  twin_range *run;
  int set;
  int adds; /**< 1 + the map that the loop adds through; 0: it writes nothing but its own elements */
} twin_phase;

/** A step by hand. The name says how: scalar, simd (`omp simd`), lanes (vectors by hand), stream (the
 * same, past the caches), product (of matrices, for a block) or libmvec (the C library's vector
 * functions). `least` is how many times as fast the library is to be; 0:
 * this is not asked. */
typedef struct twin {
  const char *name;
  double least;
  twin_phase phase[MOST_PHASES];
} twin;

typedef struct yardstick {
  const char *name, *what;
  void (*make)(problem *p, int64_t n);
  const op2_kernel_desc *kernel[MOST_KERNELS];
  op2_status (*queue)(ours *o); /**< queues a step; it is run afterwards */
  double flops;                 /**< of an element of set 0; a function counts as one */
  double tolerance;             /**< how far twins may be off, as a share of the largest value */
  int64_t limit;                /**< the largest size for which there is memory; 0: any */
  bool most;                    /**< a step finds a maximum */
  twin twins[MOST_TWINS];
} yardstick;

/** A function whose calls are all inlined, large kernels included. */
#define WHOLE __attribute__((flatten))

/** In twins: an array of a dat, and the rows of a map. */
#define FIELD(type, name, i) type *restrict const name = a->dat[i]
#define ROWS(name, i)        const int32_t *restrict const name = a->map[i]

#endif
