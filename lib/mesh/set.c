/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets, their sections and subsets. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "mesh.h"
#include "recycle.h"
#include "set.h"

static void release_set(void *object) {
  op2_set set = object;
  op2i_spares_end_on(set);
  if (set->base != set) {
    op2i_list_remove(&set->base->subsets, &set->link);
    op2i_unref(set->base);
  }
  op2i_list_remove(&set->obj.ctx->sets, &set->link_of_all);
  op2i_buffer_free(&set->elements);
  op2i_buffer_free(&set->numbers);
  op2i_free_data(set->idx);
  op2i_free_data(set->user_idx);
  op2i_free_data(set->number);
  op2i_free_data(set->known);
  op2i_halo_free(set->halo);
}

void op2i_set_tables_changed(op2_set set) {
  size_t bytes = (size_t)set->ends[OP2I_NONEXEC] * sizeof(int64_t);
  if (!set->elements.ctx) op2i_buffer_init(&set->elements, set->obj.ctx, bytes, bytes, true);
  if (!set->numbers.ctx) op2i_buffer_init(&set->numbers, set->obj.ctx, bytes, bytes, true);
  op2i_buffer_replace(&set->elements, set->idx, true);
  int64_t *numbers = set->known ? set->known : set->halo ? set->halo->global : set->number;
  op2i_buffer_replace(&set->numbers, numbers, true);
}

/* The table belongs to the halo, like the tables that programs provide. */
static op2_status make_numbers(op2_set set) {
  struct op2i_halo *halo = set->halo;
  const int64_t n = set->ends[OP2I_NONEXEC];
  if (set->number || !halo || !halo->tabled || halo->global) return OP2_SUCCESS;
  halo->global = op2i_malloc((size_t)n * sizeof *halo->global);
  if (!halo->global)
    return op2i_error(OP2_ERR_NOMEM, "out of memory for the numbers of set '%s'", set->obj.name);
  for (int64_t i = 0; i < n; i++) halo->global[i] = halo->first + i;
  op2i_buffer_replace(&set->numbers, halo->global, true);
  return OP2_SUCCESS;
}

op2_status op2i_set_numbers_at(op2_set set, enum op2i_place place, void **numbers) {
  op2_status status = make_numbers(set);
  if (status) return status;
  return op2i_buffer_at(&set->numbers, place, OP2_READ, OP2I_EVERY_ROW, numbers);
}

/* The most elements for which neither the bytes of a table of them nor the sum over a million ranks
 * overflow. */
#define MOST_ELEMENTS (INT64_MAX >> 20)

static op2_status check_ends(const int64_t ends[4], const char *name) {
  int64_t least = 0;
  for (int s = 0; s < OP2I_SECTIONS; s++) {
    if (ends[s] < least)
      return op2i_error(OP2_ERR_ARG,
                        "set '%s': section ends %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
                        " must be non-negative and not decrease (core <= owned <= exec <= total)",
                        name, ends[0], ends[1], ends[2], ends[3]);
    least = ends[s];
  }
  if (least > MOST_ELEMENTS)
    return op2i_error(OP2_ERR_NOMEM,
                      "set '%s' of %" PRId64
                      " elements is larger than memory: there can be %" PRId64,
                      name, least, MOST_ELEMENTS);
  return OP2_SUCCESS;
}

static op2_status make_set(op2_context ctx, const int64_t ends[4], const char *name,
                           struct op2i_halo *halo, op2_set *out) {
  op2_set set = op2i_calloc(1, sizeof *set);
  op2_status status = set ? OP2_SUCCESS : op2i_error_nomem("a set");
  if (!status) memcpy(set->ends, ends, sizeof set->ends);
  if (!status) set->base = set;
  if (!status) status = op2i_object_init(set, ctx, OP2I_SET, name, release_set);
  if (status) {
    op2i_halo_free(halo);
    op2i_free(set);
    return status;
  }
  set->halo = halo;
  op2i_list_append(&ctx->sets, &set->link_of_all, set);
  op2i_set_tables_changed(set);
  *out = set;
  return OP2_SUCCESS;
}

static op2_status check_lists(const int64_t ends[4], const int64_t *global, const int32_t *owner,
                              const char *name, op2_set *out) {
  if (!ends || !out)
    return op2i_error(OP2_ERR_ARG, "a set with a halo of other ranks: a null pointer");
  op2_status status = check_ends(ends, name);
  if (status) return status;
  if ((ends[OP2I_NONEXEC] && !global) || (ends[OP2I_NONEXEC] > ends[OP2I_OWNED] && !owner))
    return op2i_error(OP2_ERR_ARG, "set '%s': a list of global numbers or owners is null", name);
  return OP2_SUCCESS;
}

