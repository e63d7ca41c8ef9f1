/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of launches: the entries that reach each target, in the order in which the host would add,
 * and colours. */
#include "device_tables.h"

#include "device_graphs.h"

#include <string.h>

#include "context.h"
#include "device_order.h"
#include "device_owner.h"
#include "error.h"
#include "mem.h"
#include "mesh.h"
#include "plan.h"

/* ---- the entries that reach a target --------------------------------------------------------- */

/* Entries of a pass over a range, sorted by target. The entries of one target are in the order of
 * their blocks' colours, and within a block by position, which is the order in which blocks on the
 * host add. */
struct inverse {
  const struct op2i_step *step;
  const struct op2i_device_pass *pass;
  int64_t nrows;    /* rows of the target set */
  int64_t first;    /* the first row that the device computes */
  int32_t *begin;   /* [nrows + 1] */
  int32_t *entries; /* [begin[nrows]] */
  int32_t *reached; /* [nreached] the targets that entries reach, in the order of launches */
  int32_t *starts;  /* [nreached + 1], offset of each reached target's entries */
  int64_t nreached;
  bool moved; /* True if `reached` does not ascend. */
};

static int64_t element_of(const struct op2i_step *step, int64_t position) {
  const int64_t *elements = step->loop->set->idx;
  return elements ? elements[position] : position;
}

static int32_t target_of(const struct inverse *inv, int64_t element, int c) {
  op2_map map = inv->step->loop->maps[inv->pass->columns[c].map];
  return map->idx[element * map->arity + inv->pass->columns[c].slot];
}

static void count(struct inverse *inv) {
  for (int64_t p = inv->step->lo; p < inv->step->hi; p++)
    for (int c = 0; c < inv->pass->ncolumns; c++) {
      int32_t target = target_of(inv, element_of(inv->step, p), c);
      if (target >= inv->first) inv->begin[target + 1]++;
    }
  for (int64_t t = 0; t < inv->nrows; t++) inv->begin[t + 1] += inv->begin[t];
}

/* begin[t] moves to the end of t's entries, which is where the entries of t + 1 begin. */
static void place_block(struct inverse *inv, int64_t block) {
  const struct op2i_step *step = inv->step;
  int64_t end = op2i_plan_block_hi(step->plan, (int32_t)block);
  int64_t lo = op2i_plan_block_lo(step->plan, (int32_t)block);
  for (int64_t p = lo < step->lo ? step->lo : lo; p < end; p++)
    for (int c = 0; c < inv->pass->ncolumns; c++) {
      int32_t target = target_of(inv, element_of(step, p), c);
      if (target < inv->first) continue;
      inv->entries[inv->begin[target]++] =
          (int32_t)(uint32_t)((p - step->lo) * inv->pass->ncolumns + c);
    }
}

static void place_blocks(struct inverse *inv) {
  const struct op2i_plan *plan = inv->step->plan;
  for (int32_t b = 0; b < plan->nblocks; b++) place_block(inv, plan->blkmap[b]);
  memmove(inv->begin + 1, inv->begin, (size_t)inv->nrows * sizeof *inv->begin);
  inv->begin[0] = 0;
}

static void list_reached(struct inverse *inv) {
  for (int64_t t = 0; t < inv->nrows; t++) {
    if (inv->begin[t + 1] == inv->begin[t]) continue;
    inv->reached[inv->nreached] = (int32_t)t;
    inv->starts[inv->nreached++] = inv->begin[t];
  }
  inv->starts[inv->nreached] = inv->begin[inv->nrows];
}

static int32_t linked(const void *data, int64_t position, int column) {
  const struct inverse *inv = data;
  return target_of(inv, element_of(inv->step, inv->step->lo + position), column);
}

/* Blocks that share few elements compute few of them twice. Targets that compute all of their
 * elements gain nothing: on an H200 res_calc of airfoil took as long in either order. */
static op2_status order(const struct op2i_device *device, struct inverse *inv) {
  const struct op2i_device_links links = {.nrows = inv->nrows,
                                          .nreached = inv->nreached,
                                          .begin = inv->begin,
                                          .entries = inv->entries,
                                          .ncolumns = inv->pass->ncolumns,
                                          .run = op2i_device_wave(device),
                                          .target = linked,
                                          .data = inv};
  op2_status status = op2i_device_order(&links, inv->reached, &inv->moved);
  if (status || !inv->moved) return status;
  int32_t *moved = op2i_malloc(((size_t)inv->begin[inv->nrows] + 1) * sizeof *moved);
  if (!moved) return op2i_error_nomem("tables of a loop on a device");
  op2i_device_follow(&links, inv->reached, inv->starts, moved);
  op2i_free(inv->entries);
  inv->entries = moved;
  return OP2_SUCCESS;
}

/* The most entries of a table: they are counted in 32 bits. */
static int64_t most_entries(const struct op2i_device *device) {
  return device->limits.entries ? device->limits.entries : INT32_MAX;
}

