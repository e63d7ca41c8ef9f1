/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a plan against its description, by the definition of each property. They use no code
 * that makes plans, and trust nothing in the plan before it is checked. */

#include <inttypes.h>
#include <string.h>

#include "access.h"
#include "error.h"
#include "mem.h"
#include "plan_internal.h"
#include "plan_stage_internal.h"

#define BROKEN(...) op2i_error(OP2_ERR_STATE, "plan: " __VA_ARGS__)
#define NOMEM()     op2i_error_nomem("the verification of a plan")

/* The items between which conflicts arise: the blocks of a plan, or the elements of one of its
 * blocks. */
struct spans {
  const char *what;
  int64_t lo, hi, size; /* span u begins at position lo + u * size */
  int64_t count;
  const int32_t *color;
  const int32_t *order; /* spans sorted by colour */
};

static bool writes(const struct op2i_plan_arg *arg) { return op2i_modifies(arg->access); }

static int64_t target_at(const struct op2i_plan_desc *desc, const struct op2i_plan_arg *arg,
                         int64_t position, int32_t slot) {
  int64_t element = desc->subset ? desc->subset[position] : position;
  return arg->idx[element * arg->arity + slot];
}

static int64_t span_begin(const struct spans *spans, int64_t u) {
  return spans->lo + u * spans->size;
}
static int64_t span_end(const struct spans *spans, int64_t u) {
  int64_t end = spans->lo + (u + 1) * spans->size;
  return end < spans->hi ? end : spans->hi;
}

/* ---- shape ---- */

static op2_status check_inputs(const struct op2i_plan_desc *desc) {
  for (int64_t p = desc->lo; desc->subset && p < desc->hi; p++)
    if (desc->subset[p] < 0)
      return BROKEN("subset position %" PRId64 " names element %" PRId64, p, desc->subset[p]);
  for (int a = 0; a < desc->nargs; a++) {
    const struct op2i_plan_arg *arg = &desc->args[a];
    if (arg->arity < 1 || arg->slot >= arg->arity)
      return BROKEN("argument %d has slot %" PRId32 " of %" PRId32, a, arg->slot, arg->arity);
    int32_t first = op2i_plan_first_slot(arg), end = first + op2i_plan_slot_count(arg);
    for (int64_t p = desc->lo; p < desc->hi; p++)
      for (int32_t slot = first; slot < end; slot++) {
        int64_t target = target_at(desc, arg, p, slot);
        if (target < 0 || target >= arg->target_size)
          return BROKEN("argument %d, slot %" PRId32 " of position %" PRId64 " points to %" PRId64
                        ", outside its set of %" PRId64,
                        a, slot, p, target, arg->target_size);
      }
  }
  return OP2_SUCCESS;
}

static op2_status check_shape(const struct op2i_plan *plan, const struct op2i_plan_desc *desc) {
  bool conflicts = false;
  for (int a = 0; a < desc->nargs; a++)
    conflicts |= writes(&desc->args[a]) && !desc->args[a].injective && !desc->args[a].same_values;
  if (plan->lo != desc->lo) return BROKEN("lo is %" PRId64 ", not %" PRId64, plan->lo, desc->lo);
  if (plan->hi != desc->hi) return BROKEN("hi is %" PRId64 ", not %" PRId64, plan->hi, desc->hi);
  if (plan->block_size != desc->block_size)
    return BROKEN("block_size is %" PRId32 ", not %" PRId32, plan->block_size, desc->block_size);
  if (plan->ordered != desc->ordered)
    return BROKEN("ordered is %d, not %d", plan->ordered, desc->ordered);
  if (plan->conflicts != conflicts)
    return BROKEN("conflicts is %d, not %d", plan->conflicts, conflicts);
  if (plan->parts != desc->parts) return BROKEN("parts is %u, not %u", plan->parts, desc->parts);
  if (!plan->color || !plan->color_offs || !plan->blkmap)
    return BROKEN("color, color_offs or blkmap is missing");
  if (((plan->parts & OP2I_PLAN_ELEMENTS) != 0) != (plan->nthrcol && plan->thrcol))
    return BROKEN("nthrcol and thrcol do not answer parts (%u)", plan->parts);
  return OP2_SUCCESS;
}

