/* SPDX-License-Identifier: BSD-3-Clause */
/* Footprints: the parts of its dats that each block of a loop touches, from which dependences
 * between tasks are derived. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "loopdata.h"
#include "mem.h"

/* About a thousand granules a set: fine enough to tell neighbouring blocks apart, and few
 * enough to list. */
int32_t op2i_granule_shift(int64_t set_size) {
  enum { GRANULES = 1024, SMALLEST_SHIFT = 4 };
  int32_t shift = SMALLEST_SHIFT;
  while (set_size >> shift > GRANULES) shift++;
  return shift;
}

struct collector {
  unsigned char *touched; /* [granules + 8]; the last 8 are always 0 */
  int64_t granules;
  int32_t *intervals;
  int64_t count, capacity; /* pairs in `intervals`, and their capacity */
};

static void mark_slot(const struct op2i_loop *loop, const op2_map map, int32_t slot, int64_t lo,
                      int64_t hi, int32_t shift, struct collector *c) {
  const int64_t *subset = loop->set->idx;
  unsigned char *touched = c->touched;
  if (map && !subset) {
    const int32_t *target = map->idx + slot;
    const int64_t arity = map->arity;
    for (int64_t i = lo; i < hi; i++) touched[target[i * arity] >> shift] = 1;
    return;
  }
  for (int64_t i = lo; i < hi; i++) {
    int64_t e = subset ? subset[i] : i;
    touched[(map ? map->idx[e * map->arity + slot] : e) >> shift] = 1;
  }
}

static void mark_entries(const struct op2i_loop *loop, const struct op2i_loop_arg *arg, int64_t lo,
                         int64_t hi, int32_t shift, struct collector *c) {
  for (int64_t i = lo; i < hi; i++) {
    struct op2i_targets targets =
        op2i_arg_targets(loop, arg, loop->set->idx ? loop->set->idx[i] : i);
    for (int64_t k = 0; k < targets.at.n; k++) c->touched[op2i_target(targets, k) >> shift] = 1;
  }
}

static void mark_arg(const struct op2i_loop *loop, const struct op2i_loop_arg *arg, int64_t lo,
                     int64_t hi, int32_t shift, struct collector *c) {
  const op2_map map = arg->map >= 0 ? loop->maps[arg->map] : NULL;
  if (arg->kind == OP2I_ARG_ROW_ENTRIES) {
    mark_entries(loop, arg, lo, hi, shift, c);
    return;
  }
  if (!map && !loop->set->idx) {
    for (int64_t s = lo >> shift; s <= (hi - 1) >> shift; s++) c->touched[s] = 1;
    return;
  }
  int32_t first = map && arg->kind == OP2I_ARG_SLOT ? arg->slot : 0;
  int32_t count = map && arg->kind != OP2I_ARG_SLOT ? map->arity : 1;
  for (int32_t k = first; k < first + count; k++) mark_slot(loop, map, k, lo, hi, shift, c);
}

/* The first marked granule from this one on. Eight are read at a time, as long as none of
 * them is marked. */
static int64_t next_touched(const struct collector *c, int64_t granule) {
  uint64_t eight;
  while (granule < c->granules) {
    memcpy(&eight, c->touched + granule, sizeof eight);
    if (eight) break;
    granule += sizeof eight;
  }
  while (granule < c->granules && !c->touched[granule]) granule++;
  return granule;
}

/* Turn the marked granules into intervals and clear them. */
static int drain(struct collector *c) {
  int64_t end = 0;
  for (int64_t s = next_touched(c, 0); s < c->granules; s = next_touched(c, end)) {
    for (end = s; c->touched[end]; end++) c->touched[end] = 0;
    if (op2i_grow(&c->intervals, 2 * sizeof *c->intervals, c->count, &c->capacity)) return -1;
    c->intervals[2 * c->count] = (int32_t)s;
    c->intervals[2 * c->count + 1] = (int32_t)(end - 1);
    c->count++;
  }
  return 0;
}

