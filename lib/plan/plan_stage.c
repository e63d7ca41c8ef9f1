/* SPDX-License-Identifier: BSD-3-Clause */
/* Staging: for each block a list of the targets that it accesses through a map, without duplicates,
 * and for each element the position of its targets in that list. */

#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "mem.h"
#include "plan_internal.h"
#include "plan_stage_internal.h"

enum { STAGE_ALIGNMENT = 16, NARROW_ROWS = 65536, RADIX_BITS = 8, RADIX = 1 << RADIX_BITS };

struct loc_column {
  int stage;
  struct op2i_column from;
};

struct staging {
  const struct op2i_plan_desc *desc;
  struct op2i_plan *plan;
  struct loc_column *columns; /* [plan->nloc] */
  struct op2i_marks marks;    /* marks for the largest target set */
  int32_t *scratch;           /* [widest] buffer for sorting */
  int32_t widest;             /* most rows of one stage in one block */
};

/* ---- stages and columns ---- */

static void find_stages(struct staging *staging) {
  struct op2i_plan *plan = staging->plan;
  for (int a = 0; a < staging->desc->nargs; a++) {
    const struct op2i_plan_arg *arg = &staging->desc->args[a];
    int s = 0;
    while (s < plan->nstages &&
           (plan->stages[s].dat != arg->dat || plan->stages[s].map != arg->map))
      s++;
    if (s == plan->nstages) {
      plan->nstages++;
      plan->stages[s].dat = arg->dat;
      plan->stages[s].map = arg->map;
      plan->stages[s].row_bytes = arg->row_bytes;
    }
    plan->arg_stage[a] = s;
  }
}

static int find_column(const struct staging *staging, int stage, int32_t slot) {
  int c = 0;
  while (c < staging->plan->nloc &&
         (staging->columns[c].stage != stage || staging->columns[c].from.slot != slot))
    c++;
  return c;
}

/* An argument over all slots needs consecutive columns, so these arguments are numbered before
 * those with single slots. */
static void number_columns(struct staging *staging, bool all_slots) {
  struct op2i_plan *plan = staging->plan;
  for (int a = 0; a < staging->desc->nargs; a++) {
    const struct op2i_plan_arg *arg = &staging->desc->args[a];
    if ((arg->slot < 0) != all_slots) continue;
    int32_t first = op2i_plan_first_slot(arg);
    int c = find_column(staging, plan->arg_stage[a], first);
    plan->arg_loc[a] = c;
    if (c < plan->nloc) continue;
    for (int32_t slot = first; slot < first + op2i_plan_slot_count(arg); slot++) {
      staging->columns[plan->nloc].stage = plan->arg_stage[a];
      staging->columns[plan->nloc++].from = (struct op2i_column){
          .idx = arg->idx + slot, .arity = arg->arity, .map = arg->map, .slot = slot};
    }
  }
}

static op2_status lay_out(struct staging *staging) {
  const struct op2i_plan_desc *desc = staging->desc;
  struct op2i_plan *plan = staging->plan;
  int64_t ncolumns = 0, targets = 0;
  for (int a = 0; a < desc->nargs; a++) {
    ncolumns += op2i_plan_slot_count(&desc->args[a]);
    if (desc->args[a].target_size > targets) targets = desc->args[a].target_size;
  }
  plan->stages = op2i_calloc(desc->nargs > 0 ? (size_t)desc->nargs : 1, sizeof *plan->stages);
  plan->arg_stage = op2i_plan_array(desc->nargs, sizeof *plan->arg_stage);
  plan->arg_loc = op2i_plan_array(desc->nargs, sizeof *plan->arg_loc);
  staging->columns = op2i_plan_array(ncolumns, sizeof *staging->columns);
  if (!plan->stages || !plan->arg_stage || !plan->arg_loc || !staging->columns)
    return op2i_error_nomem("the staging of a plan");
  find_stages(staging);
  number_columns(staging, true);
  number_columns(staging, false);
  return op2i_marks_open(&staging->marks, targets);
}

