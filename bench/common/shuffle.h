/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_SHUFFLE_H
#define BENCH_SHUFFLE_H

#include <stdint.h>

/** @file shuffle.h
 * Random numbers, and the new numbers of a mesh. */

/** The next number of the generator splitmix64 (Steele, Lea and Flood, 2014), whose state is any
 * 64-bit number. */
uint64_t shuffle_random(uint64_t *state);

/** Return a number that is uniform in [0, n). */
int64_t shuffle_below(uint64_t *state, int64_t n);

/** to[element[i]] = from[i] for n rows of `width` numbers, every number replaced by its new one;
 * `element` is null for rows that stay where they are. */
void shuffle_rows(const int32_t *from, int64_t n, int width, const int32_t *element,
                  const int32_t *number, int32_t *to);

#endif
