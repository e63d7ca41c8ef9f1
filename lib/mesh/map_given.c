/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of maps that programs give are checked and converted: to elements from 0 on in the
 * library's numbers, with rows in the library's order. An entry that leads nowhere is marked in a
 * table of flags, and replaced by another entry of its row. Numbering, colouring and partitioning by
 * maps then need no special case. */
#include "map_given.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "error.h"
#include "map.h"
#include "mem.h"
#include "numa.h"
#include "parallel.h"
#include "rows.h"

/* ---- checks ---------------------------------------------------------------------------------- */

/* True if targets may be on any rank, so that the map keeps their global numbers. */
static bool spread(const struct op2i_given *g) {
  const struct op2i_comm *comm = g->from->obj.ctx->comm;
  return g->how.global && comm && comm->size > 1;
}

static int64_t rows_given(const struct op2i_given *g) {
  return spread(g) ? g->from->ends[OP2I_OWNED] : op2i_set_rows_known(g->from);
}

static int64_t limit_of(const struct op2i_given *g) {
  return spread(g) ? op2_set_global_size(g->to) : g->to->ends[OP2I_NONEXEC];
}

static op2_status check_handle(const struct op2i_given *g, op2_set set, const char *which) {
  char what[64];
  snprintf(what, sizeof what, "%s, %s", g->call, which);
  return op2i_object_validate(set, OP2I_SET, what);
}

/* Check that the handles are valid, and that a map between the sets is possible. */
static op2_status check_sets(const struct op2i_given *g) {
  op2_set from = g->from, to = g->to;
  const char *name = g->name;
  op2_status status = check_handle(g, from, "from");
  if (!status) status = check_handle(g, to, "to");
  if (status) return status;
  if (from->obj.ctx != to->obj.ctx)
    return op2i_error(OP2_ERR_MISMATCH, "map '%s': sets '%s' and '%s' belong to different contexts",
                      name, from->obj.name, to->obj.name);
  if (from->base != from || to->base != to)
    return op2i_error(OP2_ERR_MISMATCH, "map '%s': '%s' is a subset; maps are declared on sets",
                      name, from->base != from ? from->obj.name : to->obj.name);
  if (g->arity < 1)
    return op2i_error(OP2_ERR_ARG, "map '%s': arity %d is not positive", name, g->arity);
  if (to->ends[OP2I_NONEXEC] > (int64_t)INT32_MAX + 1)
    return op2i_error(OP2_ERR_RANGE, "map '%s': set '%s' has more than 2^31 elements", name,
                      to->obj.name);
  if (from->ends[OP2I_NONEXEC] > 0 &&
      (size_t)g->arity > (SIZE_MAX >> 8) / sizeof(int32_t) / (size_t)from->ends[OP2I_NONEXEC])
    return op2i_error(OP2_ERR_NOMEM, "map '%s' is larger than memory", name);
  return OP2_SUCCESS;
}

static op2_status check_description(const struct op2i_given *g) {
  if (g->how.type != OP2_I32 && g->how.type != OP2_I64)
    return op2i_error(OP2_ERR_TYPE, "map '%s': entries of type %s; they can be OP2_I32 or OP2_I64",
                      g->name, op2i_type_name(g->how.type));
  if (g->how.base != 0 && g->how.base != 1)
    return op2i_error(OP2_ERR_ARG, "map '%s': entries from %" PRId32 " on; they begin with 0 or 1",
                      g->name, g->how.base);
  if (g->how.reserved[0] || g->how.reserved[1])
    return op2i_error(OP2_ERR_ARG,
                      "map '%s': what is reserved in its op2_entries_desc is not zero: it was not "
                      "initialised, or is of a later version of op2",
                      g->name);
  return OP2_SUCCESS;
}

static op2_status check_single(const struct op2i_given *g) {
  if (!g->to->single) return OP2_SUCCESS;
  if (g->arity != 1)
    return op2i_error(OP2_ERR_ARG,
                      "map '%s': arity %d; set '%s' has one element (op2_set_create_single), so "
                      "that maps to it have arity 1",
                      g->name, g->arity, g->to->obj.name);
  if (!g->how.partial) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_ARG,
                    "map '%s': all elements lead to the one of set '%s' (op2_set_create_single), "
                    "and none leads nowhere: leave rows or columns out by the other map of a pair",
                    g->name, g->to->obj.name);
}

op2_status op2i_given_check(const struct op2i_given *g) {
  op2_status status = check_sets(g);
  if (!status) status = check_description(g);
  if (!status) status = check_single(g);
  if (!status && g->to->single) return OP2_SUCCESS;
  if (status || (!g->how.partial && !g->how.global) || !rows_given(g)) return status;
  if (!g->idx) return op2i_error(OP2_ERR_ARG, "map '%s': the entries are null", g->name);
  if (limit_of(g) || !g->how.partial) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_RANGE, "map '%s': set '%s' has no elements, and '%s' has some", g->name,
                    g->to->obj.name, g->from->obj.name);
}

