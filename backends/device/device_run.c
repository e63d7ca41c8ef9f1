/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop over a range as launches on a device. */
#include "device_run.h"

#include <stdio.h>
#include <string.h>

#include "context.h"
#include "device_graphs.h"
#include "device_tables.h"
#include "device_unit.h"
#include "error.h"
#include "mem.h"
#include "mesh.h"
#include "partial.h"
#include "plan.h"

enum { ARGS_MAX = 256 };

struct run {
  struct op2i_device *device;
  struct op2i_step *step;
  struct op2i_device_tables *tables;
  struct op2i_device_arg args[ARGS_MAX];
  int nargs, tables_at;
};

/* ---- arguments of launches ------------------------------------------------------------------- */

static void add_number(struct run *run, int64_t number) {
  run->args[run->nargs++] = (struct op2i_device_arg){.number = number};
}

static void add_memory(struct run *run, const void *memory) {
  run->args[run->nargs++] =
      (struct op2i_device_arg){.is_memory = true, .memory = (void *)(uintptr_t)memory};
}

/* Where partial results begin in their memory. */
static size_t partials_at(const struct op2i_device_form *form) {
  return form->finishes ? OP2I_DEVICE_COUNTER : 0;
}

enum { NUMBERS_AT = 2 }; /* op2_n0, op2_n1 */

/* List the arguments in the order in which devgen.c declares them. */
static op2_status list_args(struct run *run) {
  const struct op2i_step *step = run->step;
  const struct op2i_loop *loop = step->loop;
  if (11 + loop->op.ndats + 2 * loop->nmaps + loop->op.ngbls + OP2I_LAUNCH_TABLES > ARGS_MAX)
    return op2i_error(OP2_ERR_UNAVAILABLE, "loop '%s' has too many arguments for a device",
                      op2i_loop_name(loop));
  add_number(run, step->lo);
  add_number(run, step->hi);
  add_number(run, 0);
  add_number(run, 0);
  add_memory(run, step->call.subset);
  add_memory(run, step->call.number);
  for (int d = 0; d < loop->op.ndats; d++) add_memory(run, step->values.dat[d]);
  for (int m = 0; m < loop->nmaps; m++) add_memory(run, step->values.map[m]);
  for (int m = 0; m < loop->nmaps; m++) add_memory(run, step->values.target[m]);
  for (int g = 0; g < loop->op.ngbls; g++)
    add_memory(run, step->late_globals ? run->tables->late[g].memory
                                       : step->values.versions[g]->values.at[OP2I_DEVICE]);
  add_memory(run, run->tables->given_there);
  run->tables_at = run->nargs;
  for (int t = 0; t < OP2I_LAUNCH_TABLES; t++) add_memory(run, NULL);
  add_memory(run, run->tables->kept);
  add_memory(run, (char *)run->tables->partial + partials_at(&run->tables->form));
  return OP2_SUCCESS;
}

static void set_tables(struct run *run, const struct op2i_device_table *table) {
  for (int t = 0; t < OP2I_LAUNCH_TABLES; t++)
    run->args[run->tables_at + t].memory = table ? table->memory[t] : NULL;
}

/* ---- values that are passed with a launch ---------------------------------------------------- */

static op2_status make_given(struct op2i_device_tables *tables, const struct op2i_loop *loop) {
  int64_t bytes = loop->op.payload_bytes;
  if (tables->given || bytes == 0) return OP2_SUCCESS;
  tables->given = op2i_calloc(1, (size_t)bytes);
  tables->given_bytes = bytes;
  if (!tables->given) return op2i_error_nomem("values of a loop on a device");
  op2_status status = op2i_device_given_alloc(tables->device, (size_t)bytes, &tables->given_there);
  if (!status) return OP2_SUCCESS;
  op2i_free(tables->given);
  tables->given = NULL;
  tables->given_bytes = 0;
  return status;
}

/* Send the captured values if they differ from the last ones sent. */
static op2_status send_given(const struct op2i_step *step, struct op2i_device_tables *tables) {
  size_t bytes = (size_t)tables->given_bytes;
  if (!bytes || (tables->sent && !memcmp(step->call.payload, tables->given, bytes)))
    return OP2_SUCCESS;
  memcpy(tables->given, step->call.payload, bytes);
  op2_status status = op2i_device_give(tables->device, tables->given_there, tables->given, bytes);
  tables->sent = !status;
  return status;
}