op2_status op2i_set_create_halo(op2_context ctx, const int64_t ends[4], const int64_t *global,
                                const int32_t *owner, const char *name, op2_set *out) {
  char room[OP2I_NAME_ROOM];
  struct op2i_halo *halo = NULL;
  op2_set set = NULL;
  op2_status status = op2i_context_validate(ctx, "op2_set_create_halo");
  if (status) return status;
  name = op2i_object_name(ctx, OP2I_SET, name, room);
  if (!ctx->comm)
    return op2i_error(OP2_ERR_STATE,
                      "a set with a halo of other ranks, in a context that has none");
  status = op2i_comm_agree(ctx->comm, check_lists(ends, global, owner, name, out));
  if (!status) status = op2i_halo_make(ctx->comm, ends, global, owner, name, &halo);
  if (status) return status;
  status = op2i_comm_agree(ctx->comm, make_set(ctx, ends, name, halo, &set));
  if (status)
    op2_set_destroy(&set);
  else
    *out = set;
  return status;
}

op2_status op2i_set_create_counted(op2_context ctx, int64_t size, int64_t tail, const char *name,
                                   op2_set *out) {
  const int64_t ends[] = {size, size, size, size};
  struct op2i_halo *halo = NULL;
  op2_set set = NULL;
  op2_status status = ctx->comm ? op2i_halo_make_block(ctx->comm, size, &halo) : OP2_SUCCESS;
  if (status) return status;
  status = op2i_context_agree(ctx, make_set(ctx, ends, name, halo, &set));
  if (status) {
    op2_set_destroy(&set);
    return status;
  }
  set->tail = tail;
  *out = set;
  return OP2_SUCCESS;
}

/* Make a set in blocks, one for each rank, in the order of ranks. Numbers that follow each other
 * need none of the checks of op2i_halo_make(), and no table until a loop needs one: a size read
 * from a damaged file takes no memory. */
static op2_status create_block(op2_context ctx, int64_t size, const char *name, op2_set *out) {
  const int64_t ends[] = {size, size, size, size};
  struct op2i_halo *halo = NULL;
  op2_set set = NULL;
  op2_status status = op2i_halo_make_block(ctx->comm, size, &halo);
  if (status) return status;
  halo->tabled = true;
  status = op2i_comm_agree(ctx->comm, make_set(ctx, ends, name, halo, &set));
  if (status)
    op2_set_destroy(&set);
  else
    *out = set;
  return status;
}

/* With ranks, four section ends are too little to describe a halo, and a block has none. */
static op2_status check_block(const int64_t ends[4], const char *name) {
  if (ends[OP2I_CORE] == ends[OP2I_NONEXEC]) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_ARG,
                    "set '%s': among ranks a set is declared as a block, with four equal ends, or "
                    "with the owners of its halo (op2_set_create_halo)",
                    name);
}

op2_status op2_set_create_sections(op2_context ctx, const int64_t ends[4], const char *name,
                                   op2_set *out) {
  char room[OP2I_NAME_ROOM];
  op2_status status = op2i_context_validate(ctx, "op2_set_create_sections");
  if (status) return status;
  op2i_context_call(ctx, "op2_set_create", name, op2i_digest_text(0, name), 0);
  name = op2i_object_name(ctx, OP2I_SET, name, room);
  if (!ends || !out) return op2i_error(OP2_ERR_ARG, "op2_set_create: a null pointer");
  status = check_ends(ends, name);
  if (!ctx->comm) return status ? status : make_set(ctx, ends, name, NULL, out);
  if (!status) status = check_block(ends, name);
  status = op2i_comm_agree(ctx->comm, status);
  return status ? status : create_block(ctx, ends[OP2I_OWNED], name, out);
}

op2_status op2_set_create(op2_context ctx, int64_t size, const char *name, op2_set *set) {
  op2_status status = op2i_context_validate(ctx, "op2_set_create");
  if (status) return status;
  if (size >= 0)
    return op2_set_create_sections(ctx, (const int64_t[4]){size, size, size, size}, name, set);
  op2i_context_call(ctx, "op2_set_create", name, op2i_digest_text(0, name), 0);
  char room[OP2I_NAME_ROOM];
  status = op2i_error(OP2_ERR_ARG, "set '%s': size %" PRId64 " is negative",
                      op2i_object_name(ctx, OP2I_SET, name, room), size);
  return ctx->comm ? op2i_comm_agree(ctx->comm, status) : status;
}

