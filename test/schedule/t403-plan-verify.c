/* SPDX-License-Identifier: BSD-3-Clause */
/* The verifier finds every kind of corruption and names it. Each case takes a good plan and
 * corrupts one thing. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "plan.h"
#include "tap.h"

enum {
  ELEMENTS = 30,
  TARGETS = 40,
  ARGS = 5,
  BLOCK = 4,
  ROW = 16,
  ALL_PARTS = OP2I_PLAN_STAGE | OP2I_PLAN_ELEMENTS
};

static int32_t pairs[2 * ELEMENTS], triples[3 * ELEMENTS];
static struct op2i_plan_arg args[ARGS];
static struct op2i_plan_desc desc;

/* A chain in which a block conflicts with the next one only, and an element with the next two. x is
 * incremented at both ends of a pair, by the second of a triple and once more at the first end; y
 * is read at the first end; z through the triples. */
static void describe(void) {
  for (int i = 0; i < ELEMENTS; i++) {
    pairs[2 * i] = i;
    pairs[2 * i + 1] = i + 1 + i % 2;
    for (int k = 0; k < 3; k++) triples[3 * i + k] = i + k;
  }
  args[0] = (struct op2i_plan_arg){.dat = 0,
                                   .map = 0,
                                   .idx = pairs,
                                   .arity = 2,
                                   .slot = -1,
                                   .access = OP2_INC,
                                   .target_size = TARGETS,
                                   .row_bytes = ROW};
  args[1] = args[0];
  args[1].dat = 1;
  args[1].slot = 0;
  args[1].access = OP2_READ;
  args[2] = (struct op2i_plan_arg){.dat = 0,
                                   .map = 1,
                                   .idx = triples,
                                   .arity = 3,
                                   .slot = 1,
                                   .access = OP2_INC,
                                   .target_size = TARGETS,
                                   .row_bytes = ROW};
  args[3] = args[2];
  args[3].dat = 2;
  args[3].slot = -1;
  args[3].access = OP2_READ;
  args[4] = args[0];
  args[4].slot = 0;
  desc = (struct op2i_plan_desc){.lo = 1,
                                 .hi = ELEMENTS,
                                 .block_size = BLOCK,
                                 .nargs = ARGS,
                                 .args = args,
                                 .parts = ALL_PARTS};
}

/* ---- helpers that change several fields together ---- */

static void relist(struct op2i_plan *p) {
  int32_t at = 0;
  for (int32_t c = 0; c < p->ncolors; c++) {
    p->color_offs[c] = at;
    for (int32_t b = 0; b < p->nblocks; b++)
      if (p->color[b] == c) p->blkmap[at++] = b;
  }
  p->color_offs[p->ncolors] = at;
}

static void swap(int32_t *a, int32_t *b) {
  int32_t t = *a;
  *a = *b;
  *b = t;
}

static int32_t block_of_colour(const struct op2i_plan *p, int32_t c, int32_t i) {
  return p->blkmap[p->color_offs[c] + i];
}

static void drop(void *pointer_to_array) {
  void **array = pointer_to_array;
  op2i_free(*array);
  *array = NULL;
}

/* ---- damage to plans ---- */

