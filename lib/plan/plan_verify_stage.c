/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the staging of a plan by its definition; see plan_verify.c. */

#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "mem.h"
#include "plan_internal.h"
#include "plan_stage_internal.h"

#define BROKEN(...) op2i_error(OP2_ERR_STATE, "plan: " __VA_ARGS__)
#define NOMEM()     op2i_error_nomem("the verification of a plan")

static op2_status check_absent(const struct op2i_plan *plan) {
  if (plan->nstages || plan->stages || plan->arg_stage || plan->nloc || plan->arg_loc ||
      plan->loc_wide || plan->loc_map16 || plan->loc_map32 || plan->shared_bytes)
    return BROKEN("there is staging, but parts (%u) does not ask for any", plan->parts);
  return OP2_SUCCESS;
}

/* ---- stages and columns ---- */

static op2_status check_stage_of(const struct op2i_plan *plan, const struct op2i_plan_desc *desc,
                                 int a) {
  const struct op2i_plan_arg *arg = &desc->args[a];
  int32_t s = plan->arg_stage[a];
  if (s < 0 || s >= plan->nstages)
    return BROKEN("arg_stage[%d] is %" PRId32 " of %d", a, s, plan->nstages);
  const struct op2i_plan_stage *stage = &plan->stages[s];
  if (stage->dat != arg->dat || stage->map != arg->map)
    return BROKEN("arg_stage[%d] is %" PRId32 ", the stage of dat %" PRId32 " and map %" PRId32
                  ", but the argument is dat %" PRId32 " through map %" PRId32,
                  a, s, stage->dat, stage->map, arg->dat, arg->map);
  if (stage->row_bytes != arg->row_bytes)
    return BROKEN("row_bytes of stage %" PRId32 " is %" PRId32 ", not %" PRId32, s,
                  stage->row_bytes, arg->row_bytes);
  return OP2_SUCCESS;
}

static op2_status check_stage_list(const struct op2i_plan *plan,
                                   const struct op2i_plan_desc *desc) {
  op2_status status = OP2_SUCCESS;
  for (int a = 0; a < desc->nargs; a++) OP2I_TRY(check_stage_of(plan, desc, a));
  for (int s = 0; s < plan->nstages; s++) {
    bool used = false;
    for (int a = 0; a < desc->nargs; a++) used |= plan->arg_stage[a] == s;
    if (!used) return BROKEN("nstages is %d, but no argument uses stage %d", plan->nstages, s);
    for (int other = 0; other < s; other++)
      if (plan->stages[other].dat == plan->stages[s].dat &&
          plan->stages[other].map == plan->stages[s].map)
        return BROKEN("stages %d and %d are both of dat %" PRId32 " and map %" PRId32, other, s,
                      plan->stages[s].dat, plan->stages[s].map);
    if (!plan->stages[s].ind_map || !plan->stages[s].ind_offs || !plan->stages[s].ind_sizes)
      return BROKEN("ind_map, ind_offs or ind_sizes of stage %d is missing", s);
  }
fail:
  return status;
}

struct column_use {
  int32_t stage, slot;
};

/* Check that each column belongs to one (stage, slot) and each (stage, slot) to one column. */
static op2_status check_column_use(const struct op2i_plan *plan, const struct op2i_plan_desc *desc,
                                   struct column_use *uses) {
  for (int c = 0; c < plan->nloc; c++) uses[c].stage = -1;
  for (int a = 0; a < desc->nargs; a++) {
    const struct op2i_plan_arg *arg = &desc->args[a];
    int32_t width = op2i_plan_slot_count(arg);
    if (plan->arg_loc[a] < 0 || plan->arg_loc[a] > plan->nloc - width)
      return BROKEN("arg_loc[%d] is %" PRId32 ": no %" PRId32 " columns of the %d begin there", a,
                    plan->arg_loc[a], width, plan->nloc);
    for (int32_t i = 0; i < width; i++) {
      struct column_use *use = &uses[plan->arg_loc[a] + i];
      struct column_use want = {.stage = plan->arg_stage[a], .slot = op2i_plan_first_slot(arg) + i};
      if (use->stage >= 0 && (use->stage != want.stage || use->slot != want.slot))
        return BROKEN("arg_loc[%d] is %" PRId32 ": column %" PRId32 " is slot %" PRId32
                      " of stage %" PRId32 " and slot %" PRId32 " of stage %" PRId32,
                      a, plan->arg_loc[a], plan->arg_loc[a] + i, use->slot, use->stage, want.slot,
                      want.stage);
      *use = want;
    }
  }
  for (int c = 0; c < plan->nloc; c++) {
    if (uses[c].stage < 0)
      return BROKEN("nloc is %d, but no argument uses column %d", plan->nloc, c);
    for (int other = 0; other < c; other++)
      if (uses[other].stage == uses[c].stage && uses[other].slot == uses[c].slot)
        return BROKEN("arg_loc: columns %d and %d are both slot %" PRId32 " of stage %" PRId32,
                      other, c, uses[c].slot, uses[c].stage);
  }
  return OP2_SUCCESS;
}

