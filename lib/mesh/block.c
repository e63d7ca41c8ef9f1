/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a set, addressed by global element numbers. */
#include "block.h"

#include <inttypes.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "mail.h"
#include "mem.h"

/* The elements that a rank requests or provides: [first, first + n), or, unless that is null,
 * numbers[n], which ascend. */
struct range {
  int64_t first, n;
  const int64_t *numbers;
};

/* Global numbers of the elements owned here, and of those in the range. */
struct block {
  int64_t nowned, n;
  int64_t *owned, *range;
};

static int64_t number_in(const struct range *range, int64_t i) {
  return range->numbers ? range->numbers[i] : range->first + i;
}

/* The position in the range of the element of this number; -1: it is not in it. */
static int64_t position_in(const struct range *range, int64_t number) {
  int64_t low = 0, high = range->n;
  if (!range->numbers) {
    const int64_t at = number - range->first;
    return at >= 0 && at < range->n ? at : -1;
  }
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (range->numbers[middle] < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low < range->n && range->numbers[low] == number ? low : -1;
}

static op2_status check_range(const struct op2_set_s *set, const struct range *range) {
  const int64_t size = set->halo ? set->halo->global_size : set->ends[OP2I_NONEXEC], n = range->n;
  const int64_t first = n > 0 ? number_in(range, 0) : range->first;
  const int64_t all = n > 0 && range->numbers ? range->numbers[n - 1] - first + 1 : n;
  if (first >= 0 && all >= n && n >= 0 && all <= size && first <= size - all) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_RANGE,
                    "set '%s': %" PRId64 " elements from %" PRId64 " on are not in [0, %" PRId64
                    ")",
                    set->obj.name, all, first, size);
}

static op2_status list_rows(const struct op2_set_s *set, const struct range *range,
                            struct block *block) {
  op2_status status = check_range(set, range);
  const int64_t n = status ? 0 : range->n;
  *block = (struct block){.nowned = set->ends[OP2I_OWNED],
                          .n = n,
                          .owned = op2i_malloc((size_t)set->ends[OP2I_OWNED] * sizeof(int64_t)),
                          .range = op2i_malloc((size_t)n * sizeof(int64_t))};
  if (status) return status;
  if (!block->owned || !block->range) return op2i_error_nomem("rows by global number");
  for (int64_t i = 0; i < block->nowned; i++) block->owned[i] = op2i_set_number(set, i);
  for (int64_t i = 0; i < n; i++) block->range[i] = number_in(range, i);
  return OP2_SUCCESS;
}

static op2_status open_table(const struct op2_set_s *set, size_t row_bytes,
                             const struct range *range, struct block *block,
                             struct op2i_table *table) {
  op2_status status = op2i_comm_agree(set->obj.ctx->comm, list_rows(set, range, block));
  if (status) return status;
  return op2i_table_open(set->obj.ctx->comm, set->obj.name, set->halo->global_size, row_bytes,
                         table);
}

static void close(struct block *block, struct op2i_table *table) {
  op2i_table_close(table);
  op2i_free(block->owned);
  op2i_free(block->range);
}

/* In a context without ranks, every row of the range is copied to or from its position in the
 * range. */
static op2_status alone(const struct op2_set_s *set, size_t bytes, const struct range *range,
                        const unsigned char *in, unsigned char *out, bool get) {
  op2_status status = check_range(set, range);
  for (int64_t i = 0; i < set->ends[OP2I_NONEXEC] && !status; i++) {
    const int64_t at = position_in(range, op2i_set_number(set, i));
    if (at < 0) continue;
    memcpy(out + (size_t)(get ? at : i) * bytes, in + (size_t)(get ? i : at) * bytes, bytes);
  }
  return status;
}

op2_status op2i_block_get(const struct op2_set_s *set, size_t row_bytes, const void *rows,
                          int64_t first, int64_t n, void *out) {
  const struct range range = {.first = first, .n = n};
  struct block block;
  struct op2i_table table = {0};
  if (!set->halo) return alone(set, row_bytes, &range, rows, out, true);
  op2_status status = open_table(set, row_bytes, &range, &block, &table);
  if (!status) status = op2i_table_put(&table, block.nowned, block.owned, rows);
  if (!status) status = op2i_table_get(&table, block.n, block.range, out);
  close(&block, &table);
  return status;
}

static op2_status put(const struct op2_set_s *set, size_t row_bytes, const struct range *range,
                      const void *in, void *rows) {
  struct block block;
  struct op2i_table table = {0};
  if (!set->halo) return alone(set, row_bytes, range, in, rows, false);
  op2_status status = open_table(set, row_bytes, range, &block, &table);
  if (!status) status = op2i_table_put(&table, block.n, block.range, in);
  if (!status) status = op2i_table_get(&table, block.nowned, block.owned, rows);
  close(&block, &table);
  return status;
}

op2_status op2i_block_put(const struct op2_set_s *set, size_t row_bytes, int64_t first, int64_t n,
                          const void *in, void *rows) {
  return put(set, row_bytes, &(struct range){.first = first, .n = n}, in, rows);
}

op2_status op2i_block_put_list(const struct op2_set_s *set, size_t row_bytes, int64_t n,
                               const int64_t *numbers, const void *in, void *rows) {
  return put(set, row_bytes, &(struct range){.n = n, .numbers = numbers}, in, rows);
}