/* Allocate memory for globals that stay on the host until a step runs. */
static op2_status make_late(const struct op2i_step *step, struct op2i_device_tables *tables) {
  int32_t n = step->loop->op.ngbls;
  op2_status status = OP2_SUCCESS;
  if (!step->late_globals || n == 0) return OP2_SUCCESS;
  if (!tables->late) tables->late = op2i_calloc((size_t)n, sizeof *tables->late);
  if (!tables->late) return op2i_error_nomem("values of a loop on a device");
  tables->nlate = n;
  for (int g = 0; g < n && !status; g++) {
    struct op2i_device_late *late = &tables->late[g];
    size_t bytes = step->values.versions[g]->values.bytes;
    if (late->memory) continue;
    op2i_free(late->sent);
    late->sent = op2i_malloc(bytes);
    status = late->sent ? op2i_device_alloc(tables->device, bytes, &late->memory)
                        : op2i_error_nomem("values of a loop on a device");
    late->known = false;
  }
  return status;
}

static op2_status send_late(const struct op2i_step *step, struct op2i_device_tables *tables) {
  op2_status status = OP2_SUCCESS;
  for (int g = 0; g < tables->nlate && !status; g++) {
    struct op2i_device_late *late = &tables->late[g];
    size_t bytes = step->values.versions[g]->values.bytes;
    if (op2i_sums(step->loop->op.gbl_access[g])) continue; /* the host adds the increments */
    if (late->known && memcmp(late->sent, step->values.gbl[g], bytes) == 0) continue;
    memcpy(late->sent, step->values.gbl[g], bytes);
    status = tables->device->kind->put(tables->device, late->memory, 0, late->sent, bytes);
    late->known = !status;
  }
  return status;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Return the requested group size, halved until the code and the device support it. */
static int64_t group_of(const struct run *run, const struct op2i_device_code *code, int64_t group) {
  while (group > code->group_max || group > run->device->limits.group_max) group /= 2;
  return group;
}

/* Launches that are collected count when they are submitted. */
static op2_status count_launch(struct op2i_device *device) {
  device->counts.launches++;
  return device->collecting ? OP2_SUCCESS : op2i_device_pace(device);
}

static op2_status launch(struct run *run, const char *entry, int64_t groups, int64_t group,
                         int64_t local_bytes) {
  struct op2i_device_code *code;
  op2_status status = op2i_device_unit_code(run->device, run->step->function, entry, &code);
  if (status) return status;
  struct op2i_launch launch = {.groups = groups,
                               .group = group_of(run, code, group),
                               .local_bytes = local_bytes,
                               .nargs = run->nargs,
                               .args = run->args};
  status = run->device->kind->launch(run->device, code, &launch);
  return status ? status : count_launch(run->device);
}

/* Launch n work items, in groups of a power of two that the code supports. */
static op2_status launch_each(struct run *run, const char *entry, int64_t n, bool staged) {
  struct op2i_device_code *code;
  op2_status status = op2i_device_unit_code(run->device, run->step->function, entry, &code);
  if (status || n <= 0) return status;
  int64_t group = group_of(run, code, OP2I_DEVICE_GROUP);
  int64_t local = staged ? op2i_device_stage_bytes(run->step->loop, &run->tables->form, group) : 0;
  return launch(run, entry, (n + group - 1) / group, group, local);
}

/* Allocate memory for the values that elements leave to another launch. */
static op2_status make_kept(const struct op2i_step *step, struct op2i_device_tables *tables) {
  int64_t bytes = tables->form.nkept * (step->hi - step->lo) * 8;
  if (bytes <= tables->kept_bytes) return OP2_SUCCESS;
  op2i_device_release(tables->device, tables->kept);
  tables->kept = NULL;
  tables->kept_bytes = 0;
  op2_status status = op2i_device_alloc(tables->device, (size_t)bytes, &tables->kept);
  if (!status) tables->kept_bytes = bytes;
  return status;
}

static op2_status run_passes(struct run *run, const char *name) {
  char entry[24];
  op2_status status = OP2_SUCCESS;
  for (int p = 0; p < run->tables->form.npasses && !status; p++) {
    const struct op2i_device_table *table = &run->tables->passes[run->step->range][p];
    snprintf(entry, sizeof entry, "%s%d", table->owned ? "op2_owner" : name, p);
    run->args[NUMBERS_AT].number = table->ntargets;
    run->args[NUMBERS_AT + 1].number = table->owned;
    set_tables(run, table);
    if (table->owned)
      status = launch(run, entry, (table->ntargets + table->owned - 1) / table->owned,
                      OP2I_DEVICE_GROUP, table->local_bytes);
    else
      status = launch_each(run, entry, table->ntargets, false);
  }
  set_tables(run, NULL);
  return status;
}

/* The elements of a block compute at once if the code supports groups of that size. If not, for
 * example for lack of registers, they compute one after the other, with bitwise equal results. */
static op2_status block_entry(struct run *run, int64_t size, const char **entry) {
  struct op2i_device_code *code;
  *entry = "op2_block_in_turn";
  if (run->tables->form.in_turn) return OP2_SUCCESS;
  op2_status status =
      op2i_device_unit_code(run->device, run->step->function, "op2_block_at_once", &code);
  if (!status && group_of(run, code, size) == size) *entry = "op2_block_at_once";
  return status;
}

/* Return the first block of a colour, in its order, that overlaps the step. */
static int32_t first_block(const struct op2i_step *step, int32_t colour) {
  const struct op2i_plan *plan = step->plan;
  int32_t first = plan->color_offs[colour];
  while (first < plan->color_offs[colour + 1] &&
         op2i_plan_block_hi(plan, plan->blkmap[first]) <= step->lo)
    first++;
  return first;
}

static op2_status run_blocks(struct run *run) {
  const struct op2i_plan *plan = run->step->plan;
  const bool serial = run->tables->form.strategy == OP2I_DEVICE_SERIAL;
  const char *entry = "op2_block_serial";
  int64_t size = serial ? 1 : op2i_device_wave(run->device),
          local = plan->parts & OP2I_PLAN_STAGE ? plan->shared_bytes : 0;
  op2_status status = OP2_SUCCESS;
  while (!serial && size < plan->block_size) size *= 2;
  if (!serial) status = block_entry(run, size, &entry);
  set_tables(run, &run->tables->passes[run->step->range][0]);
  run->args[0].number = plan->lo;
  run->args[NUMBERS_AT].number = plan->block_size;
  for (int32_t c = 0; c < plan->ncolors && !status; c++) {
    int32_t first = first_block(run->step, c);
    int64_t groups = plan->color_offs[c + 1] - first;
    run->args[NUMBERS_AT + 1].number = first;
    if (groups > 0) status = launch(run, entry, groups, size, local);
  }
  run->args[0].number = run->step->lo;
  set_tables(run, NULL);
  return status;
}

/* ---- reductions ------------------------------------------------------------------------------ */

static int64_t tiles_of(const struct op2i_step *step) {
  return (step->hi - step->lo + OP2I_DEVICE_TILE - 1) / OP2I_DEVICE_TILE;
}

/* Allocate memory for a value of each component and tile, and after these for the results. */
static op2_status partial_room(const struct op2i_step *step, struct op2i_device_tables *tables) {
  const int64_t at = (int64_t)partials_at(&tables->form);
  int64_t bytes = at + (tables->form.nvalues * (tiles_of(step) + 1)) * 8;
  if (!tables->form.nvalues || bytes <= tables->partial_bytes) return OP2_SUCCESS;
  op2i_device_release(tables->device, tables->partial);
  tables->partial = NULL;
  tables->partial_bytes = 0;
  op2_status status = op2i_device_alloc(tables->device, (size_t)bytes, &tables->partial);
  if (!status && at) status = tables->device->kind->clear(tables->device, tables->partial, 0, at);
  if (!status) tables->partial_bytes = bytes;
  return status;
}

/* Copy results to the host, where ranks combine them. They come in the order of the arguments; a
 * located value is followed by the number of its element. */
static void take_results(struct op2i_step *step, const unsigned char *results) {
  const struct op2i_loop *loop = step->loop;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    size_t size = op2i_type_size(arg->type);
    if (!op2i_arg_reduces(arg)) continue;
    for (int j = 0; j < arg->dim; j++, results += 8)
      memcpy(step->values.partials + arg->offset + (size_t)j * size, results, size);
    if (!op2i_arg_located(arg)) continue;
    struct op2i_found *found = (struct op2i_found *)(step->values.partials + arg->found_at);
    memcpy(&found->number, results, sizeof found->number);
    results += 8;
  }
}

