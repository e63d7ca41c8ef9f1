/* SPDX-License-Identifier: BSD-3-Clause */
/* Words and lines of the text of a checkpoint, and checksums over all ranks. */
#include "checkpoint_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *op2i_checkpoint_type(op2_type type) {
  static const char *const words[] = {
      [OP2_F64] = "f64", [OP2_F32] = "f32", [OP2_I8] = "i8", [OP2_I16] = "i16",
      [OP2_I32] = "i32", [OP2_I64] = "i64", [OP2_U8] = "u8", [OP2_U16] = "u16",
      [OP2_U32] = "u32", [OP2_U64] = "u64"};
  return words[type];
}

void op2i_checksum_word(uint64_t checksum, char word[OP2I_CHECKSUM_ROOM]) {
  snprintf(word, OP2I_CHECKSUM_ROOM, "%016" PRIx64, checksum);
}

op2_status op2i_checkpoint_line(op2_file file, struct op2i_contents *text, ...) {
  struct op2i_line line = {.n = 0};
  va_list words;
  va_start(words, text);
  for (const char *word; (word = va_arg(words, const char *));) line.words[line.n++] = word;
  va_end(words);
  return op2i_contents_add(file, text, &line);
}

/* Halves are added, so that no sum is beyond a signed number; the sums wrap round at 2^64. */
static op2_status add_up_some(op2_file file, int n, uint64_t *sums) {
  int64_t halves[32];
  for (int i = 0; i < n; i++) {
    halves[2 * i] = (int64_t)(sums[i] & UINT32_MAX);
    halves[2 * i + 1] = (int64_t)(sums[i] >> 32);
  }
  op2_status status = file->op2->before(file->comm, 2 * n, halves);
  for (int i = 0; i < n; i++)
    sums[i] += (uint64_t)halves[2 * i] + ((uint64_t)halves[2 * i + 1] << 32);
  const int last = file->comm->size - 1;
  if (!status) status = file->op2->share(file->comm, last, sums, (size_t)n * sizeof *sums);
  return status;
}

op2_status op2i_checksums_add_up(op2_file file, int n, uint64_t *sums) {
  enum { AT_ONCE = 16 }; /* messages of so many need no memory */
  op2_status status = OP2_SUCCESS;
  if (!file->comm) return OP2_SUCCESS;
  for (int i = 0; i < n && !status; i += AT_ONCE)
    status = add_up_some(file, n - i < AT_ONCE ? n - i : AT_ONCE, sums + i);
  return status;
}
