/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps: entries checked and brought into the library's numbers, permuted and composed maps. */
#include <inttypes.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "mesh.h"
#include "parallel.h"
#include "rows.h"

static void release_map(void *object) {
  op2_map map = object;
  op2i_list_remove(&map->from->maps_from, &map->from_link);
  op2i_list_remove(&map->to->maps_to, &map->to_link);
  op2i_unref(map->from);
  op2i_unref(map->to);
  op2i_buffer_free(&map->entries);
  op2i_free_data(map->idx);
  op2i_free(map->injective);
}

static op2_status check_map(op2_set from, op2_set to, int arity, const char *name) {
  op2_status status = op2i_object_validate(from, OP2I_SET, "op2_map_create, from");
  if (!status) status = op2i_object_validate(to, OP2I_SET, "op2_map_create, to");
  if (status) return status;
  if (from->obj.ctx != to->obj.ctx)
    return op2i_error(OP2_ERR_MISMATCH, "map '%s': sets '%s' and '%s' belong to different contexts",
                      name, from->obj.name, to->obj.name);
  if (from->base != from || to->base != to)
    return op2i_error(OP2_ERR_MISMATCH, "map '%s': '%s' is a subset; maps are declared on sets",
                      name, from->base != from ? from->obj.name : to->obj.name);
  if (arity < 1) return op2i_error(OP2_ERR_ARG, "map '%s': arity %d is not positive", name, arity);
  if (to->ends[OP2I_NONEXEC] > (int64_t)INT32_MAX + 1)
    return op2i_error(OP2_ERR_RANGE, "map '%s': set '%s' has more than 2^31 elements", name,
                      to->obj.name);
  if (from->ends[OP2I_NONEXEC] > 0 &&
      (size_t)arity > (SIZE_MAX >> 8) / sizeof(int32_t) / (size_t)from->ends[OP2I_NONEXEC])
    return op2i_error(OP2_ERR_NOMEM, "map '%s' is larger than memory", name);
  return OP2_SUCCESS;
}

/* Takes over idx, also on failure. */
static op2_status make_map(op2_set from, op2_set to, int arity, int32_t *idx, const char *name,
                           op2_map *out) {
  op2_map map = op2i_calloc(1, sizeof *map);
  if (!map) {
    op2i_free_data(idx);
    return op2i_error_nomem("a map");
  }
  map->arity = arity;
  map->idx = idx;
  map->scatter = -1;
  op2_status status = op2i_object_init(map, from->obj.ctx, OP2I_MAP, name, release_map);
  if (status) {
    op2i_free_data(idx);
    op2i_free(map);
    return status;
  }
  size_t bytes = (size_t)from->ends[OP2I_NONEXEC] * (size_t)arity * sizeof *idx;
  op2i_buffer_init(&map->entries, from->obj.ctx, bytes, bytes, true);
  op2i_buffer_replace(&map->entries, idx, true);
  map->from = op2i_ref(from);
  map->to = op2i_ref(to);
  op2i_list_append(&from->maps_from, &map->from_link, map);
  op2i_list_append(&to->maps_to, &map->to_link, map);
  *out = map;
  return OP2_SUCCESS;
}

/* The first entry that is no element of the target set. */
static op2_status report_stray(const char *name, op2_set from, op2_set to, int arity,
                               const int32_t *idx) {
  int64_t i = 0, limit = to->ends[OP2I_NONEXEC];
  while (idx[i] >= 0 && idx[i] < limit) i++;
  return op2i_error(OP2_ERR_RANGE,
                    "map '%s' (%s -> %s): entry %" PRId32 " at row %" PRId64 ", column %" PRId64
                    " is not in [0, %" PRId64 ")",
                    name, from->obj.name, to->obj.name, idx[i], i / arity, i % arity, limit);
}

/* Values as they are kept, from the user's. */
struct import {
  const int64_t *number; /* of the rows; null: as they come */
  const int32_t *inverse; /* of the targets; null: as they come */
  int64_t arity, limit;
  const int32_t *idx;
  int32_t *values;
  _Atomic bool strays;
};

/* Without branches: maps are large and nearly always good. */
static bool all_below(const int32_t *values, int64_t n, int64_t limit) {
  uint32_t strays = 0;
  for (int64_t i = 0; i < n; i++) strays |= (uint32_t)values[i] >= (uint32_t)limit;
  return !strays;
}

static void import_chunk(struct import *import, int64_t lo, int64_t hi) {
  size_t row_bytes = (size_t)import->arity * sizeof *import->values;
  int32_t *values = import->values + lo * import->arity;
  int64_t n = (hi - lo) * import->arity;
  if (import->number)
    op2i_rows_gather(1, hi - lo, import->number + lo, row_bytes, import->idx, values);
  else
    op2i_rows_copy(1, hi - lo, row_bytes, import->idx + lo * import->arity, values);
  if (!all_below(values, n, import->limit))
    import->strays = true;
  else if (import->inverse)
    for (int64_t i = 0; i < n; i++) values[i] = import->inverse[values[i]];
}

/* In chunks that stay in the cache between steps. */
static void import_some(void *argument, int64_t lo, int64_t hi) {
  enum { CHUNK_VALUES = 8192 };
  struct import *import = argument;
  int64_t chunk = CHUNK_VALUES / import->arity + 1;
  for (int64_t at = lo; at < hi; at += chunk)
    import_chunk(import, at, hi - at < chunk ? hi : at + chunk);
}