/* ---- single entries -------------------------------------------------------------------------- */

static inline int64_t entry_at(const struct op2i_given *g, int64_t e) {
  return g->how.type == OP2_I64 ? ((const int64_t *)g->idx)[e] : ((const int32_t *)g->idx)[e];
}

static inline bool leads_nowhere(const struct op2i_given *g, int64_t entry) {
  return g->how.partial && entry < g->how.base;
}

/* The element that an entry stands for. What is below the base becomes more than any set has. */
static inline uint64_t element_of(const struct op2i_given *g, int64_t entry) {
  return (uint64_t)entry - (uint64_t)g->how.base;
}

/* The element in place of those entries of a row that lead nowhere: that of another entry, or
 * element 0 if there is none. */
static uint64_t stand_in(const struct op2i_given *g, int64_t first) {
  for (int64_t e = first; e < first + g->arity; e++)
    if (!leads_nowhere(g, entry_at(g, e))) return element_of(g, entry_at(g, e));
  return 0;
}

/* True if all entries would be right if they counted from 1. */
static bool counts_from_one(const struct op2i_given *g) {
  const int64_t n = rows_given(g) * g->arity;
  if (g->how.base) return false;
  for (int64_t e = 0; e < n; e++)
    if (entry_at(g, e) < 1 || entry_at(g, e) > limit_of(g)) return false;
  return true;
}

/* Report the first entry that is no element of the target set, as the program gave it. */
static op2_status report_stray(const struct op2i_given *g, int64_t e) {
  const struct op2i_halo *halo = g->from->halo;
  const int64_t row = e / g->arity, number = halo ? op2i_halo_number(halo, row) : row;
  char global[48] = "";
  if (halo && !g->how.global)
    snprintf(global, sizeof global, " (global number %" PRId64 ")", number);
  return op2i_error(OP2_ERR_RANGE,
                    "map '%s' (%s -> %s): entry %" PRId64 " at row %" PRId64 "%s, column %" PRId64
                    " is not in [%" PRId32 ", %" PRId64 ")%s",
                    g->name, g->from->obj.name, g->to->obj.name, entry_at(g, e),
                    g->how.global ? number : row, global, e % g->arity, g->how.base,
                    limit_of(g) + g->how.base,
                    counts_from_one(g) ? "; do the entries count from 1? "
                                         "op2_map_create_entries() takes such maps with base = 1"
                                       : "");
}

static op2_status find_stray(const struct op2i_given *g) {
  const int64_t n = rows_given(g) * g->arity;
  const uint64_t limit = (uint64_t)limit_of(g);
  for (int64_t e = 0; e < n; e++) {
    const int64_t entry = entry_at(g, e);
    if (element_of(g, entry) >= limit && !leads_nowhere(g, entry)) return report_stray(g, e);
  }
  return OP2_SUCCESS;
}

/* ---- targets on this rank -------------------------------------------------------------------- */

struct import {
  const struct op2i_given *given;
  bool plain;            /* entries need no more than to be copied */
  const int64_t *number; /* the user's number of each row; null: the row itself */
  const int32_t *table;  /* the library's number of each target; null: the target itself */
  int64_t limit;
  int32_t *values;
  unsigned char *absent;
  _Atomic bool strays;
};

/* The loop has no branches, since maps are large and nearly always good. */
static bool all_below(const int32_t *values, int64_t n, int64_t limit) {
  uint32_t strays = 0;
  for (int64_t i = 0; i < n; i++) strays |= (uint32_t)values[i] >= (uint32_t)limit;
  return !strays;
}

static bool copy_rows(struct import *import, int64_t lo, int64_t hi) {
  const int64_t arity = import->given->arity;
  const int32_t *idx = import->given->idx;
  const size_t row_bytes = (size_t)arity * sizeof *idx;
  int32_t *values = import->values + lo * arity;
  if (import->number)
    op2i_rows_gather(1, hi - lo, import->number + lo, row_bytes, idx, values);
  else
    op2i_rows_copy(1, hi - lo, row_bytes, idx + lo * arity, values);
  return all_below(values, (hi - lo) * arity, import->limit);
}

static bool convert_rows(struct import *import, int64_t lo, int64_t hi) {
  const struct op2i_given *g = import->given;
  bool good = true;
  for (int64_t row = lo; row < hi; row++) {
    const int64_t first = (import->number ? import->number[row] : row) * g->arity;
    const uint64_t other = import->absent ? stand_in(g, first) : 0;
    for (int64_t k = 0, at = row * g->arity; k < g->arity; k++, at++) {
      const int64_t entry = entry_at(g, first + k);
      const bool nowhere = leads_nowhere(g, entry);
      const uint64_t element = nowhere ? other : element_of(g, entry);
      good &= element < (uint64_t)import->limit;
      import->values[at] = (int32_t)element;
      if (import->absent) import->absent[at] = nowhere;
    }
  }
  return good;
}

