/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers about sets, maps, dats, globals and constants: how they were declared, the entries of
 * maps, and whether values may have changed. */
#include "op2/query.h"

#include <string.h>

#include "component.h"
#include "error.h"
#include "map.h"
#include "mesh.h"

static op2_status check(const void *object, enum op2i_kind kind, const void *out,
                        const char *call) {
  op2_status status = op2i_object_validate(object, kind, call);
  if (status || out) return status;
  return op2i_error(OP2_ERR_ARG, "%s: '%s': a null pointer", call,
                    ((const struct op2i_object *)object)->name);
}

/* ---- declarations ---------------------------------------------------------------------------- */

op2_status op2_set_info_get(op2_set set, op2_set_info *info) {
  op2_status status = check(set, OP2I_SET, info, "op2_set_info_get");
  if (status) return status;
  *info = (op2_set_info){
      .name = set->obj.name, .base = set->base, .global_size = op2_set_global_size(set)};
  memcpy(info->ends, set->ends, sizeof info->ends);
  return OP2_SUCCESS;
}

op2_status op2_map_info_get(op2_map map, op2_map_info *info) {
  op2_status status = check(map, OP2I_MAP, info, "op2_map_info_get");
  if (status) return status;
  *info = (op2_map_info){.name = map->obj.name,
                         .from = map->from,
                         .to = map->to,
                         .arity = map->arity,
                         .origin = map->origin,
                         .has_values = map->idx || map->global,
                         .partial = map->absent != NULL,
                         .global_only = map->global != NULL};
  return OP2_SUCCESS;
}

op2_status op2_dat_info_get(op2_dat dat, op2_dat_info *info) {
  const bool component = op2i_object_is(dat, OP2I_COMPONENT);
  op2_status status = check(dat, component ? OP2I_COMPONENT : OP2I_DAT, info, "op2_dat_info_get");
  if (status) return status;
  const struct op2_dat_s *whole = op2i_dat_whole(dat);
  *info = (op2_dat_info){.name = dat->obj.name,
                         .set = dat->set,
                         .dim = dat->dim,
                         .type = dat->type,
                         .wrapped = whole->wrapped != NULL,
                         .open_reads = whole->open_reads,
                         .open_writes = whole->open_writes,
                         .whole = dat->whole,
                         .first = dat->first};
  return OP2_SUCCESS;
}

op2_status op2_gbl_info_get(op2_gbl gbl, op2_gbl_info *info) {
  op2_status status = check(gbl, OP2I_GBL, info, "op2_gbl_info_get");
  if (status) return status;
  *info = (op2_gbl_info){.name = gbl->obj.name,
                         .dim = gbl->dim,
                         .type = gbl->type,
                         .wrapped = gbl->wrapped != NULL,
                         .open_reads = gbl->open_reads,
                         .open_writes = gbl->open_writes};
  return OP2_SUCCESS;
}

op2_status op2_const_info_get(op2_const cst, op2_const_info *info) {
  op2_status status = check(cst, OP2I_CONST, info, "op2_const_info_get");
  if (!status) *info = (op2_const_info){.name = cst->obj.name, .dim = cst->dim, .type = cst->type};
  return status;
}

/* ---- values that are not computed ------------------------------------------------------------ */

/* The owned rows of a map in the program's order. */
struct rows {
  op2_map map;
  const unsigned char *absent; /* flags of entries that lead nowhere; null: all lead somewhere */
};

static op2_status open_rows(op2_map map, const void *idx, const char *call, struct rows *rows) {
  op2_status status = op2i_object_validate(map, OP2I_MAP, call);
  if (status) return status;
  if (!idx && map->from->ends[OP2I_OWNED])
    return op2i_error(OP2_ERR_ARG, "%s: map '%s': a null pointer", call, map->obj.name);
  if (!map->idx && !map->global && !op2i_map_single(map))
    return op2i_error(OP2_ERR_MISMATCH, "%s: map '%s' was declared without values", call,
                      map->obj.name);
  rows->map = map;
  return op2i_map_absent_owned(map, &rows->absent);
}

/* The position of row i of the library's order in the program's. */
static int64_t place_of(const struct rows *rows, int64_t i) {
  return op2i_set_place(rows->map->from, i) * rows->map->arity;
}

op2_status op2_map_get(op2_map map, int32_t *idx) {
  struct rows rows;
  op2_status status = open_rows(map, idx, "op2_map_get", &rows);
  if (status) return status;
  if (map->global) return op2i_map_partition_first("op2_map_get", map);
  const int64_t n = map->from->ends[OP2I_OWNED] * map->arity;
  for (int64_t e = 0; e < n; e++)
    idx[place_of(&rows, e / map->arity) + e % map->arity] =
        rows.absent && rows.absent[e] ? -1
                                      : (int32_t)op2i_set_place(map->to, op2i_map_target(map, e));
  return OP2_SUCCESS;
}

op2_status op2_map_get_global(op2_map map, int64_t *idx) {
  struct rows rows;
  op2_status status = open_rows(map, idx, "op2_map_get_global", &rows);
  if (status) return status;
  const int64_t n = map->from->ends[OP2I_OWNED] * map->arity;
  for (int64_t e = 0; e < n; e++) {
    int64_t target =
        map->global ? map->global[e] : op2i_set_number(map->to, op2i_map_target(map, e));
    idx[place_of(&rows, e / map->arity) + e % map->arity] =
        rows.absent && rows.absent[e] ? -1 : target;
  }
  return OP2_SUCCESS;
}

op2_status op2_const_get(op2_const cst, void *out) {
  op2_status status = check(cst, OP2I_CONST, out, "op2_const_get");
  if (!status) memcpy(out, cst->data, cst->bytes);
  return status;
}

/* ---- changes --------------------------------------------------------------------------------- */

int64_t op2_dat_changes(op2_dat dat) {
  return op2i_dat_or_component(dat) ? op2i_dat_whole(dat)->changes : -1;
}

int64_t op2_gbl_changes(op2_gbl gbl) { return op2i_object_is(gbl, OP2I_GBL) ? gbl->changes : -1; }