/* Check that the blocks are contiguous from lo to hi and that all but the last are full. */
static op2_status check_cover(const struct op2i_plan *plan) {
  int64_t at = plan->lo;
  if (plan->nblocks < 0) return BROKEN("nblocks is %" PRId32, plan->nblocks);
  for (int32_t b = 0; b < plan->nblocks; b++) {
    int64_t lo = op2i_plan_block_lo(plan, b), hi = op2i_plan_block_hi(plan, b);
    int64_t full = plan->hi - at < plan->block_size ? plan->hi - at : plan->block_size;
    if (lo != at || full < 1 || hi - lo != full)
      return BROKEN("nblocks is %" PRId32 ", but block %" PRId32 " from %" PRId64 " to %" PRId64
                    " does not go on from %" PRId64 " with %" PRId64 " positions",
                    plan->nblocks, b, lo, hi, at, full);
    at = hi;
  }
  if (at != plan->hi)
    return BROKEN("nblocks is %" PRId32 ": the blocks end at %" PRId64 ", not at %" PRId64,
                  plan->nblocks, at, plan->hi);
  return OP2_SUCCESS;
}

static op2_status check_colours(const struct op2i_plan *plan) {
  int32_t ncolors = plan->ncolors;
  if (ncolors < 0 || ncolors > plan->nblocks || (ncolors == 0) != (plan->nblocks == 0))
    return BROKEN("ncolors is %" PRId32 " for %" PRId32 " blocks", ncolors, plan->nblocks);
  if (!plan->conflicts && ncolors > 1)
    return BROKEN("ncolors is %" PRId32 " without conflicts", ncolors);
  bool *used = op2i_calloc((size_t)ncolors + 1, sizeof *used);
  if (!used) return NOMEM();
  op2_status status = OP2_SUCCESS;
  for (int32_t b = 0; b < plan->nblocks && status == OP2_SUCCESS; b++) {
    if (plan->color[b] < 0 || plan->color[b] >= ncolors)
      status = BROKEN("color of block %" PRId32 " is %" PRId32 " of %" PRId32, b, plan->color[b],
                      ncolors);
    else
      used[plan->color[b]] = true;
  }
  for (int32_t c = 0; c < ncolors && status == OP2_SUCCESS; c++)
    if (!used[c])
      status = BROKEN("ncolors is %" PRId32 ", but no block has colour %" PRId32, ncolors, c);
  op2i_free(used);
  return status;
}

/* Check that each list has blocks of its colour only, in ascending order. As there are as many
 * entries as blocks, no block is listed twice. */
static op2_status check_colour_lists(const struct op2i_plan *plan) {
  if (plan->color_offs[0] != 0)
    return BROKEN("color_offs begins with %" PRId32, plan->color_offs[0]);
  for (int32_t c = 0; c < plan->ncolors; c++)
    if (plan->color_offs[c + 1] <= plan->color_offs[c])
      return BROKEN("color_offs: colour %" PRId32 " runs from %" PRId32 " to %" PRId32, c,
                    plan->color_offs[c], plan->color_offs[c + 1]);
  if (plan->color_offs[plan->ncolors] != plan->nblocks)
    return BROKEN("color_offs ends with %" PRId32 " for %" PRId32 " blocks",
                  plan->color_offs[plan->ncolors], plan->nblocks);
  for (int32_t c = 0; c < plan->ncolors; c++)
    for (int32_t i = plan->color_offs[c]; i < plan->color_offs[c + 1]; i++) {
      int32_t b = plan->blkmap[i];
      if (b < 0 || b >= plan->nblocks || plan->color[b] != c)
        return BROKEN("blkmap[%" PRId32 "] is %" PRId32 ", which is no block of colour %" PRId32, i,
                      b, c);
      if (i > plan->color_offs[c] && plan->blkmap[i - 1] >= b)
        return BROKEN("blkmap[%" PRId32 "] is %" PRId32 " after %" PRId32
                      ": not ascending in colour %" PRId32,
                      i, b, plan->blkmap[i - 1], c);
    }
  return OP2_SUCCESS;
}