static void import_chunk(struct import *import, int64_t lo, int64_t hi) {
  const int64_t arity = import->given->arity;
  int32_t *values = import->values + lo * arity;
  bool good = import->plain ? copy_rows(import, lo, hi) : convert_rows(import, lo, hi);
  if (!good)
    import->strays = true;
  else if (import->table)
    for (int64_t i = 0; i < (hi - lo) * arity; i++) values[i] = import->table[values[i]];
}

/* Rows are converted in chunks that stay in the cache between steps. */
static void import_some(void *argument, int64_t lo, int64_t hi) {
  enum { CHUNK_VALUES = 8192 };
  struct import *import = argument;
  int64_t chunk = CHUNK_VALUES / import->given->arity + 1;
  for (int64_t at = lo; at < hi; at += chunk)
    import_chunk(import, at, hi - at < chunk ? hi : at + chunk);
}

/* The library's number of each target. *table is null if it is the program's. */
static op2_status make_table(const struct op2i_given *g, int32_t **table) {
  const struct op2_set_s *to = g->to;
  const int64_t *global = g->how.global && to->halo ? to->halo->global : NULL;
  const int64_t n = to->ends[OP2I_NONEXEC];
  *table = NULL;
  if (!to->number && !global) return OP2_SUCCESS;
  *table = op2i_malloc((size_t)n * sizeof **table);
  if (!*table) return op2i_error_nomem("a map's values");
  for (int64_t i = 0; i < n; i++) {
    const int64_t place = op2i_set_place(to, i);
    (*table)[global ? global[place] : place] = (int32_t)i;
  }
  return OP2_SUCCESS;
}

static op2_status import_values(struct import *import) {
  enum { VALUES_LEAST = OP2I_PARALLEL_BYTES / sizeof(int32_t) };
  const struct op2i_given *g = import->given;
  int64_t least = VALUES_LEAST / g->arity + 1;
  int32_t *table = NULL;
  op2_status status = make_table(g, &table);
  if (status) return status;
  import->number = g->from->number;
  import->table = table;
  op2i_parallel(op2_workers(g->from->obj.ctx), rows_given(g), least, import_some, import);
  op2i_free(table);
  return import->strays ? find_stray(g) : OP2_SUCCESS;
}

static op2_status convert_local(const struct op2i_given *g, struct op2i_converted *out) {
  const op2_entries_desc *how = &g->how;
  const size_t known = (size_t)rows_given(g) * (size_t)g->arity,
               all = (size_t)g->from->ends[OP2I_NONEXEC] * (size_t)g->arity;
  struct import import = {.given = g,
                          .plain = how->type == OP2_I32 && !how->base && !how->partial,
                          .limit = limit_of(g)};
  out->idx = import.values = op2i_alloc_raw(all * sizeof *out->idx);
  if (how->partial) out->absent = import.absent = op2i_alloc_raw(all);
  if (!out->idx || (how->partial && !out->absent)) return op2i_error_nomem("a map's values");
  op2i_numa_place(g->from->obj.ctx->numa, out->idx, known * sizeof *out->idx,
                  all * sizeof *out->idx);
  memset(out->idx + known, 0, (all - known) * sizeof *out->idx);
  if (out->absent) memset(out->absent + known, 0, all - known);
  op2_status status = g->idx ? import_values(&import) : OP2_SUCCESS;
  if (status) return status;
  return op2i_map_check_sections(g->name, g->from, g->to, g->arity, out->idx, out->absent);
}

/* ---- targets anywhere ------------------------------------------------------------------------ */

static op2_status convert_global(const struct op2i_given *g, struct op2i_converted *out) {
  const int64_t n = g->from->ends[OP2I_OWNED];
  const size_t all = (size_t)g->from->ends[OP2I_NONEXEC] * (size_t)g->arity;
  op2_status status = find_stray(g);
  if (status) return status;
  out->global = op2i_alloc_raw((size_t)(n * g->arity) * sizeof *out->global);
  if (g->how.partial) out->absent = op2i_alloc_data(all);
  if (!out->global || (g->how.partial && !out->absent)) return op2i_error_nomem("a map's values");
  for (int64_t row = 0; row < n; row++) {
    const int64_t first = op2i_set_place(g->from, row) * g->arity;
    const uint64_t other = g->how.partial ? stand_in(g, first) : 0;
    for (int64_t k = 0, at = row * g->arity; k < g->arity; k++, at++) {
      const int64_t entry = entry_at(g, first + k);
      const bool nowhere = leads_nowhere(g, entry);
      out->global[at] = (int64_t)(nowhere ? other : element_of(g, entry));
      if (out->absent) out->absent[at] = nowhere;
    }
  }
  return OP2_SUCCESS;
}

op2_status op2i_given_convert(const struct op2i_given *g, struct op2i_converted *out) {
  if (g->to->single) return g->idx ? find_stray(g) : OP2_SUCCESS; /* no table is kept */
  return spread(g) ? convert_global(g, out) : convert_local(g, out);
}
