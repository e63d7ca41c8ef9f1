/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include <stddef.h>

/** @file reference.h
 * What all hand-written programs need. None of them uses the op2 library. */

/** Zeroed memory on huge pages where the system gives them, as the library's own; null when there
 * is none. */
void *reference_alloc(size_t bytes);

/** Move an array of so many bytes, to which *member points, onto huge pages. Returns 0, or -1 when
 * there is no memory for it. */
int reference_move(void *member, size_t bytes);

/** Print what has passed since `begin`, and what each of the iterations since `timed` took. */
void reference_times(double begin, double timed, int iterations);

#endif