/* ---- conflicts over one dat ---- */

/* Spans are visited colour by colour, so that two spans of one colour that modify a target do so in
 * succession. owner[target] is the beginning of the last such span, or less than spans->lo. */
static op2_status check_disjoint(const struct op2i_plan_desc *desc, int32_t dat,
                                 const struct spans *spans, int64_t *owner) {
  for (int64_t i = 0; i < spans->count; i++) {
    int64_t u = spans->order[i], begin = span_begin(spans, u);
    for (int a = 0; a < desc->nargs; a++) {
      const struct op2i_plan_arg *arg = &desc->args[a];
      if (arg->dat != dat || !writes(arg)) continue;
      int32_t first = op2i_plan_first_slot(arg), end = first + op2i_plan_slot_count(arg);
      for (int64_t p = begin; p < span_end(spans, u); p++)
        for (int32_t slot = first; slot < end; slot++) {
          int64_t target = target_at(desc, arg, p, slot);
          int64_t other =
              owner[target] >= spans->lo ? (owner[target] - spans->lo) / spans->size : u;
          if (other != u && spans->color[other] == spans->color[u])
            return BROKEN("%s %" PRId64 " and %" PRId64 " both have colour %" PRId32
                          " and modify element %" PRId64 " of dat %" PRId32
                          " (block at position %" PRId64 ")",
                          spans->what, other, u, spans->color[u], target, dat, spans->lo);
          owner[target] = begin;
        }
    }
  }
  return OP2_SUCCESS;
}

/* The highest colours so far of spans that modify or read a target; valid if `from` is the
 * beginning of the present spans. */
struct highest {
  int64_t from;
  int32_t modified, read;
};

static op2_status check_later(const struct op2i_plan_desc *desc, int32_t dat,
                              const struct spans *spans, int64_t u, const struct highest *highest) {
  for (int a = 0; a < desc->nargs; a++) {
    const struct op2i_plan_arg *arg = &desc->args[a];
    if (arg->dat != dat) continue;
    int32_t first = op2i_plan_first_slot(arg), end = first + op2i_plan_slot_count(arg);
    for (int64_t p = span_begin(spans, u); p < span_end(spans, u); p++)
      for (int32_t slot = first; slot < end; slot++) {
        int64_t target = target_at(desc, arg, p, slot);
        if (highest[target].from != spans->lo) continue;
        int32_t above = highest[target].modified;
        if (writes(arg) && highest[target].read > above) above = highest[target].read;
        if (spans->color[u] <= above)
          return BROKEN("not ordered: %s %" PRId64 " has colour %" PRId32
                        ", an earlier one that conflicts over element %" PRId64 " of dat %" PRId32
                        " has colour %" PRId32 " (block at position %" PRId64 ")",
                        spans->what, u, spans->color[u], target, dat, above, spans->lo);
      }
  }
  return OP2_SUCCESS;
}

static void note_colour(const struct op2i_plan_desc *desc, int32_t dat, const struct spans *spans,
                        int64_t u, struct highest *highest) {
  for (int a = 0; a < desc->nargs; a++) {
    const struct op2i_plan_arg *arg = &desc->args[a];
    if (arg->dat != dat) continue;
    int32_t first = op2i_plan_first_slot(arg), end = first + op2i_plan_slot_count(arg);
    for (int64_t p = span_begin(spans, u); p < span_end(spans, u); p++)
      for (int32_t slot = first; slot < end; slot++) {
        struct highest *at = &highest[target_at(desc, arg, p, slot)];
        if (at->from != spans->lo)
          *at = (struct highest){.from = spans->lo, .modified = -1, .read = -1};
        int32_t *noted = writes(arg) ? &at->modified : &at->read;
        if (*noted < spans->color[u]) *noted = spans->color[u];
      }
  }
}