static void lo(struct op2i_plan *p) { p->lo--; }
static void hi(struct op2i_plan *p) { p->hi--; }
static void block_size(struct op2i_plan *p) { p->block_size++; }
static void ordered(struct op2i_plan *p) { p->ordered = !p->ordered; }
static void conflicts(struct op2i_plan *p) { p->conflicts = false; }
static void parts(struct op2i_plan *p) { p->parts = 0; }
static void one_block_more(struct op2i_plan *p) { p->nblocks++; }
static void one_block_less(struct op2i_plan *p) { p->nblocks--; }
static void negative_blocks(struct op2i_plan *p) { p->nblocks = -1; }
static void no_color(struct op2i_plan *p) { drop(&p->color); }
static void no_color_offs(struct op2i_plan *p) { drop(&p->color_offs); }
static void no_blkmap(struct op2i_plan *p) { drop(&p->blkmap); }
static void one_colour_more(struct op2i_plan *p) { p->ncolors++; }
static void one_colour_less(struct op2i_plan *p) { p->ncolors--; }
static void no_colours(struct op2i_plan *p) { p->ncolors = 0; }
static void too_many_colours(struct op2i_plan *p) { p->ncolors = p->nblocks + 1; }
static void color_negative(struct op2i_plan *p) { p->color[2] = -1; }
static void color_high(struct op2i_plan *p) { p->color[2] = p->ncolors; }
static void color_alone(struct op2i_plan *p) {
  int32_t b = block_of_colour(p, 0, 1);
  p->color[b] = 1;
}
static void recoloured(struct op2i_plan *p) {
  p->color[block_of_colour(p, 1, 0)] = 0;
  p->color[block_of_colour(p, 0, 1)] = 1;
  relist(p);
}
static void colour_gap(struct op2i_plan *p) {
  for (int32_t b = 0; b < p->nblocks; b++)
    if (p->color[b] == 0) p->color[b] = 1;
  relist(p);
}
static void colours_renamed(struct op2i_plan *p) {
  for (int32_t b = 0; b < p->nblocks; b++)
    if (p->color[b] < 2) p->color[b] = 1 - p->color[b];
  relist(p);
}
static void color_offs_begin(struct op2i_plan *p) { p->color_offs[0] = 1; }
static void color_offs_middle(struct op2i_plan *p) { p->color_offs[1]++; }
static void color_offs_down(struct op2i_plan *p) { p->color_offs[1] = 0; }
static void color_offs_end(struct op2i_plan *p) { p->color_offs[p->ncolors]++; }
static void blkmap_swapped(struct op2i_plan *p) { swap(&p->blkmap[0], &p->blkmap[1]); }
static void blkmap_other(struct op2i_plan *p) { swap(&p->blkmap[0], &p->blkmap[p->nblocks - 1]); }
static void blkmap_twice(struct op2i_plan *p) { p->blkmap[1] = p->blkmap[0]; }
static void blkmap_negative(struct op2i_plan *p) { p->blkmap[0] = -1; }
static void blkmap_high(struct op2i_plan *p) { p->blkmap[0] = p->nblocks; }

static void no_thrcol(struct op2i_plan *p) { drop(&p->thrcol); }
static void no_nthrcol(struct op2i_plan *p) { drop(&p->nthrcol); }
static void nthrcol_more(struct op2i_plan *p) { p->nthrcol[1]++; }
static void nthrcol_less(struct op2i_plan *p) { p->nthrcol[1]--; }
static void nthrcol_zero(struct op2i_plan *p) { p->nthrcol[1] = 0; }
static void nthrcol_high(struct op2i_plan *p) { p->nthrcol[1] = BLOCK + 1; }
static void thrcol_negative(struct op2i_plan *p) { p->thrcol[5] = -1; }
static void thrcol_high(struct op2i_plan *p) { p->thrcol[5] = p->nthrcol[1]; }
static void thrcol_conflict(struct op2i_plan *p) {
  for (int i = 0; i < BLOCK; i++) p->thrcol[i] = 0;
  p->nthrcol[0] = 1;
}
static void thrcol_renamed(struct op2i_plan *p) {
  for (int i = 0; i < BLOCK; i++)
    if (p->thrcol[i] < 2) p->thrcol[i] = 1 - p->thrcol[i];
}

