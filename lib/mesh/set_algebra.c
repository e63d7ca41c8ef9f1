/* SPDX-License-Identifier: BSD-3-Clause */
/* Union, intersection and difference of two subsets of one set. Both are traversed in the user's
 * numbers, in which they ascend. */
#include "context.h"
#include "error.h"
#include "mem.h"
#include "mesh.h"
#include "set.h"

/* Groups of elements that the result keeps, as bits. */
enum { FIRST_ONLY = 1, SECOND_ONLY = 2, COMMON = 4 };

static op2_status check_same_set(op2_set a, op2_set b, const char *name, const char *function) {
  char room[OP2I_NAME_ROOM];
  op2_status status = op2i_object_validate(b, OP2I_SET, function);
  if (status) return status;
  if (a->base == b->base) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_MISMATCH,
                    "%s, subset '%s': '%s' is of set '%s' and '%s' of set '%s': they have no "
                    "elements in common",
                    function, op2i_object_name(a->obj.ctx, OP2I_SET, name, room), a->obj.name,
                    a->base->obj.name, b->obj.name, b->base->obj.name);
}

/* The element at a position; after the last one, a number greater than all elements. */
static int64_t element(op2_set set, int64_t position) {
  const int64_t *idx = set->user_idx ? set->user_idx : set->idx;
  if (position >= set->ends[OP2I_NONEXEC]) return INT64_MAX;
  return idx ? idx[position] : position;
}

static int64_t merge(op2_set a, op2_set b, unsigned kept, int64_t *out) {
  int64_t n = 0, i = 0, j = 0;
  for (;;) {
    int64_t first = element(a, i), second = element(b, j);
    int64_t least = first < second ? first : second;
    if (least == INT64_MAX) return n;
    if (kept & (first == second ? COMMON : first < second ? FIRST_ONLY : SECOND_ONLY))
      out[n++] = least;
    i += first == least;
    j += second == least;
  }
}

static op2_status create(op2_set a, op2_set b, unsigned kept, const char *name,
                         const char *function, op2_set *out) {
  op2_status status = check_same_set(a, b, name, function);
  if (status) return status;
  int64_t most = a->ends[OP2I_NONEXEC];
  if (kept & SECOND_ONLY) most += b->ends[OP2I_NONEXEC];
  if (most > a->base->ends[OP2I_NONEXEC]) most = a->base->ends[OP2I_NONEXEC];
  int64_t *idx = op2i_alloc_raw((size_t)most * sizeof *idx);
  if (!idx) return op2i_error_nomem("a subset's indices");
  return op2i_subset_make(a->base, merge(a, b, kept, idx), idx, name, out);
}

static op2_status combine(op2_set a, op2_set b, unsigned kept, const char *name, op2_set *out,
                          const char *function) {
  op2_set subset = NULL;
  op2_status status = op2i_object_validate(a, OP2I_SET, function);
  if (!status) status = op2i_context_validate(a->obj.ctx, function);
  if (status) return status;
  op2i_object_call(a, OP2I_SET, function, name, op2i_object_digest(op2i_digest_text(0, name), b));
  if (!out) return op2i_error(OP2_ERR_ARG, "%s: where to put the subset is null", function);
  status = create(a, b, kept, name, function, &subset);
  return op2i_subset_give(a->obj.ctx, status, subset, out);
}

op2_status op2_subset_create_union(op2_set a, op2_set b, const char *name, op2_set *out) {
  return combine(a, b, FIRST_ONLY | SECOND_ONLY | COMMON, name, out, "op2_subset_create_union");
}

op2_status op2_subset_create_intersection(op2_set a, op2_set b, const char *name, op2_set *out) {
  return combine(a, b, COMMON, name, out, "op2_subset_create_intersection");
}

op2_status op2_subset_create_difference(op2_set a, op2_set b, const char *name, op2_set *out) {
  return combine(a, b, FIRST_ONLY, name, out, "op2_subset_create_difference");
}
