/* SPDX-License-Identifier: BSD-3-Clause */
/* Splitting a loop between host and device. Each set is cut at a row: the host has the rows before
 * it, the device the others. Each of them runs all elements that modify one of its own rows; what
 * they add to rows of the other is never read. So no sum consists of two parts, and all bits of
 * dats are those that one place alone would compute. */
#include "split.h"

#include "context.h"
#include "mem.h"

static bool has_halo(const struct op2i_loop *loop) {
  const int64_t *ends = loop->set->ends;
  bool has = loop->nranges != 1 || ends[OP2I_NONEXEC] != ends[OP2I_OWNED];
  for (int d = 0; d < loop->op.ndats; d++) {
    ends = loop->op.dats[d]->set->ends;
    has |= ends[OP2I_NONEXEC] != ends[OP2I_OWNED];
  }
  return has;
}

const char *op2i_loop_unsplit(const struct op2i_loop *loop) {
  if (loop->op.ctx->comm) return "ranks have parts of its sets";
  if (has_halo(loop)) return "its sets have halos";
  if (loop->set->idx) return "it runs over a subset";
  if (loop->traits.per_nonzero) return "it goes through the rows of a matrix";
  if (loop->traits.ordered) return "its elements keep their order";
  for (int a = 0; a < loop->nargs; a++)
    if (op2i_arg_located(&loop->args[a])) return "it asks which element has the minimum or maximum";
  if (loop->traits.indirect_write && loop->partial_bytes)
    return "it reduces, and some elements would run in both places";
  return NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct slots {
  const int32_t *entries; /* null: the element's own row */
  int64_t arity;
  int32_t first, count;
};

static struct slots slots_of(const struct op2i_loop *loop, const struct op2i_loop_arg *arg) {
  const op2_map map = arg->map >= 0 ? loop->maps[arg->map] : NULL;
  if (!map) return (struct slots){.count = 1};
  bool one = arg->kind == OP2I_ARG_SLOT;
  return (struct slots){
      .entries = map->idx,
      .arity = map->arity,
      .first = one ? arg->slot : 0,
      .count = one ? 1 : map->arity,
  };
}

static int64_t row_of(const struct slots *slots, int64_t element, int32_t k) {
  return slots->entries ? slots->entries[element * slots->arity + slots->first + k] : element;
}

/* True if any argument modifies the dat through a map. */
static bool is_mapped(const struct op2i_loop *loop, int dat) {
  bool any = false;
  for (int a = 0; a < loop->nargs; a++)
    any |=
        loop->args[a].dat == dat && loop->args[a].map >= 0 && op2i_modifies(loop->args[a].access);
  return any;
}

static int64_t first_row(const struct op2i_cut *cut, const struct op2i_loop *loop, int dat) {
  return op2i_split_row(cut->split, loop->op.dats[dat]->set->ends[OP2I_OWNED]);
}

/* Extend both element ranges to all elements that modify a row of the host or of the device. */
static void widen(struct op2i_cut *cut, const struct op2i_loop *loop,
                  const struct op2i_loop_arg *arg) {
  const struct slots slots = slots_of(loop, arg);
  int64_t first = first_row(cut, loop, arg->dat), n = loop->set->ends[OP2I_OWNED];
  for (int64_t e = 0; e < n; e++)
    for (int32_t k = 0; k < slots.count; k++) {
      bool host = row_of(&slots, e, k) < first;
      if (host && e >= cut->host_end) cut->host_end = e + 1;
      if (!host && e < cut->device_begin) cut->device_begin = e;
    }
}

static void cut_elements(struct op2i_cut *cut, const struct op2i_loop *loop) {
  int64_t n = loop->set->ends[OP2I_OWNED];
  cut->host_end = cut->device_begin = op2i_split_row(cut->split, n);
  if (!loop->traits.indirect_write) return;
  cut->host_end = 0;
  cut->device_begin = n;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (arg->dat >= 0 && is_mapped(loop, arg->dat) && op2i_modifies(arg->access))
      widen(cut, loop, arg);
  }
}

