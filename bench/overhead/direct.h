/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVERHEAD_DIRECT_H
#define OVERHEAD_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

/** @file direct.h
 * The loops by hand, compiled with the flags of the library's own loops: the unavoidable cost. */

enum { SHAPES = 3, MOST_DATS = 7 };

/** A loop over n elements of the arrays data[]; it adds to *sum. */
typedef void direct_loop(int64_t n, double *const *data, double *sum);

/** The loops by number of the shape: plain, and shared among the threads of OpenMP. */
extern direct_loop *const direct_plain[SHAPES];
extern direct_loop *const direct_openmp[SHAPES];

/** True if direct_openmp[] was compiled with OpenMP. */
extern const bool direct_has_openmp;

#endif