static void stages_more(struct op2i_plan *p) { p->nstages++; }
static void stages_less(struct op2i_plan *p) { p->nstages--; }
static void stages_twice(struct op2i_plan *p) {
  p->stages[p->arg_stage[1]].dat = 0;
  p->stages[p->arg_stage[1]].map = 0;
}
/* Argument 4 gets a stage of its own, though its dat and map have one. */
static void stages_alike(struct op2i_plan *p) {
  p->stages[p->nstages] = p->stages[p->arg_stage[4]];
  p->arg_stage[4] = p->nstages++;
}
static void stage_dat(struct op2i_plan *p) { p->stages[1].dat = 7; }
static void stage_map(struct op2i_plan *p) { p->stages[1].map = 7; }
static void stage_row_bytes(struct op2i_plan *p) { p->stages[1].row_bytes++; }
static void arg_stage_other(struct op2i_plan *p) { p->arg_stage[1] = p->arg_stage[0]; }
static void arg_stage_high(struct op2i_plan *p) { p->arg_stage[1] = p->nstages; }
static void arg_stage_negative(struct op2i_plan *p) { p->arg_stage[1] = -1; }
static void no_stages(struct op2i_plan *p) {
  for (; p->nstages > 0; p->nstages--) {
    op2i_free(p->stages[p->nstages - 1].ind_map);
    op2i_free(p->stages[p->nstages - 1].ind_offs);
    op2i_free(p->stages[p->nstages - 1].ind_sizes);
  }
  drop(&p->stages);
}
static void no_arg_stage(struct op2i_plan *p) { drop(&p->arg_stage); }
static void no_arg_loc(struct op2i_plan *p) { drop(&p->arg_loc); }
static void no_ind_map(struct op2i_plan *p) { drop(&p->stages[0].ind_map); }
static void no_ind_offs(struct op2i_plan *p) { drop(&p->stages[0].ind_offs); }
static void no_ind_sizes(struct op2i_plan *p) { drop(&p->stages[0].ind_sizes); }
static void ind_map_unsorted(struct op2i_plan *p) {
  swap(&p->stages[0].ind_map[0], &p->stages[0].ind_map[1]);
}
static void ind_map_repeated(struct op2i_plan *p) {
  p->stages[0].ind_map[1] = p->stages[0].ind_map[0];
}
static void ind_map_negative(struct op2i_plan *p) { p->stages[0].ind_map[0] = -1; }
static void ind_map_high(struct op2i_plan *p) {
  p->stages[0].ind_map[p->stages[0].ind_sizes[0] - 1] = TARGETS;
}
/* An element that the block does not use replaces one that it does. */
static void ind_map_wrong(struct op2i_plan *p) {
  struct op2i_plan_stage *stage = &p->stages[0];
  for (int32_t i = 1; i < stage->ind_sizes[0]; i++)
    if (stage->ind_map[i] > stage->ind_map[i - 1] + 1) {
      stage->ind_map[i]--;
      return;
    }
  stage->ind_map[0]--;
}
/* The last block gets an element that it does not use, and all sizes match. */
static void ind_map_extra(struct op2i_plan *p) {
  struct op2i_plan_stage *stage = &p->stages[p->arg_stage[1]];
  int32_t last = p->nblocks - 1;
  int64_t end = stage->ind_total++;
  stage->ind_map = op2i_realloc(stage->ind_map, (size_t)stage->ind_total * sizeof *stage->ind_map);
  if (!stage->ind_map || stage->ind_map[end - 1] == TARGETS - 1) exit(2);
  stage->ind_map[end] = TARGETS - 1;
  stage->ind_sizes[last]++;
}
static void ind_offs_first(struct op2i_plan *p) { p->stages[0].ind_offs[0] = 1; }
static void ind_offs_later(struct op2i_plan *p) { p->stages[0].ind_offs[2]--; }
static void ind_sizes_more(struct op2i_plan *p) { p->stages[0].ind_sizes[p->nblocks - 1]++; }
static void ind_sizes_zero(struct op2i_plan *p) { p->stages[0].ind_sizes[1] = 0; }
static void ind_sizes_less(struct op2i_plan *p) { p->stages[0].ind_sizes[1]--; }
static void ind_total_more(struct op2i_plan *p) { p->stages[0].ind_total++; }
static void ind_total_less(struct op2i_plan *p) { p->stages[0].ind_total--; }
static void arg_loc_other(struct op2i_plan *p) { p->arg_loc[1]--; }
static void arg_loc_high(struct op2i_plan *p) { p->arg_loc[0] = p->nloc - 1; }
static void arg_loc_negative(struct op2i_plan *p) { p->arg_loc[0] = -1; }
/* Argument 4 gets a column of its own, though its slot has one. */
static void columns_alike(struct op2i_plan *p) {
  size_t count = (size_t)p->nloc + 1;
  p->loc_map16 = op2i_realloc(p->loc_map16, count * sizeof *p->loc_map16);
  if (!p->loc_map16) exit(2);
  p->loc_map16[p->nloc] = p->loc_map16[p->arg_loc[4]];
  p->arg_loc[4] = p->nloc++;
}
static void nloc_more(struct op2i_plan *p) { p->nloc++; }
static void nloc_negative(struct op2i_plan *p) { p->nloc = -1; }
static void loc_wide(struct op2i_plan *p) { p->loc_wide = true; }
static void loc_both(struct op2i_plan *p) {
  p->loc_map32 = op2i_calloc((size_t)p->nloc, sizeof *p->loc_map32);
}
static void loc_none(struct op2i_plan *p) {
  for (int c = 0; c < p->nloc; c++) op2i_free(p->loc_map16[c]);
  drop(&p->loc_map16);
}
static void loc_column(struct op2i_plan *p) { drop(&p->loc_map16[1]); }
static void loc_other(struct op2i_plan *p) {
  uint16_t *loc = &p->loc_map16[p->arg_loc[0]][BLOCK];
  *loc = *loc ? 0 : 1;
}
static void loc_high(struct op2i_plan *p) {
  p->loc_map16[p->arg_loc[3] + 2][ELEMENTS - 2] = UINT16_MAX;
}
static void shared_more(struct op2i_plan *p) { p->shared_bytes += 16; }
static void met(struct op2i_plan *p) {
  (void)p;
  args[0].access = OP2_RW;
  for (int a = 0; a < ARGS; a++) args[a].injective = args[a].dat == args[0].dat;
}
static void shared_less(struct op2i_plan *p) { p->shared_bytes -= 1; }