static op2_status get_results(struct run *run, int64_t tiles) {
  unsigned char results[OP2I_DEVICE_VALUES * 8];
  const struct op2i_device_form *form = &run->tables->form;
  const size_t values = (size_t)form->nvalues;
  op2_status status =
      run->device->kind->get(run->device, results, run->tables->partial,
                             partials_at(form) + values * (size_t)tiles * 8, values * 8);
  if (!status) take_results(run->step, results);
  return status;
}

static op2_status run_reductions(struct run *run) {
  int64_t tiles = tiles_of(run->step);
  const struct op2i_step *step = run->step;
  const struct op2i_device_form *form = &run->tables->form;
  int64_t local = op2i_device_local_bytes(form);
  if (op2i_device_leaves(form) && !step->reduces) return OP2_SUCCESS;
  /* Smaller groups keep more memory accesses in flight where they compute elements. */
  bool left = form->apart || op2i_device_leaves(form);
  /* On the host's processors a barrier is the end of a loop over all work items: one does best alone. */
  int64_t group = run->device->limits.on_host ? 1 : left ? OP2I_DEVICE_TILE : OP2I_DEVICE_GROUP;
  int64_t stage = left ? 0 : op2i_device_stage_bytes(step->loop, form, group);
  int64_t end = !step->reduces    ? OP2I_DEVICE_LEAVE
                : step->ends_here ? OP2I_DEVICE_TO_HOST
                                  : OP2I_DEVICE_TO_GLOBALS;
  run->args[NUMBERS_AT].number = tiles;
  run->args[NUMBERS_AT + 1].number =
      form->finishes ? OP2I_DEVICE_ENDS * (stage / 8) + end : stage / 8;
  op2_status status = launch(run, "op2_reduce", tiles, group, stage + local);
  if (status || !step->reduces) return status;
  run->args[NUMBERS_AT + 1].number = !step->ends_here;
  if (!form->finishes) status = launch(run, "op2_fold", 1, OP2I_DEVICE_TILE, local);
  return status || !step->ends_here ? status : get_results(run, tiles);
}