static op2_status invert(const struct op2i_device *device, struct inverse *inv) {
  size_t nrows = (size_t)inv->nrows;
  size_t n = (size_t)(inv->step->hi - inv->step->lo) * (size_t)inv->pass->ncolumns;
  if (n > (size_t)most_entries(device))
    return op2i_error(OP2_ERR_RANGE, "more than 2^31 increments in a loop on a device");
  inv->begin = op2i_calloc(nrows + 2, sizeof *inv->begin);
  inv->entries = op2i_malloc((n + 1) * sizeof *inv->entries);
  inv->reached = op2i_malloc((nrows + 1) * sizeof *inv->reached);
  inv->starts = op2i_malloc((nrows + 1) * sizeof *inv->starts);
  if (!inv->begin || !inv->entries || !inv->reached || !inv->starts)
    return op2i_error_nomem("tables of a loop on a device");
  count(inv);
  place_blocks(inv);
  list_reached(inv);
  return OP2_SUCCESS;
}

static void free_inverse(struct inverse *inv) {
  op2i_free(inv->begin);
  op2i_free(inv->entries);
  op2i_free(inv->reached);
  op2i_free(inv->starts);
}

/* Each value of an element takes eight bytes, whatever its type. */
static op2_status own(struct op2i_device *device, const struct inverse *inv,
                      struct op2i_device_table *table) {
  int64_t bytes = 8 * op2i_device_pass_values(inv->step->loop, inv->pass);
  struct op2i_owner owner = {.n = inv->step->hi - inv->step->lo,
                             .ntargets = inv->nreached,
                             .ncolumns = inv->pass->ncolumns,
                             .starts = inv->starts,
                             .entries = inv->entries,
                             .room = device->limits.local_bytes / bytes};
  op2_status status = op2i_owner_blocks(&owner);
  table->owned = owner.block;
  table->local_bytes = owner.most * bytes;
  if (!status && owner.block)
    status =
        op2i_device_numbers(device, owner.elements, owner.begin[owner.nblocks], &table->memory[3]);
  if (!status && owner.block)
    status = op2i_device_numbers(device, owner.begin, owner.nblocks + 1, &table->memory[4]);
  op2i_free(owner.begin);
  op2i_free(owner.elements);
  return status;
}

static op2_status make_pass(struct op2i_device *device, struct inverse *inv, bool owns,
                            struct op2i_device_table *table) {
  op2_status status = invert(device, inv);
  if (!status && owns) status = order(device, inv);
  if (!status && owns) status = own(device, inv, table);
  if (status) return status;
  table->ntargets = inv->nreached;
  if (inv->nreached < inv->nrows || inv->moved)
    status = op2i_device_numbers(device, inv->reached, inv->nreached, &table->memory[0]);
  if (!status)
    status = op2i_device_numbers(device, inv->starts, inv->nreached + 1, &table->memory[1]);
  if (!status)
    status =
        op2i_device_numbers(device, inv->entries, inv->starts[inv->nreached], &table->memory[2]);
  return status;
}

/* ---- colours --------------------------------------------------------------------------------- */

static op2_status make_colours(struct op2i_device *device, const struct op2i_plan *plan,
                               bool of_elements, struct op2i_device_table *table) {
  op2_status status = op2i_device_numbers(device, plan->blkmap, plan->nblocks, &table->memory[0]);
  if (!of_elements) return status;
  if (!status)
    status = op2i_device_numbers(device, plan->nthrcol, plan->nblocks, &table->memory[1]);
  if (!status)
    status = op2i_device_numbers(device, plan->thrcol, plan->hi - plan->lo, &table->memory[2]);
  return status;
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* The plan numbers stages as the form does, by first appearance. It has no stages for direct dats
 * where something is staged. */
static op2_status make_rows(struct op2i_device *device, const struct op2i_plan *plan,
                            struct op2i_device_table *table) {
  int64_t total = 0, at = 0, n = (int64_t)plan->nblocks * plan->nstages;
  for (int s = 0; s < plan->nstages; s++) total += plan->stages[s].ind_total;
  if (total > most_entries(device) || n >= most_entries(device))
    return op2i_error(OP2_ERR_RANGE, "blocks of a loop on a device have more than 2^31 rows");
  int32_t *rows = op2i_malloc((size_t)(total + 1) * sizeof *rows);
  int32_t *begin = op2i_malloc((size_t)(n + 1) * sizeof *begin), *next = begin;
  op2_status status =
      rows && begin ? OP2_SUCCESS : op2i_error_nomem("tables of a loop on a device");
  for (int32_t b = 0; b < plan->nblocks && !status; b++)
    for (const struct op2i_plan_stage *s = plan->stages; s < plan->stages + plan->nstages; s++) {
      *next++ = (int32_t)at;
      memcpy(rows + at, s->ind_map + s->ind_offs[b], (size_t)s->ind_sizes[b] * sizeof *rows);
      at += s->ind_sizes[b];
    }
  if (!status) *next = (int32_t)at;
  if (!status) status = op2i_device_numbers(device, rows, total, &table->memory[3]);
  if (!status) status = op2i_device_numbers(device, begin, n + 1, &table->memory[4]);
  op2i_free(rows);
  op2i_free(begin);
  return status;
}

/* Return the plan's column of local indices that belongs to column l of the form. */
static const uint16_t *plan_column(const struct op2i_step *step,
                                   const struct op2i_device_form *form, int l) {
  const struct op2i_loop *loop = step->loop;
  const struct op2i_device_stage *stage = &form->stages[form->locals[l].stage];
  int counted = 0;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++) {
    int first, n = op2i_device_slots(arg, &first), slot = form->locals[l].slot;
    if (arg->dat < 0 || arg->map < 0) continue;
    if (arg->dat == stage->dat && arg->map == stage->map && slot >= first && slot < first + n)
      return step->plan->loc_map16[step->plan->arg_loc[counted] + slot - first];
    counted++;
  }
  return NULL;
}

