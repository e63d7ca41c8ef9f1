/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of programs that are loops: they are made from what was computed for the loop, bound to
 * their values, and accounted for after they have run. */
#include "compile.h"
#include "device.h"
#include "device_probe.h"
#include "loopdata.h"
#include "place.h"
#include "set.h"
#include "step_bind.h"

/* ---- building steps -------------------------------------------------------------------------- */

struct op2i_step op2i_step_make(const struct op2i_loop *loop, int range, enum op2i_variant wish) {
  const struct op2i_loop_data *data = loop->attached.sched_data;
  struct op2i_step step = {.kind = OP2I_STEP_LOOP,
                           .loop = (struct op2i_loop *)loop,
                           .lo = loop->ranges[range].lo,
                           .hi = loop->ranges[range].hi,
                           .reduces = loop->ranges[range].section != OP2I_EXEC,
                           .defers = loop->op.ctx->comm != NULL,
                           .ends_here = loop->op.ctx->comm || loop->op.ctx->backend->run_steps,
                           .late_globals = loop->op.ctx->backend->run_steps != NULL,
                           .range = range,
                           .plan = data->plans[range] ? data->plans[range]->plan : NULL};
  op2i_step_place(&step, wish);
  return step;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A loop that runs over no halo elements accesses only owned rows of a dat, unless it uses
 * a map. */
unsigned op2i_step_rows(const struct op2i_loop *loop, int d) {
  bool halo = op2i_loop_runs_over(loop, OP2I_EXEC);
  for (int a = 0; a < loop->nargs; a++) halo |= loop->args[a].dat == d && loop->args[a].map >= 0;
  return halo ? OP2I_EVERY_ROW : OP2I_OWNED_ROWS;
}

/* A WRITE is an RW for halo rows, if there are any, since not all of them belong to elements that
 * loops run over. */
op2_access op2i_step_access(const struct op2i_loop *loop, int d, unsigned rows) {
  const struct op2i_buffer *values = &loop->op.dats[d]->values;
  const bool halo = rows & OP2I_HALO_ROWS && values->owned_bytes < values->bytes;
  const op2_access access = loop->op.dat_access[d];
  return op2i_overwrites(access) && halo ? OP2_RW : access;
}

static op2_status bind_map(struct op2i_step *step, int m) {
  op2_map map = step->loop->maps[m];
  void *entries = NULL, *target = NULL;
  op2_status status = OP2_SUCCESS;
  if (!map->first || map->idx)
    status = op2i_buffer_at(&map->entries, step->where.place, OP2_READ, OP2I_EVERY_ROW, &entries);
  if (!status && op2i_set_tabled(map->to) && op2i_loop_numbers(step->loop, m))
    status = op2i_set_numbers_at(map->to, step->where.place, &target);
  step->values.map[m] = entries;
  step->values.target[m] = target;
  return status;
}

static op2_status bind_dat(struct op2i_step *step, int d) {
  const struct op2i_loop *loop = step->loop;
  unsigned rows = op2i_step_rows(loop, d);
  return op2i_buffer_at(&loop->op.dats[d]->values, step->where.place,
                        op2i_step_access(loop, d, rows), rows, &step->values.dat[d]);
}

/* Programs with temporaries bind all dats each time. Most have all their rows in this place and no
 * other, whatever the loop does with them. */
static op2_status bind_dats(struct op2i_step *step) {
  const struct op2i_op *op = &step->loop->op;
  op2_status status = OP2_SUCCESS;
  for (int d = 0; d < op->ndats && !status; d++) {
    const struct op2i_buffer *values = &op->dats[d]->values;
    if (values->only == (signed char)step->where.place)
      step->values.dat[d] = values->at[step->where.place];
    else
      status = bind_dat(step, d);
  }
  return status;
}

op2_status op2i_step_bind_mesh(struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  op2_status status = OP2_SUCCESS;
  void *subset = NULL, *number = NULL;
  for (int m = 0; m < loop->nmaps && !status; m++) status = bind_map(step, m);
  if (loop->set->idx && !status)
    status =
        op2i_buffer_at(&loop->set->elements, step->where.place, OP2_READ, OP2I_EVERY_ROW, &subset);
  if (op2i_set_tabled(loop->set->base) && op2i_loop_numbers_elements(loop) && !status)
    status = op2i_set_numbers_at(loop->set->base, step->where.place, &number);
  step->call.subset = subset;
  step->call.number = number;
  return status;
}

/* Where reductions end on the host (among ranks, and on task backends), a device only reads the
 * global's initial value. */
op2_status op2i_step_bind_globals(struct op2i_step *step) {
  const struct op2i_op *op = &step->loop->op;
  op2_status status = OP2_SUCCESS;
  for (int g = 0; g < op->ngbls && !status; g++) {
    struct op2i_buffer *values = &step->values.versions[g]->values;
    op2_access access = op->gbl_access[g];
    bool device = step->where.place == OP2I_DEVICE;
    bool starts = device && step->ends_here && op2i_modifies(access);
    if (!device || !step->late_globals)
      status = op2i_buffer_at(values, step->where.place, starts ? OP2_READ : access, OP2I_EVERY_ROW,
                              &step->values.gbl[g]);
    if (!status && (starts || (device && step->late_globals)))
      status = op2i_buffer_at(values, op2i_host_place(op->ctx), access, OP2I_EVERY_ROW,
                              &step->values.gbl[g]);
  }
  return status;
}

static op2_status bind_tables(struct op2i_step *step) {
  op2_status status = bind_dats(step);
  return status ? status : op2i_step_bind_mesh(step);
}

static op2_status bind_loop(op2_context ctx, struct op2i_step *step, bool moved) {
  op2_status status = moved ? bind_tables(step) : OP2_SUCCESS;
  if (!status) status = op2i_step_bind_globals(step);
  if (status || step->where.place != OP2I_DEVICE || !ctx->backend->prepare_step) return status;
  return ctx->backend->prepare_step(ctx->backend_state, step);
}

/* ---- making room in a device's memory -------------------------------------------------------- */

static void need(struct op2i_buffer *buffer) { buffer->round = buffer->ctx->device->round; }

/* Mark what steps on the device need there, so that it is not evicted. */
static void need_tables(const struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  for (int d = 0; d < loop->op.ndats; d++) need(&loop->op.dats[d]->values);
  for (int m = 0; m < loop->nmaps; m++) need(&loop->maps[m]->entries);
  for (int m = 0; m < loop->nmaps; m++)
    if (op2i_set_tabled(loop->maps[m]->to) && op2i_loop_numbers(loop, m))
      need(&loop->maps[m]->to->numbers);
  if (loop->set->idx) need(&loop->set->elements);
  if (op2i_set_tabled(loop->set->base) && op2i_loop_numbers_elements(loop))
    need(&loop->set->base->numbers);
}

bool op2i_steps_make_room(op2_context ctx, const struct op2i_program *program) {
  ctx->device->round++;
  for (int64_t s = 0; s < program->nsteps; s++)
    if (program->steps[s].loop && program->steps[s].where.place == OP2I_DEVICE)
      need_tables(&program->steps[s]);
  return op2i_buffers_evict(ctx);
}

static op2_status leave_device(op2_context ctx, struct op2i_step *step, const char *why) {
  struct op2i_loop *loop = step->loop;
  op2_status status = op2i_compile_off_device(ctx->sched, loop, why);
  if (status) return status;
  step->where.place = op2i_host_place(ctx);
  step->function = loop->code.function[op2i_loop_variant(loop, ctx->backend->variant)];
  return OP2_SUCCESS;
}

bool op2i_step_unfit(op2_status status) {
  return status == OP2_ERR_NOMEM || status == OP2_ERR_RANGE;
}

op2_status op2i_step_to_host(op2_context ctx, struct op2i_step *step, op2_status cause) {
  return leave_device(ctx, step,
                      cause == OP2_ERR_RANGE ? "its tables have more entries than a device counts"
                                             : "its values do not fit into the device's memory");
}

static op2_status move_to_host(op2_context ctx, struct op2i_step *step, op2_status cause) {
  op2_status status = op2i_step_to_host(ctx, step, cause);
  return status ? status : bind_loop(ctx, step, true);
}

static op2_status bind_somewhere(op2_context ctx, const struct op2i_program *program,
                                 struct op2i_step *step, bool moved) {
  if (step->where.place != OP2I_DEVICE) return bind_loop(ctx, step, moved);
  if (step->loop->form.not_on_device) return move_to_host(ctx, step, OP2_SUCCESS);
  op2_status status = bind_loop(ctx, step, moved);
  while (status == OP2_ERR_NOMEM && op2i_steps_make_room(ctx, program))
    status = bind_loop(ctx, step, true);
  return op2i_step_unfit(status) ? move_to_host(ctx, step, status) : status;
}

/* If the device refuses a loop before it has begun, the host runs it. */
op2_status op2i_step_run(op2_context ctx, struct op2i_step *step) {
  int64_t launches = ctx->device ? ctx->device->counts.launches : 0;
  op2_status status = ctx->backend->run_step(ctx->backend_state, step);
  if (!status || status == OP2_ERR_FATAL || step->where.place != OP2I_DEVICE) return status;
  if (ctx->device->counts.launches != launches) return status;
  status = leave_device(ctx, step, "the device does not run it");
  if (!status) status = bind_loop(ctx, step, true);
  return status ? status : ctx->backend->run_step(ctx->backend_state, step);
}

/* ---- binding all steps ----------------------------------------------------------------------- */

/* Tasks pack and unpack in the host's memory; where there is a device, exchanges are not
 * among the tasks. */
static op2_status bind_exchange(op2_context ctx, const struct op2i_step *step) {
  return op2i_exchange_bind(step->exchange, op2i_host_place(ctx), ctx->device != NULL,
                            step->kind == OP2I_STEP_END);
}

op2_status op2i_steps_bind(op2_context ctx, const struct op2i_program *program,
                           struct op2i_step *steps, int64_t n) {
  op2_status status = OP2_SUCCESS;
  /* Where steps have copies, an exchange is a step by itself. */
  if (steps->where.moves && !steps->exchange) return op2i_moves_bind(ctx, program, steps, n);
  bool moved = steps->bundle->epoch != ctx->epoch;
  for (int64_t s = 0; s < n && !status; s++) {
    bool loop = steps[s].loop != NULL;
    if (loop)
      status = bind_somewhere(ctx, program, &steps[s], moved);
    else if (moved && steps[s].exchange)
      status = bind_exchange(ctx, &steps[s]);
  }
  steps->bundle->epoch = status ? 0 : ctx->epoch;
  return status;
}

/* ---- counting -------------------------------------------------------------------------------- */

static void count_run(struct op2i_loop *loop, const struct op2i_step *step, double seconds) {
  struct op2i_profile_line *line = loop->profile.line;
  const bool call = step->range == 0;
  loop->profile.calls += call;
  if (!line) return;
  line->calls += call;
  line->bytes += call ? loop->bytes : 0;
  line->elements += step->hi - step->lo;
  line->seconds += seconds;
}

/* The profile is about kernels: those of a fused loop share its time in proportion to the data that
 * each would move by itself. */
static void count_members(const struct op2i_loop *loop, const struct op2i_step *step,
                          double seconds) {
  double bytes = 0;
  for (int m = 0; m < loop->fused.nmembers; m++) bytes += loop->fused.origins[m]->bytes;
  for (int m = 0; m < loop->fused.nmembers; m++) {
    double share = bytes > 0 ? loop->fused.origins[m]->bytes / bytes : 1.0 / loop->fused.nmembers;
    count_run(loop->fused.origins[m], step, share * seconds);
  }
}

double op2i_step_account(const struct op2i_step *step) {
  struct op2i_loop *loop = step->loop;
  struct op2i_loop_data *data = loop->attached.sched_data;
  double elements = (double)(step->hi - step->lo);
  struct op2i_spent *spent = &loop->op.ctx->sched->stats.spent;
  /* A device as a whole works on a loop, as all workers together would; if loops of the host run at
   * the same time, only the one worker counts that waits for it. */
  double seconds =
      step->time.seconds *
      (step->where.place == OP2I_DEVICE && !step->late_globals ? loop->op.ctx->workers : 1);
  spent->loops += seconds;
  spent->running += step->time.elapsed;
  count_run(loop, step, seconds);
  if (loop->fused.members) count_members(loop, step, seconds);
  if (elements < 1 || step->time.seconds <= 0) return seconds;
  if (step->probe.active) op2i_probe_end(step);
  if (step->where.place == OP2I_DEVICE && step->time.untimed) return seconds;
  double ns = 1e9 * step->time.seconds / elements;
  double *known = step->where.place == OP2I_DEVICE ? &data->device_ns : &data->ns_per_element;
  *known = *known > 0 ? 0.75 * *known + 0.25 * ns : ns;
  return seconds;
}