/* ---- the table ---- */

enum { ORDERED = 1, NO_STAGE = 2, NO_ELEMENTS = 4, NO_CONFLICT = 8 };

static const struct {
  const char *name;
  void (*break_it)(struct op2i_plan *plan);
  const char *word; /* text of the message */
  int how;
} table[] = {
#define CASE(name_, word_, how_)                                                                   \
  { #name_, name_, word_, how_ }
    CASE(lo, "lo is 0, not 1", 0),
    CASE(hi, "hi is 29, not 30", 0),
    CASE(block_size, "block_size is 5, not 4", 0),
    CASE(ordered, "ordered is", 0),
    CASE(ordered, "ordered is", ORDERED),
    CASE(conflicts, "conflicts is", 0),
    CASE(parts, "parts is", 0),
    CASE(one_block_more, "nblocks is 9", 0),
    CASE(one_block_less, "nblocks is 7", 0),
    CASE(negative_blocks, "nblocks is -1", 0),
    CASE(no_color, "missing", 0),
    CASE(no_color_offs, "missing", 0),
    CASE(no_blkmap, "missing", 0),
    CASE(one_colour_more, "ncolors is", 0),
    CASE(one_colour_less, "color of block", 0),
    CASE(no_colours, "ncolors is 0", 0),
    CASE(too_many_colours, "ncolors is 9", 0),
    CASE(one_colour_more, "without conflicts", NO_CONFLICT),
    CASE(nthrcol_more, "without conflicts", NO_CONFLICT | NO_STAGE),
    CASE(color_negative, "color of block 2 is -1", 0),
    CASE(color_high, "color of block 2 is", 0),
    CASE(color_alone, "blkmap[", 0),
    CASE(recoloured, "both have colour", 0),
    CASE(recoloured, "both have colour", NO_STAGE | NO_ELEMENTS),
    CASE(colour_gap, "no block has colour 0", 0),
    CASE(colours_renamed, "not ordered: blocks", ORDERED),
    CASE(color_offs_begin, "color_offs begins", 0),
    CASE(color_offs_middle, "blkmap[", 0),
    CASE(color_offs_down, "color_offs: colour 0", 0),
    CASE(color_offs_end, "color_offs ends", 0),
    CASE(blkmap_swapped, "not ascending", 0),
    CASE(blkmap_other, "blkmap[0]", 0),
    CASE(blkmap_twice, "blkmap[1]", 0),
    CASE(blkmap_negative, "blkmap[0] is -1", 0),
    CASE(blkmap_high, "blkmap[0] is 8", 0),
    CASE(no_thrcol, "thrcol", 0),
    CASE(no_nthrcol, "thrcol", 0),
    CASE(nthrcol_more, "block 1", 0),
    CASE(nthrcol_less, "thrcol of position", 0),
    CASE(nthrcol_zero, "nthrcol of block 1 is 0", 0),
    CASE(nthrcol_high, "nthrcol of block 1 is 5", 0),
    CASE(thrcol_negative, "thrcol of position 6 is -1", 0),
    CASE(thrcol_high, "thrcol of position 6", 0),
    CASE(thrcol_conflict, "elements", 0),
    CASE(thrcol_conflict, "both have colour 0", NO_STAGE),
    CASE(thrcol_renamed, "not ordered: elements", ORDERED),
    CASE(stages_more, "nstages is", 0),
    CASE(stages_less, "arg_stage[", 0),
    CASE(stages_twice, "arg_stage[1]", 0),
    CASE(stages_alike, "are both of dat 0 and map 0", 0),
    CASE(stage_dat, "arg_stage[", 0),
    CASE(stage_map, "arg_stage[", 0),
    CASE(stage_row_bytes, "row_bytes of stage 1", 0),
    CASE(arg_stage_other, "arg_stage[1]", 0),
    CASE(arg_stage_high, "arg_stage[1]", 0),
    CASE(arg_stage_negative, "arg_stage[1] is -1", 0),
    CASE(no_stages, "missing", 0),
    CASE(no_arg_stage, "missing", 0),
    CASE(no_arg_loc, "missing", 0),
    CASE(no_ind_map, "missing", 0),
    CASE(no_ind_offs, "missing", 0),
    CASE(no_ind_sizes, "missing", 0),
    CASE(ind_map_unsorted, "not sorted", 0),
    CASE(ind_map_repeated, "not unique", 0),
    CASE(ind_map_negative, "ind_map[0] of stage 0 is -1", 0),
    CASE(ind_map_high, "for a set of 40", 0),
    CASE(ind_map_wrong, "loc_map", 0),
    CASE(ind_map_extra, "does not use", 0),
    CASE(ind_offs_first, "ind_offs of block 0", 0),
    CASE(ind_offs_later, "ind_offs of block 2", 0),
    CASE(ind_sizes_more, "ind_sizes of block 7", 0),
    CASE(ind_sizes_zero, "ind_sizes of block 1", 0),
    CASE(ind_sizes_less, "ind_offs of block 2", 0),
    CASE(ind_total_more, "ind_total of stage 0", 0),
    CASE(ind_total_less, "ind_total", 0),
    CASE(arg_loc_other, "arg_loc", 0),
    CASE(arg_loc_high, "arg_loc[0]", 0),
    CASE(arg_loc_negative, "arg_loc[0] is -1", 0),
    CASE(columns_alike, "are both slot 0", 0),
    CASE(nloc_more, "nloc is", 0),
    CASE(nloc_negative, "nloc is -1", 0),
    CASE(loc_wide, "loc_wide is 1, not 0", 0),
    CASE(loc_both, "loc_map32", 0),
    CASE(loc_none, "loc_map16", 0),
    CASE(loc_column, "column 1 of loc_map", 0),
    CASE(loc_other, "loc_map of column", 0),
    CASE(loc_high, "65535", 0),
    CASE(shared_more, "shared_bytes is", 0),
    CASE(shared_less, "shared_bytes is", 0),
    CASE(met, "which is called injective", NO_CONFLICT),
#undef CASE
};

static void set_up(int how) {
  describe();
  desc.ordered = (how & ORDERED) != 0;
  if (how & NO_STAGE) desc.parts &= ~(unsigned)OP2I_PLAN_STAGE;
  if (how & NO_ELEMENTS) desc.parts &= ~(unsigned)OP2I_PLAN_ELEMENTS;
  for (int a = 0; a < ARGS && (how & NO_CONFLICT); a++) args[a].access = OP2_READ;
}

static void try_all(void) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct op2i_plan *plan = NULL;
    set_up(table[i].how);
    if (op2i_plan_create(&desc, &plan) != OP2_SUCCESS ||
        op2i_plan_verify(plan, &desc) != OP2_SUCCESS) {
      ok(false, "%s: the plan is good before: %s", table[i].name, op2_error_message());
    } else {
      int nstages = plan->nstages, nloc = plan->nloc;
      table[i].break_it(plan);
      op2_status status = op2i_plan_verify(plan, &desc);
      if (!ok(status == OP2_ERR_STATE && strstr(op2_error_message(), table[i].word), "%s: %s",
              table[i].name, table[i].word))
        diag("status %d: %s", (int)status, op2_error_message());
      /* op2i_plan_free() must find the original sizes */
      if (plan->stages) plan->nstages = nstages;
      plan->nloc = nloc;
    }
    op2i_plan_free(plan);
  }
}

