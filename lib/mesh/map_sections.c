/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks map entries against the sections that a program of several ranks declared itself: core
 * elements lead to owned elements only, and an element that leads to one of another rank is in that
 * rank's exec halo, where it adds its share. */
#include <inttypes.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "mesh.h"

/* The map whose entries are checked. Entries are in the library's numbers. */
struct entries {
  const char *name;
  op2_set from, to;
  int64_t arity;
  const int32_t *value;
  const unsigned char *absent; /* flags of entries that lead nowhere; null: all lead somewhere */
};

static bool leads_nowhere(const struct entries *e, int64_t entry) {
  return e->absent && e->absent[entry];
}

/* The owned elements after the core, and the ranks that have each in their exec halo:
 * rank[start[i]] to rank[start[i + 1] - 1] have element core + i. */
struct exported {
  int64_t *start;
  int32_t *rank;
};

/* Core elements are computed during halo exchanges, so those that lead into the halo would get
 * wrong values. */
static op2_status check_core(const struct entries *e) {
  int64_t n = e->from->ends[OP2I_CORE] * e->arity, owned = e->to->ends[OP2I_OWNED];
  for (int64_t i = 0; i < n; i++)
    if (e->value[i] >= owned && !leads_nowhere(e, i))
      return op2i_error(
          OP2_ERR_MISMATCH,
          "map '%s' (%s -> %s): element %" PRId64 " is declared a core element, and column %" PRId64
          " leads to %" PRId64 ", which another rank owns (global numbers)",
          e->name, e->from->obj.name, e->to->obj.name, op2i_set_number(e->from, i / e->arity),
          i % e->arity, op2i_set_number(e->to, e->value[i]));
  return OP2_SUCCESS;
}

static int64_t *place_of(const struct exported *x, int32_t row, int64_t core) {
  return row >= core ? &x->start[row - core] : NULL;
}

/* Ranks are counted first and then listed from the back, which leaves start[] at the first entry of
 * each list. */
static op2_status list_exported(op2_set from, struct exported *x) {
  const struct op2i_halo *halo = from->halo;
  const int64_t core = from->ends[OP2I_CORE], n = from->ends[OP2I_OWNED] - core;
  int64_t all = 0;
  x->start = op2i_calloc((size_t)n + 1, sizeof *x->start);
  if (!x->start) return op2i_error_nomem("the check of a map");
  for (int i = 0; i < halo->n; i++) {
    const struct op2i_rows *out = &halo->neighbours[i].out[OP2I_HALO_EXEC];
    for (int64_t r = 0; r < out->n; r++) {
      int64_t *place = place_of(x, out->row[r], core);
      if (place) ++*place;
    }
  }
  for (int64_t i = 0; i <= n; i++) x->start[i] = all += x->start[i];
  x->rank = op2i_malloc((size_t)all * sizeof *x->rank);
  if (!x->rank) return op2i_error_nomem("the check of a map");
  for (int i = 0; i < halo->n; i++) {
    const struct op2i_rows *out = &halo->neighbours[i].out[OP2I_HALO_EXEC];
    for (int64_t r = 0; r < out->n; r++) {
      int64_t *place = place_of(x, out->row[r], core);
      if (place) x->rank[--*place] = halo->neighbours[i].rank;
    }
  }
  return OP2_SUCCESS;
}

static bool is_exported(const struct exported *x, int64_t i, int32_t rank) {
  for (int64_t k = x->start[i]; k < x->start[i + 1]; k++)
    if (x->rank[k] == rank) return true;
  return false;
}

static op2_status report_missing(const struct entries *e, int64_t row, int64_t column,
                                 int32_t owner) {
  int32_t target = e->value[row * e->arity + column];
  return op2i_error(OP2_ERR_MISMATCH,
                    "map '%s' (%s -> %s): element %" PRId64 " leads in column %" PRId64
                    " to %" PRId64 ", which rank %" PRId32 " owns, and rank %" PRId32
                    " does not have it in its exec halo of '%s' (global numbers)",
                    e->name, e->from->obj.name, e->to->obj.name, op2i_set_number(e->from, row),
                    column, op2i_set_number(e->to, target), owner, owner, e->from->obj.name);
}

/* Checks the owned elements after the core. */
static op2_status check_exec(const struct entries *e, const struct exported *x) {
  const int64_t core = e->from->ends[OP2I_CORE], owned = e->to->ends[OP2I_OWNED];
  for (int64_t row = core; row < e->from->ends[OP2I_OWNED]; row++)
    for (int64_t k = 0; k < e->arity; k++) {
      int32_t target = e->value[row * e->arity + k];
      if (target < owned || leads_nowhere(e, row * e->arity + k)) continue;
      int32_t owner = e->to->halo->owner[op2i_set_place(e->to, target) - owned];
      if (!is_exported(x, row - core, owner)) return report_missing(e, row, k, owner);
    }
  return OP2_SUCCESS;
}

op2_status op2i_map_check_sections(const char *name, op2_set from, op2_set to, int arity,
                                   const int32_t *values, const unsigned char *absent) {
  const struct entries entries = {name, from, to, arity, values, absent};
  struct exported exported = {0};
  if (!from->halo) return OP2_SUCCESS;
  op2_status status = check_core(&entries);
  if (!status && to->ends[OP2I_NONEXEC] > to->ends[OP2I_OWNED]) {
    status = list_exported(from, &exported);
    if (!status) status = check_exec(&entries, &exported);
  }
  op2i_free(exported.start);
  op2i_free(exported.rank);
  return status;
}
