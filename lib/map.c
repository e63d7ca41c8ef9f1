/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "renumber.h"

static void release_map(void *object) {
  op2_map map = object;
  op2i_list_remove(&map->from->maps_from, &map->from_link);
  op2i_list_remove(&map->to->maps_to, &map->to_link);
  op2i_unref(map->from);
  op2i_unref(map->to);
  op2i_free(map->idx);
}

static op2_status check_entries(const char *name, op2_set from, op2_set to, int arity,
                                const int32_t *idx) {
  int64_t rows = from->ends[OP2I_NONEXEC], limit = to->ends[OP2I_NONEXEC];
  uint32_t strays = 0; /* without branches: maps are large and nearly always good */
  for (int64_t i = 0; i < rows * arity; i++) strays |= (uint32_t)idx[i] >= (uint32_t)limit;
  if (!strays) return OP2_SUCCESS;
  for (int64_t i = 0; i < rows * arity; i++)
    if (idx[i] < 0 || idx[i] >= limit)
      return op2i_error(OP2_ERR_RANGE,
                        "map '%s' (%s -> %s): entry %" PRId32 " at row %" PRId64 ", column %" PRId64
                        " is not in [0, %" PRId64 ")",
                        name, from->obj.name, to->obj.name, idx[i], i / arity, i % arity, limit);
  return OP2_SUCCESS;
}

static op2_status check_map(op2_set from, op2_set to, int arity, const char *name) {
  op2_status status = op2i_object_check(from, OP2I_SET, "op2_map_create, from");
  if (!status) status = op2i_object_check(to, OP2I_SET, "op2_map_create, to");
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
  return OP2_SUCCESS;
}

/* Takes over idx, also on failure. */
static op2_status make_map(op2_set from, op2_set to, int arity, int32_t *idx, const char *name,
                           op2_map *out) {
  op2_map map = op2i_calloc(1, sizeof *map);
  if (!map) {
    op2i_free(idx);
    return op2i_error_nomem("a map");
  }
  map->arity = arity;
  map->idx = idx;
  op2_status status = op2i_object_init(map, from->obj.ctx, OP2I_MAP, name, release_map);
  if (status) {
    op2i_free(idx);
    op2i_free(map);
    return status;
  }
  map->from = op2i_ref(from);
  map->to = op2i_ref(to);
  op2i_list_append(&from->maps_from, &map->from_link, map);
  op2i_list_append(&to->maps_to, &map->to_link, map);
  *out = map;
  return OP2_SUCCESS;
}

/* Values in the library's numbers from the user's. */
static op2_status import_values(op2_set from, op2_set to, int64_t arity, const int32_t *idx,
                                int32_t *copy) {
  int64_t rows = from->ends[OP2I_NONEXEC], targets = to->ends[OP2I_NONEXEC];
  size_t row_bytes = (size_t)arity * sizeof *copy;
  if (from->number)
    op2i_rows_gather(rows, from->number, row_bytes, idx, copy);
  else
    memcpy(copy, idx, (size_t)rows * row_bytes);
  if (!to->number) return OP2_SUCCESS;
  int32_t *place = op2i_malloc((size_t)targets * sizeof *place);
  if (!place) return op2i_error_nomem("a map's values");
  for (int64_t i = 0; i < targets; i++) place[to->number[i]] = (int32_t)i;
  for (int64_t i = 0; i < rows * arity; i++) copy[i] = place[copy[i]];
  op2i_free(place);
  return OP2_SUCCESS;
}

op2_status op2_map_create(op2_set from, op2_set to, int arity, const int32_t *idx, const char *name,
                          op2_map *out) {
  const char *shown = name ? name : "";
  if (!out) return op2i_error(OP2_ERR_ARG, "op2_map_create: where to put the map is null");
  op2_status status = check_map(from, to, arity, shown);
  if (status) return status;
  int32_t *copy = NULL;
  if (idx) {
    status = check_entries(shown, from, to, arity, idx);
    if (status) return status;
    size_t bytes = (size_t)from->ends[OP2I_NONEXEC] * (size_t)arity * sizeof *copy;
    copy = op2i_alloc_raw(bytes);
    if (!copy) return op2i_error_nomem("a map's values");
    status = import_values(from, to, arity, idx, copy);
    if (status) {
      op2i_free(copy);
      return status;
    }
  }
  return make_map(from, to, arity, copy, name, out);
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
  op2_status status = op2i_object_check(base, OP2I_MAP, "op2_map_create_permuted");
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
    op2_status status = op2i_object_check(maps[i], OP2I_MAP, "op2_map_create_composed");
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
  op2i_unref(*map);
  *map = NULL;
}
