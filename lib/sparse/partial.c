/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps with entries that lead nowhere. Such an entry is marked as absent in a dat, and replaced in
 * the map by another entry of its row. Numbering, colouring and partitioning by maps then need no
 * special case. */
#include <inttypes.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "map.h"
#include "mem.h"
#include "sparse.h"

/* An entry of the row that leads somewhere, or element 0 if there is none. */
static int32_t stand_in(const int32_t *row, int arity) {
  for (int k = 0; k < arity; k++)
    if (row[k] >= 0) return row[k];
  return 0;
}

/* Rows of the non-exec halo are not read: their targets need not be on this rank. */
static int64_t rows_read(op2_set from) { return from->ends[from->halo ? OP2I_EXEC : OP2I_NONEXEC]; }

static op2_status check_entries(op2_set from, op2_set to, int arity, const int32_t *idx,
                                const char *name) {
  op2_status status = op2i_map_check(from, to, arity, name);
  if (status) return status;
  if (!rows_read(from)) return OP2_SUCCESS;
  if (!idx) return op2i_error(OP2_ERR_ARG, "map '%s': the entries are null", name);
  if (to->ends[OP2I_NONEXEC]) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_RANGE, "map '%s': set '%s' has no elements, and '%s' has some", name,
                    to->obj.name, from->obj.name);
}

static op2_status split(op2_set from, int arity, const int32_t *idx, int32_t **whole,
                        unsigned char **absent) {
  const int64_t rows = rows_read(from);
  const size_t read = (size_t)rows * (size_t)arity;
  const size_t n = (size_t)from->ends[OP2I_NONEXEC] * (size_t)arity;
  *whole = op2i_alloc_raw(n * sizeof **whole);
  *absent = op2i_alloc_raw(n);
  if (!*whole || !*absent) return op2i_error_nomem("a map's values");
  memset(*whole + read, 0, (n - read) * sizeof **whole);
  memset(*absent + read, 0, n - read);
  for (int64_t r = 0; r < rows; r++) {
    const int32_t *row = idx + r * arity;
    int32_t other = stand_in(row, arity);
    for (int k = 0; k < arity; k++) {
      (*absent)[r * arity + k] = row[k] < 0;
      (*whole)[r * arity + k] = row[k] < 0 ? other : row[k];
    }
  }
  return OP2_SUCCESS;
}

op2_status op2_map_create_partial(op2_set from, op2_set to, int arity, const int32_t *idx,
                                  const char *name, op2_map *out) {
  char room[OP2I_NAME_ROOM];
  int32_t *whole = NULL;
  unsigned char *absent = NULL;
  op2_map map = NULL;
  if (!out) return op2i_error(OP2_ERR_ARG, "op2_map_create_partial: where to put the map is null");
  op2i_object_call(from, OP2I_SET, "op2_map_create_partial", name, op2i_digest_text(0, name));
  const char *const shown =
      op2i_object_name(op2i_object_context(from, OP2I_SET), OP2I_MAP, name, room);
  op2_status status = check_entries(from, to, arity, idx, shown);
  if (!op2i_object_is(from, OP2I_SET)) return status;
  if (!status) status = split(from, arity, idx, &whole, &absent);
  status = op2i_context_agree(from->obj.ctx, status);
  const struct op2i_behalf before =
      op2i_context_behalf(from->obj.ctx, "op2_map_create_partial", shown, (op2_where){0});
  if (!status) status = op2_map_create(from, to, arity, whole, name, &map);
  if (!status) status = op2_dat_create(from, arity, OP2_U8, absent, shown, &map->absent);
  op2i_context_behalf_end(from->obj.ctx, before);
  if (!status) {
    op2i_object_own(map->absent);
    *out = map;
    map = NULL;
  }
  op2_map_destroy(&map);
  op2i_free_data(whole);
  op2i_free_data(absent);
  return status;
}
