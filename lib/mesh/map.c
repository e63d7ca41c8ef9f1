/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps: what all of them share; permuted and composed maps. */
#include <inttypes.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "error.h"
#include "map.h"
#include "mem.h"
#include "mesh.h"

static void release_map(void *object) {
  op2_map map = object;
  op2i_list_remove(&map->from->maps_from, &map->from_link);
  op2i_list_remove(&map->to->maps_to, &map->to_link);
  op2i_unref(map->from);
  op2i_unref(map->to);
  op2i_buffer_free(&map->entries);
  op2i_free_data(map->idx);
  op2i_free_data(map->global);
  op2i_free(map->injective);
  op2i_unref(map->absent);
  op2i_unref(map->conflict_map);
  op2i_unref(map->first);
  if (map->contributions) map->contributions_free(map->contributions);
}

op2_status op2i_map_make(op2_set from, op2_set to, int arity, int32_t *idx, int64_t *global,
                         const char *name, op2_map *out) {
  op2_map map = op2i_calloc(1, sizeof *map);
  op2_status status = map ? OP2_SUCCESS : op2i_error_nomem("a map");
  if (!status) status = op2i_object_init(map, from->obj.ctx, OP2I_MAP, name, release_map);
  if (status) {
    op2i_free_data(idx);
    op2i_free_data(global);
    op2i_free(map);
    return status;
  }
  map->arity = arity;
  map->origin = OP2_MAP_DECLARED;
  map->idx = idx;
  map->global = global;
  map->scatter = -1;
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

void op2i_map_hide(op2_map map) {
  op2i_object_own(map);
  op2i_list_remove(&map->from->maps_from, &map->from_link);
  op2i_list_remove(&map->to->maps_to, &map->to_link);
}

op2_status op2i_map_make_rows(op2_set from, op2_set to, int32_t *idx, int64_t n, const char *name,
                              op2_map *out) {
  const size_t bytes = (size_t)n * sizeof *idx;
  op2_status status = op2i_map_make(from, to, 1, idx, NULL, name, out);
  if (status) return status;
  op2i_map_hide(*out);
  if (!idx) return OP2_SUCCESS;
  op2i_buffer_init(&(*out)->entries, from->obj.ctx, bytes, bytes, true);
  op2i_buffer_replace(&(*out)->entries, idx, true);
  return OP2_SUCCESS;
}

op2_status op2i_map_agree(op2_set from, op2_status status) {
  struct op2i_comm *comm = op2i_object_is(from, OP2I_SET) ? from->obj.ctx->comm : NULL;
  return comm ? op2i_comm_agree(comm, status) : status;
}

void op2i_map_call(op2_map map, const char *call) {
  uint64_t digest = op2i_object_digest((uint64_t)map->arity, map->to);
  op2i_object_call(map->from, OP2I_SET, call, map->obj.name, digest);
}

op2_status op2i_map_partition_first(const char *what, op2_map map) {
  return op2i_error(OP2_ERR_STATE,
                    "%s: '%s' leads to elements anywhere: partition first (op2_partition)", what,
                    map->obj.name);
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
  if (base->global) return op2i_map_partition_first("permuted map", base);
  if (!base->idx)
    return op2i_error(OP2_ERR_MISMATCH, "permuted map: '%s' has no values", base->obj.name);
  status = check_permutation(base, perm);
  if (status) return status;
  int64_t rows = base->from->ends[OP2I_NONEXEC], arity = base->arity;
  int32_t *idx = op2i_alloc_data((size_t)(rows * arity) * sizeof *idx);
  if (!idx) return op2i_error_nomem("a map's values");
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < arity; k++) idx[i * arity + k] = base->idx[i * arity + perm[k]];
  op2_map map = NULL;
  status = op2i_map_make(base->from, base->to, base->arity, idx, NULL, name, &map);
  if (!status) status = op2i_map_permute_absent(base, perm, map);
  if (status) {
    op2_map_destroy(&map);
    return status;
  }
  map->origin = OP2_MAP_PERMUTED;
  /* This call is not collective, so that ranks may make the map at different times. */
  map->obj.made = op2i_digest_bytes(base->obj.made, perm, (size_t)arity * sizeof *perm);
  if (map->absent) map->absent->obj.made = map->obj.made;
  *out = map;
  return OP2_SUCCESS;
}