static op2_status make_locals(struct op2i_device *device, const struct op2i_step *step,
                              const struct op2i_device_form *form,
                              struct op2i_device_table *table) {
  const size_t n = (size_t)(step->plan->hi - step->plan->lo), bytes = n * sizeof(uint16_t);
  op2_status status = op2i_device_alloc(device, (size_t)form->nlocals * bytes, &table->memory[5]);
  for (int l = 0; l < form->nlocals && !status; l++)
    status = device->kind->put(device, table->memory[5], (size_t)l * bytes,
                               plan_column(step, form, l), bytes);
  return status;
}

static op2_status make_stages(struct op2i_device *device, const struct op2i_step *step,
                              const struct op2i_device_form *form,
                              struct op2i_device_table *table) {
  op2_status status = make_rows(device, step->plan, table);
  return status ? status : make_locals(device, step, form, table);
}

/* ---- all tables of a loop -------------------------------------------------------------------- */

static void release_range(struct op2i_device_tables *tables, int range) {
  for (int p = 0; p < OP2I_DEVICE_PASSES; p++) {
    struct op2i_device_table *table = &tables->passes[range][p];
    for (int k = 0; k < OP2I_LAUNCH_TABLES; k++)
      op2i_device_release(tables->device, table->memory[k]);
    *table = (struct op2i_device_table){0};
  }
}

static void release_tables(void *data) {
  struct op2i_device_tables *tables = data;
  struct op2i_device *device = tables->device;
  for (int r = 0; r < OP2I_RANGES; r++) op2i_device_clock_free(device, &tables->clocks[r]);
  for (int r = 0; r < OP2I_RANGES; r++) release_range(tables, r);
  if (tables->given_there)
    op2i_device_given_release(device, tables->given_there, (size_t)tables->given_bytes);
  op2i_device_release(device, tables->kept);
  op2i_device_release(device, tables->partial);
  for (int g = 0; g < tables->nlate; g++) {
    op2i_device_release(device, tables->late[g].memory);
    op2i_free(tables->late[g].sent);
  }
  op2i_free(tables->late);
  op2i_free(tables->given);
  op2i_free(tables);
}

static op2_status make_range(const struct op2i_step *step, struct op2i_device_tables *tables) {
  op2_status status = OP2_SUCCESS;
  struct op2i_device_table *table = tables->passes[step->range];
  if (op2i_device_turns(&tables->form))
    status = make_colours(tables->device, step->plan, tables->form.strategy != OP2I_DEVICE_SERIAL,
                          table);
  if (!status && tables->form.nstages)
    status = make_stages(tables->device, step, &tables->form, table);
  for (int p = 0; p < tables->form.npasses && !status; p++) {
    const struct op2i_device_pass *pass = &tables->form.passes[p];
    struct inverse inv = {
        .step = step, .pass = pass, .nrows = pass->target->base->ends[OP2I_NONEXEC]};
    if (op2i_is_split(step->where.split)) inv.first = op2i_split_row(step->where.split, inv.nrows);
    bool owns = tables->form.strategy == OP2I_DEVICE_OWNER;
    status = make_pass(tables->device, &inv, owns, &table[p]);
    free_inverse(&inv);
  }
  tables->made[step->range] = !status;
  if (status) release_range(tables, step->range);
  return status;
}

op2_status op2i_device_tables(const struct op2i_step *step, struct op2i_device_tables **out) {
  struct op2i_loop *loop = step->loop;
  struct op2i_device *device = loop->op.ctx->device;
  if (!loop->attached.device_data) {
    struct op2i_device_tables *tables = op2i_calloc(1, sizeof *tables);
    if (!tables) return op2i_error_nomem("tables of a loop on a device");
    tables->device = device;
    op2i_loop_device_form(loop, device->kind->generic, &tables->form);
    loop->attached.device_data = tables;
    loop->attached.device_release = release_tables;
  }
  *out = loop->attached.device_data;
  struct op2i_split *split = &(*out)->split;
  if (step->where.device_half &&
      (split->host != step->where.split.host || split->device != step->where.split.device)) {
    release_range(*out, step->range);
    (*out)->made[step->range] = false;
    *split = step->where.split;
  }
  return (*out)->made[step->range] ? OP2_SUCCESS : make_range(step, *out);
}
