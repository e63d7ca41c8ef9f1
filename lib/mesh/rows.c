/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of the rows of dats and maps between numberings. */
#include "rows.h"

#include <string.h>

#include "parallel.h"

struct rows {
  const int64_t *number;
  size_t bytes;
  const unsigned char *in;
  unsigned char *out;
};

static void share_out(int threads, int64_t n, struct rows *rows,
                      void (*work)(void *rows, int64_t lo, int64_t hi)) {
  int64_t bytes = (int64_t)rows->bytes;
  int64_t least = bytes < OP2I_PARALLEL_BYTES ? OP2I_PARALLEL_BYTES / bytes : 1;
  op2i_parallel(threads, n, least, work, rows);
}

static void copy_some(void *argument, int64_t lo, int64_t hi) {
  const struct rows *rows = argument;
  size_t from = (size_t)lo * rows->bytes;
  memcpy(rows->out + from, rows->in + from, (size_t)hi * rows->bytes - from);
}

void op2i_rows_copy(int threads, int64_t n, size_t row_bytes, const void *in, void *out) {
  share_out(threads, n, &(struct rows){NULL, row_bytes, in, out}, copy_some);
}

/* If the size is known at compile time, copying a row takes a few instructions and no call. */
static inline void gather(const struct rows *rows, int64_t lo, int64_t hi, size_t bytes) {
  for (int64_t i = lo; i < hi; i++)
    memcpy(rows->out + (size_t)i * bytes, rows->in + (size_t)rows->number[i] * bytes, bytes);
}

static inline void scatter(const struct rows *rows, int64_t lo, int64_t hi, size_t bytes) {
  for (int64_t i = lo; i < hi; i++)
    memcpy(rows->out + (size_t)rows->number[i] * bytes, rows->in + (size_t)i * bytes, bytes);
}

static void gather_some(void *argument, int64_t lo, int64_t hi) {
  const struct rows *rows = argument;
  switch (rows->bytes) {
  case 4: gather(rows, lo, hi, 4); break;
  case 8: gather(rows, lo, hi, 8); break;
  case 16: gather(rows, lo, hi, 16); break;
  case 32: gather(rows, lo, hi, 32); break;
  default: gather(rows, lo, hi, rows->bytes);
  }
}

static void scatter_some(void *argument, int64_t lo, int64_t hi) {
  const struct rows *rows = argument;
  switch (rows->bytes) {
  case 4: scatter(rows, lo, hi, 4); break;
  case 8: scatter(rows, lo, hi, 8); break;
  case 16: scatter(rows, lo, hi, 16); break;
  case 32: scatter(rows, lo, hi, 32); break;
  default: scatter(rows, lo, hi, rows->bytes);
  }
}

void op2i_rows_gather(int threads, int64_t n, const int64_t *from, size_t row_bytes, const void *in,
                      void *out) {
  share_out(threads, n, &(struct rows){from, row_bytes, in, out}, gather_some);
}

void op2i_rows_scatter(int threads, int64_t n, const int64_t *to, size_t row_bytes, const void *in,
                       void *out) {
  share_out(threads, n, &(struct rows){to, row_bytes, in, out}, scatter_some);
}