static op2_status check_order(const struct op2i_plan_desc *desc, int32_t dat,
                              const struct spans *spans, struct highest *highest) {
  for (int64_t u = 0; u < spans->count; u++) {
    op2_status status = check_later(desc, dat, spans, u, highest);
    if (status != OP2_SUCCESS) return status;
    note_colour(desc, dat, spans, u, highest);
  }
  return OP2_SUCCESS;
}

static op2_status check_spans(const struct op2i_plan_desc *desc, int32_t dat,
                              const struct spans *spans, int64_t *owner, struct highest *highest) {
  op2_status status = check_disjoint(desc, dat, spans, owner);
  if (status == OP2_SUCCESS && desc->ordered) status = check_order(desc, dat, spans, highest);
  return status;
}

/* Check that arguments declared injective have no conflicts: no two positions reach the same
 * element. met[target] is the last position that reached it. */
static op2_status check_injective(const struct op2i_plan_desc *desc, int32_t dat, int64_t *met) {
  for (int64_t p = desc->lo; p < desc->hi; p++)
    for (int a = 0; a < desc->nargs; a++) {
      const struct op2i_plan_arg *arg = &desc->args[a];
      if (arg->dat != dat || !arg->injective) continue;
      int32_t first = op2i_plan_first_slot(arg), end = first + op2i_plan_slot_count(arg);
      for (int32_t slot = first; slot < end; slot++) {
        int64_t target = target_at(desc, arg, p, slot);
        if (met[target] >= 0 && met[target] != p)
          return BROKEN("positions %" PRId64 " and %" PRId64 " meet in element %" PRId64
                        " of dat %" PRId32 ", which is called injective",
                        met[target], p, target, dat);
        met[target] = p;
      }
    }
  return OP2_SUCCESS;
}

/* Check that a dat to which all positions are said to write the same is only overwritten, through
 * arguments of which all say so. */
static op2_status check_same_values(const struct op2i_plan_desc *desc, int32_t dat) {
  for (int a = 0; a < desc->nargs; a++) {
    const struct op2i_plan_arg *arg = &desc->args[a];
    if (arg->dat != dat || (arg->same_values && op2i_overwrites(arg->access))) continue;
    return BROKEN("argument %d does not write the same values to dat %" PRId32
                  " at all positions, and another argument does",
                  a, dat);
  }
  return OP2_SUCCESS;
}

/* ---- blocks, elements ---- */

/* Sort the block's elements by colour into by_colour; next has a capacity of block_size + 1
 * counts. */
static op2_status sort_elements(const struct op2i_plan *plan, int32_t b, int32_t *by_colour,
                                int32_t *next) {
  int64_t begin = op2i_plan_block_lo(plan, b);
  int32_t count = (int32_t)(op2i_plan_block_hi(plan, b) - begin), ncolors = plan->nthrcol[b];
  const int32_t *color = plan->thrcol + (begin - plan->lo);
  if (ncolors < 1 || ncolors > count)
    return BROKEN("nthrcol of block %" PRId32 " is %" PRId32 " for %" PRId32 " elements", b,
                  ncolors, count);
  if (!plan->conflicts && ncolors > 1)
    return BROKEN("nthrcol of block %" PRId32 " is %" PRId32 " without conflicts", b, ncolors);
  memset(next, 0, ((size_t)ncolors + 1) * sizeof *next);
  for (int32_t i = 0; i < count; i++) {
    if (color[i] < 0 || color[i] >= ncolors)
      return BROKEN("thrcol of position %" PRId64 " is %" PRId32 ", block %" PRId32 " has %" PRId32
                    " colours",
                    begin + i, color[i], b, ncolors);
    next[color[i] + 1]++;
  }
  for (int32_t c = 0; c < ncolors; c++) {
    if (next[c + 1] == 0)
      return BROKEN("thrcol: no element of block %" PRId32 " has colour %" PRId32
                    " of nthrcol %" PRId32,
                    b, c, ncolors);
    next[c + 1] += next[c];
  }
  for (int32_t i = 0; i < count; i++) by_colour[next[color[i]]++] = i;
  return OP2_SUCCESS;
}