/* Rank 0 owns the element, and the others have it in their halo. */
static op2_status create_single(op2_context ctx, const char *name, op2_set *out) {
  const bool owns = op2_rank(ctx) == 0;
  const int64_t ends[] = {owns, owns, owns, 1}, first = 0;
  const int32_t owner = 0;
  if (!ctx->comm) return make_set(ctx, ends, name, NULL, out);
  return op2i_set_create_halo(ctx, ends, &first, &owner, name, out);
}

_Atomic bool op2i_single_declared;

op2_status op2_set_create_single(op2_context ctx, const char *name, op2_set *out) {
  char room[OP2I_NAME_ROOM];
  op2_set set = NULL;
  op2_status status = op2i_context_validate(ctx, "op2_set_create_single");
  if (status) return status;
  op2i_context_call(ctx, "op2_set_create_single", name, op2i_digest_text(0, name), 0);
  if (!out) return op2i_error(OP2_ERR_ARG, "op2_set_create_single: a null pointer");
  status = create_single(ctx, op2i_object_name(ctx, OP2I_SET, name, room), &set);
  if (status) return status;
  set->single = ctx->has_single = true;
  op2i_single_declared = true;
  *out = set;
  return OP2_SUCCESS;
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

void op2i_sort_indices(int64_t n, int64_t *idx) { qsort(idx, (size_t)n, sizeof *idx, ascending); }

/* Base indices of the listed positions of `parent`, sorted and unique, in the user's numbers.
 * Returns how many are left. */
static int64_t normalise(op2_set parent, int64_t n, const int64_t *positions, int64_t *idx) {
  const int64_t *base = parent->user_idx ? parent->user_idx : parent->idx;
  bool sorted = true;
  for (int64_t i = 0; i < n; i++) {
    idx[i] = base ? base[positions[i]] : positions[i];
    sorted = sorted && (i == 0 || idx[i - 1] < idx[i]);
  }
  if (sorted) return n;
  op2i_sort_indices(n, idx);
  int64_t kept = 0;
  for (int64_t i = 0; i < n; i++)
    if (kept == 0 || idx[kept - 1] != idx[i]) idx[kept++] = idx[i];
  return kept;
}

static int64_t count_below(const int64_t *sorted, int64_t n, int64_t limit) {
  int64_t lo = 0, hi = n;
  while (lo < hi) {
    int64_t mid = lo + (hi - lo) / 2;
    if (sorted[mid] < limit)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* The position of each of the user's elements in a renumbered set; null if there is no memory. */
static int64_t *by_number(op2_set set) {
  int64_t total = set->ends[OP2I_NONEXEC];
  int64_t *inverse = op2i_malloc((size_t)total * sizeof *inverse);
  for (int64_t i = 0; inverse && i < total; i++) inverse[set->number[i]] = i;
  return inverse;
}

/* The indices of a new subset are the user's; add those of the library. */
static op2_status renumber_subset(op2_set base, int64_t n, op2_set subset) {
  if (!base->number) return OP2_SUCCESS;
  int64_t *inverse = by_number(base), *idx = op2i_alloc_raw((size_t)n * sizeof *idx);
  if (!inverse || !idx) {
    op2i_free(inverse);
    op2i_free_data(idx);
    return op2i_error_nomem("a subset's indices");
  }
  for (int64_t i = 0; i < n; i++) idx[i] = inverse[subset->idx[i]];
  op2i_free(inverse);
  op2i_sort_indices(n, idx);
  subset->user_idx = subset->idx;
  subset->idx = idx;
  return OP2_SUCCESS;
}

op2_status op2i_subset_make(op2_set base, int64_t n, int64_t *idx, const char *name, op2_set *out) {
  op2_status status = OP2_SUCCESS;
  op2_set set = op2i_calloc(1, sizeof *set);
  if (!set) {
    op2i_free_data(idx);
    return op2i_error_nomem("a subset");
  }
  set->idx = idx;
  for (int s = 0; s < OP2I_SECTIONS; s++) set->ends[s] = count_below(idx, n, base->ends[s]);
  OP2I_TRY(renumber_subset(base, n, set));
  OP2I_TRY(op2i_object_init(set, base->obj.ctx, OP2I_SET, name, release_set));
  set->base = op2i_ref(base);
  op2i_list_append(&set->base->subsets, &set->link, set);
  op2i_set_tables_changed(set);
  *out = set;
  return OP2_SUCCESS;
fail:
  op2i_free_data(set->idx);
  op2i_free_data(set->user_idx);
  op2i_free(set);
  return status;
}

static op2_status create_subset(op2_set parent, int64_t n, const int64_t *positions,
                                const char *name, op2_set *out) {
  if (n < 0 || (n > 0 && !positions))
    return op2i_error(OP2_ERR_ARG, "subset '%s' of '%s': a null pointer or a negative size", name,
                      parent->obj.name);
  int64_t limit = parent->ends[OP2I_NONEXEC];
  for (int64_t i = 0; i < n; i++)
    if (positions[i] < 0 || positions[i] >= limit)
      return op2i_error(OP2_ERR_RANGE,
                        "subset '%s' of '%s': index %" PRId64 " at position %" PRId64
                        " is not in [0, %" PRId64 ")",
                        name, parent->obj.name, positions[i], i, limit);
  int64_t *idx = op2i_alloc_raw((size_t)n * sizeof *idx);
  if (!idx) return op2i_error_nomem("a subset's indices");
  int64_t kept = normalise(parent, n, positions, idx);
  return op2i_subset_make(parent->base, kept, idx, name, out);
}

op2_status op2i_subset_give(op2_context ctx, op2_status status, op2_set subset, op2_set *out) {
  status = op2i_context_agree(ctx, status);
  if (status)
    op2_set_destroy(&subset);
  else
    *out = subset;
  return status;
}

op2_status op2_subset_create(op2_set parent, int64_t n, const int64_t *positions, const char *name,
                             op2_set *out) {
  char room[OP2I_NAME_ROOM];
  op2_set subset = NULL;
  op2_status status = op2i_object_validate(parent, OP2I_SET, "op2_subset_create");
  if (!status) status = op2i_context_validate(parent->obj.ctx, "op2_subset_create");
  if (status) return status;
  op2i_object_call(parent, OP2I_SET, "op2_subset_create", name, op2i_digest_text(0, name));
  name = op2i_object_name(parent->obj.ctx, OP2I_SET, name, room);
  if (!out)
    return op2i_error(OP2_ERR_ARG, "subset '%s' of '%s': a null pointer", name, parent->obj.name);
  status = create_subset(parent, n, positions, name, &subset);
  return op2i_subset_give(parent->obj.ctx, status, subset, out);
}

/* If the options do not set a size: enough blocks to share out, and large ones on large sets, since
 * each colour streams the data once more. The size is rounded up, so that there are at most 256 blocks:
 * 64 workers then run 128 of one colour in two rounds, but 130 in three. The size depends on the set
 * alone - not on workers, nor on which loops were fused - because the results of reductions depend on
 * it. In deterministic mode sums are exact, and targets that several blocks add to are costly
 * (lib/sparse/in_place.c), so there are few blocks for each worker, but not one: messages make progress
 * between them. */
int32_t op2i_set_block_size(const struct op2_set_s *set) {
  enum { SMALLEST = 512, BLOCKS = 256, A_WORKER = 8, STEP = 64 };
  _Static_assert(STEP % OP2I_SLICE == 0, "blocks do not cut slices of a matrix's rows");
  const op2_context ctx = set->obj.ctx;
  const bool few = ctx->config.deterministic && !ctx->device;
  const int64_t blocks = few && ctx->workers < BLOCKS / A_WORKER ? ctx->workers * A_WORKER : BLOCKS;
  if (ctx->config.block_size) return ctx->config.block_size;
  const int64_t size = (set->ends[OP2I_OWNED] + blocks * STEP - 1) / (blocks * STEP) * STEP;
  return (int32_t)(size < SMALLEST ? SMALLEST : size > INT32_MAX ? INT32_MAX / STEP * STEP : size);
}

op2_status op2_set_sections(op2_set set, int64_t ends[4]) {
  op2_status status = op2i_object_validate(set, OP2I_SET, "op2_set_sections");
  if (status) return status;
  if (!ends) return op2i_error(OP2_ERR_ARG, "op2_set_sections: a null pointer");
  memcpy(ends, set->ends, sizeof set->ends);
  return OP2_SUCCESS;
}

int64_t op2_set_size(op2_set set) {
  return op2i_object_is(set, OP2I_SET) ? set->ends[OP2I_OWNED] : -1;
}

op2_status op2_subset_indices(op2_set subset, int64_t *n, const int64_t **idx) {
  op2_status status = op2i_object_validate(subset, OP2I_SET, "op2_subset_indices");
  if (status) return status;
  if (!n || !idx) return op2i_error(OP2_ERR_ARG, "op2_subset_indices: a null pointer");
  if (subset->base == subset)
    return op2i_error(OP2_ERR_ARG, "set '%s' is not a subset", subset->obj.name);
  *n = subset->ends[OP2I_NONEXEC];
  *idx = subset->user_idx ? subset->user_idx : subset->idx;
  return OP2_SUCCESS;
}

void op2_set_destroy(op2_set *set) {
  if (!set) return;
  if (op2i_object_leave(*set, OP2I_SET)) op2i_unref(*set);
  *set = NULL;
}
