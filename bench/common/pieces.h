/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_PIECES_H
#define BENCH_PIECES_H

#include "plan.h"

/** @file pieces.h
 * Threads share out a set whose elements add to targets of a map: there are two contiguous
 * pieces of the set for each thread, coloured, which suits meshes that are numbered well. If the
 * pieces need so many colours that threads would wait, elements store what they add, and targets
 * sum it up. */

typedef struct pieces {
  plan plan;      /**< of the pieces; one colour if targets sum up */
  int64_t *first; /**< [ntarget + 1] the first of a target's entries in `at`; null: no sums */
  int32_t *at;    /**< [n * arity] places in the map, row times arity plus column, ascending */
} pieces;

/** Make pieces of `size` elements, or of as many as give each thread two if that is 0, rounded up
 * to multiples of `width`, to be freed with pieces_free(). Returns 0, or -1 with the reason in
 * *error and nothing in *p. */
int pieces_create(pieces *p, const int32_t *map, int64_t n, int arity, int64_t ntarget,
                  int64_t size, int threads, int width, bench_error *error);

/** Free the arrays; *p may be all zero. */
void pieces_free(pieces *p);

/** The share of a thread in n elements, in whole vectors but for the last. */
typedef struct share {
  int64_t begin, end;
} share;

static inline share share_of(int64_t n, int width, int thread, int threads) {
  const int64_t groups = n / width;
  return (share){groups * thread / threads * width,
                 thread == threads - 1 ? n : groups * (thread + 1) / threads * width};
}

#endif
