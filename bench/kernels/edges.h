/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_EDGES_H
#define KERNELS_EDGES_H

#include "kernels.h"

/** @file edges.h
 * Twins of fluxes between the two ends of an edge or a side. Dat 0 is an array of `nd` numbers on
 * edges, dat 1 of `nq` on what map 0 leads to, and dat 2 of `nr` there, to which the flux is
 * added. */

/** Edges that are computed together before anything is added. */
enum { EDGE_BLOCK = 64 };

/** Define KERNEL_scalar and KERNEL_simd for arrays of type T and a kernel of the parameters (data of
 * the edge, both states, both sums). The latter gathers blocks of edges into columns, computes them
 * by `omp simd`, and adds what comes of it edge by edge. Arrays of one edge are in a function of
 * their own, since gcc does not keep those of a loop's body in registers. */
#define EDGE_TWINS(kernel, T, nd, nq, nr)                                                          \
  WHOLE static void kernel##_scalar(const arrays *a, int64_t first, int64_t last) {                \
    FIELD(const T, data, 0);                                                                       \
    FIELD(const T, q, 1);                                                                          \
    FIELD(T, res, 2);                                                                              \
    ROWS(ends, 0);                                                                                 \
    for (int64_t e = first; e < last; e++) {                                                       \
      const int64_t i = ends[2 * e], j = ends[2 * e + 1];                                          \
      T one[nr] = {0}, two[nr] = {0};                                                              \
      kernel(data + nd * e, q + nq * i, q + nq * j, one, two);                                     \
      for (int k = 0; k < nr; k++) res[nr * i + k] += one[k];                                      \
      for (int k = 0; k < nr; k++) res[nr * j + k] += two[k];                                      \
    }                                                                                              \
  }                                                                                                \
  static inline void kernel##_column(const T *restrict data, T left[nq][EDGE_BLOCK],               \
                                     T right[nq][EDGE_BLOCK], int e, T one[nr][EDGE_BLOCK],        \
                                     T two[nr][EDGE_BLOCK]) {                                      \
    T l[nq], r[nq], f[nr] = {0}, g[nr] = {0};                                                      \
    for (int k = 0; k < nq; k++) l[k] = left[k][e], r[k] = right[k][e];                            \
    kernel(data + nd * e, l, r, f, g);                                                             \
    for (int k = 0; k < nr; k++) one[k][e] = f[k], two[k][e] = g[k];                               \
  }                                                                                                \
  WHOLE static void kernel##_block(const T *restrict data, const T *restrict q,                    \
                                   const int32_t *restrict ends, T *restrict res) {                \
    T left[nq][EDGE_BLOCK], right[nq][EDGE_BLOCK], one[nr][EDGE_BLOCK], two[nr][EDGE_BLOCK];       \
    for (int e = 0; e < EDGE_BLOCK; e++)                                                           \
      for (int k = 0; k < nq; k++) {                                                               \
        left[k][e] = q[nq * (int64_t)ends[2 * e] + k];                                             \
        right[k][e] = q[nq * (int64_t)ends[2 * e + 1] + k];                                        \
      }                                                                                            \
    _Pragma("omp simd") for (int e = 0; e < EDGE_BLOCK; e++)                                       \
        kernel##_column(data, left, right, e, one, two);                                           \
    for (int e = 0; e < EDGE_BLOCK; e++) {                                                         \
      for (int k = 0; k < nr; k++) res[nr * (int64_t)ends[2 * e] + k] += one[k][e];                \
      for (int k = 0; k < nr; k++) res[nr * (int64_t)ends[2 * e + 1] + k] += two[k][e];            \
    }                                                                                              \
  }                                                                                                \
  static void kernel##_simd(const arrays *a, int64_t first, int64_t last) {                        \
    FIELD(const T, data, 0);                                                                       \
    FIELD(const T, q, 1);                                                                          \
    FIELD(T, res, 2);                                                                              \
    ROWS(ends, 0);                                                                                 \
    int64_t e = first;                                                                             \
    for (; e + EDGE_BLOCK <= last; e += EDGE_BLOCK)                                                \
      kernel##_block(data + nd * e, q, ends + 2 * e, res);                                         \
    if (e < last) kernel##_scalar(a, e, last);                                                     \
  }

/** The row of `twins` that goes with them, for the most usual case. */
#define EDGE_ROWS(kernel)                                                                          \
  {                                                                                                \
    {"scalar", 1, {{kernel##_scalar, 0, 1}}}, {                                                    \
      "simd", 1, {                                                                                 \
        { kernel##_simd, 0, 1 }                                                                    \
      }                                                                                            \
    }                                                                                              \
  }

/** The loop itself. */
static inline op2_status edges_queue(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_dat(o->dat[1], 0, o->map[0], OP2_READ),
                      op2_arg_dat(o->dat[1], 1, o->map[0], OP2_READ),
                      op2_arg_dat(o->dat[2], 0, o->map[0], OP2_INC),
                      op2_arg_dat(o->dat[2], 1, o->map[0], OP2_INC));
}

#endif