static op2_status import_values(op2_set from, op2_set to, struct import *import) {
  enum { VALUES_LEAST = OP2I_PARALLEL_BYTES / sizeof(int32_t) };
  int64_t least = VALUES_LEAST / import->arity + 1;
  int64_t targets = to->ends[OP2I_NONEXEC];
  int32_t *inverse = NULL;
  if (to->number) {
    inverse = op2i_malloc((size_t)targets * sizeof *inverse);
    if (!inverse) return op2i_error_nomem("a map's values");
    for (int64_t i = 0; i < targets; i++) inverse[to->number[i]] = (int32_t)i;
  }
  import->number = from->number;
  import->inverse = inverse;
  op2i_parallel(op2_workers(from->obj.ctx), from->ends[OP2I_NONEXEC], least, import_some, import);
  op2i_free(inverse);
  return OP2_SUCCESS;
}

op2_status op2_map_create(op2_set from, op2_set to, int arity, const int32_t *idx, const char *name,
                          op2_map *out) {
  const char *shown = name ? name : "";
  if (!out) return op2i_error(OP2_ERR_ARG, "op2_map_create: where to put the map is null");
  op2_status status = check_map(from, to, arity, shown);
  if (status) return status;
  struct import import = {.arity = arity, .limit = to->ends[OP2I_NONEXEC], .idx = idx};
  if (idx) {
    import.values = op2i_alloc_raw((size_t)from->ends[OP2I_NONEXEC] * (size_t)arity * sizeof *idx);
    if (!import.values) return op2i_error_nomem("a map's values");
    status = import_values(from, to, &import);
    if (!status && import.strays) status = report_stray(shown, from, to, arity, idx);
    if (status) {
      op2i_free_data(import.values);
      return status;
    }
  }
  return make_map(from, to, arity, import.values, name, out);
}

static op2_status check_permutation(op2_map base, const int *perm) {
  int arity = base->arity;
  for (int k = 0; k < arity; k++) {
    int seen = 0;
    for (int j = 0; j < arity; j++) seen += perm[j] == k;
    if (seen != 1)
      return op2i_error(OP2_ERR_RANGE, "permuted map of '%s': slot %d appears %d times, not once",
                        base->obj.name, k, seen);
  }
  return OP2_SUCCESS;
}

op2_status op2_map_create_permuted(op2_map base, const int *perm, const char *name, op2_map *out) {
  op2_status status = op2i_object_validate(base, OP2I_MAP, "op2_map_create_permuted");
  if (status) return status;
  if (!perm || !out) return op2i_error(OP2_ERR_ARG, "op2_map_create_permuted: a null pointer");
  if (!base->idx)
    return op2i_error(OP2_ERR_MISMATCH, "permuted map: '%s' has no values", base->obj.name);
  status = check_permutation(base, perm);
  if (status) return status;
  int64_t rows = base->from->ends[OP2I_NONEXEC], arity = base->arity;
  int32_t *idx = op2i_alloc_data((size_t)(rows * arity) * sizeof *idx);
  if (!idx) return op2i_error_nomem("a map's values");
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < arity; k++) idx[i * arity + k] = base->idx[i * arity + perm[k]];
  return make_map(base->from, base->to, base->arity, idx, name, out);
}

static op2_status check_composition(int n, const op2_map *maps) {
  for (int i = 0; i < n; i++) {
    op2_status status = op2i_object_validate(maps[i], OP2I_MAP, "op2_map_create_composed");
    if (status) return status;
    if (!maps[i]->idx)
      return op2i_error(OP2_ERR_MISMATCH, "composed map: '%s' has no values", maps[i]->obj.name);
    if (i > 0 && maps[i]->arity != 1)
      return op2i_error(OP2_ERR_MISMATCH,
                        "composed map: '%s' has arity %d; all but the first must have 1",
                        maps[i]->obj.name, maps[i]->arity);
    if (i > 0 && maps[i]->to != maps[i - 1]->from)
      return op2i_error(OP2_ERR_MISMATCH,
                        "composed map: '%s' ends in set '%s' but '%s' starts from '%s'",
                        maps[i]->obj.name, maps[i]->to->obj.name, maps[i - 1]->obj.name,
                        maps[i - 1]->from->obj.name);
  }
  return OP2_SUCCESS;
}

op2_status op2_map_create_composed(int n, const op2_map *maps, const char *name, op2_map *out) {
  if (n < 1 || !maps || !out)
    return op2i_error(OP2_ERR_ARG, "op2_map_create_composed: no maps or a null pointer");
  op2_status status = check_composition(n, maps);
  if (status) return status;
  op2_set from = maps[n - 1]->from;
  int64_t rows = from->ends[OP2I_NONEXEC], arity = maps[0]->arity;
  int32_t *idx = op2i_alloc_data((size_t)(rows * arity) * sizeof *idx);
  if (!idx) return op2i_error_nomem("a map's values");
  for (int64_t i = 0; i < rows; i++) {
    int64_t row = i;
    for (int m = n - 1; m > 0; m--) row = maps[m]->idx[row];
    memcpy(idx + i * arity, maps[0]->idx + row * arity, (size_t)arity * sizeof *idx);
  }
  return make_map(from, maps[0]->to, (int)arity, idx, name, out);
}

void op2_map_destroy(op2_map *map) {
  if (!map) return;
  if (op2i_object_leave(*map, OP2I_MAP)) op2i_unref(*map);
  *map = NULL;
}
