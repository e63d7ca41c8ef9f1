/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of maps, addressed by global element numbers. */
#include "block_map.h"

#include <string.h>

#include "block.h"
#include "comm.h"
#include "context.h"
#include "error.h"
#include "map.h"
#include "mem.h"
#include "op2/ranks.h"

/* The number of rows that are fetched or stored. Without ranks, elements of the halo sections have
 * numbers as well. */
static int64_t nrows(op2_set from) { return from->ends[from->halo ? OP2I_OWNED : OP2I_NONEXEC]; }

/* The global numbers of all targets; -1 for entries that lead nowhere. */
static op2_status targets(op2_map map, int64_t **global) {
  int64_t n = nrows(map->from) * map->arity;
  if (!map->idx && !map->global && !op2i_map_single(map))
    return op2i_error(OP2_ERR_MISMATCH, "map '%s' was declared without values", map->obj.name);
  const unsigned char *absent = NULL;
  op2_status status = op2i_map_absent_owned(map, &absent);
  if (status) return status;
  *global = op2i_malloc((size_t)n * sizeof **global);
  if (!*global) return op2i_error_nomem("a map's rows");
  for (int64_t i = 0; i < n; i++) {
    const bool nowhere = absent && absent[i];
    const int64_t target =
        map->global ? map->global[i] : op2i_set_number(map->to, op2i_map_target(map, i));
    (*global)[i] = nowhere ? -1 : target;
  }
  return OP2_SUCCESS;
}

op2_status op2i_map_get_block(op2_map map, int64_t first, int64_t n, int64_t *out) {
  int64_t *global = NULL;
  op2_status status = op2i_context_agree(map->obj.ctx, targets(map, &global));
  if (!status)
    status = op2i_block_get(map->from, (size_t)map->arity * sizeof *global, global, first, n, out);
  op2i_free(global);
  return status;
}

/* Copy rows from the library's order to the user's. */
static void as_given(op2_set from, int arity, const int64_t *rows, int64_t *given) {
  for (int64_t i = 0; i < nrows(from); i++)
    memcpy(given + (from->number ? from->number[i] : i) * arity, rows + i * arity,
           (size_t)arity * sizeof *rows);
}

op2_status op2i_map_create_block(op2_set from, op2_set to, int arity, int64_t first, int64_t n,
                                 const int64_t *in, bool partial, const char *name, op2_map *map) {
  const op2_entries_desc how = {.type = OP2_I64, .partial = partial, .global = true};
  size_t row = (size_t)arity * sizeof *in, bytes = (size_t)nrows(from) * row;
  int64_t *rows = op2i_malloc(bytes), *given = op2i_malloc(bytes);
  op2_status status = rows && given ? OP2_SUCCESS : op2i_error_nomem("a map's rows");
  status = op2i_context_agree(from->obj.ctx, status);
  if (!status) status = op2i_block_put(from, row, first, n, in, rows);
  if (!status) as_given(from, arity, rows, given);
  if (!status) status = op2_map_create_entries(from, to, arity, &how, given, name, map);
  op2i_free(rows);
  op2i_free(given);
  return status;
}