/* ---- running a step -------------------------------------------------------------------------- */

static op2_status run_elements(struct run *run) {
  const struct op2i_device_form *form = &run->tables->form;
  op2_status status = OP2_SUCCESS;
  if (form->nvalues == 0 || form->apart)
    status = launch_each(run, "op2_once", run->step->hi - run->step->lo, true);
  return status || form->nvalues == 0 ? status : run_reductions(run);
}

static op2_status run_launches(struct run *run) {
  const struct op2i_device_form *form = &run->tables->form;
  op2_status status = OP2_SUCCESS;
  switch (form->strategy) {
  case OP2I_DEVICE_STAGED:
  case OP2I_DEVICE_UNSTAGED:
  case OP2I_DEVICE_SERIAL:
    status = run_blocks(run);
    return status || !form->nvalues ? status : run_reductions(run);
  case OP2I_DEVICE_REPEAT:
  case OP2I_DEVICE_OWNER:
    status = run_passes(run, "op2_repeat");
    return status || !form->rest ? status : run_elements(run);
  case OP2I_DEVICE_GATHER:
    status = run_elements(run);
    return status ? status : run_passes(run, "op2_sum");
  default: return run_elements(run);
  }
}

op2_status op2i_device_prepare(struct op2i_step *step) {
  struct op2i_device_tables *tables;
  if (step->hi <= step->lo) return OP2_SUCCESS;
  op2_status status = op2i_device_tables(step, &tables);
  if (!status) status = make_given(tables, step->loop);
  if (!status) status = make_late(step, tables);
  if (!status) status = make_kept(step, tables);
  return status ? status : partial_room(step, tables);
}

static op2_status run_step(struct run *run) {
  struct op2i_step *step = run->step;
  op2_status status;
  if (step->ends_here) {
    OP2I_TRY(op2i_step_begin(step, 1));
    op2i_partial_init(step, step->values.partials);
  }
  OP2I_TRY(send_given(step, run->tables));
  OP2I_TRY(send_late(step, run->tables));
  OP2I_TRY(list_args(run));
  struct op2i_device_clock *clock = &run->tables->clocks[step->range];
  OP2I_TRY(op2i_device_clock_begin(run->device, clock));
  OP2I_TRY(run_launches(run));
  OP2I_TRY(op2i_device_clock_end(run->device, clock, &step->time.seconds));
  step->time.elapsed = step->time.seconds;
  if (step->ends_here) op2i_step_combine(step, 1);
fail:
  return status;
}

/* A step that the device has never run is not collected with others: it may be refused, and then the
 * host has to run it before the next one. */
op2_status op2i_device_run(struct op2i_device *device, struct op2i_step *step) {
  struct run run = {.device = device, .step = step};
  struct op2i_device_graphs *graphs = NULL;
  if (step->hi <= step->lo) return OP2_SUCCESS;
  op2_status status = op2i_device_tables(step, &run.tables);
  if (!status && device->collecting && run.tables->clocks[step->range].runs == 0) {
    graphs = device->graphs;
    status = op2i_device_collected(device);
  }
  if (!status) status = run_step(&run);
  if (graphs) op2i_device_collect(device, graphs, false);
  return status;
}
