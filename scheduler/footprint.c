/* SPDX-License-Identifier: BSD-3-Clause */
/* Which parts of its dats each block of a loop touches: what dependences between tasks are worked
 * out from. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "loopdata.h"
#include "mem.h"

/* About a thousand segments a set: fine enough to tell neighbouring blocks apart, few enough to
 * list. */
int32_t op2i_segment_shift(int64_t set_size) {
  enum { SEGMENTS = 1024, SMALLEST_SHIFT = 4 };
  int32_t shift = SMALLEST_SHIFT;
  while (set_size >> shift > SEGMENTS) shift++;
  return shift;
}

struct collector {
  uint64_t *bits; /* one per segment */
  int64_t nwords;
  int32_t *intervals;
  int64_t count, capacity; /* in pairs */
};

static void set_bit(struct collector *c, int64_t segment) {
  c->bits[segment >> 6] |= UINT64_C(1) << (segment & 63);
}

static bool get_bit(const struct collector *c, int64_t segment) {
  return segment >> 6 < c->nwords && c->bits[segment >> 6] >> (segment & 63) & 1;
}

static void mark_arg(const struct op2i_loop *loop, const struct op2i_loop_arg *arg, int64_t lo,
                     int64_t hi, int32_t shift, struct collector *c) {
  const int64_t *subset = loop->set->idx;
  const op2_map map = arg->map >= 0 ? loop->maps[arg->map] : NULL;
  if (!map && !subset) {
    for (int64_t s = lo >> shift; s <= (hi - 1) >> shift; s++) set_bit(c, s);
    return;
  }
  for (int64_t i = lo; i < hi; i++) {
    int64_t e = subset ? subset[i] : i;
    if (!map) {
      set_bit(c, e >> shift);
      continue;
    }
    const int32_t *row = map->idx + e * map->arity;
    if (arg->kind == OP2I_ARG_SLOT)
      set_bit(c, row[arg->slot] >> shift);
    else
      for (int32_t k = 0; k < map->arity; k++) set_bit(c, row[k] >> shift);
  }
}

/* Turn the marked segments into intervals and clear them. */
static int drain(struct collector *c) {
  for (int64_t s = 0; s < c->nwords * 64; s++) {
    if (!c->bits[s >> 6]) {
      s |= 63;
      continue;
    }
    if (!get_bit(c, s)) continue;
    int64_t last = s;
    while (get_bit(c, last + 1)) last++;
    if (op2i_grow(&c->intervals, 2 * sizeof *c->intervals, c->count, &c->capacity)) return -1;
    c->intervals[2 * c->count] = (int32_t)s;
    c->intervals[2 * c->count + 1] = (int32_t)last;
    c->count++;
    s = last;
  }
  memset(c->bits, 0, (size_t)c->nwords * sizeof *c->bits);
  return 0;
}

static op2_status make_footprint(const struct op2i_loop *loop, const struct op2i_plan *plan,
                                 int32_t dat, struct op2i_footprint *out) {
  int64_t size = loop->dats[dat]->set->ends[OP2I_NONEXEC];
  int32_t shift = op2i_segment_shift(size);
  struct collector c = {.nwords = ((size >> shift) >> 6) + 1};
  c.bits = op2i_calloc((size_t)c.nwords, sizeof *c.bits);
  int64_t *offs = op2i_calloc((size_t)plan->nblocks + 1, sizeof *offs);
  int bad = !c.bits || !offs;
  for (int32_t b = 0; b < plan->nblocks && !bad; b++) {
    for (int n = 0; n < loop->nargs; n++)
      if (loop->args[n].dat == dat)
        mark_arg(loop, &loop->args[n], op2i_plan_block_lo(plan, b), op2i_plan_block_hi(plan, b),
                 shift, &c);
    bad = drain(&c);
    offs[b + 1] = c.count;
  }
  op2i_free(c.bits);
  if (bad) {
    op2i_free(offs);
    op2i_free(c.intervals);
    return op2i_error_nomem("a loop's footprint");
  }
  *out = (struct op2i_footprint){shift, offs, c.intervals};
  return OP2_SUCCESS;
}

op2_status op2i_loop_footprints(struct op2i_loop *loop, int range) {
  struct op2i_loop_data *data = loop->sched_data;
  if (data->footprints[range]) return OP2_SUCCESS;
  struct op2i_footprint *prints = op2i_calloc((size_t)loop->ndats, sizeof *prints);
  if (!prints) return op2i_error_nomem("a loop's footprint");
  for (int32_t d = 0; d < loop->ndats; d++) {
    op2_status status = make_footprint(loop, data->plans[range]->plan, d, &prints[d]);
    if (!status) continue;
    while (d-- > 0) {
      op2i_free(prints[d].offs);
      op2i_free(prints[d].intervals);
    }
    op2i_free(prints);
    return status;
  }
  data->footprints[range] = prints;
  return OP2_SUCCESS;
}