static op2_status make_footprint(const struct op2i_loop *loop, const struct op2i_plan *plan,
                                 int32_t dat, struct op2i_footprint *out) {
  int64_t size = loop->op.dats[dat]->set->ends[OP2I_NONEXEC];
  int32_t shift = op2i_granule_shift(size);
  struct collector c = {.granules = (size >> shift) + 1};
  c.touched = op2i_calloc((size_t)c.granules + 8, sizeof *c.touched);
  int64_t *offs = op2i_calloc((size_t)plan->nblocks + 1, sizeof *offs);
  int bad = !c.touched || !offs;
  for (int32_t b = 0; b < plan->nblocks && !bad; b++) {
    for (int n = 0; n < loop->nargs; n++)
      if (loop->args[n].dat == dat)
        mark_arg(loop, &loop->args[n], op2i_plan_block_lo(plan, b), op2i_plan_block_hi(plan, b),
                 shift, &c);
    bad = drain(&c);
    offs[b + 1] = c.count;
  }
  op2i_free(c.touched);
  if (bad) {
    op2i_free(offs);
    op2i_free(c.intervals);
    return op2i_error_nomem("a loop's footprint");
  }
  *out = (struct op2i_footprint){shift, offs, c.intervals};
  return OP2_SUCCESS;
}

/* ---- dats that are accessed through the same maps -------------------------------------------- */

static bool same_access(const struct op2i_loop_arg *a, const struct op2i_loop_arg *b) {
  return a->map == b->map && a->kind == b->kind && (a->kind != OP2I_ARG_SLOT || a->slot == b->slot);
}

/* True if every argument of dat a has a counterpart of dat b with the same map, kind and slot. */
static bool covered(const struct op2i_loop *loop, int32_t a, int32_t b) {
  for (int n = 0; n < loop->nargs; n++) {
    if (loop->args[n].dat != a) continue;
    int m = 0;
    while (m < loop->nargs &&
           !(loop->args[m].dat == b && same_access(&loop->args[n], &loop->args[m])))
      m++;
    if (m == loop->nargs) return false;
  }
  return true;
}

static const struct op2i_footprint *find_equal(const struct op2i_loop *loop,
                                               const struct op2i_footprint *prints, int32_t dat) {
  for (int32_t d = 0; d < loop->op.ndats; d++)
    if (prints[d].offs && loop->op.dats[d]->set == loop->op.dats[dat]->set &&
        covered(loop, d, dat) && covered(loop, dat, d))
      return &prints[d];
  return NULL;
}

static op2_status copy_footprint(const struct op2i_footprint *from, int32_t nblocks,
                                 struct op2i_footprint *out) {
  size_t offs_bytes = ((size_t)nblocks + 1) * sizeof *from->offs;
  size_t interval_bytes = (size_t)from->offs[nblocks] * 2 * sizeof *from->intervals;
  struct op2i_footprint copy = {from->shift, op2i_malloc(offs_bytes), op2i_malloc(interval_bytes)};
  if (!copy.offs || !copy.intervals) {
    op2i_free(copy.offs);
    op2i_free(copy.intervals);
    return op2i_error_nomem("a loop's footprint");
  }
  memcpy(copy.offs, from->offs, offs_bytes);
  if (interval_bytes) memcpy(copy.intervals, from->intervals, interval_bytes);
  *out = copy;
  return OP2_SUCCESS;
}

op2_status op2i_loop_footprint(struct op2i_loop *loop, int range, int32_t dat) {
  struct op2i_loop_data *data = loop->attached.sched_data;
  struct op2i_footprint **prints = &data->footprints[range];
  const struct op2i_plan *plan = data->plans[range]->plan;
  if (!*prints) *prints = op2i_calloc((size_t)loop->op.ndats, sizeof **prints);
  if (!*prints) return op2i_error_nomem("a loop's footprint");
  if ((*prints)[dat].offs) return OP2_SUCCESS;
  const struct op2i_footprint *known = find_equal(loop, *prints, dat);
  return known ? copy_footprint(known, plan->nblocks, &(*prints)[dat])
               : make_footprint(loop, plan, dat, &(*prints)[dat]);
}