/* ---- sizes ---- */

/* Mark every target of a block, write them to `list` unless it is null, and return their number. */
static int32_t collect(struct staging *staging, int stage, int32_t block, int32_t *list) {
  struct op2i_marks *marks = &staging->marks;
  const int64_t *subset = staging->desc->subset;
  int64_t lo = op2i_plan_block_lo(staging->plan, block),
          hi = op2i_plan_block_hi(staging->plan, block);
  uint64_t mark;
  int32_t count = 0;
  op2i_marks_forget(marks);
  mark = op2i_mark(marks, 0);
  for (int c = 0; c < staging->plan->nloc; c++) {
    if (staging->columns[c].stage != stage) continue;
    for (int64_t p = lo; p < hi; p++) {
      int64_t target = op2i_column_target(&staging->columns[c].from, subset, p);
      if (marks->stamp[target] == mark) continue;
      marks->stamp[target] = mark;
      if (list) list[count] = (int32_t)target;
      count++;
    }
  }
  return count;
}

static op2_status measure_stage(struct staging *staging, int s) {
  struct op2i_plan_stage *stage = &staging->plan->stages[s];
  int32_t nblocks = staging->plan->nblocks;
  stage->ind_offs = op2i_plan_array(nblocks, sizeof *stage->ind_offs);
  stage->ind_sizes = op2i_plan_array(nblocks, sizeof *stage->ind_sizes);
  if (!stage->ind_offs || !stage->ind_sizes) return op2i_error_nomem("the staging of a plan");
  for (int32_t b = 0; b < nblocks; b++) {
    stage->ind_offs[b] = stage->ind_total;
    stage->ind_sizes[b] = collect(staging, s, b, NULL);
    stage->ind_total += stage->ind_sizes[b];
    if (stage->ind_sizes[b] > staging->widest) staging->widest = stage->ind_sizes[b];
  }
  stage->ind_map = op2i_plan_array(stage->ind_total, sizeof *stage->ind_map);
  return stage->ind_map ? OP2_SUCCESS : op2i_error_nomem("the staging of a plan");
}

static int64_t widest_area(const struct op2i_plan *plan) {
  int64_t widest = 0;
  for (int32_t b = 0; b < plan->nblocks; b++) {
    int64_t bytes = 0;
    for (int s = 0; s < plan->nstages; s++) {
      int64_t rows = (int64_t)plan->stages[s].ind_sizes[b] * plan->stages[s].row_bytes;
      bytes += (rows + STAGE_ALIGNMENT - 1) / STAGE_ALIGNMENT * STAGE_ALIGNMENT;
    }
    if (bytes > widest) widest = bytes;
  }
  return widest;
}

static op2_status allocate_locs(struct op2i_plan *plan) {
  void **locs = op2i_calloc(plan->nloc > 0 ? (size_t)plan->nloc : 1, sizeof *locs);
  if (!locs) return op2i_error_nomem("the staging of a plan");
  if (plan->loc_wide)
    plan->loc_map32 = (int32_t **)locs;
  else
    plan->loc_map16 = (uint16_t **)locs;
  for (int c = 0; c < plan->nloc; c++) {
    locs[c] = op2i_plan_array(plan->hi - plan->lo,
                              plan->loc_wide ? sizeof **plan->loc_map32 : sizeof **plan->loc_map16);
    if (!locs[c]) return op2i_error_nomem("the staging of a plan");
  }
  return OP2_SUCCESS;
}

/* ---- contents ---- */