static op2_status check_columns(const struct op2i_plan *plan, const struct op2i_plan_desc *desc) {
  if (plan->nloc < 0) return BROKEN("nloc is %d", plan->nloc);
  struct column_use *uses = op2i_plan_array(plan->nloc, sizeof *uses);
  if (!uses) return NOMEM();
  op2_status status = check_column_use(plan, desc, uses);
  op2i_free(uses);
  return status;
}

/* ---- sizes ---- */

/* Check that the parts of the blocks are contiguous in ind_map, and that each is sorted without
 * duplicates. */
static op2_status check_lists(const struct op2i_plan *plan, int s, int64_t targets) {
  const struct op2i_plan_stage *stage = &plan->stages[s];
  int64_t at = 0;
  for (int32_t b = 0; b < plan->nblocks; b++) {
    if (stage->ind_offs[b] != at)
      return BROKEN("ind_offs of block %" PRId32 " in stage %d is %" PRId64 ", not %" PRId64, b, s,
                    stage->ind_offs[b], at);
    if (stage->ind_sizes[b] < 1 || stage->ind_sizes[b] > stage->ind_total - at)
      return BROKEN("ind_sizes of block %" PRId32 " in stage %d is %" PRId32
                    " with ind_total %" PRId64,
                    b, s, stage->ind_sizes[b], stage->ind_total);
    for (int64_t i = at; i < at + stage->ind_sizes[b]; i++) {
      if (stage->ind_map[i] < 0 || stage->ind_map[i] >= targets)
        return BROKEN("ind_map[%" PRId64 "] of stage %d is %" PRId32 " for a set of %" PRId64, i, s,
                      stage->ind_map[i], targets);
      if (i > at && stage->ind_map[i] <= stage->ind_map[i - 1])
        return BROKEN("ind_map[%" PRId64 "] of stage %d is %" PRId32 " after %" PRId32
                      ": not sorted or not unique",
                      i, s, stage->ind_map[i], stage->ind_map[i - 1]);
    }
    at += stage->ind_sizes[b];
  }
  if (at != stage->ind_total)
    return BROKEN("ind_total of stage %d is %" PRId64 ", the blocks have %" PRId64, s,
                  stage->ind_total, at);
  return OP2_SUCCESS;
}

static op2_status check_sizes(const struct op2i_plan *plan) {
  int64_t shared = 0;
  bool wide = false;
  for (int32_t b = 0; b < plan->nblocks; b++) {
    int64_t bytes = 0;
    for (int s = 0; s < plan->nstages; s++) {
      bytes += (int64_t)plan->stages[s].ind_sizes[b] * plan->stages[s].row_bytes;
      while (bytes % 16) bytes++;
      wide |= plan->stages[s].ind_sizes[b] > UINT16_MAX + 1;
    }
    if (bytes > shared) shared = bytes;
  }
  if (plan->shared_bytes != shared)
    return BROKEN("shared_bytes is %" PRId64 ", not %" PRId64, plan->shared_bytes, shared);
  if (plan->loc_wide != wide) return BROKEN("loc_wide is %d, not %d", plan->loc_wide, wide);
  if ((plan->loc_map16 == NULL) != wide || (plan->loc_map32 == NULL) == wide)
    return BROKEN("loc_map16 or loc_map32 does not answer loc_wide (%d)", wide);
  for (int c = 0; c < plan->nloc; c++)
    if (!(wide ? (void *)plan->loc_map32[c] : (void *)plan->loc_map16[c]))
      return BROKEN("column %d of loc_map is missing", c);
  return OP2_SUCCESS;
}

