/* SPDX-License-Identifier: BSD-3-Clause */
/* Declaring maps by entries of any description. */
#include "comm.h"
#include "context.h"
#include "error.h"
#include "exchange.h"
#include "hash.h"
#include "log.h"
#include "map.h"
#include "map_given.h"
#include "mem.h"
#include "op2/matrix.h"
#include "op2/ranks.h"
#include "text.h"

/* Entries must be of the same kind on all ranks, which then do the same. A rank without rows may
 * pass a null pointer although the map has values on other ranks. */
static op2_status agree_on_kind(const struct op2i_given *g, bool *has) {
  struct op2i_comm *comm = g->from->obj.ctx->comm;
  const bool null_is_empty = g->how.partial || g->how.global;
  const int64_t kind = g->how.partial + 2 * g->how.global;
  int64_t most[] = {g->idx || null_is_empty, kind, -kind};
  op2_status status = comm ? op2i_comm_greatest(comm, 3, most) : OP2_SUCCESS;
  if (status) return status;
  if (most[1] != -most[2])
    return op2i_error(OP2_ERR_MISMATCH,
                      "map '%s': entries that may lead nowhere, or global ones, on some ranks only",
                      g->name);
  *has = most[0];
  if (*has && !g->idx && !null_is_empty && !g->to->single && op2i_set_rows_known(g->from) > 0)
    status =
        op2i_error(OP2_ERR_ARG, "map '%s': the entries are null, and not so on all ranks", g->name);
  return op2i_map_agree(g->from, status);
}

static op2_status make(const struct op2i_given *g, bool has, op2_map *map) {
  struct op2i_converted to = {0};
  op2_status status = has ? op2i_given_convert(g, &to) : OP2_SUCCESS;
  if (status) {
    op2i_free_data(to.idx);
    op2i_free_data(to.global);
  } else {
    status = op2i_map_make(g->from, g->to, g->arity, to.idx, to.global, g->name, map);
  }
  if (!status && to.absent) status = op2i_map_mark_absent(*map, to.absent);
  op2i_free_data(to.absent);
  return status;
}

/* The hash of this rank's rows, as numbers of targets counted from 0; 0 if there are too few to tell
 * anything. */
static int64_t hash_rows(const struct op2i_given *g) {
  const int64_t rows = g->how.global ? op2_set_size(g->from) : op2i_set_rows_known(g->from);
  const int64_t n = rows * g->arity;
  const int32_t *narrow = g->how.type == OP2_I64 ? NULL : g->idx;
  const int64_t *wide = narrow ? NULL : g->idx;
  uint64_t hash = (uint64_t)rows;
  bool differ = false;
  for (int64_t e = 0; g->idx && e < n; e++) {
    const int64_t entry = narrow ? narrow[e] : wide[e], first = narrow ? narrow[0] : wide[0];
    differ |= entry != first;
    hash = op2i_hash_word(hash, (uint64_t)(entry - g->how.base));
  }
  return rows > 1 && differ ? (int64_t)(hash >> 1) | 1 : 0;
}

/* Warn if all ranks have given the same rows: programs that were serial declare the whole mesh on
 * each rank, and compute it as often as there are ranks. Rows that are local to a rank may well be
 * alike where there are halos. */
static op2_status warn_of_copies(const struct op2i_given *g) {
  const struct op2i_halo *from = g->from->halo, *to = g->to->halo;
  op2_context ctx = g->from->obj.ctx;
  struct op2i_comm *comm = ctx->comm;
  if (!comm || comm->size < 2) return OP2_SUCCESS;
  int64_t hash = hash_rows(g);
  if (!g->how.global && ((from && from->n) || (to && to->n))) hash = 0;
  int64_t least[] = {hash, -hash};
  op2_status status = op2i_comm_least(comm, 2, least);
  if (status || least[0] != -least[1] || !hash || comm->rank) return status;
  op2i_log(ctx, OP2I_LOG_WARN,
           "all %d ranks give map '%s' the same %s of '%s': a rank declares its own part of a set "
           "(op2/ranks.h), and the whole mesh on each is computed %d times",
           comm->size, g->name, OP2I_N(op2_set_size(g->from), "row"), g->from->obj.name,
           comm->size);
  return OP2_SUCCESS;
}

/* Hand out the new map on all ranks, or on none if one of them failed. Flags of the halo are those
 * of their owners. */
static op2_status give(const struct op2i_given *g, bool has, op2_status status, op2_map map,
                       op2_map *out) {
  status = op2i_map_agree(g->from, status);
  if (!status)
    status =
        op2i_context_alike(g->from->obj.ctx, "map", map->obj.name, "arity", g->arity, (op2_type)0);
  if (!status && has) status = warn_of_copies(g);
  if (status) {
    op2_map_destroy(&map);
    return status;
  }
  op2i_map_call(map, g->call);
  if (map->absent) op2i_dat_make_stale(map->absent);
  *out = map;
  return OP2_SUCCESS;
}

static op2_status create(struct op2i_given given, op2_map *out) {
  char room[OP2I_NAME_ROOM];
  op2_map map = NULL;
  bool has = false;
  op2i_object_call(given.from, OP2I_SET, given.call, given.name, op2i_digest_text(0, given.name));
  if (!out) return op2i_error(OP2_ERR_ARG, "%s: where to put the map is null", given.call);
  given.name =
      op2i_object_name(op2i_object_context(given.from, OP2I_SET), OP2I_MAP, given.name, room);
  op2_status status = op2i_map_agree(given.from, op2i_given_check(&given));
  if (!status) status = agree_on_kind(&given, &has);
  if (status) return status;
  status = make(&given, has, &map);
  return give(&given, has, status, map, out);
}

op2_status op2_map_create(op2_set from, op2_set to, int arity, const int32_t *idx, const char *name,
                          op2_map *map) {
  return create(
      (struct op2i_given){"op2_map_create", name, from, to, arity, {.type = OP2_I32}, idx}, map);
}

op2_status op2_map_create_partial(op2_set from, op2_set to, int arity, const int32_t *idx,
                                  const char *name, op2_map *map) {
  const op2_entries_desc how = {.type = OP2_I32, .partial = true};
  return create((struct op2i_given){"op2_map_create_partial", name, from, to, arity, how, idx},
                map);
}

op2_status op2_map_create_global(op2_set from, op2_set to, int arity, const int64_t *idx,
                                 const char *name, op2_map *map) {
  const op2_entries_desc how = {.type = OP2_I64, .global = true};
  return create((struct op2i_given){"op2_map_create_global", name, from, to, arity, how, idx}, map);
}

op2_status op2_map_create_entries(op2_set from, op2_set to, int arity, const op2_entries_desc *how,
                                  const void *idx, const char *name, op2_map *map) {
  if (!how) return op2i_error(OP2_ERR_ARG, "op2_map_create_entries: the description is null");
  return create((struct op2i_given){"op2_map_create_entries", name, from, to, arity, *how, idx},
                map);
}