/* Staging that was not requested, and invalid descriptions. */
static void others(void) {
  struct op2i_plan *plan = NULL, *staged = NULL;
  set_up(0);
  if (!CHECK(op2i_plan_create(&desc, &staged))) return;
  desc.parts = 0;
  if (!CHECK(op2i_plan_create(&desc, &plan))) return;
  plan->shared_bytes = staged->shared_bytes;
  FAILS(op2i_plan_verify(plan, &desc), OP2_ERR_STATE);
  ok(strstr(op2_error_message(), "does not ask for") != NULL, "staging that was not asked for");
  plan->shared_bytes = 0;
  CHECK(op2i_plan_verify(plan, &desc));

  int64_t subset[ELEMENTS] = {0};
  desc.subset = subset;
  subset[9] = -3;
  FAILS(op2i_plan_verify(plan, &desc), OP2_ERR_STATE);
  ok(strstr(op2_error_message(), "subset position 9 names element -3") != NULL,
     "a subset position");
  desc.subset = NULL;
  pairs[11] = TARGETS;
  FAILS(op2i_plan_verify(plan, &desc), OP2_ERR_STATE);
  ok(strstr(op2_error_message(), "slot 1 of position 5 points to 40") != NULL, "a map entry");
  args[0].slot = 2;
  FAILS(op2i_plan_verify(plan, &desc), OP2_ERR_STATE);
  ok(strstr(op2_error_message(), "argument 0 has slot 2 of 2") != NULL, "a slot");
  op2i_plan_free(plan);
  op2i_plan_free(staged);
}

/* A plan made for other positions of the same subset is not valid for this one. */
static void subset_matters(void) {
  struct op2i_plan *plan = NULL;
  int64_t subset[ELEMENTS];
  set_up(0);
  for (int p = 0; p < ELEMENTS; p++) subset[p] = p;
  desc.subset = subset;
  if (!CHECK(op2i_plan_create(&desc, &plan))) return;
  CHECK(op2i_plan_verify(plan, &desc));
  subset[7] = 21;
  FAILS(op2i_plan_verify(plan, &desc), OP2_ERR_STATE);
  op2i_plan_free(plan);
}

int main(void) {
  try_all();
  others();
  subset_matters();
  return done();
}
