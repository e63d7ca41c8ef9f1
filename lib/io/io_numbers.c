/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of elements in files: 32 bits where these suffice, which are OP2's int, else 64. */
#include <inttypes.h>
#include <string.h>

#include "io_numbers.h"

/* Widen numbers that were read as 32 bits into the second half of their memory. */
static void widen(int64_t n, int64_t *numbers) {
  const char *narrow = (const char *)numbers + (size_t)n * sizeof(int32_t);
  for (int64_t i = 0; i < n; i++) {
    int32_t number;
    memcpy(&number, narrow + (size_t)i * sizeof number, sizeof number);
    numbers[i] = number;
  }
}

void op2i_numbers_narrow(const struct op2i_dataset *what, int64_t n, int64_t *numbers) {
  for (int64_t i = 0; i < n && !what->wide; i++) {
    int32_t number = (int32_t)numbers[i];
    memcpy((char *)numbers + (size_t)i * sizeof number, &number, sizeof number);
  }
}

static op2_status check(op2_file file, const struct op2i_dataset *what, int64_t first, int64_t n,
                        const int64_t *numbers, int64_t least, int64_t limit) {
  for (int64_t i = 0; i < n; i++)
    if (numbers[i] < least || numbers[i] >= limit)
      return op2i_file_error(file, what, OP2_ERR_RANGE,
                             "has the entry %" PRId64 " at row %" PRId64 ", column %" PRId64
                             ", which is not in [%" PRId64 ", %" PRId64 ")",
                             numbers[i], first + i / what->columns, i % what->columns, least,
                             limit);
  return OP2_SUCCESS;
}

op2_status op2i_numbers_read(op2_file file, struct op2i_dataset *what, int64_t first, int64_t n,
                             int64_t least, int64_t limit, int64_t **numbers) {
  int64_t count = n * what->columns;
  *numbers = file->op2->calloc((size_t)(count ? count : 1), sizeof **numbers);
  op2_status status = *numbers ? OP2_SUCCESS : file->op2->error_nomem("numbers of elements");
  void *at = *numbers;
  if (!status && !what->wide) at = (char *)*numbers + (size_t)count * sizeof(int32_t);
  status = op2i_dataset_read(file, what, first, n, at, status);
  if (status) return status;
  if (!what->wide) widen(count, *numbers);
  return op2i_file_agree(file, check(file, what, first, count, *numbers, least, limit));
}
