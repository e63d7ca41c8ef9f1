/* SPDX-License-Identifier: BSD-3-Clause */
/* Flags of the map entries that lead nowhere. They are kept in a dat beside the entries, which
 * follows the rows when these are renumbered or partitioned. Maps that are made from others derive
 * their flags from those. */
#include <string.h>

#include "context.h"
#include "error.h"
#include "exchange.h"
#include "map.h"
#include "mesh.h"

/* No loop ever writes the flags, so there is nothing to force. */
static op2_status flags_of(op2_map map, op2_access access, unsigned rows, unsigned char **flags) {
  void *data = NULL;
  op2_status status = op2i_buffer_at(&map->absent->values, OP2I_HOST, access, rows, &data);
  *flags = data;
  return status == OP2_ERR_NOMEM ? op2i_error_nomem("a map's values") : status;
}

op2_status op2i_map_absent(op2_map map, const unsigned char **flags) {
  const void *open = NULL;
  unsigned char *data = NULL;
  *flags = NULL;
  if (!map->absent) return OP2_SUCCESS;
  op2_status status = op2_dat_read_begin(map->absent, &open);
  if (!status) status = op2_dat_read_end(map->absent, &open);
  if (!status) status = flags_of(map, OP2_READ, OP2I_EVERY_ROW, &data);
  *flags = data;
  return status;
}

op2_status op2i_map_absent_owned(op2_map map, const unsigned char **flags) {
  unsigned char *data = NULL;
  op2_status status = map->absent ? flags_of(map, OP2_READ, OP2I_OWNED_ROWS, &data) : OP2_SUCCESS;
  *flags = data;
  return status;
}

op2_status op2i_map_mark_absent(op2_map map, const unsigned char *flags) {
  unsigned char *own = NULL;
  op2_status status =
      op2i_dat_create_alone(map->from, map->arity, OP2_U8, map->obj.name, &map->absent);
  if (!status) status = flags_of(map, OP2_WRITE, OP2I_EVERY_ROW, &own);
  if (!status) memcpy(own, flags, (size_t)map->from->ends[OP2I_NONEXEC] * (size_t)map->arity);
  return status;
}

op2_status op2i_map_permute_absent(op2_map base, const int *perm, op2_map map) {
  unsigned char *from = NULL, *to = NULL;
  const int64_t arity = base->arity, rows = base->from->ends[OP2I_NONEXEC];
  if (!base->absent) return OP2_SUCCESS;
  op2_status status =
      op2i_dat_create_alone(map->from, map->arity, OP2_U8, map->obj.name, &map->absent);
  if (!status) status = flags_of(base, OP2_READ, OP2I_EVERY_ROW, &from);
  if (!status) status = flags_of(map, OP2_WRITE, OP2I_EVERY_ROW, &to);
  if (status) return status;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < arity; k++) to[i * arity + k] = from[i * arity + perm[k]];
  /* Flags of the halo may be older than their owners', and this is not collective and cannot ask
   * for them. Whether they are depends on when this rank makes the map, so all ranks ask for them
   * at the first use. */
  op2i_dat_make_stale(map->absent);
  return OP2_SUCCESS;
}