/* Widen the ranges of rows that are read: the host's elements read rows below `end`, the device's
 * rows from `begin` on. */
static void read_rows(const struct op2i_cut *cut, const struct op2i_loop *loop,
                      const struct op2i_loop_arg *arg, int64_t *end, int64_t *begin) {
  const struct slots slots = slots_of(loop, arg);
  int64_t n = loop->set->ends[OP2I_OWNED];
  for (int32_t k = 0; k < slots.count; k++) {
    for (int64_t e = 0; e < cut->host_end; e++)
      if (row_of(&slots, e, k) >= *end) *end = row_of(&slots, e, k) + 1;
    for (int64_t e = cut->device_begin; e < n; e++)
      if (row_of(&slots, e, k) < *begin) *begin = row_of(&slots, e, k);
  }
}

static void cut_dat(struct op2i_cut *cut, const struct op2i_loop *loop, int d) {
  op2_dat dat = loop->op.dats[d];
  struct op2i_cut_dat *rows = &cut->dats[d];
  int64_t n = dat->set->ends[OP2I_OWNED], end = 0, begin = n;
  bool through = is_mapped(loop, d);
  int64_t make_end = through ? first_row(cut, loop, d) : cut->host_end;
  int64_t make_begin = through ? make_end : cut->device_begin;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    bool reads = op2i_reads(arg->access);
    if (arg->dat == d && reads) read_rows(cut, loop, arg, &end, &begin);
  }
  if (op2i_modifies(loop->op.dat_access[d])) {
    *rows = (struct op2i_cut_dat){
        .make = {(size_t)make_end * dat->row_bytes, (size_t)(n - make_begin) * dat->row_bytes}};
    if (!op2i_overwrites(loop->op.dat_access[d]) && end < make_end) end = make_end;
    if (!op2i_overwrites(loop->op.dat_access[d]) && begin > make_begin) begin = make_begin;
  }
  rows->need[0] = (size_t)end * dat->row_bytes;
  rows->need[1] = (size_t)(n - begin) * dat->row_bytes;
}

/* ---- the cut of a loop ----------------------------------------------------------------------- */

static bool same(struct op2i_split a, struct op2i_split b) {
  return a.host == b.host && a.device == b.device;
}

const struct op2i_cut *op2i_loop_cut(const struct op2i_loop *loop, struct op2i_split split) {
  struct op2i_loop_data *data = loop->attached.sched_data;
  struct op2i_cut *cut = data->cut;
  if (op2i_loop_unsplit(loop) || loop->form.not_on_device) return NULL;
  if (!cut || !same(cut->split, split)) {
    size_t bytes = sizeof *cut + (size_t)loop->op.ndats * sizeof *cut->dats;
    op2i_free(data->cut);
    data->cut = cut = op2i_calloc(1, bytes);
    if (!cut) return NULL;
    cut->split = split;
    cut_elements(cut, loop);
    for (int d = 0; d < loop->op.ndats; d++) cut_dat(cut, loop, d);
  }
  bool both = cut->host_end > 0 && cut->device_begin < loop->ranges[0].hi;
  return both ? cut : NULL;
}

void op2i_cut_steps(const struct op2i_cut *cut, struct op2i_step *step,
                    struct op2i_step *device_half) {
  const struct op2i_range *all = &step->loop->ranges[0];
  step->lo = all->lo;
  step->hi = cut->host_end;
  device_half->lo = cut->device_begin;
  device_half->hi = all->hi;
  device_half->plan = step->plan;
  step->where.split = device_half->where.split = cut->split;
}

void op2i_uncut_steps(struct op2i_step *step, struct op2i_step *device_half) {
  static const struct op2i_plan none = {.nblocks = 0};
  const struct op2i_range *all = &step->loop->ranges[0];
  step->lo = all->lo;
  step->hi = device_half->lo = device_half->hi = all->hi;
  device_half->plan = &none;
  step->where.split = device_half->where.split = (struct op2i_split){0, 0};
}
