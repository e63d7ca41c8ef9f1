/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a set, addressed by global element numbers. */
#include "block.h"

#include <inttypes.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "mail.h"
#include "mem.h"

/* Global numbers of the elements owned here, and of those in the requested range. */
struct block {
  const struct op2_set_s *set;
  int64_t nowned, n;
  int64_t *owned, *range;
};

static op2_status check_range(const struct op2_set_s *set, int64_t first, int64_t n) {
  int64_t size = set->halo ? set->halo->global_size : set->ends[OP2I_NONEXEC];
  if (first >= 0 && n >= 0 && n <= size && first <= size - n) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_RANGE,
                    "set '%s': %" PRId64 " elements from %" PRId64 " on are not in [0, %" PRId64
                    ")",
                    set->obj.name, n, first, size);
}

static op2_status list_rows(const struct op2_set_s *set, int64_t first, int64_t n,
                            struct block *block) {
  op2_status status = check_range(set, first, n);
  if (status) n = 0;
  *block = (struct block){.set = set,
                          .nowned = set->ends[OP2I_OWNED],
                          .n = n,
                          .owned = op2i_malloc((size_t)set->ends[OP2I_OWNED] * sizeof(int64_t)),
                          .range = op2i_malloc((size_t)n * sizeof(int64_t))};
  if (status) return status;
  if (!block->owned || !block->range) return op2i_error_nomem("rows by global number");
  for (int64_t i = 0; i < block->nowned; i++) block->owned[i] = op2i_set_number(set, i);
  for (int64_t i = 0; i < n; i++) block->range[i] = first + i;
  return OP2_SUCCESS;
}

static op2_status open_table(const struct op2_set_s *set, size_t row_bytes, int64_t first,
                             int64_t n, struct block *block, struct op2i_table *table) {
  op2_status status = op2i_comm_agree(set->obj.ctx->comm, list_rows(set, first, n, block));
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
static op2_status alone(const struct op2_set_s *set, size_t bytes, int64_t first, int64_t n,
                        const unsigned char *in, unsigned char *out, bool get) {
  op2_status status = check_range(set, first, n);
  for (int64_t i = 0; i < set->ends[OP2I_NONEXEC] && !status; i++) {
    int64_t at = op2i_set_number(set, i) - first;
    if (at < 0 || at >= n) continue;
    memcpy(out + (size_t)(get ? at : i) * bytes, in + (size_t)(get ? i : at) * bytes, bytes);
  }
  return status;
}

op2_status op2i_block_get(const struct op2_set_s *set, size_t row_bytes, const void *rows,
                          int64_t first, int64_t n, void *out) {
  struct block block;
  struct op2i_table table = {0};
  if (!set->halo) return alone(set, row_bytes, first, n, rows, out, true);
  op2_status status = open_table(set, row_bytes, first, n, &block, &table);
  if (!status) status = op2i_table_put(&table, block.nowned, block.owned, rows);
  if (!status) status = op2i_table_get(&table, block.n, block.range, out);
  close(&block, &table);
  return status;
}

op2_status op2i_block_put(const struct op2_set_s *set, size_t row_bytes, int64_t first, int64_t n,
                          const void *in, void *rows) {
  struct block block;
  struct op2i_table table = {0};
  if (!set->halo) return alone(set, row_bytes, first, n, in, rows, false);
  op2_status status = open_table(set, row_bytes, first, n, &block, &table);
  if (!status) status = op2i_table_put(&table, block.n, block.range, in);
  if (!status) status = op2i_table_get(&table, block.nowned, block.owned, rows);
  close(&block, &table);
  return status;
}
