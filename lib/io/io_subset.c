/* SPDX-License-Identifier: BSD-3-Clause */
/* Subsets in files: the global numbers of their elements, ascending, so that a file does not depend
 * on how many ranks wrote it. */
#include <inttypes.h>
#include <string.h>

#include "io_all.h"
#include "io_numbers.h"
#include "mesh.h"
#include "op2/ranks.h"

static struct op2i_dataset dataset_of(op2_set base, const char *name) {
  return (struct op2i_dataset){.kind = "subset",
                               .name = name,
                               .type = OP2_I32,
                               .rows = -1,
                               .columns = 1,
                               .wide = true,
                               .size = -1,
                               .bare = true,
                               .about = {base}};
}

/* This rank's block of a set, and which elements are in a subset. */
struct numbers {
  int64_t first, n;
  unsigned char *own, *block; /* flags of the rank's own elements, and of those in its block */
  int64_t *list;              /* the elements of the subset in its block */
};

static op2_status open_numbers(op2_file file, op2_set set, struct numbers *numbers) {
  const struct op2i_companion *op2 = file->op2;
  *numbers = (struct numbers){0};
  op2i_file_block(file, op2_set_global_size(set), &numbers->first, &numbers->n);
  numbers->own = op2->calloc((size_t)op2i_file_rows_of(set) + 1, 1);
  numbers->block = op2->calloc((size_t)numbers->n + 1, 1);
  numbers->list = op2->calloc((size_t)numbers->n + 1, sizeof *numbers->list);
  const bool good = numbers->own && numbers->block && numbers->list;
  return op2i_file_agree(file, good ? OP2_SUCCESS : op2->error_nomem("a subset's elements"));
}

static void close_numbers(op2_file file, struct numbers *numbers) {
  file->op2->free(numbers->own);
  file->op2->free(numbers->block);
  file->op2->free(numbers->list);
}

op2_status op2i_subset_write(op2_file file, op2_set subset) {
  const op2_set set = subset->base;
  struct op2i_dataset what = dataset_of(set, subset->obj.name);
  struct numbers numbers;
  int64_t n = 0, first = 0;
  op2_status status = open_numbers(file, set, &numbers);
  for (int64_t i = 0; !status && i < op2i_file_rows_of(subset); i++)
    numbers.own[subset->idx[i]] = 1;
  if (!status)
    status = file->op2->block_get(set, 1, numbers.own, numbers.first, numbers.n, numbers.block);
  for (int64_t i = 0; !status && i < numbers.n; i++)
    if (numbers.block[i]) numbers.list[n++] = numbers.first + i;
  if (!status) status = op2i_file_place(file, n, &first, &what.rows);
  what.wide = op2_set_global_size(set) > (int64_t)INT32_MAX + 1;
  what.columns = 0; /* one dimension */
  if (!status) {
    op2i_numbers_narrow(&what, n, numbers.list);
    status = op2i_dataset_write(file, &what, first, n, numbers.list, status);
  }
  close_numbers(file, &numbers);
  return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static op2_status check_order(op2_file file, const struct op2i_dataset *what, int64_t first,
                              int64_t n, const int64_t *numbers) {
  for (int64_t i = 1; i < n; i++)
    if (numbers[i] <= numbers[i - 1])
      return op2i_file_error(file, what, OP2_ERR_RANGE,
                             "has the entry %" PRId64 " at row %" PRId64 " after %" PRId64
                             ": elements have to ascend",
                             numbers[i], first + i, numbers[i - 1]);
  return OP2_SUCCESS;
}

/* Declare the subset of the flagged ones among this rank's own elements. */
static op2_status make_subset(op2_file file, op2_set base, const unsigned char *own,
                              const char *name, op2_set *subset) {
  int64_t n = 0,
          *positions = file->op2->calloc((size_t)op2i_file_rows_of(base) + 1, sizeof *positions);
  op2_status status = positions ? OP2_SUCCESS : file->op2->error_nomem("a subset's elements");
  status = op2i_file_agree(file, status);
  for (int64_t i = 0; !status && i < op2i_file_rows_of(base); i++)
    if (own[i]) positions[n++] = op2i_set_place(base, i);
  if (!status) status = op2_subset_create(base, n, positions, name, subset);
  file->op2->free(positions);
  return status;
}

/* Send flags of the elements that this rank has read to their owners. */
static op2_status spread(op2_file file, op2_set base, const char *name, const int64_t *numbers,
                         int64_t n, op2_set *subset) {
  const struct op2i_companion *op2 = file->op2;
  unsigned char *flags = op2->calloc((size_t)n + 1, 1);
  unsigned char *own = op2->calloc((size_t)op2i_file_rows_of(base) + 1, 1);
  op2_status status = flags && own ? OP2_SUCCESS : op2->error_nomem("a subset's elements");
  status = op2i_file_agree(file, status);
  if (!status) memset(flags, 1, (size_t)n);
  if (!status) status = op2->block_put_list(base, 1, n, numbers, flags, own);
  if (!status) status = make_subset(file, base, own, name, subset);
  op2->free(flags);
  op2->free(own);
  return status;
}

op2_status op2i_subset_read(op2_file file, op2_set base, const char *name, op2_set *subset) {
  struct op2i_dataset what = dataset_of(base, name);
  const int64_t size = op2_set_global_size(base);
  int64_t first = 0, n = 0, *numbers = NULL;
  op2_status status = op2i_dataset_read(file, &what, 0, 0, NULL, OP2_SUCCESS);
  if (status) return status;
  op2i_file_block(file, what.rows, &first, &n);
  const bool more = first + n < what.rows; /* the next rank's first number has to follow, too */
  status = op2i_numbers_read(file, &what, first, n + more, 0, size, &numbers);
  if (!status) status = op2i_file_agree(file, check_order(file, &what, first, n + more, numbers));
  if (!status) status = spread(file, base, name, numbers, n, subset);
  file->op2->free(numbers);
  return status;
}