/* ---- the inverse ---- */

static int64_t local_at(const struct op2i_plan *plan, int32_t column, int64_t position) {
  return plan->loc_wide ? (int64_t)plan->loc_map32[column][position - plan->lo]
                        : (int64_t)plan->loc_map16[column][position - plan->lo];
}

static op2_status check_argument(const struct op2i_plan *plan, const struct op2i_plan_desc *desc,
                                 int a, int32_t b, unsigned char *used) {
  const struct op2i_plan_arg *arg = &desc->args[a];
  const struct op2i_plan_stage *stage = &plan->stages[plan->arg_stage[a]];
  const int32_t *list = stage->ind_map + stage->ind_offs[b];
  for (int64_t p = op2i_plan_block_lo(plan, b); p < op2i_plan_block_hi(plan, b); p++) {
    int64_t element = desc->subset ? desc->subset[p] : p;
    for (int32_t i = 0; i < op2i_plan_slot_count(arg); i++) {
      int32_t want = arg->idx[element * arg->arity + op2i_plan_first_slot(arg) + i];
      int64_t local = local_at(plan, plan->arg_loc[a] + i, p);
      if (local < 0 || local >= stage->ind_sizes[b] || list[local] != want)
        return BROKEN("loc_map of column %" PRId32 " says %" PRId64 " at position %" PRId64
                      " (block %" PRId32 ", argument %d), where ind_map should have %" PRId32,
                      plan->arg_loc[a] + i, local, p, b, a, want);
      used[local] = 1;
    }
  }
  return OP2_SUCCESS;
}

static op2_status check_contents(const struct op2i_plan *plan, const struct op2i_plan_desc *desc,
                                 int s, int32_t b, unsigned char *used) {
  const struct op2i_plan_stage *stage = &plan->stages[s];
  memset(used, 0, (size_t)stage->ind_sizes[b]);
  for (int a = 0; a < desc->nargs; a++) {
    if (plan->arg_stage[a] != s) continue;
    op2_status status = check_argument(plan, desc, a, b, used);
    if (status != OP2_SUCCESS) return status;
  }
  for (int32_t i = 0; i < stage->ind_sizes[b]; i++)
    if (!used[i])
      return BROKEN("ind_map of stage %d lists element %" PRId32 ", which block %" PRId32
                    " does not use",
                    s, stage->ind_map[stage->ind_offs[b] + i], b);
  return OP2_SUCCESS;
}

static op2_status check_inverse(const struct op2i_plan *plan, const struct op2i_plan_desc *desc) {
  op2_status status = OP2_SUCCESS;
  int32_t widest = 0;
  for (int s = 0; s < plan->nstages; s++)
    for (int32_t b = 0; b < plan->nblocks; b++)
      if (plan->stages[s].ind_sizes[b] > widest) widest = plan->stages[s].ind_sizes[b];
  unsigned char *used = op2i_plan_array(widest, 1);
  if (!used) return NOMEM();
  for (int s = 0; s < plan->nstages; s++)
    for (int32_t b = 0; b < plan->nblocks; b++) OP2I_TRY(check_contents(plan, desc, s, b, used));
fail:
  op2i_free(used);
  return status;
}

op2_status op2i_plan_verify_stages(const struct op2i_plan *plan,
                                   const struct op2i_plan_desc *desc) {
  op2_status status = OP2_SUCCESS;
  if (!(desc->parts & OP2I_PLAN_STAGE)) return check_absent(plan);
  if (plan->nstages < 0 || !plan->stages || !plan->arg_stage || !plan->arg_loc)
    return BROKEN("stages, arg_stage or arg_loc is missing");
  OP2I_TRY(check_stage_list(plan, desc));
  OP2I_TRY(check_columns(plan, desc));
  for (int a = 0; a < desc->nargs; a++)
    OP2I_TRY(check_lists(plan, plan->arg_stage[a], desc->args[a].target_size));
  OP2I_TRY(check_sizes(plan));
  OP2I_TRY(check_inverse(plan, desc));
fail:
  return status;
}
