/* SPDX-License-Identifier: BSD-3-Clause */
/* Row numbers as linear algebra libraries use them: consecutive on each rank, and those of one rank
 * after those of the rank before. */
#include "context.h"
#include "error.h"
#include "exchange.h"
#include "mem.h"
#include "mesh.h"
#include "set.h"

static void add_all(void *into, const void *from, void *closure) {
  int64_t *sum = into;
  const int64_t *more = from;
  for (int r = 0; r < *(const int *)closure; r++) sum[r] += more[r];
}

/* Count the rows of all ranks, and those of the ranks before this one. */
static op2_status count(op2_set set, int64_t *all, int64_t *first) {
  struct op2i_comm *comm = set->obj.ctx->comm;
  int64_t *rows = op2i_calloc((size_t)comm->size, sizeof *rows);
  op2_status status = op2i_comm_agree(comm, rows ? OP2_SUCCESS : op2i_error_nomem("numbers"));
  if (!status) rows[comm->rank] = set->ends[OP2I_OWNED];
  if (!status)
    status = op2i_comm_combine(comm, rows, (size_t)comm->size * sizeof *rows, add_all, &comm->size);
  *all = *first = 0;
  for (int r = 0; r < comm->size && !status; r++) {
    *all += rows[r];
    *first += r < comm->rank ? rows[r] : 0;
  }
  op2i_free(rows);
  return status;
}

/* Each rank sends the numbers of its own rows to the others by a halo exchange. */
static op2_status exchange_numbers(op2_dat dat, int64_t first, int64_t *numbers) {
  void *rows;
  op2_status status = op2i_buffer_at(&dat->values, OP2I_HOST, OP2_WRITE, OP2I_EVERY_ROW, &rows);
  int64_t *number = rows, owned = dat->set->ends[OP2I_OWNED];
  for (int64_t row = 0; row < owned && !status; row++) number[row] = first + row;
  status = op2i_context_agree(dat->obj.ctx, status);
  if (status) return status;
  op2i_dat_make_stale(dat);
  status = op2i_dat_freshen(dat);
  for (int64_t row = 0; row < dat->set->ends[OP2I_NONEXEC] && !status; row++)
    numbers[row] = number[row];
  return status;
}

op2_status op2i_set_row_numbers(op2_set set, int64_t *all, int64_t *first, int64_t *numbers) {
  op2_dat dat = NULL;
  *all = set->ends[OP2I_OWNED];
  *first = 0;
  for (int64_t row = 0; numbers && row < set->ends[OP2I_NONEXEC]; row++) numbers[row] = row;
  if (!set->halo) return OP2_SUCCESS;
  op2_status status = count(set, all, first);
  if (!status && numbers) status = op2_dat_create(set, 1, OP2_I64, NULL, "row numbers", &dat);
  if (!status && numbers) status = exchange_numbers(dat, *first, numbers);
  op2_dat_destroy(&dat);
  return status;
}