static void insertion_sort(int32_t *keys, int32_t count) {
  for (int32_t i = 1; i < count; i++) {
    int32_t key = keys[i], at = i;
    for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

static void radix_pass(const int32_t *from, int32_t *to, int32_t count, int32_t least, int shift) {
  int32_t start[RADIX + 1] = {0};
  for (int32_t i = 0; i < count; i++) start[((uint32_t)(from[i] - least) >> shift) % RADIX + 1]++;
  for (int d = 0; d < RADIX; d++) start[d + 1] += start[d];
  for (int32_t i = 0; i < count; i++)
    to[start[((uint32_t)(from[i] - least) >> shift) % RADIX]++] = from[i];
}

/* A radix sort over the range of the keys, and thus linear in the count: the range is short if the
 * numbering has any locality. */
static void sort(int32_t *keys, int32_t count, int32_t *scratch) {
  enum { FEW = 48 };
  if (count <= FEW) {
    insertion_sort(keys, count);
    return;
  }
  int32_t least = keys[0], most = keys[0], *from = keys, *to = scratch;
  for (int32_t i = 1; i < count; i++) {
    if (keys[i] < least) least = keys[i];
    if (keys[i] > most) most = keys[i];
  }
  for (int shift = 0; shift < 32 && (uint32_t)(most - least) >> shift; shift += RADIX_BITS) {
    radix_pass(from, to, count, least, shift);
    int32_t *sorted = to;
    to = from;
    from = sorted;
  }
  if (from != keys) memcpy(keys, from, (size_t)count * sizeof *keys);
}

static void localise16(const struct staging *staging, const struct op2i_column *from, int64_t lo,
                       int64_t hi, uint16_t *loc) {
  for (int64_t p = lo; p < hi; p++)
    loc[p - staging->plan->lo] =
        (uint16_t)staging->marks.stamp[op2i_column_target(from, staging->desc->subset, p)];
}

static void localise32(const struct staging *staging, const struct op2i_column *from, int64_t lo,
                       int64_t hi, int32_t *loc) {
  for (int64_t p = lo; p < hi; p++)
    loc[p - staging->plan->lo] =
        (int32_t)(uint32_t)staging->marks.stamp[op2i_column_target(from, staging->desc->subset, p)];
}

static void fill_block(struct staging *staging, int s, int32_t block) {
  struct op2i_plan *plan = staging->plan;
  const struct op2i_plan_stage *stage = &plan->stages[s];
  int32_t *list = stage->ind_map + stage->ind_offs[block];
  int64_t lo = op2i_plan_block_lo(plan, block), hi = op2i_plan_block_hi(plan, block);
  collect(staging, s, block, list);
  sort(list, stage->ind_sizes[block], staging->scratch);
  for (int32_t i = 0; i < stage->ind_sizes[block]; i++)
    staging->marks.stamp[list[i]] = op2i_mark(&staging->marks, (uint32_t)i);
  for (int c = 0; c < plan->nloc; c++) {
    if (staging->columns[c].stage != s) continue;
    if (plan->loc_wide)
      localise32(staging, &staging->columns[c].from, lo, hi, plan->loc_map32[c]);
    else
      localise16(staging, &staging->columns[c].from, lo, hi, plan->loc_map16[c]);
  }
}

op2_status op2i_plan_make_stages(const struct op2i_plan_desc *desc, struct op2i_plan *plan) {
  struct staging staging = {.desc = desc, .plan = plan};
  op2_status status = OP2_SUCCESS;
  OP2I_TRY(lay_out(&staging));
  for (int s = 0; s < plan->nstages; s++) OP2I_TRY(measure_stage(&staging, s));
  plan->loc_wide = staging.widest > NARROW_ROWS;
  plan->shared_bytes = widest_area(plan);
  staging.scratch = op2i_plan_array(staging.widest, sizeof *staging.scratch);
  if (!staging.scratch) OP2I_TRY(op2i_error_nomem("the staging of a plan"));
  OP2I_TRY(allocate_locs(plan));
  for (int s = 0; s < plan->nstages; s++)
    for (int32_t b = 0; b < plan->nblocks; b++) fill_block(&staging, s, b);

fail:
  op2i_free(staging.columns);
  op2i_free(staging.scratch);
  op2i_marks_close(&staging.marks);
  return status;
}
