/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of values for steps that run together in several places. First all of them get their
 * memory. Then the states that values will have are followed through the steps in their
 * order, and each step lists what has to be copied before it runs. The code that runs the
 * steps makes the copies. */
#include "clock.h"
#include "context.h"
#include "device_run.h"
#include "place.h"
#include "split.h"
#include "step_bind.h"

/* ---- memory that steps need ------------------------------------------------------------------ */

static op2_status have_tables(struct op2i_step *step) {
  return step->where.place == OP2I_DEVICE ? op2i_device_prepare(step) : OP2_SUCCESS;
}

static op2_status have_room(struct op2i_step *step) {
  const struct op2i_op *op = &step->loop->op;
  op2_status status = OP2_SUCCESS;
  for (int d = 0; d < op->ndats && !status; d++)
    status =
        op2i_buffer_room(&op->dats[d]->values, step->where.place, op2i_is_split(step->where.split));
  return status;
}

/* ---- copies before steps, and states of dats after them -------------------------------------- */

static void add_moves(struct op2i_step *step, int dat, enum op2i_place to,
                      const struct op2i_missing *missing) {
  for (int i = 0; i < missing->n; i++)
    step->where.moves[step->where.nmoves++] =
        (struct op2i_move){.dat = dat, .to = to, .source = missing->sources[i]};
}

static void follow(struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  step->where.nmoves = 0;
  if (step->lo >= step->hi) return;
  for (int d = 0; d < loop->op.ndats; d++) {
    unsigned rows = op2i_step_rows(loop, d);
    struct op2i_missing missing;
    step->values.dat[d] = op2i_buffer_expect(&loop->op.dats[d]->values, step->where.place,
                                             op2i_step_access(loop, d, rows), rows, &missing);
    add_moves(step, d, step->where.place, &missing);
  }
}

/* Both parts of a loop: all that they read is copied before either of them runs, since each of them
 * writes to rows that belong to the other. */
static void follow_both(struct op2i_step *device_half, struct op2i_step *step) {
  const struct op2i_op *op = &step->loop->op;
  const struct op2i_cut *cut = op2i_loop_cut(step->loop, step->where.split);
  struct op2i_step *const both[] = {step, device_half};
  step->where.nmoves = device_half->where.nmoves = 0;
  for (int d = 0; d < op->ndats; d++) {
    struct op2i_buffer *values = &op->dats[d]->values;
    const struct op2i_cut_dat *rows = &cut->dats[d];
    for (int p = 0; p < 2; p++) {
      struct op2i_missing missing;
      op2i_buffer_expect_part(values, both[p]->where.place, rows->need[p], &missing);
      add_moves(device_half, d, both[p]->where.place, &missing);
      both[p]->values.dat[d] = values->at[both[p]->where.place];
    }
    if (op2i_modifies(op->dat_access[d]))
      op2i_buffer_split(values, step->where.place, rows->make[0], rows->make[1]);
  }
}

static void follow_all(struct op2i_step *steps, int64_t n) {
  for (int64_t s = 0; s < n; s++)
    if (op2i_is_split(steps[s].where.split)) {
      follow_both(&steps[s], &steps[s + 1]);
      s++;
    } else if (steps[s].loop) {
      follow(&steps[s]);
    }
}

static op2_status bind_one(struct op2i_step *step) {
  if (!step->loop) return OP2_SUCCESS;
  op2_status status = have_room(step);
  if (!status) status = op2i_step_bind_mesh(step);
  if (!status) status = op2i_step_bind_globals(step);
  return status ? status : have_tables(step);
}

/* Give a step memory and tables in its place. If the device has no memory for them the host runs
 * the loop, and *again is set, since all other steps of the loop must move to the host as well. */
static op2_status bind_somewhere(op2_context ctx, const struct op2i_program *program,
                                 struct op2i_step *step, bool *again) {
  bool device = step->where.place == OP2I_DEVICE;
  if (op2i_is_split(step->where.split) && step->loop->form.not_on_device)
    op2i_uncut_steps(step->where.device_half ? step + 1 : step,
                     step->where.device_half ? step : step - 1);
  if (step->where.device_half && !op2i_is_split(step->where.split)) return OP2_SUCCESS;
  if (device && step->loop->form.not_on_device) {
    op2_status status = op2i_step_to_host(ctx, step, OP2_SUCCESS);
    return status ? status : bind_one(step);
  }
  op2_status status = bind_one(step);
  while (status == OP2_ERR_NOMEM && device && op2i_steps_make_room(ctx, program))
    status = bind_one(step);
  *again = op2i_step_unfit(status) && device;
  return *again ? op2i_step_to_host(ctx, step, status) : status;
}

op2_status op2i_moves_bind(op2_context ctx, const struct op2i_program *program,
                           struct op2i_step *steps, int64_t n) {
  op2_status status = OP2_SUCCESS;
  for (int64_t s = 0; s < n && !status; s++) {
    bool again = false;
    double begin = op2i_seconds();
    status = bind_somewhere(ctx, program, &steps[s], &again);
    if (steps[s].probe.active) steps[s].probe.overhead_seconds += op2i_seconds() - begin;
    if (again) s = -1;
  }
  if (!status) follow_all(steps, n);
  return status;
}
