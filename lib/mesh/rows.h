/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ROWS_H
#define OP2I_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Copy n rows of one or more bytes: out[i] = in[i], out[i] = in[from[i]], or out[to[i]] = in[i].
 * `to` has no number twice, and in and out do not overlap. Many rows are divided among threads: see
 * op2i_parallel(). */
void op2i_rows_copy(int threads, int64_t n, size_t row_bytes, const void *in, void *out);
void op2i_rows_gather(int threads, int64_t n, const int64_t *from, size_t row_bytes, const void *in,
                      void *out);
void op2i_rows_scatter(int threads, int64_t n, const int64_t *to, size_t row_bytes, const void *in,
                       void *out);

#endif