static op2_status check_elements(const struct op2i_plan *plan, const struct op2i_plan_desc *desc,
                                 int32_t dat, int64_t *owner, struct highest *highest) {
  int64_t widest = plan->hi - plan->lo < plan->block_size ? plan->hi - plan->lo : plan->block_size;
  int32_t *by_colour = op2i_plan_array(widest, sizeof *by_colour);
  int32_t *next = op2i_plan_array(widest + 1, sizeof *next);
  op2_status status = by_colour && next ? OP2_SUCCESS : NOMEM();
  for (int32_t b = 0; b < plan->nblocks && status == OP2_SUCCESS; b++) {
    int64_t lo = op2i_plan_block_lo(plan, b), hi = op2i_plan_block_hi(plan, b);
    struct spans elements = {.what = "elements",
                             .lo = lo,
                             .hi = hi,
                             .size = 1,
                             .count = hi - lo,
                             .color = plan->thrcol + (lo - plan->lo),
                             .order = by_colour};
    status = sort_elements(plan, b, by_colour, next);
    if (status == OP2_SUCCESS && dat >= 0)
      status = check_spans(desc, dat, &elements, owner, highest);
  }
  op2i_free(by_colour);
  op2i_free(next);
  return status;
}

/* Reset the tables to the state before the first span. */
static void clear(int64_t targets, int64_t *owner, struct highest *highest) {
  for (int64_t t = 0; t < targets; t++) owner[t] = -1;
  for (int64_t t = 0; highest && t < targets; t++) highest[t].from = -1;
}

static op2_status check_dat(const struct op2i_plan *plan, const struct op2i_plan_desc *desc,
                            int32_t dat, int64_t targets) {
  struct spans blocks = {.what = "blocks",
                         .lo = plan->lo,
                         .hi = plan->hi,
                         .size = plan->block_size,
                         .count = plan->nblocks,
                         .color = plan->color,
                         .order = plan->blkmap};
  for (int a = 0; a < desc->nargs; a++)
    if (desc->args[a].dat == dat && desc->args[a].same_values) return check_same_values(desc, dat);
  int64_t *owner = op2i_plan_array(targets, sizeof *owner);
  struct highest *highest = desc->ordered ? op2i_plan_array(targets, sizeof *highest) : NULL;
  op2_status status = owner && (highest || !desc->ordered) ? OP2_SUCCESS : NOMEM();
  if (status == OP2_SUCCESS) {
    clear(targets, owner, highest);
    status = check_injective(desc, dat, owner);
  }
  if (status == OP2_SUCCESS) {
    clear(targets, owner, highest);
    status = check_spans(desc, dat, &blocks, owner, highest);
  }
  if (status == OP2_SUCCESS && (plan->parts & OP2I_PLAN_ELEMENTS)) {
    clear(targets, owner, highest);
    status = check_elements(plan, desc, dat, owner, highest);
  }
  op2i_free(owner);
  op2i_free(highest);
  return status;
}

op2_status op2i_plan_verify(const struct op2i_plan *plan, const struct op2i_plan_desc *desc) {
  op2_status status = OP2_SUCCESS;
  OP2I_TRY(check_inputs(desc));
  OP2I_TRY(check_shape(plan, desc));
  OP2I_TRY(check_cover(plan));
  OP2I_TRY(check_colours(plan));
  OP2I_TRY(check_colour_lists(plan));
  if (plan->parts & OP2I_PLAN_ELEMENTS) OP2I_TRY(check_elements(plan, desc, -1, NULL, NULL));
  for (int a = 0; a < desc->nargs; a++) {
    bool first = true;
    for (int before = 0; before < a; before++) first &= desc->args[before].dat != desc->args[a].dat;
    if (first) OP2I_TRY(check_dat(plan, desc, desc->args[a].dat, desc->args[a].target_size));
  }
  OP2I_TRY(op2i_plan_verify_stages(plan, desc));
fail:
  return status;
}
