/* SPDX-License-Identifier: BSD-3-Clause */
/* Creation of plans: blocks, colours of blocks and elements, staging. */
#include "plan.h"

#include <inttypes.h>

#include "error.h"
#include "mem.h"
#include "plan_internal.h"
#include "plan_stage_internal.h"

void *op2i_plan_array(int64_t count, size_t bytes) {
  if ((uint64_t)count > SIZE_MAX / bytes) return NULL;
  return op2i_malloc(count > 0 ? (size_t)count * bytes : bytes);
}

int64_t op2i_plan_block_lo(const struct op2i_plan *plan, int32_t block) {
  return plan->lo + (int64_t)block * plan->block_size;
}

int64_t op2i_plan_block_hi(const struct op2i_plan *plan, int32_t block) {
  int64_t lo = op2i_plan_block_lo(plan, block);
  return plan->hi - lo < plan->block_size ? plan->hi : lo + plan->block_size;
}

static op2_status check_desc(const struct op2i_plan_desc *desc) {
  if (desc->lo < 0 || desc->hi < desc->lo)
    return op2i_error(OP2_ERR_ARG, "plan: no positions run from %" PRId64 " to %" PRId64, desc->lo,
                      desc->hi);
  if (desc->block_size < 1)
    return op2i_error(OP2_ERR_ARG, "plan: block size %" PRId32 " is less than 1", desc->block_size);
  int64_t nblocks = (desc->hi - desc->lo - 1) / desc->block_size + 1;
  if (desc->hi > desc->lo && nblocks > INT32_MAX)
    return op2i_error(OP2_ERR_RANGE,
                      "plan: %" PRId64 " elements in blocks of %" PRId32 " make %" PRId64
                      " blocks, more than a plan can number (%" PRId32 "): use larger blocks",
                      desc->hi - desc->lo, desc->block_size, nblocks, INT32_MAX);
  return OP2_SUCCESS;
}

/* Sort blocks by colour; the sort is stable, so that blocks of one colour stay in ascending
 * order. */
static op2_status sort_by_colour(struct op2i_plan *plan) {
  plan->color_offs = op2i_calloc((size_t)plan->ncolors + 1, sizeof *plan->color_offs);
  plan->blkmap = op2i_plan_array(plan->nblocks, sizeof *plan->blkmap);
  if (!plan->color_offs || !plan->blkmap) return op2i_error_nomem("the block colours of a plan");

  /* While blocks are distributed, color_offs[c + 1] is the position of the next block of colour c;
   * in the end it is the start of colour c + 1. */
  int32_t *offs = plan->color_offs;
  for (int32_t b = 0; b < plan->nblocks; b++)
    if (plan->color[b] + 2 <= plan->ncolors) offs[plan->color[b] + 2]++;
  for (int32_t c = 2; c <= plan->ncolors; c++) offs[c] += offs[c - 1];
  for (int32_t b = 0; b < plan->nblocks; b++) plan->blkmap[offs[plan->color[b] + 1]++] = b;
  return OP2_SUCCESS;
}

static op2_status colour_elements(struct op2i_colouring *colouring, struct op2i_plan *plan) {
  plan->nthrcol = op2i_plan_array(plan->nblocks, sizeof *plan->nthrcol);
  plan->thrcol = op2i_plan_array(plan->hi - plan->lo, sizeof *plan->thrcol);
  if (!plan->nthrcol || !plan->thrcol) return op2i_error_nomem("the element colours of a plan");
  op2_status status = op2i_colouring_marks(colouring);
  if (status != OP2_SUCCESS) return status;
  for (int32_t b = 0; b < plan->nblocks; b++) {
    int64_t lo = op2i_plan_block_lo(plan, b);
    op2i_colour_elements(colouring, lo, op2i_plan_block_hi(plan, b), plan->thrcol + (lo - plan->lo),
                         &plan->nthrcol[b]);
  }
  return OP2_SUCCESS;
}

static op2_status colour(const struct op2i_plan_desc *desc, struct op2i_plan *plan) {
  struct op2i_colouring colouring;
  op2_status status = op2i_colouring_open(desc, &colouring);
  if (status != OP2_SUCCESS) return status;
  plan->conflicts = colouring.nconflicts > 0;
  plan->color = op2i_plan_array(plan->nblocks, sizeof *plan->color);
  status = plan->color ? op2i_colour_blocks(&colouring, plan->lo, plan->hi, plan->block_size,
                                            plan->color, &plan->ncolors)
                       : op2i_error_nomem("the blocks of a plan");
  if (status == OP2_SUCCESS) status = sort_by_colour(plan);
  if (status == OP2_SUCCESS && (plan->parts & OP2I_PLAN_ELEMENTS))
    status = colour_elements(&colouring, plan);
  op2i_colouring_close(&colouring);
  return status;
}

op2_status op2i_plan_create(const struct op2i_plan_desc *desc, struct op2i_plan **plan) {
  op2_status status = check_desc(desc);
  if (status != OP2_SUCCESS) return status;
  struct op2i_plan *p = op2i_calloc(1, sizeof *p);
  if (!p) return op2i_error_nomem("a plan");
  p->lo = desc->lo;
  p->hi = desc->hi;
  p->block_size = desc->block_size;
  p->nblocks = (int32_t)((desc->hi - desc->lo) / desc->block_size +
                         ((desc->hi - desc->lo) % desc->block_size > 0));
  p->ordered = desc->ordered;
  p->parts = desc->parts;
  OP2I_TRY(colour(desc, p));
  if (p->parts & OP2I_PLAN_STAGE) OP2I_TRY(op2i_plan_make_stages(desc, p));
  *plan = p;
  return OP2_SUCCESS;

fail:
  op2i_plan_free(p);
  return status;
}

static void free_columns(void **columns, int count) {
  for (int c = 0; columns && c < count; c++) op2i_free(columns[c]);
  op2i_free(columns);
}

void op2i_plan_free(struct op2i_plan *plan) {
  if (!plan) return;
  op2i_free(plan->color);
  op2i_free(plan->color_offs);
  op2i_free(plan->blkmap);
  for (int s = 0; s < plan->nstages; s++) {
    op2i_free(plan->stages[s].ind_map);
    op2i_free(plan->stages[s].ind_offs);
    op2i_free(plan->stages[s].ind_sizes);
  }
  op2i_free(plan->stages);
  op2i_free(plan->arg_stage);
  op2i_free(plan->arg_loc);
  free_columns((void **)plan->loc_map16, plan->nloc);
  free_columns((void **)plan->loc_map32, plan->nloc);
  op2i_free(plan->nthrcol);
  op2i_free(plan->thrcol);
  op2i_free(plan);
}
