/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ROWS_H
#define OP2I_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Large arrays, shared out among up to `threads` threads that live as long as the call. Pages of
 * new memory are so spread over the cores. */

/* work(arg, lo, hi) for ranges that make up [0, n), on several threads where each has at least
 * `least` to do. The ranges follow from n, threads and least alone. */
void op2i_parallel(int threads, int64_t n, int64_t least,
                   void (*work)(void *arg, int64_t lo, int64_t hi), void *arg);

/* out[i] = in[i], in[from[i]], or out[to[i]] = in[i], for n rows; `to` has nothing twice, and in
 * and out do not overlap. */
void op2i_rows_copy(int threads, int64_t n, size_t row_bytes, const void *in, void *out);
void op2i_rows_gather(int threads, int64_t n, const int64_t *from, size_t row_bytes, const void *in,
                      void *out);
void op2i_rows_scatter(int threads, int64_t n, const int64_t *to, size_t row_bytes, const void *in,
                       void *out);

#endif