static op2_status check_composition(int n, const op2_map *maps) {
  for (int i = 0; i < n; i++) {
    op2_status status = op2i_object_validate(maps[i], OP2I_MAP, "op2_map_create_composed");
    if (status) return status;
    if (maps[i]->global) return op2i_map_partition_first("composed map", maps[i]);
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

struct composition {
  int n;
  const op2_map *maps;
  const char *name;
  const unsigned char **absent; /* [n] flags of each map; null: all its entries lead somewhere */
  int32_t *idx;
  unsigned char *none; /* flags of the entries in idx that lead nowhere; null: there are none */
};

/* Find the row of the first map that an element leads to; *row is negative if it leads nowhere. */
static op2_status follow(const struct composition *c, int64_t element, int64_t *row) {
  op2_set from = c->maps[c->n - 1]->from;
  *row = element;
  for (int m = c->n - 1; m > 0; m--) {
    bool nowhere = c->absent[m] && c->absent[m][*row];
    *row = nowhere ? -1 : c->maps[m]->idx[*row];
    if (nowhere) return OP2_SUCCESS;
    if (*row < op2i_set_rows_known(c->maps[m]->to)) continue;
    return op2i_error(OP2_ERR_MISMATCH,
                      "composed map '%s': element %" PRId64 " of '%s' leads to %" PRId64
                      " of '%s', which is in the non-exec halo, where it leads on is not known "
                      "here (global numbers)",
                      c->name, op2i_set_number(from, element), from->obj.name,
                      op2i_set_number(c->maps[m]->to, *row), c->maps[m]->to->obj.name);
  }
  return OP2_SUCCESS;
}

/* Entries that lead nowhere hold element 0, which is valid, as in op2_map_create_partial(). */
static op2_status compose(const struct composition *c) {
  op2_map first = c->maps[0];
  op2_set from = c->maps[c->n - 1]->from;
  int64_t rows = op2i_set_rows_known(from), row = 0;
  const size_t arity = (size_t)first->arity;
  for (int64_t i = 0; i < rows; i++) {
    op2_status status = follow(c, i, &row);
    if (status) return status;
    if (row < 0 && !first->to->ends[OP2I_NONEXEC])
      return op2i_error(OP2_ERR_RANGE,
                        "composed map '%s': set '%s' has no elements, and '%s' has some", c->name,
                        first->to->obj.name, from->obj.name);
    int32_t *idx = c->idx + (size_t)i * arity;
    if (row >= 0) memcpy(idx, first->idx + (size_t)row * arity, arity * sizeof *idx);
    if (row < 0)
      memset(c->none + (size_t)i * arity, 1, arity);
    else if (c->absent[0])
      memcpy(c->none + (size_t)i * arity, c->absent[0] + (size_t)row * arity, arity);
  }
  return op2i_map_check_sections(c->name, from, first->to, first->arity, c->idx, c->none);
}

static op2_status prepare_composition(struct composition *c) {
  bool partial = false;
  const size_t n = (size_t)c->maps[c->n - 1]->from->ends[OP2I_NONEXEC] * (size_t)c->maps[0]->arity;
  op2_status status = OP2_SUCCESS;
  c->absent = op2i_calloc((size_t)c->n, sizeof *c->absent);
  c->idx = op2i_alloc_data(n * sizeof *c->idx);
  for (int m = 0; m < c->n; m++) partial |= c->maps[m]->absent != NULL;
  if (partial) c->none = op2i_alloc_data(n);
  if (!c->absent || !c->idx || (partial && !c->none)) status = op2i_error_nomem("a map's values");
  status = op2i_map_agree(c->maps[c->n - 1]->from, status);
  for (int m = 0; m < c->n && !status; m++) status = op2i_map_absent(c->maps[m], &c->absent[m]);
  return status;
}

op2_status op2_map_create_composed(int n, const op2_map *maps, const char *name, op2_map *out) {
  if (n < 1 || !maps || !out)
    return op2i_error(OP2_ERR_ARG, "op2_map_create_composed: no maps or a null pointer");
  uint64_t digest = op2i_digest_text(0, name);
  for (int i = 1; i < n; i++)
    if (op2i_object_is(maps[i], OP2I_MAP)) digest = op2i_object_digest(digest, maps[i]);
  op2i_object_call(maps[0], OP2I_MAP, "op2_map_create_composed", name, digest);
  op2_status status = check_composition(n, maps);
  if (status) return status;
  op2_set from = maps[n - 1]->from;
  op2_map map = NULL;
  char room[OP2I_NAME_ROOM];
  name = op2i_object_name(from->obj.ctx, OP2I_MAP, name, room);
  struct composition c = {.n = n, .maps = maps, .name = name};
  status = prepare_composition(&c);
  if (!status) status = compose(&c);
  if (status)
    op2i_free_data(c.idx);
  else
    status = op2i_map_make(from, maps[0]->to, maps[0]->arity, c.idx, NULL, name, &map);
  if (!status && c.none) status = op2i_map_mark_absent(map, c.none);
  op2i_free(c.absent);
  op2i_free_data(c.none);
  status = op2i_map_agree(from, status);
  if (status) {
    op2_map_destroy(&map);
    return status;
  }
  map->origin = OP2_MAP_COMPOSED;
  *out = map;
  return OP2_SUCCESS;
}

void op2_map_destroy(op2_map *map) {
  if (!map) return;
  if (op2i_object_leave(*map, OP2I_MAP)) op2i_unref(*map);
  *map = NULL;
}
