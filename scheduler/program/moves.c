/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of steps that run together in several places. All of them get their memory first; then the
 * states that values will have are followed through the steps, in their order, and each step notes
 * what has to be brought before it runs. Whoever runs the steps brings it. */
#include "context.h"
#include "device_run.h"
#include "place.h"
#include "program.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static op2_status have_tables(struct op2i_step *step) {
  return step->place == OP2I_DEVICE ? op2i_device_prepare(step) : OP2_SUCCESS;
}

static op2_status have_room(struct op2i_step *step) {
  const struct op2i_op *op = &step->loop->op;
  op2_status status = OP2_SUCCESS;
  for (int d = 0; d < op->ndats && !status; d++)
    status = op2i_buffer_room(&op->dats[d]->values, step->place);
  return status;
}

/* ---- states ---------------------------------------------------------------------------------- */

static void add_move(struct op2i_step *step, int dat, enum op2i_place from, unsigned rows) {
  struct op2i_move *last = step->nmoves ? &step->moves[step->nmoves - 1] : NULL;
  if (last && last->dat == dat && last->from == from)
    last->rows |= rows;
  else
    step->moves[step->nmoves++] =
        (struct op2i_move){.dat = dat, .from = from, .to = step->place, .rows = rows};
}

static void follow(struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  step->nmoves = 0;
  if (step->lo >= step->hi) return;
  for (int d = 0; d < loop->op.ndats; d++) {
    unsigned rows = op2i_step_rows(loop, d);
    struct op2i_missing missing;
    step->dat[d] = op2i_buffer_expect(&loop->op.dats[d]->values, step->place,
                                      op2i_step_access(loop, d, rows), rows, &missing);
    for (int half = 0; half < 2; half++)
      if (missing.rows[half]) add_move(step, d, missing.from[half], missing.rows[half]);
  }
}

static op2_status bind_one(struct op2i_step *step) {
  op2_status status = have_room(step);
  if (!status) status = op2i_step_bind_mesh(step);
  if (!status) status = op2i_step_bind_globals(step);
  return status ? status : have_tables(step);
}

/* Whether the host is to run the step's loop, for lack of memory there: then all steps of that. */
static op2_status bind_somewhere(op2_context ctx, const struct op2i_program *program,
                                 struct op2i_step *step, bool *again) {
  bool device = step->place == OP2I_DEVICE;
  if (device && step->loop->form.off_device) {
    op2_status status = op2i_step_to_host(ctx, step);
    return status ? status : bind_one(step);
  }
  op2_status status = bind_one(step);
  while (status == OP2_ERR_NOMEM && device && op2i_steps_make_room(ctx, program))
    status = bind_one(step);
  *again = status == OP2_ERR_NOMEM && device;
  return *again ? op2i_step_to_host(ctx, step) : status;
}

op2_status op2i_moves_bind(op2_context ctx, const struct op2i_program *program,
                           struct op2i_step *steps, int64_t n) {
  op2_status status = OP2_SUCCESS;
  for (int64_t s = 0; s < n && !status; s++) {
    bool again = false;
    status = bind_somewhere(ctx, program, &steps[s], &again);
    if (again) s = -1;
  }
  for (int64_t s = 0; s < n && !status; s++) follow(&steps[s]);
  return status;
}
