/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include <stddef.h>

/** @file reference.h
 * Functions that all hand-written programs need. None of them uses the op2 library. */

/** Allocate zeroed memory, on huge pages where the system has them, as the library does; null: no
 * memory. */
void *reference_alloc(size_t bytes);

/** Move an array of so many bytes, to which *member points, onto huge pages. Returns 0, or -1 when
 * there is no memory for it. */
int reference_move(void *member, size_t bytes);

/** Print the time since `begin`, and the time of each of the iterations since `timed`. */
void reference_times(double begin, double timed, int iterations);

#endif
